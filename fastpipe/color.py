"""The colours of images: other dtypes, colour spaces, adjustments. Part of `tf.image`.

Integers span 0 to their maximum, floats 0 to 1; an adjustment computes in float32 and gives back
the dtype it got. Every function takes one image [height, width, channels] as well as
[..., height, width, channels], also where the rank is not known yet.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastpipe.errors import InvalidArgumentError
from fastpipe.spec import ALL, DType, as_dtype
from fastpipe.tracing import Symbol, call, convert, current_tracer

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation",
    "convert_image_dtype", "grayscale_to_rgb", "hsv_to_rgb", "per_image_standardization",
    "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "yiq_to_rgb", "yuv_to_rgb",
]  # fmt: skip


def convert_image_dtype(
    image: Any, dtype: object, saturate: bool = False, name: str | None = None
) -> Any:
    """Images in another dtype, scaled: integers span 0 to their maximum, floats 0 to 1.

    Args:
        image: Of any numeric dtype and any shape.
        dtype: A numeric dtype.
        saturate: Values that do not fit become the nearest that does, instead of wrapping around.

    Raises:
        InvalidArgumentError: One of the dtypes is neither integer nor floating.

    >>> import numpy as np
    >>> convert_image_dtype(np.array([0, 255], np.uint8), "float32").tolist()
    [0.0, 1.0]
    """
    image = convert(image)
    source, target = _dtype_of(image), as_dtype(dtype)
    for each in (source, target):
        if not each.is_integer and not each.is_floating:
            raise InvalidArgumentError(
                f"convert_image_dtype needs integer or floating dtypes, got {each.name}"
            )
    if source == target:
        return call("identity", [image])
    if source.is_floating and target.is_floating:
        return _cast(image, target)
    if "float32" in (source, target) and source.is_integer != target.is_integer:
        return call("convert_image_dtype", [image], dtype=target.name, saturate=saturate)
    if source.is_floating:
        # Half a step more, so that casting, which drops the fraction, does not lose the maximum.
        most = min(target.max + 0.5, float(source.max))
        return _cast(_scaled("multiply", image, most), target, saturate)
    if target.is_floating:
        return _scaled("multiply", _cast(image, target), 1.0 / source.max)
    if source.max > target.max:
        steps = (source.max + 1) // (target.max + 1)
        return _cast(_scaled("floor_divide", image, steps), target, saturate)
    steps = (target.max + 1) // (source.max + 1)
    return _scaled("multiply", _cast(image, target, saturate), steps)


def _scaled(kernel: str, image: Any, factor: float) -> Any:
    return call(kernel, [image, factor], unify=True)


def _cast(image: Any, target: DType, saturate: bool = False) -> Any:
    source = _dtype_of(image)
    if saturate and target.is_integer:
        low, high = _common_range(source, target)
        # Floats may be infinite.
        if source.is_floating or low > source.min:
            image = call("maximum", [image, low], unify=True)
        if source.is_floating or high < source.max:
            image = call("minimum", [image, high], unify=True)
    return call("cast", [image], dtype=target.name)


def _common_range(source: DType, target: DType) -> tuple[Any, Any]:
    """The least and the greatest value that both dtypes have; `target` is an integer dtype."""
    if source.is_integer:
        return max(source.min, target.min), min(source.max, target.max)
    low, high = max(float(source.min), target.min), min(float(source.max), target.max)
    rounded = source.as_numpy_dtype.type(high)
    if int(rounded) > target.max:
        rounded = np.nextafter(rounded, source.as_numpy_dtype.type(0))
    return float(low), float(rounded)


def _dtype_of(image: Any) -> DType:
    return ALL["string"] if isinstance(image, bytes) else as_dtype(image.dtype)


# ---- adjustments ----


def adjust_brightness(image: Any, delta: Any) -> Any:
    """Images with `delta` added to every value.

    Args:
        image: Of any number dtype and any shape.
        delta: A number, usually between -1 and 1: integers too are seen as from 0 to 1. Also a
            tensor that broadcasts to `image`.

    Returns:
        The dtype of `image`; integers saturate.

    Raises:
        InvalidArgumentError: `image` is of another dtype.

    >>> import numpy as np
    >>> adjust_brightness(np.array([[[0, 100, 240]]], np.uint8), 0.1).tolist()
    [[[25, 125, 255]]]
    """
    image, delta = convert(image), _strength(delta)
    if _one_pass(image, delta):
        return call("adjust_brightness", [image, delta])
    working = _working_dtype(image)
    adjusted = call("add", [convert_image_dtype(image, working), _cast(delta, working)])
    return convert_image_dtype(adjusted, _dtype_of(image), saturate=True)


def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Images with the distance of each value from the mean of its channel scaled.

    Args:
        images: [..., height, width, channels] of any number dtype.
        contrast_factor: A number: below 1 for less contrast, above for more.

    Returns:
        The dtype of `images`; integers saturate.

    Raises:
        InvalidArgumentError: `images` are no images, or `contrast_factor` is no scalar.

    >>> import numpy as np
    >>> adjust_contrast(np.array([[[0.25], [0.75]]], np.float32), 2.0)[0, :, 0].tolist()
    [0.0, 1.0]
    """
    return call("adjust_contrast", [images, _strength(contrast_factor)])


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """Images with every value raised to the power `gamma`, times `gain`.

    Args:
        image: Of any number dtype and any shape.
        gamma: A number of at least 0: below 1 for lighter images, above for darker ones.
        gain: A number.

    Returns:
        The dtype of `image`; integers saturate.

    Raises:
        InvalidArgumentError: `image` is of another dtype, or `gamma` is negative.

    >>> import numpy as np
    >>> adjust_gamma(np.array([[[0.5]]], np.float32), 2.0).tolist()
    [[[0.25]]]
    """
    image, gamma, gain = convert(image), _strength(gamma), _strength(gain)
    if not isinstance(gamma, Symbol) and not np.all(gamma >= 0):
        raise InvalidArgumentError(f"gamma must be at least 0, got {gamma}")
    if _one_pass(image, gamma, gain):
        return call("adjust_gamma", [image, gamma, gain])
    working = _working_dtype(image)
    power = call("power", [convert_image_dtype(image, working), _cast(gamma, working)])
    adjusted = call("multiply", [_cast(gain, working), power])
    return convert_image_dtype(adjusted, _dtype_of(image), saturate=True)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Any:
    """RGB images with all hues turned on the colour circle.

    Args:
        image: [..., height, width, 3] of any number dtype.
        delta: A number from -1 to 1: the part of the circle.

    Returns:
        The dtype of `image`.

    Raises:
        InvalidArgumentError: `image` is no RGB image, or `delta` no scalar from -1 to 1.

    >>> import numpy as np
    >>> adjust_hue(np.array([[[1, 0, 0]]], np.float32), 1 / 3).round(3).tolist()
    [[[0.0, 1.0, 0.0]]]
    """
    delta = _strength(delta)
    # As in TensorFlow a traced function turns by any angle.
    if current_tracer() is None and np.any(abs(delta) > 1):
        raise InvalidArgumentError(f"delta must be from -1 to 1, got {delta}")
    return call("adjust_hue", [image, delta])


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Any:
    """RGB images with their saturation scaled; hue and value stay.

    Args:
        image: [..., height, width, 3] of any number dtype.
        saturation_factor: A number: 0 makes images grey, above 1 more colourful.

    Returns:
        The dtype of `image`.

    Raises:
        InvalidArgumentError: `image` is no RGB image, or `saturation_factor` is no scalar.

    >>> import numpy as np
    >>> adjust_saturation(np.array([[[0.5, 1, 0]]], np.float32), 0.5).tolist()
    [[[0.75, 1.0, 0.5]]]
    """
    return call("adjust_saturation", [image, _strength(saturation_factor)])


