"""adjust_saturation and adjust_hue: against Python's colorsys."""

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
# Where two channels are equal, a branch ends.
CORNERS = np.array(
    [[[r, g, b] for r in (0, 0.5, 1) for g in (0, 0.5, 1) for b in (0, 0.5, 1)]], np.float32
)


@pytest.mark.parametrize("dtype", colors.DTYPES)
@pytest.mark.parametrize("factor", [0.5, 2.0, 0, -1, 1])
def test_saturation(dtype: str, factor: float) -> None:
    for pixels in (colors.in_dtype(PIXELS, dtype), CORNERS, PIXELS[None, None]):
        expected = colors.by_pixel(pixels, lambda pixel: colors.saturated(pixel, factor))
        colors.assert_same(image.adjust_saturation(pixels, factor), expected, pixels.dtype)


@pytest.mark.parametrize("dtype", colors.DTYPES)
@pytest.mark.parametrize("delta", [0.1, -0.7, 1, -1, 0.5, 0])
def test_hue(dtype: str, delta: float) -> None:
    for pixels in (colors.in_dtype(PIXELS, dtype), CORNERS, PIXELS[None, None]):
        expected = colors.by_pixel(pixels, lambda pixel: colors.turned(pixel, delta))
        colors.assert_same(image.adjust_hue(pixels, delta), expected, pixels.dtype)


def test_as_tensorflow() -> None:
    pixels = np.array([[[10, 200, 30], [255, 0, 0], [7, 7, 7], [90, 40, 200]]], np.uint8)
    less = [[[105, 200, 115], [255, 127, 127], [7, 7, 7], [145, 120, 200]]]
    assert image.adjust_saturation(pixels, 0.5).tolist() == less
    turned = [[[10, 200, 144], [255, 153, 0], [7, 7, 7], [186, 40, 200]]]
    assert image.adjust_hue(pixels, 0.1).tolist() == turned


def test_negative_values_have_no_saturation() -> None:
    pixels = np.array([[[-1.0, -0.5, -0.25]]], np.float32)
    assert image.adjust_saturation(pixels, 2.0).tolist() == [[[-0.25, -0.25, -0.25]]]


@pytest.mark.parametrize("function", [image.adjust_saturation, image.adjust_hue])
def test_shapes_that_are_not_known(function) -> None:
    for pixels in (PIXELS, np.zeros((0, 4, 3), np.uint8), np.stack([PIXELS, PIXELS])):
        open_shapes.check(lambda x: function(x, 0.0), [pixels], function(pixels, 0.0))
    unknown = open_shapes.traced(lambda x: function(x, 0.5), [PIXELS[..., :2]], [None])
    with pytest.raises(InvalidArgumentError, match="of 3 channels, got uint8"):
        list(unknown)


def test_a_traced_function_turns_by_any_angle() -> None:
    deltas = Dataset.from_tensor_slices(np.array([2.25, -7.75, 1e30], np.float32))
    turned = list(deltas.map(lambda delta: image.adjust_hue(CORNERS, delta)))
    for pixels in turned[:2]:
        np.testing.assert_allclose(pixels, image.adjust_hue(CORNERS, 0.25), atol=1e-5)
    assert np.isfinite(turned[2]).all()


@pytest.mark.parametrize("delta", [1.1, -1.1])
def test_a_hue_turns_once_around_at_most(delta: float) -> None:
    with pytest.raises(InvalidArgumentError, match="delta must be from -1 to 1"):
        image.adjust_hue(PIXELS, delta)


@pytest.mark.parametrize("function", [image.adjust_saturation, image.adjust_hue])
@pytest.mark.parametrize(
    ("pixels", "strength", "message"),
    [
        (PIXELS[0], 1.0, r"height, width, channels\] of 3 channels, got uint8 \[17, 3\]"),
        (PIXELS[..., :1], 1.0, r"of 3 channels, got uint8 \[13, 17, 1\]"),
        (PIXELS > 3, 1.0, "must be .* got bool"),
        (PIXELS, [1.0], r"must be a float32 scalar, got float32 \[1\]"),
    ],
)
def test_wrong_arguments(function, pixels: np.ndarray, strength: object, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        function(pixels, strength)
