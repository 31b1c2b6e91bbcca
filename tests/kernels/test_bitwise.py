import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_bits(dtype):
    x, y = np.array([[6], [0], [127]], dtype), np.array([3, 5], dtype)
    np.testing.assert_array_equal(math.bitwise_and(x, y), x & y)
    np.testing.assert_array_equal(math.bitwise_or(x, y), x | y)
    np.testing.assert_array_equal(math.bitwise_xor(x, y), x ^ y)
    np.testing.assert_array_equal(math.invert(x), ~x)
    open_shapes.check(math.bitwise_xor, [x, y], x ^ y)


@pytest.mark.parametrize("dtype", DTYPES)
def test_shifts(dtype):
    x, y = np.array([1, 5, 100], dtype), np.array([0, 1, 4], dtype)
    np.testing.assert_array_equal(math.left_shift(x, y), np.left_shift(x, y))
    np.testing.assert_array_equal(math.right_shift(x, y), np.right_shift(x, y))


def test_shifts_outside_the_width():
    x = np.int32([1, 1, -8, 1])
    amount = np.int32([31, 40, 1, -1])
    assert math.left_shift(x, amount).tolist() == [-(2**31), -(2**31), -16, 1]
    assert math.right_shift(np.int32([-8, -8]), np.int32([1, 40])).tolist() == [-4, -1]


def test_integers_only():
    with pytest.raises(InvalidArgumentError, match="input 0 must be int8, .* or uint64, got float"):
        math.bitwise_and(np.float32(1), np.float32(1))
