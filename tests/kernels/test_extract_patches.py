"""extract_patches: against slices."""

from __future__ import annotations

import numpy as np
import open_shapes
import pytest
from images import photograph

from fastpipe import image
from fastpipe.errors import InvalidArgumentError, OutOfRangeError, UnimplementedError

BATCH = np.stack([photograph(6, 8), photograph(6, 8, seed=1)])
ONE = [1, 1, 1, 1]

Pair = tuple[int, int]


def patches(
    images: np.ndarray, sizes: Pair, strides: Pair, rates: Pair, padding: str
) -> np.ndarray:
    spans = [(size - 1) * rate + 1 for size, rate in zip(sizes, rates)]
    counts, widths = [], [(0, 0)]
    for size, span, stride in zip(images.shape[1:3], spans, strides):
        if padding == "SAME":
            count = -(-size // stride)
            missing = max(0, (count - 1) * stride + span - size)
        else:
            count, missing = max(0, (size - span) // stride + 1), 0
        counts.append(count)
        widths.append((missing // 2, missing - missing // 2))
    padded = np.pad(images, [*widths, (0, 0)])
    result = np.zeros((len(images), *counts, sizes[0] * sizes[1] * images.shape[3]), images.dtype)
    for y in range(counts[0]):
        for x in range(counts[1]):
            top, left = y * strides[0], x * strides[1]
            part = padded[:, top : top + spans[0] : rates[0], left : left + spans[1] : rates[1]]
            result[:, y, x] = part.reshape(result[:, y, x].shape)
    return result


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize(
    ("sizes", "strides", "rates"),
    [
        ((2, 2), (2, 2), (1, 1)),
        ((3, 3), (1, 1), (1, 1)),
        ((3, 2), (2, 3), (2, 1)),
        ((1, 5), (4, 1), (1, 2)),
        ((6, 8), (9, 9), (1, 1)),
        ((7, 3), (2, 2), (1, 1)),
    ],
)
def test_patches(sizes: Pair, strides: Pair, rates: Pair, padding: str) -> None:
    for images in (BATCH, BATCH.astype(np.float64), BATCH > 100, BATCH[:0], BATCH[..., :1]):
        open_shapes.check(
            lambda x: image.extract_patches(
                x, [1, *sizes, 1], [1, *strides, 1], [1, *rates, 1], padding
            ),
            [images],
            patches(images, sizes, strides, rates, padding),
        )


def test_shapes_as_far_as_known() -> None:
    def depth_of(*dims: int | None) -> tuple[int | None, ...] | None:
        return open_shapes.spec_of(
            lambda x: image.extract_patches(x, [1, 2, 3, 1], [1, 2, 2, 1], ONE, "VALID"),
            (dims, "uint8"),
        )

    assert depth_of(None, None, None, 3) == (None, None, None, 18)
    assert depth_of(4, 9, None, 3) == (4, 4, None, 18)


@pytest.mark.parametrize(
    ("images", "sizes", "padding", "error", "message"),
    [
        (BATCH[0], ONE, "SAME", InvalidArgumentError, r"takes a batch .* \[6, 8, 3\]"),
        (b"text", ONE, "SAME", InvalidArgumentError, "got string"),
        (BATCH, [3, 3], "SAME", InvalidArgumentError, r"sizes must be \[1, rows, columns, 1\]"),
        (BATCH, 3, "SAME", InvalidArgumentError, r"sizes must be \[1, rows, columns, 1\], got 3"),
        (BATCH, ONE, "same", InvalidArgumentError, "padding must be one of .* got 'same'"),
        (BATCH, [1, 20, 3, 1], "VALID", InvalidArgumentError, "a patch of 20 pixels does not fit"),
        (BATCH, [1, 0, 3, 1], "SAME", OutOfRangeError, "sizes must be positive"),
        (BATCH, [2, 3, 3, 1], "SAME", UnimplementedError, "sizes must be 1 for the batch"),
    ],
)
def test_wrong_arguments(
    images: object, sizes: object, padding: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        image.extract_patches(images, sizes, ONE, ONE, padding)
