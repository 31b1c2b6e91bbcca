import numpy as np
import open_shapes
import pytest

from fastpipe.array import rank, shape, size
from fastpipe.errors import InvalidArgumentError

X = np.zeros([2, 0, 5])


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_sizes(dtype):
    for x in (X, np.array([b"a", b"b"], object), b"text", np.int32(1)):
        dims = np.array(open_shapes._shape(x), dtype)
        open_shapes.check(lambda t: shape(t, dtype), [x], dims)
        open_shapes.check(lambda t: size(t, dtype), [x], dims.prod(dtype=dtype))
    open_shapes.check(rank, [X], np.int32(3))


def test_planned_shapes():
    assert open_shapes.spec_of(shape, ((None, 3), "int32")) == (2,)
    assert open_shapes.spec_of(shape, (None, "int32")) == (None,)
    assert open_shapes.spec_of(size, (None, "int32")) == ()


def test_out_type():
    with pytest.raises(InvalidArgumentError, match="out_type must be int32 or int64, got float32"):
        size(X, "float32")
