"""standardize_image: mean 0 and variance 1."""

from __future__ import annotations

import numpy as np
import open_shapes
import pytest
from images import photograph

from fastpipe import image
from fastpipe.errors import InvalidArgumentError

PIXELS = photograph(13, 17)


def standardized(images: np.ndarray) -> np.ndarray:
    values = images.astype(np.float64)
    axes = (-3, -2, -1)
    deviation = values.std(axis=axes, keepdims=True)
    least = 1 / np.sqrt(np.prod(images.shape[-3:]))
    mean = values.mean(axis=axes, keepdims=True)
    return ((values - mean) / np.maximum(deviation, least)).astype(np.float32)


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int8", "uint16", "int64", "float16", "float32", "float64"]
)
def test_each_image_by_itself(dtype: str) -> None:
    other = photograph(13, 17, seed=1) // 3
    for pixels in (PIXELS, np.stack([PIXELS, other]), np.stack([PIXELS, other])[None], PIXELS[:1]):
        pixels = (pixels > 100 if dtype == "bool" else pixels // 2).astype(dtype)
        expected = standardized(pixels)
        open_shapes.check(image.per_image_standardization, [pixels], expected, 1e-5)


def test_one_colour_becomes_zero() -> None:
    for value in (0, 7, 255):
        assert not image.per_image_standardization(np.full((4, 5, 3), value, np.uint8)).any()


def test_hardly_any_deviation_counts_as_some() -> None:
    pixels = np.zeros((10, 10, 1), np.float32)
    pixels[0, 0] = 1e-3
    np.testing.assert_allclose(image.per_image_standardization(pixels)[0, 0, 0], 9.9e-3, rtol=1e-5)


def test_large_values_keep_their_precision() -> None:
    pixels = (PIXELS.astype(np.int64) + 2**22).astype(np.float32)
    result = image.per_image_standardization(pixels)
    np.testing.assert_allclose(result, standardized(PIXELS), atol=1e-5)


def test_a_batch_of_none() -> None:
    assert image.per_image_standardization(np.zeros((0, 4, 4, 3))).shape == (0, 4, 4, 3)


@pytest.mark.parametrize(
    ("pixels", "message"),
    [
        (PIXELS[0], r"takes images \[..., height, width, channels\], got uint8 \[17, 3\]"),
        (PIXELS[:0], r"cannot standardize empty images of shape \[0, 17, 3\]"),
        (np.zeros((2, 4, 4, 0)), r"empty images of shape \[2, 4, 4, 0\]"),
        (b"text", "got string"),
    ],
)
def test_wrong_arguments(pixels: object, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        image.per_image_standardization(pixels)
    with pytest.raises(InvalidArgumentError, match=message):
        list(open_shapes.traced(image.per_image_standardization, [pixels], [None]))
