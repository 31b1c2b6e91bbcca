"""Real photographs: Pillow's pixels, decoded and resized.

Pillow and fastpipe may be linked to different libjpeg-turbo; from 2.1 on their pixels are equal.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest

import fastpipe as fp

pillow = pytest.importorskip("PIL.Image")


def decoded(photographs: list[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The pixels of each photograph by fastpipe, on threads, and by Pillow."""
    dataset = fp.Dataset.from_tensor_slices(photographs).map(
        lambda path: fp.io.decode_jpeg(fp.io.read_file(path), channels=3), num_parallel_calls=2
    )
    for pixels, path in zip(dataset, photographs, strict=True):
        with pillow.open(path) as image:
            yield pixels, np.asarray(image.convert("RGB"))


def turbo_version() -> tuple[int, ...]:
    """Of the libjpeg-turbo in Pillow; (0,) where it is another libjpeg."""
    from PIL import features

    version = features.version_feature("libjpeg_turbo")
    return tuple(int(part) for part in version.split(".")[:2]) if version else (0,)


def test_jpegs_have_the_pixels_that_pillow_decodes(photographs: list[str]) -> None:
    assert len(photographs) >= 250
    if turbo_version() < (2, 1):
        pytest.skip("Pillow is linked to an older libjpeg, whose pixels differ")
    for pixels, expected in decoded(photographs):
        np.testing.assert_array_equal(pixels, expected)


def test_pngs_have_the_pixels_that_pillow_decodes(photographs: list[str]) -> None:
    modes = ["RGB", "L", "RGBA", "LA", "P"]
    for number, path in enumerate(photographs):
        with pillow.open(path) as image:
            image.draft("RGB", (160, 160))
            image = image.convert(modes[number % len(modes)])
        file = io.BytesIO()
        image.save(file, "PNG", compress_level=1)
        expected = np.asarray(image.convert("RGB") if image.mode == "P" else image)
        pixels = fp.io.decode_png(file.getvalue())
        np.testing.assert_array_equal(pixels, expected.reshape(*expected.shape[:2], -1))


def target(shape: tuple[int, ...], number: int) -> tuple[int, int]:
    """Smaller by little and by much, larger, and both at once, one after the other."""
    height, width = shape[:2]
    sizes = [
        (224, 224),
        (97, 131),
        (height * 3 // 4, width * 2 // 3),
        (height // 7, width // 5),
        (height // 2, min(width * 6 // 5, 600)),
        (min(height * 5 // 4, 500), min(width * 9 // 8, 500)),
    ]
    return sizes[number % len(sizes)]


@pytest.mark.parametrize("filter", ["bilinear", "bicubic", "lanczos", "box", "hamming"])
def test_resized_bytes_are_within_one_of_pillow(photographs: list[str], filter: str) -> None:
    resampling = getattr(pillow.Resampling, filter.upper())
    simd = ".post" in pillow.__version__  # pillow-simd, whose weights are less precise
    early = simd or int(pillow.__version__.split(".")[0]) < 13
    for number, (pixels, _) in enumerate(decoded(photographs)):
        size = target(pixels.shape, number)
        resized = fp.image.resize_pillow(pixels, size, filter, horizontal_first=early)
        expected = np.asarray(pillow.fromarray(pixels).resize(size[::-1], resampling))
        difference = np.abs(resized.astype(np.int16) - expected)
        assert difference.max() <= (2 if simd else 1), photographs[number]
