import numpy as np
import open_shapes
import pytest

from fastpipe.array import fill, ones, ones_like, shape, zeros, zeros_like
from fastpipe.errors import InvalidArgumentError, ResourceExhaustedError

DTYPES = ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dims", [[], [3], [2, 0], [2, 3]])
@pytest.mark.parametrize("dtype", DTYPES)
def test_fill(dtype, dims):
    value = np.array(1, dtype)
    open_shapes.check(lambda v: fill(dims, v), [value], np.full(dims, value)[()])
    assert zeros(dims, dtype).dtype == dtype and not np.any(zeros(dims, dtype))
    assert ones(dims, dtype).dtype == dtype and np.all(ones(dims, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_like(dtype):
    x = np.array([[1, 0, 1]], dtype)
    open_shapes.check(zeros_like, [x], np.zeros_like(x))
    open_shapes.check(ones_like, [x], np.ones_like(x))
    open_shapes.check(lambda t: ones_like(t, "int16"), [x], np.ones_like(x, np.int16))
    open_shapes.check(lambda t: zeros_like(t, "int16"), [x], np.zeros_like(x, np.int16))


def test_strings():
    x = np.array([b"a", b"b"], object)
    assert fill([2], "ab").tolist() == [b"ab", b"ab"]
    assert zeros([2], "string").tolist() == [b"", b""]
    open_shapes.check(zeros_like, [x], np.array([b"", b""], object))
    open_shapes.check(lambda t: zeros_like(t, "float32"), [x], np.float32([0, 0]))
    assert zeros_like([1, 2], "string").tolist() == [b"", b""]


def test_symbols():
    def function(n, x):
        return fill([n, 2], n), fill(shape(x), 7), zeros([n])

    x = np.zeros([3, 1])
    want = [np.full([3, 2], 3), np.full([3, 1], 7, np.int32), np.zeros([3], np.float32)]
    open_shapes.check(function, [np.int64(3), x], want)
    assert open_shapes.spec_of(lambda n: zeros([n, 4]), ((), "int32")) == (None, 4)


def test_errors():
    with pytest.raises(InvalidArgumentError, match="sizes of a shape must be >= 0, got -1"):
        fill([-1], 2)
    with pytest.raises(InvalidArgumentError, match="value must be a scalar, got int32"):
        fill([2], [1, 2])
    with pytest.raises(ResourceExhaustedError, match="more than"):
        zeros([2**30, 2**30])
    with pytest.raises(InvalidArgumentError, match="got string"):
        ones_like("a")
