"""filter_image: against sliding windows."""

from __future__ import annotations

import numpy as np
import open_shapes
import pytest
from images import photograph

from fastpipe.errors import InvalidArgumentError
from fastpipe.tracing import call

PIXELS = photograph(7, 9) / 255


def filtered(images: np.ndarray, filters: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(images, filters.shape[:2], axis=(-3, -2))
    return np.einsum("...yxcij,ijn->...yxcn", windows, filters)


@pytest.mark.parametrize(("dtype", "tol"), [("float16", 1e-2), ("float32", 1e-5), ("float64", 0)])
@pytest.mark.parametrize("shape", [(3, 3, 2), (1, 1, 1), (7, 9, 1), (2, 4, 3)])
def test_filters(dtype: str, tol: float, shape: tuple[int, int, int]) -> None:
    filters = np.random.default_rng(0).random(shape).astype(dtype)
    for images in (
        PIXELS,
        np.stack([PIXELS, PIXELS + 1])[None],
        PIXELS[None, :0].reshape(0, 7, 9, 3),
    ):
        images = images.astype(dtype)
        expected = filtered(images.astype(np.float64), filters.astype(np.float64)).astype(dtype)
        open_shapes.check(
            lambda x: call("filter_image", [x, filters]), [images], expected, max(tol, 1e-12)
        )


@pytest.mark.parametrize(
    ("images", "filters", "message"),
    [
        (PIXELS[0], np.ones((1, 1, 1)), r"takes images \[..., height, width, channels\]"),
        (PIXELS, np.ones((8, 1, 1)), r"a filter of 8 x 1 does not fit .* \[7, 9, 3\]"),
        (PIXELS, np.ones((1, 10, 1)), "a filter of 1 x 10 does not fit"),
        (PIXELS, np.ones((1, 1)), r"filters must be \[rows, columns, count\]"),
        (PIXELS, np.ones((1, 1, 1), np.float32), "inputs must have one dtype"),
        (photograph(3, 3), np.ones((1, 1, 1), np.uint8), "must be .*float.* got uint8"),
    ],
)
def test_wrong_arguments(images: np.ndarray, filters: np.ndarray, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        call("filter_image", [images, filters])
