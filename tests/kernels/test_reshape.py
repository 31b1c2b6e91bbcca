import numpy as np
import open_shapes
import pytest

from fastpipe.array import ensure_shape, identity, reshape, shape
from fastpipe.errors import InvalidArgumentError

X = np.arange(12, dtype=np.int32)
STRINGS = np.array([b"a", b"b", b"a long string that lies elsewhere", b""], object)


@pytest.mark.parametrize("dims", [[12], [3, 4], [-1], [2, -1, 2], [1, 12, 1, 1, 1], [6, -1]])
def test_reshape(dims):
    for x in (X, X.reshape(2, 6), X.reshape(2, 3, 2).astype(np.float64)):
        open_shapes.check(lambda t: reshape(t, dims), [x], x.reshape(dims))


def test_strings_and_scalars():
    open_shapes.check(lambda t: reshape(t, [2, 2]), [STRINGS], STRINGS.reshape(2, 2))
    assert reshape("text", [1, 1]).tolist() == [[b"text"]]
    assert reshape(np.array([[b"text"]], object), []) == b"text"
    assert reshape([[7]], []) == 7


def test_nothing_keeps_its_sizes():
    assert reshape(np.zeros([0, 3]), [-1, 3]).shape == (0, 3)
    assert reshape(np.zeros([0, 3]), [0, -1]).shape == (0, 0)


def test_sizes_from_symbols():
    def function(x, n):
        return reshape(x, [n, -1]), reshape(x, shape(x)), reshape(x, [shape(x)[0], 2])

    x = X.reshape(6, 2)
    open_shapes.check(function, [x, np.int64(4)], [x.reshape(4, 3), x, x])


def test_planned_shapes():
    assert open_shapes.spec_of(lambda x: reshape(x, [-1, 2]), ((4, 3), "int32")) == (6, 2)
    assert open_shapes.spec_of(lambda x: reshape(x, [-1, 2]), ((None, 3), "int32")) == (None, 2)
    assert open_shapes.spec_of(lambda x, n: reshape(x, [n, 2]), ((4,), "int32"), ((), "int64")) == (
        (2, 2)
    )
    assert open_shapes.spec_of(lambda x, n: reshape(x, n), ((4,), "int32"), ((2,), "int64")) == (
        (None, None)
    )


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ([5], r"cannot give 12 values the shape \[5\]"),
        ([5, -1], r"cannot give 12 values the shape \[5, \?\]"),
        ([-1, -1], "only one size of shape may be -1"),
        ([-2, 6], "sizes of shape must be >= -1, got -2"),
        ([2**40, 2**40], "cannot give 12 values"),
        ([1.5], "shape must be integers"),
    ],
)
def test_reshape_errors(dims, message):
    with pytest.raises(InvalidArgumentError, match=message):
        reshape(X, dims)
    with pytest.raises(InvalidArgumentError, match=message):
        list(open_shapes.traced(lambda x: reshape(x, dims), [X], [None]))


@pytest.mark.parametrize("dims", [[3, 4], [None, 4], [None, None], None])
def test_ensure_shape(dims):
    x = X.reshape(3, 4)
    open_shapes.check(lambda t: ensure_shape(t, dims), [x], x)


def test_ensure_shape_is_planned_and_checked():
    x = X.reshape(3, 4)
    assert open_shapes.spec_of(lambda t: ensure_shape(t, [None, 4]), (None, "int32")) == (None, 4)
    assert open_shapes.spec_of(lambda t: ensure_shape(t, [None, 4]), ((3, None), "int32")) == (3, 4)
    with pytest.raises(InvalidArgumentError, match=r"expected int32 \[4\], got int32 \[3, 4\]"):
        ensure_shape(x, [4])
    with pytest.raises(InvalidArgumentError, match=r"expected int32 \[\?, 5\], got int32 \[3, 4\]"):
        list(open_shapes.traced(lambda t: ensure_shape(t, [None, 5]), [x], [None]))


def test_identity():
    open_shapes.check(identity, [X], X)
    open_shapes.check(identity, [b"text"], b"text")
