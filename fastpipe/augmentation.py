"""Random changes to images, for training: part of `tf.image`.

The `stateless_random_*` functions do what TensorFlow's do for the same seed. The others take care
of the seed themselves, as `fastpipe.random` describes: in a function that a dataset calls, what
happens to an image is a function of the seed and of which element it is, whatever the threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastpipe.array import shape
from fastpipe.errors import InvalidArgumentError
from fastpipe.integers import integers_argument
from fastpipe.random import element_seed
from fastpipe.tracing import call, convert

__all__ = [
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_resized_crop",
    "sample_distorted_bounding_box",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "stateless_random_resized_crop",
    "stateless_sample_distorted_bounding_box",
]

# ---- flips ----


def stateless_random_flip_left_right(image: Any, seed: Any) -> Any:
    """Images mirrored left to right, each with a chance of one half.

    Args:
        image: [height, width, channels] or a batch of them, of any dtype but string.
        seed: Two integers, int32 or int64.

    Raises:
        InvalidArgumentError: `image` has another rank, or the seed is not two integers.

    >>> import numpy as np
    >>> row = np.arange(3).reshape(1, 3, 1)
    >>> [stateless_random_flip_left_right(row, [1, n])[0, :, 0].tolist() for n in range(2)]
    [[0, 1, 2], [2, 1, 0]]
    """
    return call("random_flip_image", [image, seed], flip_columns=True)


def random_flip_left_right(image: Any, seed: int | None = None) -> Any:
    """Images mirrored left to right, each with a chance of one half.

    Args:
        image: [height, width, channels] or a batch of them, of any dtype but string.
        seed: An integer; see `fastpipe.random`.

    >>> import numpy as np
    >>> random_flip_left_right(np.zeros((2, 3, 1)), seed=1).shape
    (2, 3, 1)
    """
    return stateless_random_flip_left_right(image, element_seed(seed))


def stateless_random_flip_up_down(image: Any, seed: Any) -> Any:
    """Images upside down, each with a chance of one half.

    Args:
        image: [height, width, channels] or a batch of them, of any dtype but string.
        seed: Two integers, int32 or int64.

    Raises:
        InvalidArgumentError: `image` has another rank, or the seed is not two integers.

    >>> import numpy as np
    >>> column = np.arange(3).reshape(3, 1, 1)
    >>> [stateless_random_flip_up_down(column, [1, n])[:, 0, 0].tolist() for n in range(2)]
    [[0, 1, 2], [2, 1, 0]]
    """
    return call("random_flip_image", [image, seed], flip_rows=True)


def random_flip_up_down(image: Any, seed: int | None = None) -> Any:
    """Images upside down, each with a chance of one half.

    Args:
        image: [height, width, channels] or a batch of them, of any dtype but string.
        seed: An integer; see `fastpipe.random`.

    >>> import numpy as np
    >>> random_flip_up_down(np.zeros((2, 3, 1)), seed=1).shape
    (2, 3, 1)
    """
    return stateless_random_flip_up_down(image, element_seed(seed))


# ---- crops ----


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """A part of a tensor at a random place.

    Args:
        value: Of any dtype and rank: an image, a batch of them, a sequence.
        size: The shape of the part, as many integers as the rank.
        seed: Two integers, int32 or int64.
        name: Has no effect.

    Raises:
        InvalidArgumentError: `size` does not fit into the value, or the seed is not two integers.

    >>> import numpy as np
    >>> stateless_random_crop(np.arange(12).reshape(3, 4), [2, 2], [1, 2]).tolist()
    [[2, 3], [6, 7]]
    """
    dims, inputs = integers_argument("size", size)
    return call("random_crop", [value, seed, *inputs], size=dims)


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Any:
    """A part of a tensor at a random place. Two with one `seed` are at the same place.

    Args:
        value: Of any dtype and rank: an image, a batch of them, a sequence.
        size: The shape of the part, as many integers as the rank.
        seed: An integer; see `fastpipe.random`.
        name: Has no effect.

    Raises:
        InvalidArgumentError: `size` does not fit into the value.

    >>> import numpy as np
    >>> random_crop(np.zeros((32, 32, 3)), [24, 24, 3]).shape
    (24, 24, 3)
    """
    return stateless_random_crop(value, size, element_seed(seed))


def _image_size(image: Any) -> Any:
    """Height, width and channels."""
    return shape(convert(image))[-3:]


def stateless_random_resized_crop(
    image: Any,
    size: Any,
    seed: Any,
    scale: Any = (0.08, 1.0),
    ratio: Any = (3 / 4, 4 / 3),
    method: str = "bilinear",
    antialias: bool = False,
) -> Any:
    """A random rectangle of images, resized: the usual augmentation to train on ImageNet.

    Args:
        image: [height, width, channels], or a batch of images, which get one rectangle.
        size: The new height and width, two integers.
        seed: Two integers, int32 or int64.
        scale: The least and the most that the rectangle takes of the area.
        ratio: The least and the most of its aspect ratio, width to height.
        method: As in `resize`.
        antialias: As in `resize`.

    Returns:
        float32, or with the method "nearest" the dtype of `image`. If no rectangle within the
        ranges fits in ten attempts, it is of the middle of the image.

    Raises:
        InvalidArgumentError: The image is empty, a range is not two positive numbers in order, or
            the seed is not two integers.

    >>> import numpy as np
    >>> stateless_random_resized_crop(np.zeros((40, 50, 3)), [8, 8], seed=[1, 2]).shape
    (8, 8, 3)
    """
    new_size, inputs = integers_argument("size", size)
    box = call(
        "random_resized_box",
        [_image_size(image), seed],
        scale=_two_numbers("scale", scale),
        ratio=_two_numbers("ratio", ratio),
    )
    part = call("crop_image", [image, box], box=None)
    return call(
        "resize", [part, *inputs], size=new_size, method=method, antialias=antialias, fit="stretch"
    )


def random_resized_crop(
    image: Any,
    size: Any,
    scale: Any = (0.08, 1.0),
    ratio: Any = (3 / 4, 4 / 3),
    method: str = "bilinear",
    antialias: bool = False,
    seed: int | None = None,
) -> Any:
    """A random rectangle of images, resized: the usual augmentation to train on ImageNet.

    Args:
        image: [height, width, channels], or a batch of images, which get one rectangle.
        size: The new height and width, two integers.
        scale: The least and the most that the rectangle takes of the area.
        ratio: The least and the most of its aspect ratio, width to height.
        method: As in `resize`.
        antialias: As in `resize`.
        seed: An integer; see `fastpipe.random`.

    Returns:
        As `stateless_random_resized_crop`.

    Raises:
        InvalidArgumentError: The image is empty, or a range is not two positive numbers in order.

    >>> import numpy as np
    >>> random_resized_crop(np.zeros((40, 50, 3)), [8, 8]).shape
    (8, 8, 3)
    """
    seeds = element_seed(seed)
    return stateless_random_resized_crop(image, size, seeds, scale, ratio, method, antialias)


def _two_numbers(name: str, value: Any) -> Any:
    try:
        numbers = np.array(value, np.float64)
    except (TypeError, ValueError):
        numbers = np.array(0.0)
    if numbers.shape == (2,):
        return numbers
    raise InvalidArgumentError(f"{name} must be two numbers, got {value!r:.80}")


def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """A random rectangle of an image that covers enough of one of its objects.

    Args:
        image_size: Height, width and channels, three integers.
        bounding_boxes: Of the objects, float32 [batch, boxes, 4]: top, left, bottom and right, as
            fractions of the height and width.
        seed: Two integers, int32 or int64.
        min_object_covered: The fraction of an object that the rectangle must cover.
        aspect_ratio_range: The least and the most of width to height; 0.75 and 1.33 by default.
        area_range: The least and the most of the image's area; 0.05 and 1 by default.
        max_attempts: After so many the whole image is taken; 100 by default.
        use_image_if_no_bounding_boxes: Without boxes the image itself is the object. Otherwise that
            is an error.
        name: Has no effect.

    Returns:
        begin and size, three integers each in the dtype of `image_size`, as `slice` takes them, and
        the rectangle as a box, float32 [1, 1, 4].

    Raises:
        InvalidArgumentError: A box is not within the image, there is none, a shape or range is not
            as above.

    >>> import numpy as np
    >>> begin, size, box = stateless_sample_distorted_bounding_box(
    ...     [100, 200, 3], np.zeros((1, 0, 4), np.float32), [1, 2], area_range=[0.5, 1],
    ...     use_image_if_no_bounding_boxes=True)
    >>> begin.tolist(), size.tolist()
    ([4, 77, 0], [95, 118, -1])
    """
    ratios = [0.75, 1.33] if aspect_ratio_range is None else aspect_ratio_range
    areas = [0.05, 1.0] if area_range is None else area_range
    if isinstance(bounding_boxes, (list, tuple)):
        bounding_boxes = convert(bounding_boxes, "float32")
    return call(
        "distorted_bounding_box",
        [image_size, bounding_boxes, convert(min_object_covered, "float32"), seed],
        aspect_ratio_range=_two_numbers("aspect_ratio_range", ratios),
        area_range=_two_numbers("area_range", areas),
        max_attempts=100 if max_attempts is None else max_attempts,
        whole_image=bool(use_image_if_no_bounding_boxes),
    )


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """As `stateless_sample_distorted_bounding_box`, with a seed of its own.

    Args:
        image_size: Height, width and channels, three integers.
        bounding_boxes: Of the objects, float32 [batch, boxes, 4].
        seed: An integer; see `fastpipe.random`. 0 is none.
        min_object_covered: The fraction of an object that the rectangle must cover.
        aspect_ratio_range: The least and the most of width to height.
        area_range: The least and the most of the image's area.
        max_attempts: After so many the whole image is taken.
        use_image_if_no_bounding_boxes: Without boxes the image itself is the object.
        name: Has no effect.

    >>> begin, size, box = sample_distorted_bounding_box([100, 200, 3], [[[0.1, 0.1, 0.9, 0.9]]])
    >>> box.shape
    (1, 1, 4)
    """
    return stateless_sample_distorted_bounding_box(
        image_size,
        bounding_boxes,
        element_seed(seed or None),
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )
