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
    (math.tanh, np.tanh),
    (math.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
]
PREDICATES = [(math.is_nan, np.isnan), (math.is_inf, np.isinf), (math.is_finite, np.isfinite)]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("function", "expected"), FUNCTIONS, ids=lambda f: f.__name__)
def test_functions(function, expected, dtype):
    x = np.array([0, 0.5, 1, 4, -1, np.inf, np.nan], dtype)
    with np.errstate(all="ignore"):
        want = expected(x)
    open_shapes.check(function, [x], want, 2e-3 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("function", "expected"), PREDICATES, ids=lambda f: f.__name__)
def test_predicates(function, expected, dtype):
    x = np.array([[0, -np.inf], [np.inf, np.nan]], dtype)
    open_shapes.check(function, [x], expected(x))


@pytest.mark.parametrize("function", [f for f, _ in FUNCTIONS + PREDICATES])
def test_floats_only(function):
    for wrong in (np.int32(1), np.array(True), b"1"):
        with pytest.raises(InvalidArgumentError, match="float32, float64 or bfloat16, got"):
            function(wrong)
