"""rgb_to_hsv, hsv_to_rgb, mix_channels, rgb_to_grayscale, grayscale_to_rgb."""

from __future__ import annotations

import colorsys

import colors
import numpy as np
import open_shapes
import pytest
from images import photograph

from fastpipe import image
from fastpipe.errors import InvalidArgumentError
from fastpipe.tracing import call

PIXELS = photograph(13, 17)
FLOATS = PIXELS / np.float32(255)
CORNERS = np.array(
    [[r, g, b] for r in (0, 0.5, 1) for g in (0, 0.5, 1) for b in (0, 0.5, 1)], np.float32
)
PRECISION = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-7}


@pytest.mark.parametrize("dtype", PRECISION)
def test_hsv_as_colorsys(dtype: str) -> None:
    for pixels in (CORNERS.astype(dtype), FLOATS.astype(dtype), FLOATS[0, 0].astype(dtype)):
        hsv = colors.by_pixel(pixels, lambda pixel: colorsys.rgb_to_hsv(*pixel))
        open_shapes.check(image.rgb_to_hsv, [pixels], hsv, PRECISION[dtype])
        rgb = colors.by_pixel(pixels, lambda pixel: colorsys.hsv_to_rgb(*pixel))
        open_shapes.check(image.hsv_to_rgb, [pixels], rgb, PRECISION[dtype])


def test_hsv_beyond_one_as_tensorflow() -> None:
    hsv = np.array([[2.3, 0.5, 0.2], [-0.2, 0.5, 0.5], [0.5, 1.2, 0.5]], np.float32)
    rgb = [[0.2, 0.1, 0.1], [0.5, 0.25, 0.25], [-0.1, 0.5, 0.5]]
    np.testing.assert_allclose(image.hsv_to_rgb(hsv), rgb, atol=1e-6)


@pytest.mark.parametrize("dtype", PRECISION)
def test_luma_and_chrominance(dtype: str) -> None:
    grey = np.full((2, 3), 0.5, dtype)
    for there, back in (
        (image.rgb_to_yiq, image.yiq_to_rgb),
        (image.rgb_to_yuv, image.yuv_to_rgb),
    ):
        open_shapes.check(there, [grey], np.array([[0.5, 0, 0]] * 2, dtype), 4e-3)
        pixels = FLOATS.astype(dtype)
        mixed = there(pixels)
        luma = pixels.astype(np.float64) @ [0.299, 0.587, 0.114]
        np.testing.assert_allclose(mixed[..., 0], luma, atol=PRECISION[dtype])
        np.testing.assert_allclose(back(mixed), pixels, atol=max(PRECISION[dtype], 1e-4))


def test_chrominance_as_colorsys() -> None:
    # colorsys rounds the coefficients of FCC NTSC.
    expected = colors.by_pixel(FLOATS, lambda pixel: colorsys.rgb_to_yiq(*pixel))
    np.testing.assert_allclose(image.rgb_to_yiq(FLOATS), expected, atol=0.02)


def test_a_matrix_that_is_not_square() -> None:
    matrix = np.arange(6, dtype=np.float64).reshape(3, 2)
    pixels = FLOATS.astype(np.float64)
    np.testing.assert_allclose(call("mix_channels", [pixels, matrix]), pixels @ matrix)
    with pytest.raises(InvalidArgumentError, match="matrix must be one of two axes"):
        call("mix_channels", [pixels, matrix[0]])


@pytest.mark.parametrize("dtype", [*colors.DTYPES, "float16"])
def test_grayscale(dtype: str) -> None:
    weights = [0.2989, 0.5870, 0.1140]
    for pixels in (PIXELS, PIXELS[None, None], PIXELS[0, 0], PIXELS[:0]):
        pixels = colors.in_dtype(pixels, dtype)
        luma = (colors.to_floats(pixels) * weights).sum(-1, keepdims=True)
        # Not saturated, but within the range anyway.
        expected = colors.from_floats(luma, dtype)
        if dtype == "float16":
            np.testing.assert_allclose(image.rgb_to_grayscale(pixels), expected, atol=1e-3)
        else:
            colors.assert_same(image.rgb_to_grayscale(pixels), expected, dtype)


def test_grayscale_as_tensorflow() -> None:
    pixels = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [1, 2, 3]], np.uint8)
    assert image.rgb_to_grayscale(pixels)[:, 0].tolist() == [76, 149, 29, 255, 1]


def test_grayscale_of_unknown_shapes() -> None:
    open_shapes.check(image.rgb_to_grayscale, [PIXELS], image.rgb_to_grayscale(PIXELS))
    spec = open_shapes.spec_of(image.rgb_to_grayscale, ((None, None, None), "uint8"))
    assert spec == (None, None, 1)


@pytest.mark.parametrize("dtype", ["uint8", "bool", "int64", "float16", "float64"])
@pytest.mark.parametrize("shape", [(4, 1), (2, 3, 1), (2, 2, 3, 4, 1), (0, 3, 1)])
def test_grey_to_rgb(dtype: str, shape: tuple[int, ...]) -> None:
    pixels = (np.arange(np.prod(shape)).reshape(shape) % 7).astype(dtype)
    open_shapes.check(image.grayscale_to_rgb, [pixels], np.repeat(pixels, 3, axis=-1))


@pytest.mark.parametrize(
    ("function", "pixels", "message"),
    [
        (image.rgb_to_hsv, FLOATS[..., :2], r"\[..., channels\] of 3 channels, got float32"),
        (image.hsv_to_rgb, np.float32(1), r"of 3 channels, got float32 \[\]"),
        (image.rgb_to_hsv, PIXELS, "must be .*float.* got uint8"),
        (image.rgb_to_yuv, PIXELS, "images must be floats, got uint8"),
        (image.yiq_to_rgb, b"text", "images must be floats, got string"),
        (image.rgb_to_yiq, FLOATS[..., :2], "of 3 channels"),
        (image.rgb_to_grayscale, PIXELS[..., :2], r"of 3 channels, got uint8 \[13, 17, 2\]"),
        (image.rgb_to_grayscale, PIXELS > 3, "got bool"),
        (image.grayscale_to_rgb, PIXELS, r"of 1 channel, got uint8 \[13, 17, 3\]"),
        (image.grayscale_to_rgb, PIXELS[0, 0, :1], r"width, channels\] of 1 channel"),
    ],
)
def test_wrong_arguments(function, pixels: object, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        function(pixels)


@pytest.mark.parametrize(
    "function", [image.rgb_to_hsv, image.rgb_to_yuv, image.rgb_to_grayscale, image.grayscale_to_rgb]
)
def test_what_is_not_known_while_tracing_is_checked_later(function) -> None:
    later = open_shapes.traced(function, [FLOATS[..., :2]], [None])
    with pytest.raises(InvalidArgumentError, match=r"got float32 \[13, 17, 2\]"):
        list(later)
