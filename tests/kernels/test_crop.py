"""crop_image, pad_image, crop_or_pad_image and central_crop: against slices."""

from __future__ import annotations

import numpy as np
import pytest
from images import photograph

from fastpipe import image
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError, ResourceExhaustedError

PIXELS = photograph(13, 17)
BATCH = np.stack([PIXELS, photograph(13, 17, seed=1)]).astype(np.float32)


@pytest.mark.parametrize("box", [(2, 3, 5, 6), (0, 0, 13, 17), (12, 16, 1, 1), (0, 5, 13, 2)])
def test_crop(box: tuple[int, int, int, int]) -> None:
    y, x, height, width = box
    for pixels in (PIXELS, BATCH, PIXELS > 100):
        expected = pixels[..., y : y + height, x : x + width, :]
        cropped = image.crop_to_bounding_box(pixels, *box)
        assert cropped.dtype == pixels.dtype
        np.testing.assert_array_equal(cropped, expected)


@pytest.mark.parametrize(
    "box",
    [
        (10, 3, 5, 6),
        (-1, 0, 2, 2),
        (0, 12, 2, 6),
        (0, 0, 0, 2),
        (0, 0, 2, -1),
        (2**62, 0, 2**62, 1),
    ],
)
def test_crop_outside(box: tuple[int, int, int, int]) -> None:
    with pytest.raises(InvalidArgumentError, match="must lie within the image of 13 x 17"):
        image.crop_to_bounding_box(PIXELS, *box)


@pytest.mark.parametrize("box", [(1, 2, 20, 20), (0, 0, 13, 17), (3, 0, 16, 17), (0, 1, 13, 18)])
def test_pad(box: tuple[int, int, int, int]) -> None:
    y, x, height, width = box
    for pixels in (PIXELS, BATCH):
        expected = np.zeros((*pixels.shape[:-3], height, width, 3), pixels.dtype)
        expected[..., y : y + 13, x : x + 17, :] = pixels
        padded = image.pad_to_bounding_box(pixels, *box)
        assert padded.dtype == pixels.dtype
        np.testing.assert_array_equal(padded, expected)


@pytest.mark.parametrize("box", [(1, 0, 13, 17), (-1, 0, 20, 20), (0, 4, 20, 20), (0, 0, -9, 20)])
def test_pad_outside(box: tuple[int, int, int, int]) -> None:
    with pytest.raises(InvalidArgumentError, match="image of 13 x 17 at .* does not lie within"):
        image.pad_to_bounding_box(PIXELS, *box)


@pytest.mark.parametrize("size", [(9, 21), (13, 17), (1, 1), (14, 16), (40, 40), (12, 18)])
def test_crop_or_pad(size: tuple[int, int]) -> None:
    def one_axis(pixels: np.ndarray, axis: int, new: int) -> np.ndarray:
        old = pixels.shape[axis]
        if new <= old:
            start = (old - new) // 2
            return np.take(pixels, range(start, start + new), axis)
        before = (new - old) // 2
        widths = [(0, 0)] * pixels.ndim
        widths[axis] = (before, new - old - before)
        return np.pad(pixels, widths)

    for pixels in (PIXELS, BATCH):
        expected = one_axis(one_axis(pixels, -3, size[0]), -2, size[1])
        np.testing.assert_array_equal(image.resize_with_crop_or_pad(pixels, *size), expected)


@pytest.mark.parametrize("size", [(0, 3), (3, -1)])
def test_crop_or_pad_to_nothing(size: tuple[int, int]) -> None:
    with pytest.raises(InvalidArgumentError, match="positive height and width"):
        image.resize_with_crop_or_pad(PIXELS, *size)


def test_too_large_to_exist() -> None:
    with pytest.raises(ResourceExhaustedError, match="crop_or_pad_image"):
        image.resize_with_crop_or_pad(PIXELS, 2**40, 2**40)


@pytest.mark.parametrize("fraction", [1.0, 0.875, 0.5, 0.1, 1e-9])
def test_central_crop(fraction: float) -> None:
    y, x = int((13 - 13 * fraction) / 2), int((17 - 17 * fraction) / 2)
    for pixels in (PIXELS, BATCH):
        expected = pixels[..., y : 13 - y, x : 17 - x, :]
        np.testing.assert_array_equal(image.central_crop(pixels, fraction), expected)


@pytest.mark.parametrize("fraction", [0.0, -0.5, 1.5, float("nan")])
def test_central_crop_of_nothing(fraction: float) -> None:
    with pytest.raises(InvalidArgumentError, match=r"must be in \(0, 1\]"):
        image.central_crop(PIXELS, fraction)


@pytest.mark.parametrize("shape", [(0, 4, 3), (4, 0, 3), (2, 4, 4, 0)])
def test_an_image_of_no_values(shape: tuple[int, ...]) -> None:
    for function in (
        lambda x: image.central_crop(x, 0.5),
        lambda x: image.crop_to_bounding_box(x, 0, 0, 1, 1),
        lambda x: image.pad_to_bounding_box(x, 0, 0, 9, 9),
        lambda x: image.resize_with_crop_or_pad(x, 9, 9),
    ):
        with pytest.raises(InvalidArgumentError, match="takes images of at least one value"):
            function(np.zeros(shape))


def test_in_a_pipeline() -> None:
    offsets = Dataset.from_tensor_slices([0, 3, 9])
    cropped = offsets.map(lambda y: image.crop_to_bounding_box(PIXELS, y, 1, 5, 6))
    assert cropped.element_spec.shape == (5, 6, 3)
    images = iter(cropped)
    for y in (0, 3):
        np.testing.assert_array_equal(next(images), PIXELS[y : y + 5, 1:7])
    with pytest.raises(InvalidArgumentError, match="y=9"):
        next(images)
    central = Dataset.from_tensors(PIXELS).map(lambda x: image.central_crop(x, 0.5))
    assert central.element_spec.shape == (7, 9, 3)


def test_what_cannot_work_is_said_while_tracing() -> None:
    with pytest.raises(InvalidArgumentError, match="must lie within"):
        Dataset.from_tensors(PIXELS).map(lambda x: image.crop_to_bounding_box(x, 10, 0, 5, 5))
