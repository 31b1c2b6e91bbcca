"""draw_bounding_boxes: against painting slices."""

from __future__ import annotations

import numpy as np
import open_shapes
import pytest
from images import photograph

from fastpipe import image
from fastpipe.errors import InvalidArgumentError

BATCH = np.stack([photograph(11, 13), photograph(11, 13, seed=1)]).astype(np.float32)
COLORS = [[0.25, 0.5, 0.125, 0.75], [5, 6, 7, 8]]
YELLOW, BLUE = [1, 1, 0, 1], [0, 0, 1, 1]

Box = tuple[float, float, float, float]


def drawn(images: np.ndarray, boxes: list[list[Box]], colors: list[list[float]]) -> np.ndarray:
    """Rows and columns of the outline that lie within the image, which has a frame of its own."""
    height, width, channels = images.shape[1:]
    result = images.copy()
    for pixels, of_image in zip(result, boxes):
        for number, box in enumerate(of_image):
            ends = np.float32(box) * (np.float32([height, width] * 2) - 1)
            top, left, bottom, right = (int(end) for end in ends)
            frame = np.zeros((height + 40, width + 40), bool)
            frame[top + 20 : bottom + 21, left + 20 : right + 21] = True
            frame[top + 21 : bottom + 20, left + 21 : right + 20] = False
            color = colors[number % len(colors)][:channels]
            pixels[frame[20:-20, 20:-20]] = color
    return result


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_boxes(channels: int, dtype: str) -> None:
    images = np.concatenate([BATCH, BATCH], axis=-1)[..., :channels].astype(dtype)
    boxes = [
        [(0.1, 0.2, 0.8, 0.9), (-0.5, 0.3, 0.5, 1.7), (0.0, 0.0, 1.0, 1.0)],
        [(0.35, 0.35, 0.35, 0.35), (-1.0, -1.0, 2.0, 2.0), (0.5, 0.51, 0.6, 1.2)],
    ]
    open_shapes.check(
        lambda x, b, c: image.draw_bounding_boxes(x, b, c),
        [images, np.float32(boxes), np.float32(COLORS)],
        drawn(images, boxes, COLORS),
    )


@pytest.mark.parametrize("box", [(0.5, 0.5, 0.1, 0.1), (2, 2, 3, 3), (0, -2, 1, -1)])
def test_what_cannot_be_seen_is_not_drawn(box: Box) -> None:
    np.testing.assert_array_equal(image.draw_bounding_boxes(BATCH, [[box]] * 2, COLORS), BATCH)


@pytest.mark.parametrize("colors", [None, np.zeros((0, 3))])
def test_a_palette(colors: object) -> None:
    boxes = [(i / 12, i / 12, i / 12, i / 12) for i in range(11)]
    dots = image.draw_bounding_boxes(np.full((1, 13, 13, 3), 9.0), [boxes], colors)[0]
    palette = [dots[i, i].tolist() for i in range(11)]
    assert palette[:2] == [YELLOW[:3], BLUE[:3]] and palette[4] == [0.5, 0, 0.5]
    assert palette[10] == palette[0] and len({tuple(color) for color in palette}) == 10
    grey = image.draw_bounding_boxes(np.zeros((1, 13, 13, 1)), [boxes], colors)[0]
    assert all(grey[i, i] == 1 for i in range(11))


def test_nothing_to_draw() -> None:
    none = np.zeros((2, 0, 4))
    np.testing.assert_array_equal(image.draw_bounding_boxes(BATCH, none, COLORS), BATCH)
    assert image.draw_bounding_boxes(BATCH[:0], none[:0], COLORS).shape == (0, 11, 13, 3)


BOX = [[(0, 0, 1, 1)]] * 2


@pytest.mark.parametrize(
    ("images", "boxes", "colors", "message"),
    [
        (BATCH[0], BOX, COLORS, r"images must be \[batch, .* got float32 \[11, 13, 3\]"),
        (BATCH[..., :2], BOX, COLORS, "1, 3 or 4 channels"),
        (BATCH.astype(np.uint8), BOX, COLORS, "must be .*float.* got uint8"),
        (BATCH, BOX[:1], COLORS, r"boxes must be \[batch, count, 4\] for images .* \[1, 1, 4\]"),
        (BATCH, BOX[0], COLORS, r"boxes must be \[batch, count, 4\]"),
        (BATCH, [[(0, 0, 1)]] * 2, COLORS, r"got float32 \[2, 1, 3\]"),
        (BATCH, BOX, [[1, 2]], r"colors must be \[count, channels\] for images"),
        (BATCH, BOX, COLORS[0], r"got float32 \[4\]"),
    ],
)
def test_wrong_arguments(images: object, boxes: object, colors: object, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        image.draw_bounding_boxes(images, boxes, colors)
