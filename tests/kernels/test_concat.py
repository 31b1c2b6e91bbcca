import numpy as np
import open_shapes
import pytest

from fastpipe.array import concat, split
from fastpipe.errors import InvalidArgumentError

X = np.arange(12, dtype=np.int32).reshape(2, 3, 2)
STRINGS = np.array([[b"a", b"bc"], [b"", b"a string of more than sixteen bytes"]], object)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_concat(axis):
    parts = [X, np.take(X, [0], axis), np.take(X, [], axis), X]
    open_shapes.check(lambda *t: concat(t, axis), parts, np.concatenate(parts, axis))


def test_strings_and_symbols_in_lists():
    parts = [STRINGS, STRINGS[:, :1]]
    open_shapes.check(lambda *t: concat(t, 1), parts, np.concatenate(parts, 1))
    open_shapes.check(lambda x: concat([[x], [x + 1, x]], 0), [np.int64(3)], np.int64([3, 4, 3]))


def test_planned_shapes():
    def of(a, b, axis=0):
        return open_shapes.spec_of(lambda *t: concat(t, axis), (a, "int32"), (b, "int32"))

    assert of((2, None), (3, 4)) == (5, 4)
    assert of((None, 4), (3, 4)) == (None, 4)
    assert of(None, (3, 4)) is None


@pytest.mark.parametrize(
    ("sizes", "axis"), [(2, 0), (3, 1), ([1, 2], 1), ([-1, 1], 1), ([0, 2, 0], -1), (1, 0)]
)
def test_split(sizes, axis):
    if isinstance(sizes, int):
        want = np.split(X, sizes, axis)
    else:
        length = X.shape[axis]
        known = [length - sum(s for s in sizes if s >= 0) if s < 0 else s for s in sizes]
        want = np.split(X, np.cumsum(known)[:-1], axis)
    open_shapes.check(lambda t: split(t, sizes, axis), [X], want)


def test_split_strings():
    open_shapes.check(lambda t: split(t, 2, 1), [STRINGS], np.split(STRINGS, 2, 1))


def test_errors():
    with pytest.raises(
        InvalidArgumentError, match=r"equal but for axis 0, got \[1, 2\] and \[1, 1"
    ):
        concat([[[1, 2]], [[3]]], 0)
    with pytest.raises(InvalidArgumentError, match="got a scalar: use stack"):
        concat([1, 2], 0)
    x, y = np.zeros([1, 2]), np.zeros([1, 1])
    with pytest.raises(InvalidArgumentError, match="equal but for axis 0"):
        list(open_shapes.traced(lambda *t: concat(t, 0), [x, y], [None, None]))
    with pytest.raises(InvalidArgumentError, match="size 3 cannot be cut into 2 equal parts"):
        split(X, 2, 1)
    with pytest.raises(InvalidArgumentError, match="sizes must add up to 3, got 4"):
        split(X, [2, 2], 1)
    with pytest.raises(InvalidArgumentError, match="sizes must add up to 3, got 4"):
        split(X, [4, -1], 1)
    with pytest.raises(InvalidArgumentError, match="only one of sizes"):
        split(X, [-1, -1], 1)
    with pytest.raises(InvalidArgumentError, match="num must be >= 1, got 0"):
        split(X, 0)
