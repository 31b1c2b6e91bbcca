import math as scalar

import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

FUNCTIONS = [
    (math.sqrt, np.sqrt),
    (math.rsqrt, lambda x: 1 / np.sqrt(x)),
    (math.exp, np.exp),
    (math.log, np.log),
    (math.log1p, np.log1p),
    (math.sin, np.sin),
    (math.cos, np.cos),
    (math.tan, np.tan),
    (math.asin, np.arcsin),
    (math.acos, np.arccos),
    (math.atan, np.arctan),
    (math.sinh, np.sinh),
    (math.cosh, np.cosh),
    (math.tanh, np.tanh),
    (math.asinh, np.arcsinh),
    (math.acosh, np.arccosh),
    (math.atanh, np.arctanh),
    (math.expm1, np.expm1),
    (math.erf, np.vectorize(scalar.erf, otypes=[float])),
    (math.erfc, np.vectorize(scalar.erfc, otypes=[float])),
    (math.softplus, lambda x: np.logaddexp(x, 0)),
    (math.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
]
PREDICATES = [(math.is_nan, np.isnan), (math.is_inf, np.isinf), (math.is_finite, np.isfinite)]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("function", "expected"), FUNCTIONS, ids=lambda f: f.__name__)
def test_functions(function, expected, dtype):
    x = np.array([0, 0.5, 1, 4, -1, np.inf, np.nan], dtype)
    with np.errstate(all="ignore"):
        want = np.asarray(expected(x)).astype(dtype)
    open_shapes.check(function, [x], want, 2e-3 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("function", "expected"), PREDICATES, ids=lambda f: f.__name__)
def test_predicates(function, expected, dtype):
    x = np.array([[0, -np.inf], [np.inf, np.nan]], dtype)
    open_shapes.check(function, [x], expected(x))


def test_lgamma():
    x = np.float64([0.5, 1, 3, 10, -0.5])
    want = np.array([scalar.lgamma(each) for each in x])
    open_shapes.check(math.lgamma, [x], want, 1e-12)


def test_digamma():
    x = np.float64([1, 0.5, 10, -0.5, 1e-3, 100])
    want = [-0.5772156649015329, -1.9635100260214235, 2.251752589066721, 0.03648997397857652,
            -1000.5755719318103, 4.600161852738087]  # fmt: skip
    open_shapes.check(math.digamma, [x], np.array(want), 1e-12)
    assert np.isnan(math.digamma(np.float64(-2))) and math.digamma(np.float64(0)) == -np.inf


@pytest.mark.parametrize("y", [0, 1e-8, 0.1, 0.5, 1.5, 3, 5])
def test_erfinv(y):
    for sign in (1, -1):
        x = np.float64(sign * scalar.erf(y))
        slack = 2e-16 / max(np.exp(-y * y), 1e-300)  # what rounding x may cost
        assert abs(math.erfinv(x) - sign * y) <= 1e-12 * y + slack
    assert math.erfinv(np.float64([1, -1])).tolist() == [np.inf, -np.inf]
    assert np.isnan(math.erfinv(np.float32(1.5)))


def test_softplus_does_not_overflow():
    assert math.softplus(np.float32([1000, -1000])).tolist() == [1000, 0]


def test_what_is_made_of_them():
    x = np.float64([-2, 0, 3])
    np.testing.assert_allclose(math.log_sigmoid(x), -np.logaddexp(-x, 0))
    np.testing.assert_allclose(math.softsign(x), x / (1 + abs(x)))
    np.testing.assert_allclose(math.logit(math.sigmoid(x)), x, atol=1e-12)
    assert math.reciprocal_no_nan(x).tolist() == [-0.5, 0, 1 / 3]


@pytest.mark.parametrize("function", [f for f, _ in FUNCTIONS + PREDICATES])
def test_floats_only(function):
    for wrong in (np.int32(1), np.array(True), b"1"):
        with pytest.raises(InvalidArgumentError, match="float32, float64 or bfloat16, got"):
            function(wrong)