def per_image_standardization(image: Any) -> Any:
    """Each image with mean 0 and variance 1.

    The standard deviation it is divided by is at least 1 / sqrt(number of values), so that an image
    of one colour becomes 0.

    Args:
        image: [..., height, width, channels] of any number dtype or bool. Integers are not scaled.

    Returns:
        float32.

    Raises:
        InvalidArgumentError: `image` is no image, or an empty one.

    >>> import numpy as np
    >>> per_image_standardization(np.array([[[1], [3]]], np.uint8))[0, :, 0].tolist()
    [-1.0, 1.0]
    """
    return call("standardize_image", [image])


# ---- colour spaces ----


def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """RGB images as their luma: 0.2989 red + 0.5870 green + 0.1140 blue.

    Args:
        images: [..., 3] of any number dtype.

    Returns:
        [..., 1], the dtype of `images`.

    Raises:
        InvalidArgumentError: `images` have not 3 channels or another dtype.

    >>> import numpy as np
    >>> rgb_to_grayscale(np.array([[[255, 0, 0], [0, 255, 255]]], np.uint8)).tolist()
    [[[76], [179]]]
    """
    return call("rgb_to_grayscale", [images])


def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """Grey images with their one channel three times.

    Args:
        images: [..., width, 1] of any dtype but string.

    Returns:
        [..., width, 3], the dtype of `images`.

    Raises:
        InvalidArgumentError: `images` have not 1 channel, or less than two axes.

    >>> import numpy as np
    >>> grayscale_to_rgb(np.array([[[7], [9]]])).tolist()
    [[[7, 7, 7], [9, 9, 9]]]
    """
    return call("grayscale_to_rgb", [images])


