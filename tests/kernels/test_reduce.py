import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
AXES = [None, 0, 1, 2, -1, [0, 1], [1, 2], [0, 2], [2, 0, 1], []]
FOLDS = [
    (math.reduce_sum, np.sum),
    (math.reduce_prod, np.prod),
    (math.reduce_max, np.max),
    (math.reduce_min, np.min),
]
X = np.random.default_rng(1).integers(0, 100, [3, 4, 5])


def of_numpy(axis):
    return tuple(axis) if isinstance(axis, list) else axis


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize(("function", "expected"), FOLDS, ids=lambda f: f.__name__)
def test_folds(function, expected, axis):
    with np.errstate(all="ignore"):
        for dtype in INTEGERS + FLOATS:
            x = (X / 50 if dtype in FLOATS else X).astype(dtype)
            kwargs = {} if expected in (np.max, np.min) else {"dtype": dtype}
            if dtype == "float16" and kwargs:
                kwargs = {"dtype": "float64"}  # NumPy rounds after every step
            want = np.asarray(expected(x, of_numpy(axis), **kwargs)).astype(dtype)[()]
            tolerance = 2e-3 if dtype == "float16" else 1e-5 if dtype in FLOATS else 0
            np.testing.assert_allclose(function(x, axis), want, tolerance, tolerance)
            assert function(x, axis).dtype == dtype


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("function", "expected"), FOLDS, ids=lambda f: f.__name__)
def test_axes(function, expected, keepdims, axis):
    x = X.astype(np.int64)
    want = expected(x, of_numpy(axis), keepdims=keepdims)
    open_shapes.check(lambda t: function(t, axis, keepdims), [x], want)


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_mean(axis):
    for dtype in FLOATS:
        x = X.astype(dtype)
        want = x.astype(np.float64).mean(of_numpy(axis)).astype(dtype)[()]
        open_shapes.check(lambda t: math.reduce_mean(t, axis), [x], want, 2e-3)
    for dtype in INTEGERS:
        want = np.trunc(X.mean(of_numpy(axis)) + 1e-9).astype(dtype)[()]
        open_shapes.check(lambda t: math.reduce_mean(t, axis), [X.astype(dtype)], want)


def test_means_of_integers():
    assert math.reduce_mean(np.uint8([200, 200])) == 200
    assert math.reduce_mean(np.int32([-3, -4])) == -3
    assert math.reduce_mean(np.int32([2**31 - 1] * 2)) == 2**31 - 1


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_bools(axis):
    x = X > 60
    open_shapes.check(lambda t: math.reduce_any(t, axis), [x], np.any(x, of_numpy(axis)))
    open_shapes.check(lambda t: math.reduce_all(t, axis), [x], np.all(x, of_numpy(axis)))


def test_nothing():
    empty = np.zeros([2, 0], np.float32)
    assert math.reduce_sum(empty, 1).tolist() == [0, 0]
    assert math.reduce_prod(empty) == 1
    assert math.reduce_max(empty) == -np.inf and math.reduce_min(empty) == np.inf
    assert np.isnan(math.reduce_mean(empty, 1)).all()
    assert math.reduce_mean(empty.astype(np.int32)) == 0
    assert math.reduce_max(empty.astype(np.int64)) == -(2**63)
    assert math.reduce_min(empty.astype(np.int32)) == 2**31 - 1
    assert math.reduce_max(empty, 0).shape == (0,)
    assert not math.reduce_any(empty > 0) and math.reduce_all(empty > 0)


def test_long_sums_stay_exact():
    assert abs(math.reduce_sum(np.full(10**6, 0.1, np.float32)) - 1e5) < 0.01
    assert math.reduce_sum(np.full(3000, 1, np.float16)) == 3000


@pytest.mark.parametrize("place", [0, 7, 20, 40])
def test_nan_stays(place):
    x = np.arange(41, dtype=np.float32)
    x[place] = np.nan
    assert np.isnan(math.reduce_max(x)) and np.isnan(math.reduce_min(x))


def test_variance():
    x = X.astype(np.float64)
    open_shapes.check(lambda t: math.reduce_variance(t, 1), [x], x.var(1), 1e-9)
    open_shapes.check(
        lambda t: math.reduce_std(t, [0, 2], True), [x], x.std((0, 2), keepdims=True), 1e-9
    )


def test_planned_shapes():
    def of(axis, keepdims, shape):
        return open_shapes.spec_of(lambda t: math.reduce_sum(t, axis, keepdims), (shape, "int32"))

    assert of(0, False, (None, 3)) == (3,)
    assert of(1, True, (None, 3)) == (None, 1)
    assert of(None, False, None) == ()
    assert of(None, True, None) is None


def test_errors():
    for shapes in ((3, 4, 5), None):
        with pytest.raises(InvalidArgumentError, match="axis must be between -3 and 2 .* got 3"):
            list(open_shapes.traced(lambda t: math.reduce_sum(t, 3), [X], [shapes]))
        with pytest.raises(InvalidArgumentError, match="each axis once, got 0 twice"):
            list(open_shapes.traced(lambda t: math.reduce_sum(t, [0, -3]), [X], [shapes]))
    with pytest.raises(InvalidArgumentError, match="got bool"):
        math.reduce_sum([True])
    with pytest.raises(InvalidArgumentError, match="must be bool, got int32"):
        math.reduce_any([1])
