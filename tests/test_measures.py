"""fastpipe.measures: what it makes of other kernels, against NumPy in float64."""

from __future__ import annotations

import colors
import numpy as np
import open_shapes
import pytest
from images import photograph

from fastpipe import image
from fastpipe.errors import InvalidArgumentError
from fastpipe.tracing import Symbol

PIXELS = photograph(14, 13)
OTHER = photograph(14, 13, seed=1)
BATCH = np.stack([PIXELS, OTHER])
NUMBERS = ["int16", "int32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_total_variation(dtype: str) -> None:
    for images in (PIXELS, BATCH, PIXELS[:1, :1], PIXELS[:0], BATCH[:0], BATCH[:, :, :1]):
        images = (images // 32).astype(dtype)
        values = images.astype(np.float64)
        rows = np.abs(np.diff(values, axis=-3)).sum((-3, -2, -1))
        columns = np.abs(np.diff(values, axis=-2)).sum((-3, -2, -1))
        result = image.total_variation(images)
        assert result.dtype == dtype
        np.testing.assert_allclose(result, rows + columns, rtol=2e-3 if dtype == "float16" else 0)


def test_total_variation_of_unknown_sizes() -> None:
    def shaped(pixels: object) -> object:
        if isinstance(pixels, Symbol):
            pixels.set_shape([None, None, None])
        return image.total_variation(pixels)

    pixels = PIXELS.astype(np.float64)
    open_shapes.check(shaped, [pixels], image.total_variation(pixels))
    with pytest.raises(InvalidArgumentError, match="or a batch of them, got shape None"):
        open_shapes.spec_of(image.total_variation, (None, "float32"))


@pytest.mark.parametrize("dtype", ["uint8", *NUMBERS])
def test_image_gradients(dtype: str) -> None:
    images = BATCH.astype(dtype)
    down, right = np.zeros_like(images), np.zeros_like(images)
    down[:, :-1] = images[:, 1:] - images[:, :-1]
    right[:, :, :-1] = images[:, :, 1:] - images[:, :, :-1]
    for result, expected in zip(image.image_gradients(images), (down, right)):
        assert result.dtype == dtype
        np.testing.assert_array_equal(result, expected)


def test_no_gradients_without_pixels() -> None:
    with pytest.raises(InvalidArgumentError):
        image.image_gradients(BATCH[:, :0])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_sobel_edges(dtype: str) -> None:
    images = (BATCH / 255).astype(dtype)
    padded = np.pad(images.astype(np.float64), [(0, 0), (1, 1), (1, 1), (0, 0)], mode="reflect")
    smooth = np.array([1, 2, 1])
    edges = []
    for along, across in ((1, 2), (2, 1)):
        take = [np.take(padded, range(i, padded.shape[across] - 2 + i), across) for i in range(3)]
        blurred = sum(weight * part for weight, part in zip(smooth, take))
        size = padded.shape[along]
        edges.append(
            np.take(blurred, range(2, size), along) - np.take(blurred, range(size - 2), along)
        )
    result = image.sobel_edges(images)
    assert result.dtype == dtype
    tolerance = 1e-2 if dtype == "float16" else 1e-5
    np.testing.assert_allclose(result, np.stack(edges, -1), atol=tolerance)


@pytest.mark.parametrize("dtype", colors.DTYPES)
def test_psnr(dtype: str) -> None:
    most = 1.0 if dtype.startswith("float") else np.iinfo(dtype).max
    first, second = colors.in_dtype(BATCH, dtype), colors.in_dtype(BATCH[::-1] // 2, dtype)
    error = np.mean((colors.to_floats(first) - colors.to_floats(second)) ** 2, (-3, -2, -1))
    expected = -10 * np.log10(error)
    np.testing.assert_allclose(image.psnr(first, second, most), expected, rtol=1e-5)
    np.testing.assert_allclose(image.psnr(first[0], second[0], most), expected[0], rtol=1e-5)


def test_psnr_of_equal_images_is_infinite() -> None:
    assert image.psnr(PIXELS, PIXELS, 255) == np.inf


def similarity(first: np.ndarray, second: np.ndarray, size: int, sigma: float) -> np.ndarray:
    """Of each window and channel, with weighted means and covariances as defined."""
    offsets = np.arange(size) - (size - 1) / 2
    line = np.exp(-(offsets**2) / (2 * sigma**2))
    weights = np.outer(line, line) / line.sum() ** 2
    views = [
        np.lib.stride_tricks.sliding_window_view(each, (size, size), axis=(0, 1))
        for each in (first, second)
    ]
    means = [(view * weights).sum((-2, -1)) for view in views]
    centred = [view - mean[..., None, None] for view, mean in zip(views, means)]
    covariance = (centred[0] * centred[1] * weights).sum((-2, -1))
    variance = sum((each * each * weights).sum((-2, -1)) for each in centred)
    luminance = (2 * means[0] * means[1] + 1e-4) / (means[0] ** 2 + means[1] ** 2 + 1e-4)
    return luminance * (2 * covariance + 9e-4) / (variance + 9e-4)


@pytest.mark.parametrize(("size", "sigma"), [(11, 1.5), (4, 0.7), (1, 1.0)])
def test_ssim(size: int, sigma: float) -> None:
    expected = similarity(PIXELS / 255, OTHER / 255, size, sigma)
    arguments = {"filter_size": size, "filter_sigma": sigma}
    result = image.ssim(PIXELS, OTHER, 255, **arguments)
    np.testing.assert_allclose(result, expected.mean(), atol=1e-4)
    every = image.ssim(PIXELS, OTHER, 255, **arguments, return_index_map=True)
    np.testing.assert_allclose(every, expected.mean(-1), atol=1e-3)
    batch = image.ssim(BATCH, PIXELS, 255, **arguments)
    np.testing.assert_allclose(batch, [1, expected.mean()], atol=1e-4)


def test_ssim_multiscale_as_tensorflow() -> None:
    y, x = np.mgrid[:185, :178].astype(np.float32)
    first = np.stack([np.sin(y / 5) * np.cos(x / 7), np.sin(x * y / 900)], -1) / 2 + 0.5
    second = first * 0.8 + 0.1 * np.cos(x)[..., None]
    result = image.ssim_multiscale(first, second, 1.0)
    np.testing.assert_allclose(result, 0.9104966, rtol=1e-5)

    def shaped(a: object, b: object) -> object:
        for each in (a, b):
            if isinstance(each, Symbol):
                each.set_shape([None, None, None])
        return image.ssim_multiscale(a, b, 1.0)

    open_shapes.check(shaped, [first, second], result, 1e-6)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (image.total_variation, (PIXELS,), "must be .* got uint8"),
        (image.total_variation, (PIXELS[0],), r"or a batch of them, got shape \(13, 3\)"),
        (image.total_variation, (b"text",), r"got shape \(\)"),
        (image.image_gradients, (PIXELS,), r"\[batch, height, .* got shape \(14, 13, 3\)"),
        (image.sobel_edges, (PIXELS / 255,), r"\[batch, height, .* got shape \(14, 13, 3\)"),
        (image.sobel_edges, (BATCH,), "images must be floats, got uint8"),
        (image.sobel_edges, (BATCH[:, :1] / 255,), "pad"),
        (image.psnr, (PIXELS, PIXELS[:5], 1), "of one size, got shapes"),
        (image.psnr, (PIXELS[0], PIXELS[0], 1), "height, width, channels"),
        (image.ssim, (PIXELS[:5], PIXELS[:5], 1), "a filter of 11 x 1 does not fit"),
        (image.ssim, (PIXELS, PIXELS[:, :5], 1), "of one size, got shapes"),
    ],
)
def test_wrong_arguments(function, arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        function(*arguments)
