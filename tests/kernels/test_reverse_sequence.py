import numpy as np
import open_shapes
import pytest

from fastpipe.array import reverse_sequence
from fastpipe.errors import InvalidArgumentError

X = np.arange(24, dtype=np.int32).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("seq", "batch", "lengths"),
    [(1, 0, [1, 3]), (0, 1, [2, 0, 1]), (2, 0, [4, 3]), (-1, 1, [0, 4, 2])],
)
def test_the_first_slices_are_reversed(seq, batch, lengths):
    moved = np.moveaxis(X, (batch, seq), (0, 1)).copy()
    for row, length in zip(moved, lengths):
        row[:length] = row[:length][::-1].copy()
    want = np.moveaxis(moved, (0, 1), (batch, seq))
    inputs = [X, np.int64(lengths)]
    open_shapes.check(
        lambda x, n: reverse_sequence(x, n, seq, batch), inputs, np.ascontiguousarray(want)
    )


def test_strings():
    x = np.array([[b"a", b"b"], [b"c", b"d"]], object)
    want = np.array([[b"b", b"a"], [b"c", b"d"]], object)
    open_shapes.check(lambda t: reverse_sequence(t, [2, 1], 1), [x], want)


def test_errors():
    with pytest.raises(InvalidArgumentError, match="must differ, both are 0"):
        reverse_sequence(X, [1, 1], 0, 0)
    with pytest.raises(InvalidArgumentError, match="between 0 and 3, got 4"):
        reverse_sequence(X, [4, 1], 1)
    with pytest.raises(InvalidArgumentError, match=r"one for each of 2 slices, got shape \[3\]"):
        reverse_sequence(X, [1, 1, 1], 1)
