import numpy as np
import open_shapes
import pytest

from fastpipe.array import one_hot
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot(dtype, axis):
    indices = np.array([[0, 2, 1], [3, 3, 0]], dtype)
    want = np.moveaxis(np.eye(4, dtype=np.float32)[indices.astype(int)], -1, axis)
    open_shapes.check(lambda i: one_hot(i, 4, axis=axis), [indices], want)


def test_scalars_and_indices_outside():
    open_shapes.check(lambda i: one_hot(i, 3), [np.int64(1)], np.float32([0, 1, 0]))
    assert not one_hot([5, -1], 3).any() and one_hot([5, -1], 3).shape == (2, 3)
    assert one_hot([0, 1], 0).shape == (2, 0)


def test_values_and_dtypes():
    assert one_hot([0], 3, on_value=5, off_value=-1).tolist() == [[5, -1, -1]]
    assert one_hot([0], 3, on_value=5).dtype == np.int32
    assert one_hot([0], 2, dtype="int64").dtype == np.int64
    assert one_hot([0], 2, on_value="a", off_value="b").tolist() == [[b"a", b"b"]]


def test_depth_by_symbol():
    want = np.float32([[0, 1, 0], [1, 0, 0]])
    open_shapes.check(one_hot, [np.int32([1, 0]), np.int32(3)], want)
    spec = open_shapes.spec_of(lambda i: one_hot(i, 5), ((None,), "int64"))
    assert spec == (None, 5)


def test_errors():
    with pytest.raises(InvalidArgumentError, match="depth must be >= 0, got -2"):
        one_hot([0], -2)
    with pytest.raises(InvalidArgumentError, match="indices must be integers, got float32"):
        one_hot([0.5], 2)
    with pytest.raises(InvalidArgumentError, match="axis must be between -2 and 1"):
        one_hot([0], 2, axis=2)
