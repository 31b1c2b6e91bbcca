import numpy as np
import open_shapes
import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError
from fastpipe.ragged import RaggedTensor

X = np.array([b"a", b"b", b"c"], object)


@pytest.mark.parametrize(
    ("kwargs", "runs"),
    [
        ({"ngram_width": 2}, [b"a b", b"b c"]),
        ({"ngram_width": [1, 2], "separator": "-"}, [b"a", b"b", b"c", b"a-b", b"b-c"]),
        ({"ngram_width": 2, "pad_values": "#"}, [b"# a", b"a b", b"b c", b"c #"]),
        (
            {"ngram_width": 3, "pad_values": ("<", ">"), "padding_width": 1},
            [b"< a b", b"a b c", b"b c >"],
        ),
        ({"ngram_width": 4}, []),
        ({"ngram_width": 4, "preserve_short_sequences": True}, [b"a b c"]),
    ],
)
def test_runs_of_a_vector(kwargs, runs):
    assert strings.ngrams(X, **kwargs).tolist() == runs
    (traced,) = list(open_shapes.traced(lambda t: strings.ngrams(t, **kwargs), [X], [(None,)]))
    assert traced.tolist() == runs


def test_rows_of_a_matrix_and_of_a_ragged_tensor():
    rows = strings.ngrams(X.reshape(1, 3).repeat(2, 0), 2)
    assert rows.tolist() == [[b"a b", b"b c"]] * 2
    ragged = strings.ngrams(RaggedTensor(X, np.int64([0, 1, 3])), 2)
    assert ragged.to_list() == [[], [b"b c"]]


def test_nothing():
    assert strings.ngrams(np.zeros([0], object), 1).shape == (0,)


def test_errors():
    with pytest.raises(InvalidArgumentError, match="widths must be >= 1, got 0"):
        strings.ngrams(X, 0)
    with pytest.raises(InvalidArgumentError, match="got rank 0"):
        strings.ngrams("a", 1)
