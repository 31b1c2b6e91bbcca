"""flip_image, random_flip_image and rotate_image: against NumPy, and TensorFlow's choices."""

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


# Of seeds [1, 0], [1, 1], ...: whether TensorFlow 2.21 flips an image.
FLIPPED = [0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0]
# And which images of a batch for the seed [3, 4].
FLIPPED_OF_BATCH = [0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1]


def test_random_flips_of_an_image_are_tensorflows() -> None:
    pixels = photograph(5, 7)
    for number, flipped in enumerate(FLIPPED):
        got = image.stateless_random_flip_left_right(pixels, [1, number])
        np.testing.assert_array_equal(got, np.flip(pixels, 1) if flipped else pixels)
        got = image.stateless_random_flip_up_down(pixels, [1, number])
        np.testing.assert_array_equal(got, np.flip(pixels, 0) if flipped else pixels)


def test_random_flips_of_a_batch_are_tensorflows() -> None:
    batch = np.stack([photograph(5, 7, seed=number) for number in range(12)])
    got = image.stateless_random_flip_left_right(batch, [3, 4])
    for pixels, flipped, original in zip(got, FLIPPED_OF_BATCH, batch):
        np.testing.assert_array_equal(pixels, np.flip(original, 1) if flipped else original)


@pytest.mark.parametrize("name", IMAGES)
def test_random_flips_keep_dtype_and_shape(name: str) -> None:
    pixels = IMAGES[name]
    for flip in (image.random_flip_left_right, image.random_flip_up_down):
        dataset = Dataset.from_tensors(pixels).map(lambda x, flip=flip: flip(x, seed=1))
        (got,) = dataset
        assert dataset.element_spec.shape == got.shape == pixels.shape
        assert got.dtype == pixels.dtype


def test_random_flips_need_images_and_a_seed() -> None:
    with pytest.raises(InvalidArgumentError, match="image"):
        image.random_flip_left_right(np.zeros((3, 3)))
    with pytest.raises(InvalidArgumentError, match="seed must be"):
        image.stateless_random_flip_left_right(photograph(5, 7), [1])
