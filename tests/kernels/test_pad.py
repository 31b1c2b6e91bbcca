import numpy as np
import open_shapes
import pytest

from fastpipe.array import pad, shape
from fastpipe.errors import InvalidArgumentError

X = np.arange(12, dtype=np.int32).reshape(3, 4)
STRINGS = np.array([b"a", b"more than sixteen bytes of text"], object)


@pytest.mark.parametrize("paddings", [[[0, 0], [0, 0]], [[1, 2], [0, 3]], [[0, 1], [2, 0]]])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int32", "float32", "int64"])
def test_constant(paddings, dtype):
    x = X.astype(dtype)
    open_shapes.check(lambda t: pad(t, paddings), [x], np.pad(x, paddings))
    want = np.pad(x, paddings, constant_values=1)
    open_shapes.check(lambda t: pad(t, paddings, constant_values=1), [x], want)


@pytest.mark.parametrize("paddings", [[[0, 0], [0, 0]], [[2, 1], [3, 0]], [[0, 2], [1, 3]]])
@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
def test_mirrored(mode, paddings):
    want = np.pad(X, paddings, mode)
    open_shapes.check(lambda t: pad(t, paddings, mode.upper()), [X], want)


def test_strings():
    assert pad(STRINGS, [[1, 1]]).tolist() == [b"", *STRINGS, b""]
    assert pad(STRINGS, [[0, 1]], constant_values="x").tolist() == [*STRINGS, b"x"]


def test_symbols():
    def function(x, n, all_of_them):
        return (
            pad(x, [[0, n], [1, 0]]),
            pad(x, all_of_them),
            pad(x, [[0, 5 - shape(x)[0]], [0, 0]], constant_values=n),
        )

    paddings = np.int32([[1, 0], [0, 2]])
    want = [
        np.pad(X, [[0, 2], [1, 0]]),
        np.pad(X, paddings),
        np.pad(X, [[0, 2], [0, 0]], constant_values=2),
    ]
    open_shapes.check(function, [X, np.int32(2), paddings], want)


def test_planned_shapes():
    def of(function, shape):
        return open_shapes.spec_of(function, (shape, "int32"))

    assert of(lambda x: pad(x, [[1, 1], [0, 2]]), (None, 3)) == (None, 5)
    assert of(lambda x: pad(x, [[1, 1]]), None) is None
    assert of(lambda x: pad(x, [[x[0], 1]]), (2,)) == (None,)


def test_empty():
    assert pad(np.zeros([0, 2]), [[1, 0], [0, 0]]).tolist() == [[0, 0]]
    assert pad(np.float32(3), np.zeros([0, 2], np.int32)) == 3


@pytest.mark.parametrize(
    ("paddings", "mode", "message"),
    [
        ([[1, 2]], "CONSTANT", r"2 integers for each axis of shape \[3, 4\], got 2"),
        ([[-1, 0], [0, 0]], "CONSTANT", "paddings must be >= 0, got -1 and 0 for axis 0"),
        ([[3, 0], [0, 0]], "REFLECT", "size 3 can be mirrored by at most 2, got paddings 3"),
        ([[4, 0], [0, 0]], "SYMMETRIC", "size 3 can be mirrored by at most 3"),
        ([[0, 0], [0, 0]], "WRAP", "mode must be 'constant', 'reflect' or 'symmetric', got 'wrap'"),
        ([[2**62, 2**62], [0, 0]], "CONSTANT", "are too large"),
    ],
)
def test_errors(paddings, mode, message):
    with pytest.raises(InvalidArgumentError, match=message):
        pad(X, paddings, mode)
    with pytest.raises(InvalidArgumentError, match=message):
        list(open_shapes.traced(lambda t: pad(t, paddings, mode), [X], [None]))
