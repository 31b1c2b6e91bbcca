import numpy as np
import open_shapes
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastpipe.array import range_
from fastpipe.errors import InvalidArgumentError, ResourceExhaustedError


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "float32", "float64"])
def test_range(dtype):
    open_shapes.check(range_, [np.array(5, dtype)], np.arange(5).astype(dtype))
    bounds = [np.array(each, dtype) for each in (3, 20, 4)]
    open_shapes.check(range_, bounds, np.arange(3, 20, 4).astype(dtype))


@given(st.integers(-50, 50), st.integers(0, 50), st.integers(1, 9), st.booleans())
def test_any_integers(start, distance, step, down):
    limit, delta = (start - distance, -step) if down else (start + distance, step)
    assert range_(start, limit, delta).tolist() == list(range(start, limit, delta))


def test_ends_of_the_dtype():
    low, high = np.int64(-(2**63)), np.int64(2**63 - 1)
    assert range_(low, high, np.int64(2**62)).tolist() == [-(2**63), -(2**62), 0, 2**62]
    assert range_(np.int8(-128), np.int8(127), np.int8(100)).tolist() == [-128, -28, 72]
    assert range_(high, low, np.int64(-(2**63))).tolist() == [2**63 - 1, -1]


def test_the_widest_dtype_wins():
    assert range_(0, np.int64(3)).dtype == np.int64
    assert range_(3).dtype == np.int32
    assert range_(3.5).tolist() == [0, 1, 2, 3] and range_(3.5).dtype == np.float32
    assert range_(3, dtype="float64").dtype == np.float64
    np.testing.assert_allclose(range_(0.0, 1.0, 0.3), [0, 0.3, 0.6, 0.9], rtol=1e-6)


def test_planned_shape():
    assert open_shapes.spec_of(range_, ((), "int64")) == (None,)


def test_errors():
    with pytest.raises(
        InvalidArgumentError, match="start must be <= limit .* got start 5, limit 0"
    ):
        range_(5, 0)
    with pytest.raises(InvalidArgumentError, match="start must be >= limit"):
        range_(0, 5, -1)
    with pytest.raises(InvalidArgumentError, match="delta must not be 0"):
        range_(0, 5, 0)
    with pytest.raises(InvalidArgumentError, match="may be NaN"):
        range_(float("nan"))
    with pytest.raises(InvalidArgumentError, match="must be scalars, got int32"):
        range_([1, 2])
    with pytest.raises(ResourceExhaustedError, match="more than"):
        range_(np.int64(2**60))
    with pytest.raises(ResourceExhaustedError, match="more than"):
        range_(0.0, float("inf"))
