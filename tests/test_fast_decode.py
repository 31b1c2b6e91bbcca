"""fast_decode: near the exact result where a large JPEG is resized, and exact anywhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from images import jpeg

from fastpipe import Options, image, io
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError

ENCODINGS: dict[str, dict[str, Any]] = {
    "444": {"quality": 95, "subsampling": 0},
    "422": {"quality": 80, "subsampling": 1},
    "420": {"quality": 75, "subsampling": 2},
    "progressive": {"progressive": True},
    "restarts": {"restart_marker_rows": 1},
}


def resized(
    contents: bytes,
    size: Any,
    box: Any = None,
    *,
    fast: bool = True,
    pillow: bool = False,
    fusion: bool = True,
    **options: Any,
) -> Any:
    """The image of a pipeline that decodes, crops and resizes."""

    def function(value: Any) -> Any:
        pixels = io.decode_jpeg(value, channels=3, fast_decode=fast)
        if box is not None:
            pixels = image.crop_to_bounding_box(pixels, *box)
        resize = image.resize_pillow if pillow else image.resize
        return resize(pixels, size, **options)

    dataset = Dataset.from_tensors(contents).map(function)
    return next(iter(dataset.with_options(Options(fusion=fusion))))


def assert_same(result: Any, expected: Any) -> None:
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def scene(height: int, width: int) -> np.ndarray:
    """Uneven shapes with sharp edges, as photographs have them, and little noise."""
    rng = np.random.default_rng(3)
    y, x = np.mgrid[:height, :width]
    pixels = np.zeros((height, width, 3))
    pixels += 90 + 60 * np.sin(x / 97.0 + y / 61.0)[:, :, None]
    for _ in range(40):
        top, left = rng.integers(0, height), rng.integers(0, width)
        inside = (y - top) ** 2 + (x - left) ** 2 < (rng.integers(5, 90)) ** 2
        pixels[inside] = rng.integers(0, 256, 3)
    noise = rng.normal(0, 3, pixels.shape)
    return np.clip(pixels + noise, 0, 255).astype(np.uint8)


def assert_near(result: Any, expected: Any) -> None:
    """Sharp edges that cross pixels are further off than those of photographs."""
    assert result.dtype == expected.dtype and result.shape == expected.shape
    error = np.abs(result.astype(float) - expected)
    assert error.mean() < 3 and np.quantile(error, 0.99) < 16
    assert error.max() > 0, "was it decoded at its full size?"


@pytest.mark.parametrize("box", [None, [101, 53, 500, 611]])
@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("size", [[160, 160], [90, 120], [50, 31]])
def test_fast_decode_stays_near_the_exact_result(name: str, box: Any, size: Any) -> None:
    contents = jpeg(scene(701, 901), **ENCODINGS[name])
    assert_near(
        resized(contents, size, box, antialias=True),
        resized(contents, size, box, antialias=True, fast=False),
    )
    assert_near(
        resized(contents, size, box, pillow=True, filter="bicubic"),
        resized(contents, size, box, pillow=True, filter="bicubic", fast=False),
    )


def test_fast_decode_of_photographs_is_as_exact_as_documented(photographs: list[str]) -> None:
    errors = []
    for path in photographs[::5]:
        contents = io.read_file(path)
        for size in ([112, 112], [64, 64], [32, 32]):
            fast = resized(contents, size, antialias=True)
            exact = resized(contents, size, antialias=True, fast=False)
            errors.append(np.abs(fast - exact).ravel())
    error = np.concatenate(errors)
    assert 0 < error.mean() < 1
    assert np.quantile(error, 0.99) < 6
    assert error.max() < 40


@pytest.mark.parametrize("offset", range(8))
def test_fast_decode_moves_nothing(offset: int) -> None:
    """A ramp stays where it is: the grid of the smaller image is that of the image itself."""
    width, height = 640 + offset, 633 + offset
    ramp = np.linspace(0, 255, width)[None, :, None] * np.ones((height, 1, 3))
    contents = jpeg(ramp.astype(np.uint8), quality=98, subsampling=0)
    for box in (None, [offset, 7 * offset, 500, 512 - offset]):
        for size in ([40, 50], [100, 150]):
            exact = resized(contents, size, box, antialias=True, fast=False)
            error = resized(contents, size, box, antialias=True) - exact
            # Within a crop the outermost columns may hold a little of what lies beside it.
            assert np.abs(error[:, 1:-1].mean()) < 0.1
            assert np.abs(error).max() < 3


@pytest.mark.parametrize(
    "options",
    [
        {"antialias": False},
        {"antialias": True, "method": "area"},
        {"antialias": True, "method": "nearest"},
    ],
)
def test_fast_decode_is_exact_where_not_all_pixels_are_averaged(options: dict[str, Any]) -> None:
    contents = jpeg(scene(300, 400))
    exact = resized(contents, [20, 30], fast=False, **options)
    assert_same(resized(contents, [20, 30], **options), exact)


def test_fast_decode_is_exact_where_the_image_is_not_much_larger() -> None:
    contents = jpeg(scene(299, 400))
    exact = resized(contents, [100, 100], antialias=True, fast=False)
    assert_same(resized(contents, [100, 100], antialias=True), exact)


def test_fast_decode_finds_the_same_errors() -> None:
    good = jpeg(scene(300, 400))
    for contents, box in ((good[:-200], None), (good, [0, 0, 301, 400])):
        with pytest.raises(InvalidArgumentError):
            resized(contents, [20, 20], box, antialias=True)


def test_decode_jpeg_alone_ignores_fast_decode() -> None:
    contents = jpeg(scene(300, 400))
    assert_same(io.decode_jpeg(contents, fast_decode=True), io.decode_jpeg(contents))


def test_without_fusion_every_decode_is_exact() -> None:
    contents = jpeg(scene(300, 400))
    exact = resized(contents, [20, 20], antialias=True, fast=False)
    assert_same(resized(contents, [20, 20], antialias=True, fusion=False), exact)
