import numpy as np
import open_shapes
import pytest

from fastpipe.array import gather
from fastpipe.errors import InvalidArgumentError

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
STRINGS = np.array([b"a", b"a string of more than sixteen bytes", b""], object)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_gather(axis, dtype):
    for indices in (np.array(1, dtype), np.array([1, 0, 1], dtype), np.array([[0], [1]], dtype)):
        want = np.take(X, indices.astype(int), axis)
        open_shapes.check(lambda x, i: gather(x, i, axis=axis), [X, indices], want)


def test_strings():
    open_shapes.check(gather, [STRINGS, np.int32([2, 1, 1])], STRINGS[[2, 1, 1]])
    assert gather(STRINGS, 1) == STRINGS[1]


def test_batch_dims():
    indices = np.int32([[2, 0], [1, 1]])
    want = np.stack([X[i][indices[i]] for i in range(2)])
    open_shapes.check(lambda x, i: gather(x, i, batch_dims=1), [X, indices], want)
    want = np.stack([X[i][:, indices[i]] for i in range(2)])
    open_shapes.check(lambda x, i: gather(x, i, axis=2, batch_dims=1), [X, indices], want)


def test_empty():
    assert gather(X, np.zeros([0], np.int32)).shape == (0, 3, 4)
    assert gather(np.zeros([3, 0]), [2, 1]).shape == (2, 0)


@pytest.mark.parametrize("bad", [-1, 2])
def test_indices_must_exist(bad):
    message = f"indices must be between 0 and 1, got {bad} at index 1"
    with pytest.raises(InvalidArgumentError, match=message):
        gather(X, [0, bad])
    with pytest.raises(InvalidArgumentError, match=message):
        list(open_shapes.traced(gather, [X, np.int32([0, bad])], [None, None]))


def test_errors():
    with pytest.raises(InvalidArgumentError, match="indices must be integers, got float32"):
        gather(X, 1.0)
    with pytest.raises(InvalidArgumentError, match="axis must be between -3 and 2"):
        gather(X, 0, axis=3)
    with pytest.raises(InvalidArgumentError, match="batch_dims must be at most axis"):
        gather(X, [0], axis=0, batch_dims=1)
