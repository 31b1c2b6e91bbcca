import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

SIGNED = ["int8", "int16", "int32", "int64"]
FLOATS = ["float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", SIGNED)
def test_integers_wrap(dtype):
    x = np.array([3, 0, -7, np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
    for function, expected in [
        (math.negative, np.negative),
        (math.abs, np.abs),
        (math.sign, np.sign),
        (math.square, np.square),
        (math.relu, lambda x: np.maximum(x, 0)),
        (math.round, lambda x: x),
    ]:
        open_shapes.check(function, [x], expected(x).astype(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats(dtype):
    x = np.array([[-2.5, -1.5, -0.5, 0.5], [1.5, 2.5, np.inf, np.nan]], dtype)
    with np.errstate(all="ignore"):
        for function, expected in [
            (math.negative, np.negative),
            (math.abs, np.abs),
            (math.sign, np.sign),
            (math.square, np.square),
            (math.relu, lambda x: np.maximum(x, 0)),
            (math.round, np.round),
            (math.floor, np.floor),
            (math.ceil, np.ceil),
            (math.reciprocal, np.reciprocal),
        ]:
            open_shapes.check(function, [x], expected(x), 1e-3 if dtype == "float16" else 1e-7)


def test_operators():
    x = np.int64([1, -2])
    open_shapes.check(lambda x: (-x, abs(x)), [x], [-x, abs(x)])


def test_unsigned_square_and_relu():
    assert math.square(np.uint8(20)) == 144
    assert math.relu(np.uint8(20)) == 20


@pytest.mark.parametrize("function", [math.negative, math.abs, math.sign])
def test_signed_only(function):
    for wrong in (np.uint8(1), np.array(True), b"a"):
        with pytest.raises(InvalidArgumentError, match="input 0 must be int8, int16, .* got"):
            function(wrong)


@pytest.mark.parametrize("function", [math.floor, math.ceil, math.reciprocal])
def test_floats_only(function):
    with pytest.raises(InvalidArgumentError, match="float64 or bfloat16, got int32"):
        function(np.int32(1))
