import numpy as np
import open_shapes
import pytest

from fastpipe.array import where
from fastpipe.errors import InvalidArgumentError

DTYPES = ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_where(dtype):
    condition = np.array([[True], [False]])
    x, y = np.array([1, 0, 1], dtype), np.array(0, dtype)
    open_shapes.check(where, [condition, x, y], np.where(condition, x, y))
    open_shapes.check(where, [np.array(True), x[0], x[1]], x[0])


def test_strings():
    condition = np.array([[True, False], [False, True]])
    x = np.array([b"a", b"longer than sixteen bytes"], object)
    y = np.array([[b"y"], [b""]], object)
    open_shapes.check(where, [condition, x, y], np.where(condition, x, y))
    assert where(False, "a", "b") == b"b"


@pytest.mark.parametrize(
    "condition",
    [
        np.array([[True, False], [True, True]]),
        np.array([0, 3, 0, -1]),
        np.float32([0.5, 0, np.nan]),
        np.zeros([0, 3], bool),
        np.array(True),
    ],
)
def test_positions(condition):
    want = np.argwhere(np.atleast_1d(condition)).astype(np.int64)
    open_shapes.check(where, [condition], want[:, :0] if condition.ndim == 0 else want)


def test_errors():
    with pytest.raises(InvalidArgumentError, match="input 0 must be bool, got int32"):
        where(1, 2, 3)
    with pytest.raises(InvalidArgumentError, match="one dtype, got int32 .* and float32"):
        where(True, np.int32(1), np.float32(1))
    with pytest.raises(InvalidArgumentError, match=r"got \[2\] and \[3\] and \[\]"):
        where([True, False], [1, 2, 3], 0)
    with pytest.raises(ValueError, match="both x and y"):
        where(True, 1)
