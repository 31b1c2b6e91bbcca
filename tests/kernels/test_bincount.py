import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError, ResourceExhaustedError


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
@pytest.mark.parametrize("least", [None, 0, 9])
def test_counts(dtype, least):
    x = np.array([[1, 1, 3], [0, 3, 3]], dtype)
    want = np.bincount(x.ravel(), minlength=least or 0).astype(np.int32)
    open_shapes.check(lambda t: math.bincount(t, minlength=least), [x], want)


def test_values_beyond_maxlength_are_left_out():
    assert math.bincount([1, 5, 1], maxlength=3).tolist() == [0, 2, 0]
    assert math.bincount([1], minlength=5, maxlength=3).tolist() == [0, 1, 0]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float16", "float32", "float64"])
def test_weights_are_summed_in_their_dtype(dtype):
    x, weights = np.int32([0, 2, 2]), np.array([1, 2, 4], dtype)
    open_shapes.check(math.bincount, [x, weights], np.array([1, 0, 6], dtype))


def test_rows_and_binary():
    x = np.int32([[1, 1], [0, 2]])
    counted = np.int32([[0, 2, 0], [1, 0, 1]])
    open_shapes.check(lambda t: math.bincount(t, axis=-1), [x], counted)
    assert math.bincount(x, axis=-1, binary_output=True).tolist() == np.minimum(counted, 1).tolist()


def test_nothing():
    assert math.bincount(np.zeros([0], np.int32)).shape == (0,)
    assert math.bincount(np.zeros([0, 2], np.int32), axis=-1, minlength=2).shape == (0, 2)


def test_histograms():
    x = np.float32([-1, 0, 1.5, 2, 5, 15])
    bins = np.int32([0, 0, 1, 2, 4, 4])
    span = np.float32([0, 5])
    open_shapes.check(lambda t, r: math.histogram_fixed_width_bins(t, r, 5), [x, span], bins)
    want = np.int32([2, 1, 1, 0, 2])
    open_shapes.check(lambda t, r: math.histogram_fixed_width(t, r, 5), [x, span], want)


def test_errors():
    for value in (2**63 - 1, 2**50):
        with pytest.raises((InvalidArgumentError, ResourceExhaustedError)):
            math.bincount(np.int64([value]))
    with pytest.raises(InvalidArgumentError, match="values must be >= 0 and not absurd, got -1"):
        math.bincount([-1])
    with pytest.raises(InvalidArgumentError, match=r"a weight for each value, got \[1\] for \[2\]"):
        math.bincount([1, 2], weights=[1.0])
    with pytest.raises(InvalidArgumentError, match="values must be integers, got float32"):
        math.bincount([1.0])
