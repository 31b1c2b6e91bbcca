"""crop_and_resize: against sampling place by place."""

from __future__ import annotations

import math

import numpy as np
import open_shapes
import pytest
from images import photograph

from fastpipe import image
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError, OutOfRangeError, ResourceExhaustedError

BATCH = np.stack([photograph(7, 9), photograph(7, 9, seed=1)])
BOX = [[0.1, 0.2, 0.8, 0.9]]


def places(start: float, end: float, size: int, count: int) -> list[float]:
    if count == 1:
        return [(start + end) / 2 * (size - 1)]
    return [(start + (end - start) * i / (count - 1)) * (size - 1) for i in range(count)]


def sampled(pixels: np.ndarray, y: float, x: float, method: str, outside: float) -> np.ndarray:
    height, width, channels = pixels.shape
    if not (0 <= y <= height - 1 and 0 <= x <= width - 1):
        return np.full(channels, outside)
    if method == "nearest":
        return pixels[math.floor(y + 0.5), math.floor(x + 0.5)]
    rows = {math.floor(y): 1 - y % 1, math.ceil(y): y % 1} if y % 1 else {int(y): 1}
    columns = {math.floor(x): 1 - x % 1, math.ceil(x): x % 1} if x % 1 else {int(x): 1}
    return sum(p * q * pixels[i, j] for i, p in rows.items() for j, q in columns.items())


def cropped(
    pixels: np.ndarray, box: list[float], size: tuple[int, int], method: str, outside: float = 0
) -> np.ndarray:
    rows = places(box[0], box[2], pixels.shape[0], size[0])
    columns = places(box[1], box[3], pixels.shape[1], size[1])
    values = pixels.astype(np.float64)
    result = [[sampled(values, y, x, method, outside) for x in columns] for y in rows]
    return np.array(result, np.float32)


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
@pytest.mark.parametrize("size", [(5, 5), (1, 1), (1, 4), (13, 20)])
@pytest.mark.parametrize(
    "box",
    [
        (0.0, 0.0, 1.0, 1.0),
        (0.13, 0.21, 0.82, 0.93),
        (-0.51, -0.23, 1.31, 1.12),
        (0.91, 0.82, 0.13, 0.24),
        (0.31, 0.31, 0.31, 0.31),
        (2.0, 2.0, 3.0, 3.0),
    ],
)
def test_boxes(box: tuple[float, ...], size: tuple[int, int], method: str) -> None:
    result = image.crop_and_resize(BATCH, [box], [1], size, method, extrapolation_value=7)
    expected = cropped(BATCH[1], [float(np.float32(b)) for b in box], size, method, 7)
    np.testing.assert_allclose(result, expected[None], atol=1e-2)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64", "float16", "float32", "float64"])
def test_any_dtype_becomes_float32(dtype: str) -> None:
    boxes, indices = np.array(BOX * 3, np.float32), np.array([1, 0, 1], np.int32)
    expected = np.stack([cropped(BATCH[i], BOX[0], (3, 4), "bilinear") for i in indices])
    open_shapes.check(
        lambda *x: image.crop_and_resize(*x, [3, 4]),
        [BATCH.astype(dtype), boxes, indices],
        expected,
        1e-3,
    )


def test_no_boxes() -> None:
    none = np.zeros((0, 4), np.float32), np.zeros(0, np.int32)
    assert image.crop_and_resize(BATCH, *none, [3, 4]).shape == (0, 3, 4, 3)
    assert image.crop_and_resize(BATCH[:0], *none, [3, 4]).shape == (0, 3, 4, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((BATCH[0], BOX, [0], [3, 3]), r"\[batch, height, width, channels\].* \[7, 9, 3\]"),
        ((BATCH[:, :0], BOX, [0], [3, 3]), "with at least a pixel"),
        ((BATCH > 3, BOX, [0], [3, 3]), "got bool"),
        ((BATCH, [[0, 0, 1]], [0], [3, 3]), r"boxes must be \[count, 4\], got float32 \[1, 3\]"),
        ((BATCH, BOX, [0, 1], [3, 3]), "box_indices must be one for each of the boxes"),
        ((BATCH, BOX, [0.0], [3, 3]), "input 2 must be int32, got float32"),
        ((BATCH, BOX, [0], [0, 3]), r"positive height and width, got \[0, 3\]"),
        ((BATCH, BOX, [0], [3]), r"positive height and width, got \[3\]"),
        ((BATCH, BOX, [0], 3), "crop_size must be a list of integers, got 3"),
        ((BATCH, BOX, [0], [3, 3], "bicubic"), "method must be one of .* got 'bicubic'"),
        ((BATCH, [[0, 0, 1, np.nan]], [0], [3, 3]), "boxes must be finite, got nan in box 0"),
    ],
)
def test_wrong_arguments(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        image.crop_and_resize(*arguments)


@pytest.mark.parametrize("index", [2, -1])
def test_an_image_that_is_not_there(index: int) -> None:
    with pytest.raises(OutOfRangeError, match=f"from 0 to below 2.* got {index}"):
        image.crop_and_resize(BATCH, BOX, [index], [3, 3])


def test_too_large_to_exist() -> None:
    with pytest.raises(ResourceExhaustedError, match="crop_and_resize"):
        image.crop_and_resize(BATCH, BOX, [0], [2**40, 2**40])


def test_sizes_known_when_the_function_runs() -> None:
    sizes = Dataset.from_tensor_slices(np.array([[2, 3], [4, 1]], np.int32))
    resized = sizes.map(lambda size: image.crop_and_resize(BATCH, BOX, [0], size))
    assert resized.element_spec.shape == (1, None, None, 3)
    assert [each.shape for each in resized] == [(1, 2, 3, 3), (1, 4, 1, 3)]
