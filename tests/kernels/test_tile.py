import numpy as np
import open_shapes
import pytest

from fastpipe.array import broadcast_to, repeat, shape, tile
from fastpipe.errors import InvalidArgumentError, ResourceExhaustedError

X = np.arange(6, dtype=np.int32).reshape(2, 3)
STRINGS = np.array([[b"a", b"more than sixteen bytes of text"]], object)


@pytest.mark.parametrize("multiples", [[1, 1], [2, 1], [1, 3], [2, 3], [0, 2], [2, 0]])
def test_tile(multiples):
    for x in (X, X.astype(np.uint8), X.astype(np.float64), STRINGS):
        open_shapes.check(lambda t: tile(t, multiples), [x], np.tile(x, multiples))
    y = X.reshape(1, 2, 3)
    open_shapes.check(lambda t: tile(t, [2, *multiples]), [y], np.tile(y, [2, *multiples]))


def test_tile_by_symbols():
    open_shapes.check(lambda t, n: tile(t, [1, n]), [X, np.int32(2)], np.tile(X, [1, 2]))
    open_shapes.check(lambda n: tile([n], [3]), [np.int64(2)], np.int64([2, 2, 2]))
    open_shapes.check(tile, [X, np.int32([2, 2])], np.tile(X, [2, 2]))


@pytest.mark.parametrize("dims", [[2, 3], [4, 2, 3], [1, 2, 3], [0, 2, 3]])
def test_broadcast_to(dims):
    open_shapes.check(lambda t: broadcast_to(t, dims), [X], np.broadcast_to(X, dims))
    open_shapes.check(lambda t: broadcast_to(t, dims), [X[:, :1]], np.broadcast_to(X[:, :1], dims))
    open_shapes.check(lambda t: broadcast_to(t, dims), [np.int8(1)], np.ones(dims, np.int8))
    open_shapes.check(lambda t: broadcast_to(t, dims), [b"a"], np.full(dims, b"a", object))


def test_broadcast_to_a_symbolic_shape():
    open_shapes.check(
        lambda t, y: broadcast_to(t, shape(y)), [np.int32(7), X], np.full([2, 3], 7, np.int32)
    )


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("repeats", [2, 0, [3], [1, 2, 3]])
def test_repeat(repeats, axis):
    if isinstance(repeats, list) and len(repeats) == 3 and axis in (0, None):
        repeats = [2, 0] if axis == 0 else [1, 2, 3, 0, 1, 1]
    want = np.repeat(X, repeats, axis)
    open_shapes.check(lambda t: repeat(t, repeats, axis), [X], want)
    open_shapes.check(lambda t, n: repeat(t, n, axis), [X, np.int32(repeats)], want)


def test_errors():
    with pytest.raises(InvalidArgumentError, match="one integer for each axis of .*, got 1"):
        tile(X, [2])
    with pytest.raises(InvalidArgumentError, match="multiples must be >= 0"):
        tile(X, [-1, 1])
    with pytest.raises(InvalidArgumentError, match=r"\[2, 3\] does not stretch to \[2, 2\]"):
        broadcast_to(X, [2, 2])
    with pytest.raises(InvalidArgumentError, match=r"\[2, 3\] does not stretch to \[3\]"):
        broadcast_to(X, [3])
    with pytest.raises(ResourceExhaustedError, match="more than"):
        broadcast_to(np.int8(1), [2**31, 2**31])
    with pytest.raises(InvalidArgumentError, match="repeats must be one integer or 2, got 3"):
        repeat(X, [1, 1, 1], axis=0)
    with pytest.raises(InvalidArgumentError, match="repeats must be >= 0, got -1"):
        repeat(X, -1, axis=0)


def test_sizes_that_stay():
    x = np.int32([[1, 2, 3]])
    open_shapes.check(lambda t: broadcast_to(t, [2, -1]), [x], np.int32([[1, 2, 3]] * 2))
    assert open_shapes.spec_of(lambda t: broadcast_to(t, [2, -1]), ((1, 3), "int32")) == (2, 3)
    assert open_shapes.spec_of(lambda t: broadcast_to(t, [2, -1]), ((1, None), "int32")) == (
        2,
        None,
    )


def test_nothing_of_an_open_size_is_nothing():
    assert open_shapes.spec_of(lambda t: tile(t, [0, 1]), ((None, 3), "int32")) == (0, 3)


def test_what_cannot_stretch_is_found_while_tracing():
    for to, known in (([3], (2, 3)), ([2, 2], (2, 3)), ([2], (0,))):
        with pytest.raises(InvalidArgumentError, match="does not stretch to"):
            open_shapes.spec_of(lambda t, sizes=to: broadcast_to(t, sizes), (known, "int32"))
