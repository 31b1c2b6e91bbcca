"""adjust_brightness and adjust_gamma: against the same on Python's floats."""

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


@pytest.mark.parametrize("dtype", colors.DTYPES)
@pytest.mark.parametrize("delta", [0.1, -0.3, 2.0, -5.0, 0])
def test_brightness(dtype: str, delta: float) -> None:
    pixels = colors.in_dtype(PIXELS, dtype)
    expected = colors.by_value(pixels, lambda values: values + delta)
    colors.assert_same(image.adjust_brightness(pixels, delta), expected, dtype)


@pytest.mark.parametrize("dtype", colors.DTYPES)
@pytest.mark.parametrize(("gamma", "gain"), [(2.0, 1), (0.45, 1.3), (0, 0.5), (1, 10)])
def test_gamma(dtype: str, gamma: float, gain: float) -> None:
    pixels = colors.in_dtype(PIXELS, dtype)
    expected = colors.by_value(pixels, lambda values: gain * values**gamma)
    colors.assert_same(image.adjust_gamma(pixels, gamma, gain), expected, dtype)


def test_as_tensorflow() -> None:
    values = np.array([0, 1, 25, 100, 200, 254, 255], np.uint8)
    assert image.adjust_brightness(values, 0.1).tolist() == [25, 26, 50, 125, 225, 255, 255]
    assert image.adjust_brightness(values, -0.1).tolist() == [0, 0, 0, 74, 174, 228, 229]
    assert image.adjust_gamma(values, 2.0).tolist() == [0, 0, 2, 39, 157, 253, 255]


def test_many_bytes_are_looked_up_with_the_same_result() -> None:
    every = np.arange(256, dtype=np.uint8)
    for function in (
        lambda x: image.adjust_brightness(x, 0.37),
        lambda x: image.adjust_gamma(x, 0.7, 1.1),
    ):
        few = np.concatenate([function(part) for part in np.split(every, 4)])
        np.testing.assert_array_equal(function(np.tile(every, 3)), np.tile(few, 3))


@pytest.mark.parametrize("shape", [(), (5,), (2, 3, 4, 5, 3), (0, 4, 3)])
def test_any_shape(shape: tuple[int, ...]) -> None:
    pixels = np.full(shape, 0.25, np.float32)
    open_shapes.check(lambda x: image.adjust_brightness(x, 0.5), [pixels], pixels + 0.5)
    open_shapes.check(lambda x: image.adjust_gamma(x, 2), [pixels], pixels * pixels)


def test_half_precision_stays_half() -> None:
    pixels = np.array([0.1, 0.5, 1.0], np.float16)
    brighter = image.adjust_brightness(pixels, 0.1)
    np.testing.assert_array_equal(brighter, pixels + np.float16(0.1))
    assert brighter.dtype == np.float16
    darker = image.adjust_gamma(pixels, 2.0, 0.3)
    np.testing.assert_array_equal(darker, np.float16(0.3) * pixels**2)


def test_a_strength_for_each_channel() -> None:
    pixels = np.full((2, 2, 3), 0.5, np.float32)
    brighter = image.adjust_brightness(pixels, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(brighter, np.broadcast_to([0.6, 0.7, 0.8], (2, 2, 3)), rtol=1e-6)
    gained = image.adjust_gamma(pixels, 1.0, [1, 2, 3])
    np.testing.assert_allclose(gained, np.broadcast_to([0.5, 1, 1.5], (2, 2, 3)), rtol=1e-6)


def test_strengths_known_when_the_function_runs() -> None:
    deltas = Dataset.from_tensor_slices(np.array([0.1, 0.2]))
    brighter = list(deltas.map(lambda delta: image.adjust_brightness(PIXELS, delta)))
    np.testing.assert_array_equal(brighter[1], image.adjust_brightness(PIXELS, 0.2))
    gammas = Dataset.from_tensor_slices(np.array([2.0, -1.0], np.float32))
    darker = iter(gammas.map(lambda gamma: image.adjust_gamma(PIXELS, gamma)))
    np.testing.assert_array_equal(next(darker), image.adjust_gamma(PIXELS, 2.0))
    with pytest.raises(InvalidArgumentError, match="gamma must be at least 0, got -1"):
        next(darker)


def test_wrong_arguments() -> None:
    with pytest.raises(InvalidArgumentError, match="gamma must be at least 0, got -1"):
        image.adjust_gamma(PIXELS, -1)
    for wrong in (PIXELS > 100, b"text"):
        with pytest.raises(InvalidArgumentError, match="got (bool|string)"):
            image.adjust_brightness(wrong, 0.1)
        with pytest.raises(InvalidArgumentError, match="got (bool|string)"):
            image.adjust_gamma(wrong, 2.0)
