"""resize_like_pillow: Pillow's pixels, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from images import photograph

from fastpipe import image
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError

FILTERS = ["box", "bilinear", "hamming", "bicubic", "lanczos"]
SIZES = [((61, 45), (17, 23)), ((20, 30), (40, 45)), ((50, 200), (50, 20)), ((33, 33), (33, 33))]


@pytest.mark.parametrize("filter", FILTERS)
@pytest.mark.parametrize(("old", "new"), SIZES)
@pytest.mark.parametrize("channels", [1, 3])
def test_as_pillow(filter: str, old: tuple[int, int], new: tuple[int, int], channels: int) -> None:
    pillow = pytest.importorskip("PIL.Image")
    pixels = photograph(*old, channels)
    resampling = getattr(pillow.Resampling, filter.upper())
    source = pillow.fromarray(pixels[:, :, 0] if channels == 1 else pixels)
    expected = np.asarray(source.resize(new[::-1], resampling)).reshape(*new, channels)
    resized = image.resize_pillow(pixels, new, filter)
    assert resized.dtype == np.uint8
    if ".post" in pillow.__version__:  # pillow-simd, whose weights are less precise
        np.testing.assert_allclose(resized, expected, atol=2)
    else:
        np.testing.assert_array_equal(resized, expected)


def test_the_order_of_the_passes_shows_where_the_height_shrinks_more() -> None:
    rng = np.random.default_rng(0)
    tall, wide = (rng.integers(0, 256, size, np.uint8) for size in ((90, 20, 3), (20, 90, 3)))
    for pixels, size, differs in (
        (tall, (9, 20), False),
        (tall, (9, 19), True),
        (wide, (19, 9), False),
    ):
        results = [
            image.resize_pillow(pixels, size, "lanczos", horizontal_first=first)
            for first in (True, False)
        ]
        assert np.any(results[0] != results[1]) == differs


def test_batches() -> None:
    pixels = np.stack([photograph(9, 7, seed=seed) for seed in range(2)])
    resized = image.resize_pillow(pixels, [4, 5])
    for one, expected in zip(resized, pixels):
        np.testing.assert_array_equal(one, image.resize_pillow(expected, [4, 5]))


@pytest.mark.parametrize(
    ("pixels", "size", "filter", "message"),
    [
        (photograph(4, 5), [0, 5], "box", r"positive height and width, got \[0, 5\]"),
        (photograph(4, 5), [1, 2, 3], "box", "two integers"),
        (photograph(4, 5), [1, 2], "nearest", "filter must be one of .* got 'nearest'"),
        (np.zeros((4, 5, 3), np.float32), [1, 2], "box", "must be uint8, got float32"),
        (photograph(4, 5)[:0], [1, 2], "box", "cannot resize 0 x 5 x 3"),
    ],
)
def test_wrong_arguments(pixels: np.ndarray, size: object, filter: str, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        image.resize_pillow(pixels, size, filter)


def test_in_a_pipeline() -> None:
    heights = Dataset.from_tensor_slices([3, 5])
    resized = heights.map(lambda height: image.resize_pillow(photograph(9, 7), [height, 4]))
    assert resized.element_spec.shape == (None, 4, 3)
    assert [each.shape for each in resized] == [(3, 4, 3), (5, 4, 3)]
