"""resize: against the plain meaning of each method, in float64."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from images import photograph

from fastpipe import image
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError, ResourceExhaustedError

Kernel = Callable[[float], float]


def sinc(radius: float) -> Kernel:
    def weight(x: float) -> float:
        if abs(x) >= radius:
            return 0.0
        return float(np.sinc(x) * np.sinc(x / radius))

    return weight


def gaussian(x: float) -> float:
    return math.exp(-x * x / (2 * 0.5 * 0.5)) if abs(x) < 1.5 else 0.0


def cubic(b: float, c: float) -> Kernel:
    """The family of Mitchell and Netravali."""

    def weight(x: float) -> float:
        x = abs(x)
        if x < 1:
            return ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + 6 - 2 * b) / 6
        if x < 2:
            tail = (-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x
            return (tail + 8 * b + 24 * c) / 6
        return 0.0

    return weight


# Method -> weight by distance, and the distance from which on it is 0.
KERNELS: dict[str, tuple[Kernel, float]] = {
    "bilinear": (lambda x: max(0.0, 1 - abs(x)), 1),
    "bicubic": (cubic(0, 0.5), 2),
    "lanczos3": (sinc(3), 3),
    "lanczos5": (sinc(5), 5),
    "gaussian": (gaussian, 1.5),
    "mitchellcubic": (cubic(1 / 3, 1 / 3), 2),
}


def axis_weights(method: str, size: int, new_size: int, antialias: bool) -> np.ndarray:
    """[new_size, size]: what each pixel counts in each new one; weights add up to 1."""
    kernel, radius = KERNELS[method]
    scale = max(size / new_size, 1.0) if antialias else 1.0
    weights = np.zeros((new_size, size))
    for i in range(new_size):
        centre = (i + 0.5) * size / new_size
        for j in range(size):
            if abs(j + 0.5 - centre) < radius * scale:
                weights[i, j] = kernel((j + 0.5 - centre) / scale)
    return weights / weights.sum(axis=1, keepdims=True)


def area_weights(size: int, new_size: int) -> np.ndarray:
    """[new_size, size]: how much of each new pixel each pixel covers."""
    step = size / new_size
    weights = np.zeros((new_size, size))
    for i in range(new_size):
        for j in range(size):
            weights[i, j] = max(0.0, min(j + 1, (i + 1) * step) - max(j, i * step)) / step
    return weights


def separable(pixels: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    return np.einsum("ah,bw,hwc->abc", rows, columns, pixels.astype(np.float64))


SIZES = [
    ((13, 17), (5, 6)),
    ((13, 17), (22, 9)),
    ((13, 17), (1, 1)),
    ((4, 6), (64, 64)),
    ((1, 1), (3, 2)),
]


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("method", KERNELS)
@pytest.mark.parametrize(("old", "new"), SIZES)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_weighted(
    method: str, old: tuple[int, int], new: tuple[int, int], antialias: bool, dtype: str
) -> None:
    pixels = photograph(*old).astype(dtype)
    rows = axis_weights(method, old[0], new[0], antialias)
    columns = axis_weights(method, old[1], new[1], antialias)
    resized = image.resize(pixels, new, method=method, antialias=antialias)
    assert resized.dtype == np.float32
    # TensorFlow, and so fastpipe, reads bicubic weights off a table of 1,024 steps.
    tolerance = 0.5 if method == "bicubic" and not antialias else 2e-2
    np.testing.assert_allclose(resized, separable(pixels, rows, columns), atol=tolerance)


@pytest.mark.parametrize(("old", "new"), SIZES)
def test_area(old: tuple[int, int], new: tuple[int, int]) -> None:
    pixels = photograph(*old)
    rows, columns = area_weights(old[0], new[0]), area_weights(old[1], new[1])
    resized = image.resize(pixels, new, method="area")
    np.testing.assert_allclose(resized, separable(pixels, rows, columns), atol=1e-2)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64", "float16", "float32", "float64"])
def test_nearest_keeps_the_dtype(dtype: str) -> None:
    pixels = photograph(7, 10).astype(dtype)
    rows = ((np.arange(5) + 0.5) * 7 / 5).astype(int)
    columns = ((np.arange(23) + 0.5) * 10 / 23).astype(int)
    resized = image.resize(pixels, [5, 23], method="nearest")
    assert resized.dtype == dtype
    np.testing.assert_array_equal(resized, pixels[rows][:, columns])


@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "uint16", "int32", "int64", "float16", "float64"]
)
def test_any_dtype_becomes_float32(dtype: str) -> None:
    pixels = (photograph(7, 10) // 2).astype(dtype)
    resized = image.resize(pixels, [5, 5])
    assert resized.dtype == np.float32
    np.testing.assert_array_equal(resized, image.resize(pixels.astype(np.float32), [5, 5]))


def test_the_same_size_is_float32_too() -> None:
    pixels = photograph(4, 5)
    resized = image.resize(pixels, [4, 5])
    assert resized.dtype == np.float32
    np.testing.assert_array_equal(resized, pixels)


def test_batches() -> None:
    pixels = np.stack([photograph(9, 7, seed=seed) for seed in range(3)])
    for method in ("bilinear", "nearest", "area"):
        resized = image.resize(pixels, [4, 5], method=method)
        assert resized.shape == (3, 4, 5, 3)
        for one, expected in zip(resized, pixels):
            np.testing.assert_array_equal(one, image.resize(expected, [4, 5], method=method))
    assert image.resize(pixels[:0], [4, 5]).shape == (0, 4, 5, 3)


@pytest.mark.parametrize(
    ("old", "asked", "expected"),
    [
        ((11, 14), (20, 7), (6, 7)),
        ((10, 5), (5, 9), (5, 2)),  # 2.5 rounds to even
        ((4, 2), (3, 3), (3, 2)),
        ((4, 2), (4, 8), (4, 2)),
    ],
)
def test_preserve_aspect_ratio(
    old: tuple[int, int], asked: tuple[int, int], expected: tuple[int, int]
) -> None:
    resized = image.resize(photograph(*old), asked, preserve_aspect_ratio=True)
    np.testing.assert_array_equal(resized, image.resize(photograph(*old), expected))


@pytest.mark.parametrize(
    ("old", "target", "inner", "offset"),
    [
        ((11, 14), (8, 8), (6, 8), (0, 0)),
        ((10, 10), (4, 9), (4, 4), (0, 2)),
        ((3, 1), (9, 9), (9, 3), (0, 3)),
        ((5, 5), (5, 5), (5, 5), (0, 0)),
    ],
)
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_resize_with_pad(
    old: tuple[int, int],
    target: tuple[int, int],
    inner: tuple[int, int],
    offset: tuple[int, int],
    method: str,
) -> None:
    pixels = photograph(*old)
    resized = image.resize(pixels, inner, method=method)
    expected = np.zeros((*target, 3), resized.dtype)
    (y, x), (height, width) = offset, inner
    expected[y : y + height, x : x + width] = resized
    padded = image.resize_with_pad(pixels, *target, method=method)
    assert padded.dtype == expected.dtype
    np.testing.assert_array_equal(padded, expected)
    batch = image.resize_with_pad(np.stack([pixels, pixels]), *target, method=method)
    np.testing.assert_array_equal(batch, [expected, expected])


@pytest.mark.parametrize(
    ("pixels", "size", "arguments", "message"),
    [
        (photograph(4, 5), [0, 5], {}, r"from 1 to .* got \[0, 5\]"),
        (photograph(4, 5), [-1, 5], {}, r"from 1 to .* got \[-1, 5\]"),
        (photograph(4, 5), [2**40, 5], {}, "from 1 to"),
        (photograph(4, 5), [3], {}, "two integers"),
        (photograph(4, 5), 3, {}, "list of integers, got 3"),
        (photograph(4, 5), [3.5, 3], {}, "must be integers, got 3.5"),
        (photograph(4, 5), [3, 3], {"method": "cubic"}, "method must be one of .* got 'cubic'"),
        (photograph(4, 5)[0], [3, 3], {}, r"got uint8 \[5, 3\]"),
        (photograph(4, 5) > 1, [3, 3], {}, "must be .* got bool"),
        (np.zeros((0, 5, 3)), [3, 3], {}, r"empty images of shape \[0, 5, 3\]"),
        (np.zeros((4, 5, 0)), [3, 3], {}, r"empty images of shape \[4, 5, 0\]"),
        (photograph(100, 2), [3, 3], {"preserve_aspect_ratio": True}, "would become 3 x 0"),
    ],
)
def test_wrong_arguments(
    pixels: np.ndarray, size: object, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        image.resize(pixels, size, **arguments)


def test_too_large_to_exist() -> None:
    with pytest.raises(ResourceExhaustedError, match="resize"):
        image.resize(photograph(4, 5), [2**31 - 1, 2**31 - 1])


def test_in_a_pipeline() -> None:
    pixels = Dataset.from_generator(lambda: [photograph(9, 7)], output_types="uint8")

    def specs(function: Callable[[object], object]) -> tuple[int | None, ...] | None:
        def shaped(x: object) -> object:
            x.set_shape([None, None, 3])  # type: ignore[attr-defined]
            return function(x)

        return pixels.map(shaped).element_spec.shape

    assert specs(lambda x: image.resize(x, [4, 5])) == (4, 5, 3)
    assert specs(lambda x: image.resize(x, (4, 5), preserve_aspect_ratio=True)) == (None, None, 3)
    assert specs(lambda x: image.resize_with_pad(x, 4, 5)) == (4, 5, 3)
    assert pixels.map(lambda x: image.resize(x, [4, 5])).element_spec.shape is None

    sizes = Dataset.from_tensor_slices(np.array([[3, 4], [5, 6]], np.int32))
    resized = sizes.map(lambda size: image.resize(photograph(9, 7), size))
    assert [each.shape for each in resized] == [(3, 4, 3), (5, 6, 3)]
    heights = Dataset.from_tensor_slices([3, 5])
    resized = heights.map(lambda height: image.resize(photograph(9, 7), [height, 4]))
    assert resized.element_spec.shape == (None, 4, 3)
    assert [each.shape for each in resized] == [(3, 4, 3), (5, 4, 3)]
