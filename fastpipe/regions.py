"""Parts of images: crops by relative boxes, patches, boxes drawn and chosen. Part of `tf.image`.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastpipe.errors import InvalidArgumentError, OutOfRangeError, UnimplementedError
from fastpipe.integers import integers_argument
from fastpipe.tracing import Symbol, call

__all__ = [
    "crop_and_resize", "draw_bounding_boxes", "extract_patches", "non_max_suppression",
    "non_max_suppression_with_scores",
]  # fmt: skip


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Any:
    """Rectangles of images, all at one size.

    Args:
        image: [batch, height, width, channels] of any number dtype.
        boxes: float32 [count, 4]: y1, x1, y2, x2, where 0 is the first row or column and 1 the last
            one. A box with y1 > y2 comes upside down.
        box_indices: int32 or int64 [count]: in which image of the batch each box lies.
        crop_size: The new height and width, two integers.
        method: "bilinear" or "nearest".
        extrapolation_value: What lies outside of an image.

    Returns:
        float32 [count, height, width, channels].

    Raises:
        InvalidArgumentError: A shape or a dtype is another one, a box is not finite, or `crop_size`
            is not two positive integers.
        OutOfRangeError: There is no image of an index.

    >>> import numpy as np
    >>> image = np.arange(9.0).reshape(1, 3, 3, 1)
    >>> crop_and_resize(image, [[0, 0, 0.5, 1]], [0], [2, 2])[0, :, :, 0].tolist()
    [[0.0, 2.0], [3.0, 5.0]]
    """
    size, inputs = integers_argument("crop_size", crop_size)
    return call(
        "crop_and_resize",
        [image, _floats(boxes), box_indices, *inputs],
        size=size,
        method=method,
        extrapolation_value=float(extrapolation_value),
    )


def extract_patches(
    images: Any,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Any:
    """Patches of images, as a convolution would see them, each flattened.

    Args:
        images: [batch, height, width, channels] of any dtype but string.
        sizes: Of a patch: [1, rows, columns, 1].
        strides: From one patch to the next: [1, rows, columns, 1].
        rates: From one pixel of a patch to the next: [1, rows, columns, 1].
        padding: "VALID" for patches that lie within the image, or "SAME" for one patch a stride,
            with zeros around the image.

    Returns:
        [batch, rows, columns, values of a patch].

    Raises:
        InvalidArgumentError: `images` are no batch of images, an argument has not four integers, or
            there is no such padding.
        OutOfRangeError: A size, stride or rate is not positive.
        UnimplementedError: One of them is not 1 for the batch or the channels.

    >>> import numpy as np
    >>> image = np.arange(16).reshape(1, 4, 4, 1)
    >>> extract_patches(image, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID")[0, 0].tolist()
    [[0, 1, 4, 5], [2, 3, 6, 7]]
    """
    return call(
        "extract_patches",
        [images],
        sizes=_rows_and_columns("sizes", sizes),
        strides=_rows_and_columns("strides", strides),
        rates=_rows_and_columns("rates", rates),
        padding=padding,
    )


def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Any:
    """Images with the outlines of boxes.

    Args:
        images: [batch, height, width, channels], floats, of 1, 3 or 4 channels.
        boxes: float32 [batch, count, 4]: y1, x1, y2, x2, where 0 is the first row or column and 1
            the last one. What lies outside of an image is not drawn.
        colors: float32 [count, channels], in turn for the boxes; None for a palette of ten.

    Returns:
        The dtype and shape of `images`.

    Raises:
        InvalidArgumentError: A shape or a dtype is another one.

    >>> import numpy as np
    >>> box = [[[0, 0, 1, 1]]]
    >>> draw_bounding_boxes(np.zeros((1, 3, 3, 1)), box, [[5]])[0, :, :, 0].tolist()
    [[5.0, 5.0, 5.0], [5.0, 0.0, 5.0], [5.0, 5.0, 5.0]]
    """
    if colors is None:
        colors = np.zeros((0, 4))
    return call("draw_bounding_boxes", [images, _floats(boxes), _floats(colors)])


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Any:
    """Which boxes to keep: greedily the best, without those that overlap a better one too much.

    Args:
        boxes: float32 [count, 4]: y1, x1, y2, x2, two opposite corners.
        scores: float32 [count].
        max_output_size: How many to keep at most.
        iou_threshold: From 0 to 1: two boxes overlap too much if the area they share is more than
            this part of what they cover together.
        score_threshold: Only boxes of a greater score count.

    Returns:
        int32 [kept]: indices, the best first.

    Raises:
        InvalidArgumentError: A shape or a dtype is another one, `max_output_size` is negative, or
            `iou_threshold` not from 0 to 1.

    >>> boxes = [[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]
    >>> non_max_suppression(boxes, [0.7, 0.8, 0.1], 5).tolist()
    [1, 2]
    """
    return non_max_suppression_with_scores(
        boxes, scores, max_output_size, iou_threshold, score_threshold
    )[0]


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Any, Any]:
    """As `non_max_suppression`, with the scores; or lowering the scores of boxes that overlap.

    Args:
        boxes: float32 [count, 4]: y1, x1, y2, x2, two opposite corners.
        scores: float32 [count].
        max_output_size: How many to keep at most.
        iou_threshold: As in `non_max_suppression`.
        score_threshold: As in `non_max_suppression`.
        soft_nms_sigma: If greater than 0, no overlap is too much: it lowers the score, by
            exp(-overlap ** 2 / (2 * sigma)).

    Returns:
        int32 [kept]: indices, the best first; float32 [kept]: the scores.

    Raises:
        InvalidArgumentError: As in `non_max_suppression`.

    >>> boxes = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3]]
    >>> scores = [0.7, 0.8, 0.5]
    >>> kept, _ = non_max_suppression_with_scores(boxes, scores, 5, soft_nms_sigma=0.5)
    >>> kept.tolist()
    [1, 2, 0]
    """
    factors = [_floats(each) for each in (iou_threshold, score_threshold, soft_nms_sigma)]
    inputs = [_floats(boxes), _floats(scores), max_output_size, *factors]
    kept: tuple[Any, Any] = call("non_max_suppression", inputs)
    return kept


def _floats(value: Any) -> Any:
    return value if isinstance(value, Symbol) else np.asarray(value, np.float32)


def _rows_and_columns(name: str, given: Sequence[int]) -> list[int]:
    """The middle of [1, rows, columns, 1]."""
    values = [int(each) for each in given] if isinstance(given, (list, tuple)) else []
    if len(values) != 4:
        raise InvalidArgumentError(f"{name} must be [1, rows, columns, 1], got {given!r:.80}")
    if min(values) < 1:
        raise OutOfRangeError(f"{name} must be positive, got {values}")
    if values[0] != 1 or values[3] != 1:
        raise UnimplementedError(
            f"{name} must be 1 for the batch and for the channels, got {values}"
        )
    return values[1:3]
