import numpy as np
import open_shapes
import pytest

from fastpipe.array import expand_dims, squeeze
from fastpipe.errors import InvalidArgumentError

X = np.arange(6).reshape(1, 3, 1, 2)


@pytest.mark.parametrize("axis", [0, 1, 4, -1, -5])
def test_expand_dims(axis):
    open_shapes.check(lambda x: expand_dims(x, axis), [X], np.expand_dims(X, axis))


def test_scalars():
    assert expand_dims(3, 0).tolist() == [3]
    assert expand_dims("a", -1).tolist() == [b"a"]
    assert squeeze([[b"a"]]) == b"a"


@pytest.mark.parametrize("axis", [None, 0, [0], [-2], [0, 2]])
def test_squeeze(axis):
    want = np.squeeze(X, axis if axis is None or isinstance(axis, int) else tuple(axis))
    open_shapes.check(lambda x: squeeze(x, axis), [X], want)


def test_planned_shapes():
    assert open_shapes.spec_of(lambda x: expand_dims(x, 1), ((None, 3), "int32")) == (None, 1, 3)
    assert open_shapes.spec_of(lambda x: squeeze(x, [1]), ((None, None), "int32")) == (None,)
    assert open_shapes.spec_of(squeeze, ((1, None), "int32")) is None


def test_errors():
    with pytest.raises(InvalidArgumentError, match="axis must be between -5 and 4 .* got 5"):
        expand_dims(X, 5)
    with pytest.raises(InvalidArgumentError, match=r"axis 1 must have size 1, got shape \[1, 3"):
        squeeze(X, [1])
    with pytest.raises(InvalidArgumentError, match="axis 1 must have size 1"):
        list(open_shapes.traced(lambda x: squeeze(x, [1]), [X], [None]))
