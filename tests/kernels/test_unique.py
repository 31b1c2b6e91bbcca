import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

DTYPES = ["bool", "int8", "int64", "uint16", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_in_the_order_in_which_they_appear(dtype):
    x = np.array([1, 0, 1, 1, 0, 1]).astype(dtype)
    expected = [x[:2], np.int32([0, 1, 0, 0, 1, 0]), np.int32([4, 2])]
    open_shapes.check(lambda t: list(math.unique_with_counts(t)), [x], expected)


def test_strings():
    x = np.array([b"b", b"", b"b", b"a"], object)
    expected = [np.array([b"b", b"", b"a"], object), np.int64([0, 1, 0, 2])]
    open_shapes.check(lambda t: list(math.unique(t, "int64")), [x], expected)


def test_zeros_are_equal_and_nans_are_not():
    y, idx, count = math.unique_with_counts(np.float32([0.0, -0.0, np.nan, np.nan]))
    assert idx.tolist() == [0, 0, 1, 2] and count.tolist() == [2, 1, 1] and y[0] == 0


def test_nothing():
    y, idx = math.unique(np.zeros([0], np.int32))
    assert y.shape == idx.shape == (0,)


def test_errors():
    with pytest.raises(InvalidArgumentError, match=r"takes a vector, got int32 \[1, 2\]"):
        math.unique([[1, 2]])
    with pytest.raises(InvalidArgumentError, match="out_idx must be int32 or int64, got int8"):
        math.unique([1, 2], "int8")
