"""flip_image and rotate_image: against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from images import photograph

from fastpipe import image
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError

IMAGES = {
    "rgb": photograph(5, 7),
    "grey": photograph(5, 7, 1),
    "rgba": photograph(5, 7, 4),
    "float": photograph(5, 7).astype(np.float32),
    "wide": photograph(5, 7, 5).astype(np.float64),
    "bool": photograph(5, 7) > 100,
    "pixel": photograph(1, 1),
    "batch": np.stack([photograph(5, 7), photograph(5, 7, seed=1)]),
    "no batch": np.zeros((0, 5, 7, 3), np.uint8),
}


@pytest.mark.parametrize("name", IMAGES)
def test_flips(name: str) -> None:
    pixels = IMAGES[name]
    np.testing.assert_array_equal(image.flip_left_right(pixels), np.flip(pixels, -2))
    np.testing.assert_array_equal(image.flip_up_down(pixels), np.flip(pixels, -3))
    np.testing.assert_array_equal(image.transpose(pixels), np.swapaxes(pixels, -3, -2))
    assert image.transpose(pixels).dtype == pixels.dtype


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize("k", [-5, -1, 0, 1, 2, 3, 4, 2**40 + 1])
def test_rotations(name: str, k: int) -> None:
    pixels = IMAGES[name]
    expected = np.rot90(pixels, k % 4, axes=(-3, -2))
    np.testing.assert_array_equal(image.rot90(pixels, k), expected)


@pytest.mark.parametrize("pixels", [np.zeros((3, 3)), np.zeros((1, 1, 3, 3, 3)), b"text"])
def test_no_image(pixels: object) -> None:
    for function in (image.flip_left_right, image.flip_up_down, image.transpose, image.rot90):
        with pytest.raises(InvalidArgumentError, match=r"takes an image \[height, width"):
            function(pixels)


@pytest.mark.parametrize("shape", [(0, 4, 3), (4, 0, 3), (2, 4, 4, 0)])
def test_an_image_of_no_values(shape: tuple[int, ...]) -> None:
    for function in (image.flip_left_right, image.flip_up_down, image.transpose, image.rot90):
        with pytest.raises(InvalidArgumentError, match="takes images of at least one value"):
            function(np.zeros(shape))


def test_in_a_pipeline() -> None:
    turns = Dataset.range(5)
    rotated = turns.map(lambda k: image.rot90(photograph(5, 7), k))
    assert rotated.element_spec.shape == (None, None, 3)
    for k, pixels in enumerate(rotated):
        np.testing.assert_array_equal(pixels, np.rot90(photograph(5, 7), k))
    pixels = Dataset.from_tensors(photograph(5, 7))
    assert pixels.map(image.rot90).element_spec.shape == (7, 5, 3)
    assert pixels.map(image.transpose).element_spec.shape == (7, 5, 3)
    assert pixels.map(image.flip_up_down).element_spec.shape == (5, 7, 3)
