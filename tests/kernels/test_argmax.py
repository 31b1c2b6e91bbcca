import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

X = np.random.default_rng(1).integers(0, 5, [3, 4, 5])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "int32", "float16", "float64"])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_first_of_the_best(dtype, axis):
    x = X.astype(dtype)
    open_shapes.check(lambda t: math.argmax(t, axis), [x], np.argmax(x, axis))
    open_shapes.check(lambda t: math.argmin(t, axis), [x], np.argmin(x, axis))


def test_output_type():
    x = np.int32([3, 1])
    for dtype in ("int16", "uint16", "int32", "int64"):
        want = np.dtype(dtype).type(1)
        open_shapes.check(lambda t, to=dtype: math.argmin(t, output_type=to), [x], want)
    with pytest.raises(InvalidArgumentError, match="output_type must be int16, .*, got uint8"):
        math.argmax(x, output_type="uint8")


def test_nan_is_passed_over():
    nan = np.nan
    for values, greatest, least in [([1, nan, 3], 2, 0), ([nan, 1, 0], 1, 2), ([nan, nan], 0, 0)]:
        assert math.argmax(np.float32(values)) == greatest
        assert math.argmin(np.float32(values)) == least


def test_errors():
    with pytest.raises(InvalidArgumentError, match=r"axis 0 must hold a value, got shape \[0\]"):
        math.argmax(np.zeros([0]))
    with pytest.raises(InvalidArgumentError, match="got axis 0 for a scalar"):
        math.argmax(1)
    with pytest.raises(InvalidArgumentError, match="got string"):
        math.argmax(["a"])
