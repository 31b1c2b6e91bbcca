import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

X, Y = np.array([[True], [False]]), np.array([True, False])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (math.logical_and, X & Y),
        (math.logical_or, X | Y),
        (math.logical_xor, X ^ Y),
        (lambda x, y: x & y, X & Y),
        (lambda x, y: x | y, X | Y),
        (lambda x, y: x ^ y, X ^ Y),
    ],
)
def test_two(function, expected):
    open_shapes.check(function, [X, Y], expected)


def test_not():
    open_shapes.check(math.logical_not, [X], ~X)
    open_shapes.check(lambda x: ~x, [X], ~X)


def test_bools_only():
    for wrong in (np.int32(1), np.float32(1), b"a"):
        with pytest.raises(InvalidArgumentError, match="must be bool, got"):
            math.logical_not(wrong)
    with pytest.raises(InvalidArgumentError, match="one dtype"):
        math.logical_and(np.array(True), np.int32(1))
