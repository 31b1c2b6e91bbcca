import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cumsum(dtype, axis):
    x = (np.arange(24).reshape(2, 3, 4) * 3).astype(dtype)
    open_shapes.check(lambda t: math.cumsum(t, axis), [x], np.cumsum(x, axis, dtype), 1e-6)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cumprod(dtype, axis):
    x = (np.arange(24).reshape(2, 3, 4) % 3 + 1).astype(dtype)
    open_shapes.check(lambda t: math.cumprod(t, axis), [x], np.cumprod(x, axis, dtype), 1e-3)
    first = math.cumprod(x, axis, exclusive=True).take(0, axis)
    assert (first == 1).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cumulative_logsumexp(dtype):
    x = np.array([[0, 800, 1], [-np.inf, 2, np.inf]], dtype)
    want = np.logaddexp.accumulate(x, axis=1).astype(dtype)
    open_shapes.check(lambda t: math.cumulative_logsumexp(t, 1), [x], want, 1e-6)
    before = math.cumulative_logsumexp(x, 1, exclusive=True)
    assert (before[:, 0] == -np.inf).all()


def test_directions():
    x = np.int32([1, 2, 3])
    open_shapes.check(lambda t: math.cumsum(t, exclusive=True), [x], np.int32([0, 1, 3]))
    open_shapes.check(lambda t: math.cumsum(t, reverse=True), [x], np.int32([6, 5, 3]))
    both = math.cumsum(x, exclusive=True, reverse=True)
    assert both.tolist() == [5, 3, 0]


def test_errors():
    with pytest.raises(InvalidArgumentError, match="got axis 0 for a scalar"):
        math.cumsum(1)
    with pytest.raises(InvalidArgumentError, match="axis must be between -1 and 0"):
        list(open_shapes.traced(lambda t: math.cumsum(t, 1), [np.int32([1])], [None]))
    with pytest.raises(InvalidArgumentError, match="got bool"):
        math.cumsum([True])
