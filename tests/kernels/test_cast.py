import numpy as np
import open_shapes
import pytest

import fastpipe as fp
from fastpipe import math
from fastpipe.errors import UnimplementedError

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]


@pytest.mark.parametrize("source", ["bool", *INTEGERS, *FLOATS])
@pytest.mark.parametrize("target", ["bool", *INTEGERS, *FLOATS])
def test_values_that_fit(source, target):
    x = np.array([0, 1, 5, 100], source)
    open_shapes.check(lambda t: math.cast(t, target), [x], x.astype(target))


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", INTEGERS)
def test_integers_wrap(source, target):
    info = np.iinfo(source)
    x = np.array([info.min, info.max, info.max // 3, info.min // 5], source)
    np.testing.assert_array_equal(math.cast(x, target), x.astype(target))


def test_floats_lose_their_fraction():
    x = np.float32([300.7, -1.5, -0.5, 0.99])
    assert math.cast(x, "int32").tolist() == [300, -1, 0, 0]
    assert math.cast(x, "uint8").tolist() == [44, 255, 0, 0]
    assert math.cast(x, "int8").tolist() == [44, -1, 0, 0]


# As TensorFlow 2.21 on x86, but for uint32: TensorFlow's answer there depends on the position.
OUTSIDE = {
    "int8": [0] * 6,
    "uint8": [0] * 6,
    "int16": [0] * 6,
    "uint16": [0] * 6,
    "int32": [-(2**31)] * 6,
    "uint32": [3000000000, 2**31, 0, 0, 0, 705032704],
    "int64": [3000000000, -(2**31), -(2**63), -(2**63), -(2**63), 5000000000],
    "uint64": [3000000000, 2**64 - 2**31, 10**19, 2**63, 2**63, 5000000000],
}


@pytest.mark.parametrize("target", OUTSIDE)
def test_floats_that_do_not_fit(target):
    x = np.float64([3e9, -(2.0**31), 1e19, np.nan, -np.inf, 5e9])
    assert math.cast(x, target).tolist() == OUTSIDE[target]


def test_to_bool():
    x = np.float32([0, -0.0, 0.1, np.nan])
    assert math.cast(x, bool).tolist() == [False, False, True, True]


def test_half_precision():
    assert math.cast(np.int64([70000, 2049, 2051]), "float16").tolist() == [np.inf, 2048, 2052]

    def rounded(x):
        return math.cast(math.cast(x, "bfloat16"), "float32")

    (result,) = list(open_shapes.traced(rounded, [np.float32([1.00390625, 3.14159])], [(2,)]))
    assert result.tolist() == [1.0, 3.140625]


@pytest.mark.parametrize("dtype", ["int32", np.int32, np.dtype("int32"), fp.int32])
def test_ways_to_name_a_dtype(dtype):
    assert math.cast(1.5, dtype).dtype == np.int32


def test_strings_are_no_numbers():
    with pytest.raises(UnimplementedError, match=r"no cast from string \[\] to int32"):
        math.cast("1", "int32")
    with pytest.raises(UnimplementedError, match=r"no cast from int32 \[\] to string"):
        math.cast(1, "string")
    assert math.cast("1", "string") == b"1"