def rgb_to_hsv(images: Any, name: str | None = None) -> Any:
    """Pixels as hue, saturation and value, each from 0 to 1.

    Args:
        images: [..., 3], floats from 0 to 1.

    Returns:
        The dtype and shape of `images`.

    Raises:
        InvalidArgumentError: `images` have not 3 channels or another dtype.

    >>> import numpy as np
    >>> rgb_to_hsv(np.array([0, 1, 1], np.float32)).tolist()
    [0.5, 1.0, 1.0]
    """
    return call("rgb_to_hsv", [images])


def hsv_to_rgb(images: Any, name: str | None = None) -> Any:
    """Pixels given as hue, saturation and value, as red, green and blue.

    Args:
        images: [..., 3], floats from 0 to 1.

    Returns:
        The dtype and shape of `images`.

    Raises:
        InvalidArgumentError: `images` have not 3 channels or another dtype.

    >>> import numpy as np
    >>> hsv_to_rgb(np.array([0.5, 1, 1], np.float32)).tolist()
    [0.0, 1.0, 1.0]
    """
    return call("hsv_to_rgb", [images])


def rgb_to_yiq(images: Any) -> Any:
    """Pixels as luma and chrominance of NTSC; `yiq_to_rgb` is the reverse.

    Args:
        images: [..., 3], floats.

    Returns:
        The dtype and shape of `images`.

    Raises:
        InvalidArgumentError: `images` have not 3 channels or another dtype.

    >>> import numpy as np
    >>> rgb_to_yiq(np.array([1.0, 1.0, 1.0])).round(3)[0].item()
    1.0
    """
    return _mixed(images, _RGB_TO_YIQ)


def yiq_to_rgb(images: Any) -> Any:
    """Pixels given as luma and chrominance of NTSC, as red, green and blue.

    Args:
        images: [..., 3], floats.

    Returns:
        The dtype and shape of `images`.

    Raises:
        InvalidArgumentError: `images` have not 3 channels or another dtype.

    >>> import numpy as np
    >>> yiq_to_rgb(np.array([1, 0, 0], np.float32)).tolist()
    [1.0, 1.0, 1.0]
    """
    return _mixed(images, _YIQ_TO_RGB)


def rgb_to_yuv(images: Any) -> Any:
    """Pixels as luma and chrominance of PAL; `yuv_to_rgb` is the reverse.

    Args:
        images: [..., 3], floats.

    Returns:
        The dtype and shape of `images`.

    Raises:
        InvalidArgumentError: `images` have not 3 channels or another dtype.

    >>> import numpy as np
    >>> rgb_to_yuv(np.array([0.0, 1.0, 0.0])).round(3).tolist()
    [0.587, -0.289, -0.515]
    """
    return _mixed(images, _RGB_TO_YUV)


def yuv_to_rgb(images: Any) -> Any:
    """Pixels given as luma and chrominance of PAL, as red, green and blue.

    Args:
        images: [..., 3], floats.

    Returns:
        The dtype and shape of `images`.

    Raises:
        InvalidArgumentError: `images` have not 3 channels or another dtype.

    >>> import numpy as np
    >>> yuv_to_rgb(np.array([1, 0, 0], np.float32)).tolist()
    [1.0, 1.0, 1.0]
    """
    return _mixed(images, _YUV_TO_RGB)


# A row for each channel that goes in, a column for each that comes out.
_RGB_TO_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_YIQ_TO_RGB: list[list[float]] = [
    [1, 1, 1],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
_RGB_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_YUV_TO_RGB: list[list[float]] = [
    [1, 1, 1],
    [0, -0.394642334, 2.03206185],
    [1.13988303, -0.58062185, 0],
]


def _mixed(images: Any, matrix: Sequence[Sequence[float]]) -> Any:
    images = convert(images)
    dtype = _dtype_of(images)
    if not dtype.is_floating:
        raise InvalidArgumentError(f"images must be floats, got {dtype.name}")
    return call("mix_channels", [images, np.array(matrix, dtype.as_numpy_dtype)])


# ---- how strong ----


def _strength(value: Any) -> Any:
    """A number, array or Symbol as float32."""
    if isinstance(value, Symbol):
        return _cast(value, ALL["float32"])
    return np.asarray(value, np.float32)


def _one_pass(image: Any, *strengths: Any) -> bool:
    """True if one kernel does it: strengths are scalars, and no half precision rounds between."""
    return _dtype_of(image) != "float16" and all(each.shape == () for each in strengths)


def _working_dtype(image: Any) -> DType:
    return ALL["float16" if _dtype_of(image) == "float16" else "float32"]
