"""adjust_contrast: against the same on Python's floats."""

from __future__ import annotations

import colors
import numpy as np
import open_shapes
import pytest
from images import photograph

from fastpipe import image
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError

PIXELS = photograph(13, 17)
BATCH = np.stack([PIXELS, photograph(13, 17, seed=1)])


@pytest.mark.parametrize("dtype", colors.DTYPES)
@pytest.mark.parametrize("factor", [1.5, 0.3, 0, -1.0])
def test_contrast(dtype: str, factor: float) -> None:
    for pixels in (PIXELS, BATCH, BATCH[None], PIXELS[:1, :1], PIXELS[..., :1]):
        pixels = colors.in_dtype(pixels, dtype)
        expected = colors.by_value(pixels, lambda values: colors.contrasted(values, factor))
        colors.assert_same(image.adjust_contrast(pixels, factor), expected, dtype)


@pytest.mark.parametrize("channels", [2, 5, 2047, 5000])
def test_any_number_of_channels(channels: int) -> None:
    pixels = np.random.default_rng(0).random((3, 4, channels), np.float32)
    expected = colors.contrasted(pixels.astype(np.float64), 2.0)
    np.testing.assert_allclose(image.adjust_contrast(pixels, 2.0), expected, atol=1e-5)


def test_the_mean_of_a_large_image_keeps_its_precision() -> None:
    pixels = np.full((2000, 1000, 1), 0.1, np.float32)
    np.testing.assert_allclose(image.adjust_contrast(pixels, 1000.0), pixels, atol=2e-4)


def test_as_tensorflow() -> None:
    pixels = np.array([[[10, 200], [20, 100]], [[255, 0], [0, 50]]], np.uint8)
    expected = [[[0, 255], [0, 106]], [[255, 0], [0, 31]]]
    assert image.adjust_contrast(pixels, 1.5).tolist() == expected


def test_shapes_that_are_not_known() -> None:
    pixels = PIXELS.astype(np.float32)
    expected = colors.contrasted(pixels.astype(np.float64), 0.5).astype(np.float32)
    open_shapes.check(lambda x: image.adjust_contrast(x, 0.5), [pixels], expected, 1e-5)
    open_shapes.check(lambda x: image.adjust_contrast(x, 0.5), [PIXELS[:0]], PIXELS[:0])


def test_a_factor_known_when_the_function_runs() -> None:
    factors = Dataset.from_tensor_slices(np.array([0.5, 2.0], np.float32))
    for factor, pixels in zip((0.5, 2.0), factors.map(lambda f: image.adjust_contrast(PIXELS, f))):
        np.testing.assert_array_equal(pixels, image.adjust_contrast(PIXELS, factor))


@pytest.mark.parametrize(
    ("pixels", "factor", "message"),
    [
        (PIXELS[0], 1.0, r"takes images \[..., height, width, channels\], got uint8 \[17, 3\]"),
        (PIXELS > 3, 1.0, "must be .* got bool"),
        (PIXELS, [1.0], r"contrast_factor must be a float32 scalar, got float32 \[1\]"),
    ],
)
def test_wrong_arguments(pixels: np.ndarray, factor: object, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        image.adjust_contrast(pixels, factor)
