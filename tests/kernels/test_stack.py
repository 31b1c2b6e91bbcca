import numpy as np
import open_shapes
import pytest

from fastpipe.array import stack, unstack
from fastpipe.errors import InvalidArgumentError

X = np.arange(6, dtype=np.int64).reshape(2, 3)
STRINGS = np.array([[b"a", b"bc"], [b"", b"a string of more than sixteen bytes"]], object)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_stack(axis):
    parts = [X, X + 6, X + 12]
    open_shapes.check(lambda *t: stack(t, axis), parts, np.stack(parts, axis))


def test_scalars_strings_and_literals():
    open_shapes.check(lambda a, b: stack([a, b]), [np.uint8(1), np.uint8(2)], np.uint8([1, 2]))
    open_shapes.check(lambda a: stack([a, a], 1), [STRINGS], np.stack([STRINGS, STRINGS], 1))
    open_shapes.check(lambda a: stack([a, 2]), [np.int64(1)], np.int64([1, 2]))


def test_literals_in_nested_lists():
    open_shapes.check(lambda a: stack([[a, 1], [2, a]]), [np.int64(5)], np.int64([[5, 1], [2, 5]]))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("x", [X, STRINGS, X.astype(np.float16)], ids=["int64", "string", "half"])
def test_unstack(x, axis):
    num = x.shape[axis]
    want = [np.take(x, i, axis) for i in range(num)]
    open_shapes.check(lambda t: unstack(t, num, axis), [x], want)


def test_unstack_without_num():
    assert [part.tolist() for part in unstack(X)] == X.tolist()


def test_nothing():
    assert stack([]).shape == (0,) and stack([]).dtype == np.float32


def test_errors():
    with pytest.raises(InvalidArgumentError, match=r"one shape, got int32 \[2\] and int32 \[1\]"):
        stack([[1, 2], [3]])
    with pytest.raises(InvalidArgumentError, match=r"one shape, got \[2\] and \[1\]"):
        x, y = np.int32([1, 2]), np.int32([3])
        list(open_shapes.traced(lambda a, b: stack([a, b]), [x, y], [None, None]))
    with pytest.raises(InvalidArgumentError, match="one dtype"):
        stack([np.int32(1), np.float32(1)])
    with pytest.raises(InvalidArgumentError, match="expected 3 slices along axis 0"):
        unstack(X, 3)
    with pytest.raises(InvalidArgumentError, match="num is required"):
        open_shapes.traced(unstack, [X], [(None, 3)])
    with pytest.raises(InvalidArgumentError, match="expected 3 slices along axis 0, got shape"):
        list(open_shapes.traced(lambda t: unstack(t, 3), [X], [(None, 3)]))
