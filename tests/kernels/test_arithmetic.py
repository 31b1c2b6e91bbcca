import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
OPERATIONS = [
    (math.add, np.add),
    (math.subtract, np.subtract),
    (math.multiply, np.multiply),
    (math.minimum, np.minimum),
    (math.maximum, np.maximum),
    (math.squared_difference, lambda x, y: (x - y) * (x - y)),
]
SHAPES = [
    ((), ()),
    ((3,), (3,)),
    ((2, 3), ()),
    ((), (2, 3)),
    ((2, 3), (3,)),
    ((3, 1), (1, 4)),
    ((2, 1, 3, 1), (4, 1, 5)),
    ((0, 3), (3,)),
    ((1,), (0,)),
    ((1, 1), (1,)),
    ((2, 1, 2, 1, 2, 1), (1, 2, 1, 2, 1, 2)),
]


def values(shape, dtype, seed):
    random = np.random.default_rng(seed)
    if dtype in FLOATS:
        return random.standard_normal(shape).astype(dtype)
    info = np.iinfo(dtype)
    return np.asarray(random.integers(info.min, info.max, shape, dtype, endpoint=True))


@pytest.mark.parametrize(("function", "expected"), OPERATIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_operations_wrap_and_broadcast(function, expected, dtype):
    with np.errstate(all="ignore"):
        for seed, (a, b) in enumerate(SHAPES):
            x, y = values(a, dtype, seed), values(b, dtype, seed + 100)
            want = np.asarray(expected(x, y)).astype(dtype)
            tolerance = 2e-3 if dtype == "float16" else 1e-6 if dtype in FLOATS else 0
            np.testing.assert_allclose(function(x, y), want, tolerance, tolerance)
            assert function(x, y).dtype == dtype


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_broadcasting_with_open_shapes(a, b):
    x, y = values(a, "int32", 1), values(b, "int32", 2)
    open_shapes.check(math.add, [x, y], x + y)


def test_planned_shapes():
    def of(a, b):
        return open_shapes.spec_of(math.add, (a, "int32"), (b, "int32"))

    assert of((None, 3), (3,)) == (None, 3)
    assert of((None,), (5,)) == (5,)
    assert of((None,), (1,)) == (None,)
    assert of((2, None), (None, 1)) == (2, None)
    assert of(None, (2,)) is None


def test_nan_wins_minimum_and_maximum():
    x, y = np.float32([np.nan, 1, np.nan]), np.float32([1, np.nan, np.nan])
    assert np.isnan(math.minimum(x, y)).all() and np.isnan(math.maximum(x, y)).all()


def test_strings_are_joined():
    joined = np.array([[b"ab", b"ac"], [b"b", b"c"]], object)
    open_shapes.check(math.add, [np.array([[b"a"], [b""]], object), np.array([b"b", b"c"])], joined)
    assert math.add("a", b"\xff") == b"a\xff"


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
def test_power_of_integers_wraps(dtype):
    bases = values((40,), dtype, 1)
    exponents = np.arange(40).astype(dtype)
    bits = 8 * np.dtype(dtype).itemsize
    exact = [int(b) ** int(e) % 2**bits for b, e in zip(bases, exponents)]
    want = np.array(exact, np.uint64).astype(dtype)
    np.testing.assert_array_equal(math.pow(bases, exponents), want)


def test_power_of_floats_and_atan2():
    x = np.float64([0.5, 2, -3, 0])
    np.testing.assert_allclose(math.pow(x, np.float64([2, -1, 3, 0])), [0.25, 0.5, -27, 1])
    open_shapes.check(math.atan2, [x, x + 1], np.arctan2(x, x + 1), 1e-12)


def test_the_float_next_to_another():
    for dtype in ("float32", "float64"):
        x, y = np.array([1, 0, 5], dtype), np.array([2, -1, 5], dtype)
        open_shapes.check(math.nextafter, [x, y], np.nextafter(x, y))


def test_what_is_made_of_it():
    assert math.scalar_mul(2, np.float32([1.5])).tolist() == [3]
    assert math.xlog1py(np.float32([0, 2]), np.float32([-1, 0])).tolist() == [0, 0]
    assert math.is_non_decreasing([[1, 1], [2, 3]]) and not math.is_strictly_increasing([1, 1])
    assert math.is_strictly_increasing(np.zeros([0], np.int32))
    assert math.polyval([1, 2, 3], 2) == 11


def test_negative_power_of_an_integer():
    with pytest.raises(InvalidArgumentError, match="exponent of integers must be >= 0, got -1"):
        math.pow(2, -1)


def test_bfloat16_is_computed_in_float():
    def squares(x):
        x = math.cast(x, "bfloat16")
        return math.cast(math.multiply(x, x), "float32")

    (result,) = list(open_shapes.traced(squares, [np.float32([1.5, -2.25])], [(2,)]))
    assert result.tolist() == [2.25, 5.0625]


def test_dtypes_must_agree():
    with pytest.raises(InvalidArgumentError, match=r"got int32 \[\] and float32 \[2\]: cast one"):
        math.add(np.int32(1), np.float32([1, 2]))
    with pytest.raises(InvalidArgumentError, match="must be int8, .* or bfloat16, got bool"):
        math.add(np.array([True]), np.array([True]))


def test_shapes_must_broadcast():
    with pytest.raises(InvalidArgumentError, match=r"broadcast to each other, got \[2\] and \[3\]"):
        math.add([1, 2], [1, 2, 3])
    x, y = np.int32([1, 2]), np.int32([1, 2, 3])
    with pytest.raises(InvalidArgumentError, match=r"got \[2\] and \[3\]"):
        list(open_shapes.traced(math.add, [x, y], [(None,), None]))


def test_literals_adapt():
    assert math.add(np.uint8(250), 10) == 4
    assert math.maximum([1.5, 2.5], 2).tolist() == [2.0, 2.5]
    assert math.add_n([np.float32([1]), [2], [3]]).tolist() == [6.0]
