import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16", "float32", "float64"])
def test_clip(dtype):
    x = np.arange(12).reshape(3, 4).astype(dtype)
    for low, high in [(2, 6), ([1, 2, 3, 4], 7), ([[0], [5], [9]], [3, 6, 9, 12]), (8, 3)]:
        low, high = np.array(low, dtype), np.array(high, dtype)
        want = np.maximum(np.minimum(x, high), low)
        open_shapes.check(math.clip_by_value, [x, low, high], want)


def test_scalars_literals_and_nan():
    assert math.clip_by_value(np.uint8(200), 0, 100) == 100
    assert math.clip_by_value([1.0, 9.0], 2, 6).tolist() == [2.0, 6.0]
    assert np.isnan(math.clip_by_value(np.float32(np.nan), 0, 1))


def test_bounds_must_fit():
    x, low = np.float32([1, 2]), np.float32([[1], [0]])
    with pytest.raises(InvalidArgumentError, match=r"shape \[2\] of the values, .* \[2, 2\]"):
        math.clip_by_value(x, low, 3)
    with pytest.raises(InvalidArgumentError, match=r"shape \[2\] of the values"):
        list(open_shapes.traced(lambda a, b: math.clip_by_value(a, b, 3), [x, low], [None, None]))
    with pytest.raises(TypeError, match="0.5 is a float"):
        math.clip_by_value(np.int32([1]), 0.5, 3)


def test_bounds_tell_sizes():
    def of(shape):
        return open_shapes.spec_of(
            lambda t: math.clip_by_value(t, [1, 2, 3], 5), (shape, "float32")
        )

    assert of((None,)) == (3,) and of((2, None)) == (2, 3) and of(None) is None
