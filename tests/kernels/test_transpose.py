import itertools

import numpy as np
import open_shapes
import pytest

from fastpipe.array import reverse, transpose
from fastpipe.errors import InvalidArgumentError

X = np.arange(24).reshape(2, 3, 4)
STRINGS = np.array([[b"a", b"bc", b""], [b"d", b"e", b"more than sixteen bytes"]], object)


@pytest.mark.parametrize("perm", [None, *itertools.permutations(range(3)), [-1, 0, 1]])
def test_transpose(perm):
    for x in (X.astype(np.int32), X.astype(np.uint8), X.astype(np.float64)):
        open_shapes.check(lambda t: transpose(t, perm), [x], np.transpose(x, perm))


def test_strings_and_small_ranks():
    open_shapes.check(transpose, [STRINGS], STRINGS.T)
    assert transpose(3) == 3 and transpose([1, 2]).tolist() == [1, 2]


@pytest.mark.parametrize("axis", [[0], [1], [-1], [0, 2], [0, 1, 2], [], 1])
def test_reverse(axis):
    want = np.flip(X, axis if isinstance(axis, int) else tuple(axis))
    open_shapes.check(lambda t: reverse(t, axis), [X], want)
    if axis in ([0], [1], [-1]):
        open_shapes.check(lambda t: reverse(t, axis), [STRINGS], np.flip(STRINGS, axis[0]))
    assert reverse(np.zeros([2, 0, 3]), axis).shape == (2, 0, 3)


def test_planned_shapes():
    spec = open_shapes.spec_of(lambda t: transpose(t, [1, 0]), ((None, 3), "int32"))
    assert spec == (3, None)
    assert open_shapes.spec_of(lambda t: transpose(t, [1, 0]), (None, "int32")) == (None, None)
    assert open_shapes.spec_of(transpose, (None, "int32")) is None


@pytest.mark.parametrize("perm", [[0, 0, 1], [0, 1], [0, 1, 3], [0, 1, 2, 3]])
def test_transpose_errors(perm):
    with pytest.raises(
        InvalidArgumentError, match="perm must hold each axis of a tensor of rank 3"
    ):
        transpose(X, perm)


def test_reverse_errors():
    with pytest.raises(InvalidArgumentError, match="each axis once, got 0 twice"):
        reverse(X, [0, -3])
    with pytest.raises(InvalidArgumentError, match="axis must be between -3 and 2"):
        list(open_shapes.traced(lambda t: reverse(t, [3]), [X], [None]))
