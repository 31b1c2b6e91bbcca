import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_finite_values_pass(dtype):
    x = np.array([[1, -2], [0, 4]], dtype)
    open_shapes.check(lambda t: math.check_numerics(t, "loss"), [x], x)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_others_are_counted(dtype):
    x = np.array([np.nan, np.inf, -np.inf, 1], dtype)
    with pytest.raises(InvalidArgumentError, match=r"loss: .*got 1 NaN and 2 infinite among the 4"):
        math.check_numerics(x, "loss")


def test_floats_only():
    with pytest.raises(InvalidArgumentError, match="got int32"):
        math.check_numerics(1, "loss")
