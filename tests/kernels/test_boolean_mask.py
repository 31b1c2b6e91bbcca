import numpy as np
import open_shapes
import pytest

from fastpipe.array import boolean_mask
from fastpipe.errors import InvalidArgumentError

X = np.arange(12, dtype=np.int32).reshape(2, 3, 2)
STRINGS = np.array([b"a", b"more than sixteen bytes of text", b"c"], object)


def test_mask():
    for mask in ([True, False], [False, False], [[True, False, True], [False, True, False]], X > 4):
        mask = np.array(mask)
        open_shapes.check(boolean_mask, [X, mask], X[mask])
    open_shapes.check(lambda x: boolean_mask(x, x > 4), [X], X[X > 4])


def test_axis():
    mask = np.array([True, False, True])
    open_shapes.check(lambda x, m: boolean_mask(x, m, axis=1), [X, mask], X[:, mask])
    mask = np.array([True, False])
    open_shapes.check(lambda x, m: boolean_mask(x, m, axis=-1), [X, mask], X[..., mask])


def test_strings():
    mask = np.array([False, True, True])
    open_shapes.check(boolean_mask, [STRINGS, mask], STRINGS[mask])


def test_planned_shapes():
    spec = open_shapes.spec_of(boolean_mask, ((4, 3, 2), "int32"), ((None, 3), "bool"))
    assert spec == (None, 2)


def test_errors():
    with pytest.raises(InvalidArgumentError, match=r"got shape \[3\] for \[2, 3, 2\]"):
        boolean_mask(X, [True, False, True])
    with pytest.raises(InvalidArgumentError, match=r"got shape \[3\] for \[2, 3, 2\]"):
        list(open_shapes.traced(boolean_mask, [X, np.array([True] * 3)], [None, None]))
    with pytest.raises(InvalidArgumentError, match="mask must have an axis"):
        boolean_mask(X, True)


def test_integers_select_where_they_are_not_zero():
    open_shapes.check(boolean_mask, [X, np.int32([0, 2])], X[1:])
