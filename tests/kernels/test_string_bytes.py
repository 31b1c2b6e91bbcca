import numpy as np
import open_shapes
import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError


def test_bytes_of_a_scalar():
    want = np.array([b"a", b"\xff", b"\0"], object)
    assert strings.bytes_split(b"a\xff\0").tolist() == want.tolist()
    (traced,) = list(open_shapes.traced(strings.bytes_split, [b"a\xff\0"], [()]))
    assert traced.tolist() == want.tolist()


def test_bytes_of_a_vector():
    x = np.array([b"ab", b"", b"c"], object)
    for rows in (strings.bytes_split(x), *open_shapes.traced(strings.bytes_split, [x], [(None,)])):
        assert rows.to_list() == [[b"a", b"b"], [], [b"c"]]


def test_bytes_of_a_matrix():
    assert strings.bytes_split([["ab", ""], ["c", "d"]]).to_list() == [
        [[b"a", b"b"], []],
        [[b"c"], [b"d"]],
    ]


def test_errors():
    with pytest.raises(InvalidArgumentError, match="must be string, got int32"):
        strings.bytes_split([1])
