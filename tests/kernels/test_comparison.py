import operator

import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

OPERATIONS = {
    math.equal: operator.eq,
    math.not_equal: operator.ne,
    math.less: operator.lt,
    math.less_equal: operator.le,
    math.greater: operator.gt,
    math.greater_equal: operator.ge,
}
DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
]


@pytest.mark.parametrize(("function", "expected"), OPERATIONS.items(), ids=lambda f: f.__name__)
def test_comparison(function, expected):
    for dtype in DTYPES:
        x, y = np.array([[0], [1], [3]], dtype), np.array([0, 1, 2], dtype)
        np.testing.assert_array_equal(function(x, y), expected(x, y))
    open_shapes.check(function, [x, y], expected(x, y))


@pytest.mark.parametrize(("function", "expected"), OPERATIONS.items(), ids=lambda f: f.__name__)
def test_strings(function, expected):
    x = np.array([[b"a"], [b"ab"], [b"\xff"]], object)
    y = np.array([b"", b"ab", b"a\x00"], object)
    want = np.array([[expected(a, b) for b in y] for a in x[:, 0]])
    open_shapes.check(function, [x, y], want)
    assert function("a", b"b") == expected(b"a", b"b")


def test_nan_equals_nothing():
    nan = np.float32(np.nan)
    assert not math.equal(nan, nan) and math.not_equal(nan, nan) and not math.less(nan, nan)


def test_large_integers_are_exact():
    assert math.less(np.int64(2**53), np.int64(2**53 + 1))
    assert math.greater(np.uint64(2**63), np.uint64(1))


def test_errors():
    with pytest.raises(InvalidArgumentError, match="one dtype, got int32 .* and string"):
        math.equal(np.int32(1), b"1")
    with pytest.raises(InvalidArgumentError, match=r"got \[2\] and \[3\]"):
        math.equal([1, 2], [1, 2, 3])
    with pytest.raises(InvalidArgumentError, match=r"got \[2\] and \[3\]"):
        math.less(np.array([b"a", b"b"]), np.array([b"a", b"b", b"c"]))
