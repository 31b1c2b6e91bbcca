import numpy as np
import open_shapes
import pytest

from fastpipe.errors import InvalidArgumentError
from fastpipe.tracing import call


def dense(*inputs):
    return call("ragged_to_dense", inputs)


SPLITS = np.int64([0, 1, 1, 3])


def test_rows_are_filled_up():
    values = np.int32([1, 2, 3])
    open_shapes.check(dense, [values, SPLITS], np.int32([[1, 0], [0, 0], [2, 3]]))
    want = np.int32([[1, -1], [-1, -1], [2, 3]])
    open_shapes.check(dense, [values, SPLITS, np.int32(-1)], want)
    assert dense(values, SPLITS.astype(np.int32)).shape == (3, 2)


def test_inner_axes_and_strings():
    values = np.arange(6.0).reshape(3, 2)
    want = np.zeros([3, 2, 2])
    want[0, 0], want[2] = values[0], values[1:]
    open_shapes.check(dense, [values, SPLITS], want)
    strings = np.array([b"a", b"b", b"more than sixteen bytes of text"], object)
    want = np.array([[b"a", b""], [b"", b""], [strings[1], strings[2]]], object)
    open_shapes.check(dense, [strings, SPLITS], want)


def test_no_rows():
    assert dense(np.zeros([0]), np.int64([0])).shape == (0, 0)
    assert open_shapes.spec_of(dense, ((None, 4), "int32"), ((3,), "int64")) == (2, None, 4)


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ([0, 2], "row_splits must go from 0 to 3, got 0 to 2"),
        ([1, 3], "row_splits must go from 0 to 3, got 1 to 3"),
        ([0, 2, 1, 3], "must not decrease"),
        ([], "one integer or more, got none"),
    ],
)
def test_splits_must_fit(splits, message):
    with pytest.raises(InvalidArgumentError, match=message):
        dense(np.int32([1, 2, 3]), np.int64(splits))


def test_errors():
    with pytest.raises(InvalidArgumentError, match="input 2 must be int32, got float32"):
        dense(np.int32([1]), np.int64([0, 1]), np.float32(0))
    with pytest.raises(InvalidArgumentError, match="values must have an axis"):
        dense(np.int32(1), np.int64([0, 1]))
