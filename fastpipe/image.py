"""Kernels on images: `tf.image`, on symbols and on real values.

An image is [height, width, channels]; every function also takes a batch of images of one size,
[batch, height, width, channels], and gives back the rank it got.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from typing import Any

from fastpipe.augmentation import (
    random_crop,
    random_flip_left_right,
    random_flip_up_down,
    random_resized_crop,
    sample_distorted_bounding_box,
    stateless_random_crop,
    stateless_random_flip_left_right,
    stateless_random_flip_up_down,
    stateless_random_resized_crop,
    stateless_sample_distorted_bounding_box,
)
from fastpipe.color import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    convert_image_dtype,
    grayscale_to_rgb,
    hsv_to_rgb,
    per_image_standardization,
    rgb_to_grayscale,
    rgb_to_hsv,
    rgb_to_yiq,
    rgb_to_yuv,
    yiq_to_rgb,
    yuv_to_rgb,
)
from fastpipe.formats import (
    adjust_jpeg_quality,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_webp,
    encode_jpeg,
    encode_png,
)
from fastpipe.integers import integers_argument
from fastpipe.io import (
    decode_and_crop_jpeg,
    decode_jpeg,
    decode_png,
    extract_jpeg_shape,
    is_jpeg,
)
from fastpipe.measures import (
    image_gradients,
    psnr,
    sobel_edges,
    ssim,
    ssim_multiscale,
    total_variation,
)
from fastpipe.random_color import (
    random_brightness,
    random_contrast,
    random_hue,
    random_jpeg_quality,
    random_saturation,
    stateless_random_brightness,
    stateless_random_contrast,
    stateless_random_hue,
    stateless_random_jpeg_quality,
    stateless_random_saturation,
)
from fastpipe.regions import (
    crop_and_resize,
    draw_bounding_boxes,
    extract_patches,
    non_max_suppression,
    non_max_suppression_with_scores,
)
from fastpipe.tracing import call

__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue",
    "adjust_jpeg_quality", "adjust_saturation", "central_crop", "convert_image_dtype",
    "crop_and_resize", "crop_to_bounding_box", "decode_and_crop_jpeg", "decode_bmp", "decode_gif",
    "decode_image", "decode_jpeg", "decode_png", "decode_webp", "draw_bounding_boxes",
    "encode_jpeg", "encode_png", "extract_jpeg_shape", "extract_patches", "flip_left_right",
    "flip_up_down", "grayscale_to_rgb", "hsv_to_rgb", "image_gradients", "is_jpeg",
    "non_max_suppression", "non_max_suppression_with_scores", "pad_to_bounding_box",
    "per_image_standardization", "psnr", "random_brightness", "random_contrast", "random_crop",
    "random_flip_left_right", "random_flip_up_down", "random_hue", "random_jpeg_quality",
    "random_resized_crop", "random_saturation", "resize", "resize_pillow",
    "resize_with_crop_or_pad", "resize_with_pad", "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq",
    "rgb_to_yuv", "rot90", "sample_distorted_bounding_box", "sobel_edges", "ssim",
    "ssim_multiscale", "stateless_random_brightness", "stateless_random_contrast",
    "stateless_random_crop", "stateless_random_flip_left_right", "stateless_random_flip_up_down",
    "stateless_random_hue", "stateless_random_jpeg_quality", "stateless_random_resized_crop",
    "stateless_random_saturation", "stateless_sample_distorted_bounding_box", "total_variation",
    "transpose", "yiq_to_rgb", "yuv_to_rgb",
]  # fmt: skip


class ResizeMethod:
    """The methods of `resize`.

    >>> ResizeMethod.BICUBIC
    'bicubic'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def resize(
    images: Any,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Images at another size.

    Args:
        images: Of any numeric dtype.
        size: The new height and width, two integers.
        method: One of `ResizeMethod`.
        preserve_aspect_ratio: Make the images as large as `size` allows without distortion.
        antialias: Where an axis shrinks, take every pixel into account. No effect on the methods
            "nearest" and "area".

    Returns:
        float32, or with the method "nearest" the dtype of `images`.

    Raises:
        InvalidArgumentError: `images` are no images or are empty, `size` is not two positive
            integers, or there is no such method.

    >>> import numpy as np
    >>> resize(np.array([[[0], [10]]], np.uint8), [1, 4])[0, :, 0].tolist()
    [0.0, 2.5, 7.5, 10.0]
    """
    new_size, inputs = integers_argument("size", size)
    return call(
        "resize",
        [images, *inputs],
        size=new_size,
        method=method,
        antialias=antialias,
        fit="within" if preserve_aspect_ratio else "stretch",
    )


def resize_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Any:
    """Images at another size, without distortion: what they do not fill is zero.

    Args:
        image: Of any numeric dtype.
        target_height: Of the result, an integer.
        target_width: Of the result, an integer.
        method: One of `ResizeMethod`.
        antialias: As in `resize`.

    Returns:
        float32, or with the method "nearest" the dtype of `image`.

    Raises:
        InvalidArgumentError: As in `resize`.

    >>> import numpy as np
    >>> resize_with_pad(np.ones((1, 2, 1), np.uint8), 2, 2)[:, :, 0].tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """
    size, inputs = integers_argument("size", [target_height, target_width])
    return call(
        "resize", [image, *inputs], size=size, method=method, antialias=antialias, fit="pad"
    )


def resize_pillow(
    image: Any, size: Any, filter: str = "bilinear", horizontal_first: bool = False
) -> Any:
    """uint8 images at another size, bit for bit as Pillow's `Image.resize` computes them.

    Channels are independent; Pillow itself weighs the colours of RGBA images by alpha.

    Args:
        image: uint8.
        size: The new height and width, two integers. Pillow has them the other way round.
        filter: "box", "bilinear", "hamming", "bicubic" or "lanczos".
        horizontal_first: As Pillow up to 12 and pillow-simd do it. From 13 on Pillow begins with
            the height where that shrinks by more than twice what the width does; since it rounds
            in between, this shows.

    Returns:
        uint8.

    Raises:
        InvalidArgumentError: `image` is not uint8 or is empty, `size` is not two positive integers,
            or there is no such filter.

    >>> import numpy as np
    >>> row = np.array([[[0], [10], [20], [50]]], np.uint8)
    >>> resize_pillow(row, [1, 2], "box")[0, :, 0].tolist()
    [5, 35]
    """
    new_size, inputs = integers_argument("size", size)
    return call(
        "resize_like_pillow",
        [image, *inputs],
        size=new_size,
        filter=filter,
        horizontal_first=horizontal_first,
    )


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Any:
    """Images cropped, or padded with zeros, around their centre.

    Args:
        image: Of any dtype but string.
        target_height: Of the result, an integer.
        target_width: Of the result, an integer.

    Returns:
        The dtype of `image`.

    Raises:
        InvalidArgumentError: A target is not positive.

    >>> import numpy as np
    >>> resize_with_crop_or_pad(np.arange(1, 5).reshape(1, 4, 1), 2, 2)[:, :, 0].tolist()
    [[2, 3], [0, 0]]
    """
    size, inputs = integers_argument("size", [target_height, target_width])
    return call("crop_or_pad_image", [image, *inputs], size=size)


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """A rectangle of images.

    Args:
        image: Of any dtype but string.
        offset_height: The first row, an integer.
        offset_width: The first column, an integer.
        target_height: How many rows, an integer.
        target_width: How many columns, an integer.

    Returns:
        The dtype of `image`.

    Raises:
        InvalidArgumentError: The rectangle is empty or not within the image.

    >>> import numpy as np
    >>> crop_to_bounding_box(np.arange(6).reshape(2, 3, 1), 0, 1, 2, 2)[:, :, 0].tolist()
    [[1, 2], [4, 5]]
    """
    box, inputs = integers_argument(
        "box", [offset_height, offset_width, target_height, target_width]
    )
    return call("crop_image", [image, *inputs], box=box)


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """Images within larger ones of zeros.

    Args:
        image: Of any dtype but string.
        offset_height: Rows of zeros above, an integer.
        offset_width: Columns of zeros to the left, an integer.
        target_height: Rows of the result, an integer.
        target_width: Columns of the result, an integer.

    Returns:
        The dtype of `image`.

    Raises:
        InvalidArgumentError: The image does not fit in at its place.

    >>> import numpy as np
    >>> pad_to_bounding_box(np.ones((1, 1, 1), np.uint8), 0, 1, 2, 3)[:, :, 0].tolist()
    [[0, 1, 0], [0, 0, 0]]
    """
    box, inputs = integers_argument(
        "box", [offset_height, offset_width, target_height, target_width]
    )
    return call("pad_image", [image, *inputs], box=box)


def central_crop(image: Any, central_fraction: float) -> Any:
    """The middle part of images.

    Args:
        image: Of any dtype but string.
        central_fraction: Of the height and of the width, in (0, 1].

    Returns:
        The dtype of `image`.

    Raises:
        InvalidArgumentError: The fraction is not in (0, 1].

    >>> import numpy as np
    >>> central_crop(np.arange(4).reshape(1, 4, 1), 0.5)[0, :, 0].tolist()
    [1, 2]
    """
    return call("central_crop", [image], central_fraction=float(central_fraction))


def flip_left_right(image: Any) -> Any:
    """Images mirrored left to right.

    >>> import numpy as np
    >>> flip_left_right(np.arange(4).reshape(2, 2, 1))[:, :, 0].tolist()
    [[1, 0], [3, 2]]
    """
    return call("flip_image", [image], flip_columns=True)


def flip_up_down(image: Any) -> Any:
    """Images upside down.

    >>> import numpy as np
    >>> flip_up_down(np.arange(4).reshape(2, 2, 1))[:, :, 0].tolist()
    [[2, 3], [0, 1]]
    """
    return call("flip_image", [image], flip_rows=True)


def transpose(image: Any, name: str | None = None) -> Any:
    """Images with rows and columns swapped.

    >>> import numpy as np
    >>> transpose(np.arange(4).reshape(2, 2, 1))[:, :, 0].tolist()
    [[0, 2], [1, 3]]
    """
    return call("flip_image", [image], transposed=True)


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Any:
    """Images turned counter-clockwise by `k` times 90 degrees.

    Args:
        image: Of any dtype but string.
        k: An integer of any sign.

    Returns:
        The dtype of `image`.

    >>> import numpy as np
    >>> rot90(np.arange(4).reshape(2, 2, 1))[:, :, 0].tolist()
    [[1, 3], [0, 2]]
    """
    turns, inputs = integers_argument("k", [k])
    return call("rotate_image", [image, *inputs], quarter_turns=turns)
