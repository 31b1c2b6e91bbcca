"""The plain-Python meaning of kernels on colours: a pixel at a time, in Python's floats."""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Pixel = Sequence[float]

DTYPES = ["uint8", "int8", "uint16", "int16", "int32", "float32", "float64"]


def to_floats(images: np.ndarray) -> np.ndarray:
    """Integers from 0 to 1, floats as they are."""
    if images.dtype.kind == "f":
        return images.astype(np.float64)
    return images / np.iinfo(images.dtype).max


def from_floats(values: np.ndarray, dtype: Any) -> np.ndarray:
    """Floats in a dtype, saturated, the fraction of integers dropped."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    # What is an integer but for rounding errors is that integer.
    scaled = np.trunc(np.round(values * (limits.max + 0.5), 4))
    return np.clip(scaled, limits.min, limits.max).astype(dtype)


def by_value(images: np.ndarray, change: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Images with `change` applied to their values as floats."""
    return from_floats(change(to_floats(images)), images.dtype)


def by_pixel(images: np.ndarray, change: Callable[[Pixel], Pixel]) -> np.ndarray:
    """Images with `change` applied to each pixel, as floats."""

    def changed(values: np.ndarray) -> np.ndarray:
        pixels = [change(pixel) for pixel in values.reshape(-1, values.shape[-1]).tolist()]
        return np.array(pixels).reshape(*values.shape[:-1], -1)

    return by_value(images, changed)


def saturated(pixel: Pixel, factor: float) -> Pixel:
    hue, saturation, value = colorsys.rgb_to_hsv(*pixel)
    return colorsys.hsv_to_rgb(hue, min(1.0, max(0.0, saturation * factor)), value)


def turned(pixel: Pixel, delta: float) -> Pixel:
    hue, saturation, value = colorsys.rgb_to_hsv(*pixel)
    return colorsys.hsv_to_rgb((hue + delta) % 1.0, saturation, value)


def contrasted(values: np.ndarray, factor: float) -> np.ndarray:
    mean = values.mean(axis=(-3, -2), keepdims=True)
    return (values - mean) * factor + mean


def assert_same(result: np.ndarray, expected: np.ndarray, dtype: Any) -> None:
    """Equal dtype and shape; floats but for rounding, a few of a hundred integers by 1."""
    assert result.dtype == dtype and result.shape == expected.shape
    if np.dtype(dtype).kind == "f":
        np.testing.assert_allclose(result, expected, atol=1e-5)
        return
    difference = np.abs(result.astype(np.float64) - expected.astype(np.float64))
    # Wide integers have more digits than float32, in which kernels compute.
    assert difference.max(initial=0) <= max(1, np.iinfo(dtype).max * 1e-6)
    if np.dtype(dtype).itemsize <= 2:
        assert np.count_nonzero(difference) <= 0.03 * difference.size


def in_dtype(pixels: np.ndarray, dtype: Any) -> np.ndarray:
    """uint8 pixels spread over another dtype."""
    return from_floats(to_floats(pixels), dtype)
