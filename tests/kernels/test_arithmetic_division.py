import numpy as np
import open_shapes
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_true_division_of_integers(dtype):
    x, y = np.array([7, 1, 0], dtype), np.array([2, 3, 5], dtype)
    result = math.divide(x, y)
    assert result.dtype == (np.float32 if np.dtype(dtype).itemsize < 4 else np.float64)
    np.testing.assert_allclose(result, [3.5, 1 / 3, 0], rtol=1e-7)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_division_of_floats(dtype):
    x, y = np.array([7, -1, 0, 1], dtype), np.array([2, 4, 5, 0], dtype)
    open_shapes.check(math.divide, [x, y], np.array([3.5, -0.25, 0, np.inf], dtype))


@pytest.mark.parametrize("dtype", SIGNED)
def test_rounding_down(dtype):
    low = np.iinfo(dtype).min
    x = np.array([7, -7, 7, -7, 6, -6, 0, low, low, low + 1], dtype)
    y = np.array([2, 2, -2, -2, 3, 3, -1, -1, 2, low], dtype)
    quotients = [int(a) // int(b) for a, b in zip(x, y)]
    quotients[7] = low  # wraps
    open_shapes.check(math.floordiv, [x, y], np.array(quotients, dtype))
    remainders = [int(a) % int(b) for a, b in zip(x, y)]
    open_shapes.check(math.floormod, [x, y], np.array(remainders, dtype))


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**64 - 1))
def test_unsigned(x, y):
    assert int(math.floordiv(np.uint64(x), np.uint64(y))) == x // y
    assert int(math.mod(np.uint64(x), np.uint64(y))) == x % y


def test_floats_round_down():
    x, y = np.float32([5.5, -5.5, 5.5, 0]), np.float32([2, 2, -2, 2])
    np.testing.assert_array_equal(math.floordiv(x, y), [2, -3, -3, 0])
    np.testing.assert_array_equal(math.floormod(x, y), [1.5, 0.5, -0.5, 0])
    assert np.isposinf(math.floordiv(np.float32(1), np.float32(0)))
    assert np.isnan(math.floormod(np.float32(1), np.float32(0)))


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
@pytest.mark.parametrize("function", [math.floordiv, math.floormod])
def test_integer_division_by_zero(function, dtype):
    with pytest.raises(InvalidArgumentError, match="integer division by zero"):
        function(np.ones([2, 2], dtype), np.array([1, 0], dtype))
    assert function(np.ones([0], dtype), np.array(0, dtype)).shape == (0,)


@pytest.mark.parametrize("dtype", [*SIGNED, "float32", "float64"])
def test_rounding_towards_zero(dtype):
    x, y = np.array([7, -7, 7, -7, 0, 5], dtype), np.array([2, 2, -2, -2, -1, -1], dtype)
    quotients = np.array([3, -3, -3, 3, 0, -5], dtype)
    open_shapes.check(math.truncatediv, [x, y], quotients)
    open_shapes.check(math.truncatemod, [x, y], x - quotients * y)


def test_the_least_integer_divided_by_minus_one():
    low = np.int8([-128])
    assert math.truncatediv(low, np.int8(-1)) == -128 and math.truncatemod(low, np.int8(-1)) == 0


def test_zeros_without_nan():
    x, y = np.float32([1, 0, np.inf, 6]), np.float32([0, 0, 0, 2])
    open_shapes.check(math.divide_no_nan, [x, y], np.float32([0, 0, 0, 3]))
    open_shapes.check(math.multiply_no_nan, [x, y], np.float32([0, 0, 0, 12]))
    open_shapes.check(math.xlogy, [y, x], np.float32([0, 0, 0, 2 * np.log(6)]), 1e-6)
    open_shapes.check(math.xdivy, [y, x], np.float32([0, 0, 0, 1 / 3]), 1e-6)
    assert math.divide_no_nan(np.int32([1, 6]), np.int32([0, 4])).tolist() == [0, 1.5]


def test_operators():
    assert open_shapes.spec_of(lambda x: x / 2, ((3,), "int32")) == (3,)
    (result,) = list(
        open_shapes.traced(lambda x: (x // 2, x % 3, x / 2, 7 // x), [np.int64(-7)], [()])
    )
    assert [each.item() for each in result] == [-4, 2, -3.5, -1]
