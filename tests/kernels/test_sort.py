import numpy as np
import open_shapes
import pytest

from fastpipe.array import argsort, sort
from fastpipe.errors import InvalidArgumentError

X = np.random.default_rng(1).integers(0, 9, [3, 4, 5])


@pytest.mark.parametrize("dtype", ["int8", "uint64", "int32", "float16", "float64"])
@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_sort(dtype, axis):
    x = X.astype(dtype)
    open_shapes.check(lambda t: sort(t, axis), [x], np.sort(x, axis))
    want = np.flip(np.sort(x, axis), axis)
    open_shapes.check(lambda t: sort(t, axis, direction="DESCENDING"), [x], want)
    want = np.argsort(x, axis, kind="stable").astype(np.int32)
    open_shapes.check(lambda t: argsort(t, axis), [x], want)


def test_equal_values_keep_their_order():
    assert argsort([3, 1, 2, 1]).tolist() == [1, 3, 2, 0]
    assert argsort([3, 1, 2, 1, 3], direction="DESCENDING").tolist() == [0, 4, 2, 1, 3]


def test_nan_comes_last():
    x = np.float32([np.nan, 1, -1, np.nan, 0])
    assert argsort(x).tolist() == [2, 4, 1, 0, 3]
    assert argsort(x, direction="DESCENDING").tolist() == [1, 4, 2, 0, 3]


def test_errors():
    with pytest.raises(InvalidArgumentError, match="got string"):
        sort(["b", "a"])
    with pytest.raises(ValueError, match="direction must be"):
        sort([1], direction="UP")
    with pytest.raises(InvalidArgumentError, match="got axis -1 for a scalar"):
        sort(1)
