"""convert_image_dtype between integers and float32: the values of a cast and a multiplication."""

from __future__ import annotations

import numpy as np
import open_shapes
import pytest

from fastpipe import image
from fastpipe.errors import InvalidArgumentError
from fastpipe.tracing import call

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def spread(dtype: str) -> np.ndarray:
    limits = np.iinfo(dtype)
    some = [limits.min, limits.max, 0, 1, 2, 7, 100, limits.max // 2, limits.max // 3]
    return np.array(some, dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_to_floats(dtype: str) -> None:
    values = spread(dtype)
    expected = values.astype(np.float32) * np.float32(1 / np.iinfo(dtype).max)
    open_shapes.check(lambda x: image.convert_image_dtype(x, "float32"), [values], expected)
    open_shapes.check(lambda x: image.convert_image_dtype(x, "float32"), [values[3]], expected[3])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_there_and_back(dtype: str) -> None:
    # float32 holds the first 24 bits.
    step = max(1, (int(np.iinfo(dtype).max) + 1) >> 16)
    values = (np.arange(100) * step).astype(dtype)
    floats = image.convert_image_dtype(values, "float32")
    np.testing.assert_array_equal(image.convert_image_dtype(floats, dtype), values)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_saturated(dtype: str) -> None:
    limits = np.iinfo(dtype)
    floats = np.float32([-np.inf, -3, 3, np.inf, 1e30])
    result = image.convert_image_dtype(floats, dtype, saturate=True)
    # The greatest float32 that is not above the maximum.
    most = limits.max if limits.bits <= 16 else int(np.nextafter(np.float32(limits.max), 0))
    assert result.dtype == dtype
    assert result.tolist() == [limits.min, limits.min, most, most, most]


def test_not_saturated_values_wrap_around() -> None:
    assert image.convert_image_dtype(np.float32([2, -0.5]), "uint8").tolist() == [255, 129]
    assert image.convert_image_dtype(np.float32([np.nan]), "uint8").tolist() == [0]


def test_many_values() -> None:
    values = np.arange(70_000).astype(np.uint8)
    floats = image.convert_image_dtype(values, "float32")
    np.testing.assert_array_equal(floats, values * np.float32(1 / 255))
    np.testing.assert_array_equal(image.convert_image_dtype(floats, "uint8"), values)


@pytest.mark.parametrize(
    ("values", "dtype", "message"),
    [
        (np.zeros(3, np.float64), "uint8", "between integers and float32, got float64 and uint8"),
        (np.zeros(3, np.uint8), "int8", "got uint8 and int8"),
        (np.zeros(3, bool), "float32", "got bool and float32"),
    ],
)
def test_other_dtypes_go_another_way(values: np.ndarray, dtype: str, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        call("convert_image_dtype", [values], dtype=dtype)
