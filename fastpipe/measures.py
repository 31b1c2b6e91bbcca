"""What images look like in numbers: edges, total variation, likeness. Part of `tf.image`.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastpipe.array import pad, reshape, shape, squeeze
from fastpipe.color import convert_image_dtype
from fastpipe.errors import InvalidArgumentError
from fastpipe.reductions import reduce_mean, reduce_prod, reduce_sum
from fastpipe.spec import DType, as_dtype, dtype_name
from fastpipe.tracing import Symbol, call, convert

__all__ = ["image_gradients", "psnr", "sobel_edges", "ssim", "ssim_multiscale", "total_variation"]


# ---- differences ----


def total_variation(images: Any, name: str | None = None) -> Any:
    """How much neighbours differ: the sum of all differences of vertical and horizontal ones.

    Args:
        images: [height, width, channels] or a batch of them, of a known rank; signed integers or
            floats.

    Returns:
        A scalar, or [batch]; the dtype of `images`.

    Raises:
        InvalidArgumentError: `images` are no images, or unsigned.

    >>> import numpy as np
    >>> total_variation(np.array([[[1], [5]], [[1], [2]]])).item()
    8
    """
    images = _with_rank(images, (3, 4), "[height, width, channels] or a batch of them")
    rows, columns = (
        reduce_sum(call("abs", [_differences(images, axis)]), axis=[-3, -2, -1])
        for axis in (-3, -2)
    )
    return call("add", [rows, columns])


def image_gradients(image: Any) -> tuple[Any, Any]:
    """The differences from each pixel to the one below, and to the one at its right.

    Args:
        image: [batch, height, width, channels] of any number dtype.

    Returns:
        Both like `image`; the last row of the first and the last column of the second are 0.

    Raises:
        InvalidArgumentError: `image` is no batch of images.

    >>> import numpy as np
    >>> down, right = image_gradients(np.array([[[[1], [5]], [[1], [2]]]]))
    >>> down[0, :, :, 0].tolist(), right[0, :, :, 0].tolist()
    ([[0, -3], [0, 0]], [[4, 0], [1, 0]])
    """
    image = _with_rank(image, (4,), "[batch, height, width, channels]")
    down = pad(_differences(image, -3), [[0, 0], [0, 1], [0, 0], [0, 0]])
    right = pad(_differences(image, -2), [[0, 0], [0, 0], [0, 1], [0, 0]])
    return _like(down, image), _like(right, image)


def sobel_edges(image: Any) -> Any:
    """The gradients that the filters of Sobel find, with the borders mirrored.

    Args:
        image: [batch, height, width, channels], floats, at least 2 x 2 pixels.

    Returns:
        [batch, height, width, channels, 2]: along the height, and along the width.

    Raises:
        InvalidArgumentError: `image` is no batch of images, too small, or of integers.

    >>> import numpy as np
    >>> edges = sobel_edges(np.array([[[[0.0], [0.0]], [[1.0], [1.0]], [[3.0], [3.0]]]]))
    >>> edges[0, :, 0, 0, 0].tolist()
    [0.0, 12.0, 0.0]
    """
    image = convert(image)
    if getattr(image, "shape", ()) is not None:
        image = _with_rank(image, (4,), "[batch, height, width, channels]")
    filters = np.stack([_SOBEL, _SOBEL.T], axis=-1).astype(_float_dtype(image).as_numpy_dtype)
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    return call("filter_image", [padded, filters])


_SOBEL = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]])


# ---- likeness ----


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """The peak signal-to-noise ratio of images, in decibels.

    Args:
        a: [..., height, width, channels] of any number dtype.
        b: The same, of the same height, width and channels.
        max_val: The greatest value that the dtype of `a` stands for, like 255.

    Returns:
        float32 [...]; infinite for equal images.

    Raises:
        InvalidArgumentError: `a` and `b` are no images of one size.

    >>> import numpy as np
    >>> psnr(np.zeros((2, 2, 1)), np.full((2, 2, 1), 0.1), 1.0).round(3).item()
    20.0
    """
    a, b, most = _comparable(a, b, max_val)
    error = reduce_mean(call("squared_difference", [a, b]), axis=[-3, -2, -1])
    decibels = np.float32(10 / np.log(10))
    peak = call("multiply", [call("log", [most]), np.float32(20 / np.log(10))])
    return call("subtract", [peak, call("multiply", [call("log", [error]), decibels])])


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Any:
    """The structural similarity of images (Wang et al., 2004): 1 for equal ones.

    Args:
        img1: [..., height, width, channels] of any number dtype.
        img2: The same, of the same height, width and channels.
        max_val: The greatest value that the dtype of `img1` stands for, like 255.
        filter_size: Of the window around each pixel; no larger than the images.
        filter_sigma: Of its weights, which are Gaussian.
        k1: Keeps the quotient of means stable, by its square times that of `max_val`.
        k2: Keeps the quotient of variances stable.
        return_index_map: Give the similarity of each window instead of the mean.

    Returns:
        float32 [...]; or [..., height - filter_size + 1, width - filter_size + 1].

    Raises:
        InvalidArgumentError: `img1` and `img2` are no images of one size, or too small.

    >>> import numpy as np
    >>> ramp = np.arange(144.0).reshape(12, 12, 1)
    >>> ssim(ramp, ramp, 255).item()
    1.0
    """
    first, second, most = _comparable(img1, img2, max_val)
    luminance, contrast = _similarity(first, second, most, filter_size, filter_sigma, k1, k2)
    values = call("multiply", [luminance, contrast])
    return reduce_mean(values, axis=[-1] if return_index_map else [-3, -2, -1])


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Any:
    """The structural similarity of images at several scales, each half the one before.

    Args:
        img1: [..., height, width, channels] of any number dtype and a known rank.
        img2: The same, of the same height, width and channels.
        max_val: The greatest value that the dtype of `img1` stands for, like 255.
        power_factors: The weight of each scale.
        filter_size: As in `ssim`; no larger than the images at the last scale.
        filter_sigma: As in `ssim`.
        k1: As in `ssim`.
        k2: As in `ssim`.

    Returns:
        float32 [...].

    Raises:
        InvalidArgumentError: `img1` and `img2` are no images of one size, or too small.

    >>> import numpy as np
    >>> ramp = np.arange(176.0 * 176).reshape(176, 176, 1) / 31000
    >>> ssim_multiscale(ramp, ramp, 1.0).round(4).item()
    1.0
    """
    first, second, most = _comparable(img1, img2, max_val)
    scales = []
    for number, power in enumerate(power_factors):
        if number > 0:
            first, second = _halved(first), _halved(second)
        luminance, contrast = _similarity(first, second, most, filter_size, filter_sigma, k1, k2)
        if number == len(power_factors) - 1:
            contrast = call("multiply", [luminance, contrast])
        mean = call("relu", [reduce_mean(contrast, axis=[-3, -2])])
        scales.append(call("power", [mean, np.float32(power)]))
    return reduce_mean(reduce_prod(call("stack", scales, axis=0), axis=0), axis=-1)


def _similarity(
    first: Any, second: Any, most: Any, size: int, sigma: float, k1: float, k2: float
) -> tuple[Any, Any]:
    """Of each window and channel: how alike the means are, and how alike the deviations."""
    offsets = np.arange(size) - (size - 1) / 2
    weights = np.exp(-0.5 * np.square(offsets / sigma))
    weights = (weights / weights.sum()).astype(np.float32)

    def windowed(x: Any) -> Any:
        for filters in (weights[:, None, None], weights[None, :, None]):
            x = squeeze(call("filter_image", [x, filters]), axis=-1)
        return x

    def stabilized(above: Any, below: Any, k: float) -> Any:
        small = call("square", [call("multiply", [most, np.float32(k)])])
        return call("divide", [call("add", [above, small]), call("add", [below, small])])

    mean1, mean2 = windowed(first), windowed(second)
    products = _twice(call("multiply", [mean1, mean2]))
    squares = _sum_of_squares(mean1, mean2)
    covariance = call("subtract", [_twice(windowed(call("multiply", [first, second]))), products])
    variance = call("subtract", [windowed(_sum_of_squares(first, second)), squares])
    return stabilized(products, squares, k1), stabilized(covariance, variance, k2)


def _twice(x: Any) -> Any:
    return call("add", [x, x])


def _sum_of_squares(x: Any, y: Any) -> Any:
    return call("add", [call("square", [x]), call("square", [y])])


def _halved(images: Any) -> Any:
    """The means of 2 x 2 pixels; an odd row or column counts twice."""
    rank = images.ndim
    if rank is None:
        raise InvalidArgumentError("ssim_multiscale needs images of known rank")
    sizes = shape(images)
    odd = [[0, sizes[axis] % 2] for axis in (-3, -2)]
    even = pad(images, [*[[0, 0]] * (rank - 3), *odd, [0, 0]], mode="SYMMETRIC")
    means = squeeze(call("filter_image", [even, np.full((2, 2, 1), 0.25, np.float32)]), axis=-1)
    return means[..., ::2, ::2, :]


# ---- arguments ----


def _comparable(a: Any, b: Any, max_val: Any) -> tuple[Any, Any, Any]:
    """Images that can be compared, and the greatest value, all as float32 from 0 to 1."""
    a, b = convert(a), convert(b)
    if not isinstance(a, bytes) and not isinstance(b, bytes):
        _check_one_size(a, b)
    most = call("cast", [max_val], dtype=_name_of(a))
    return tuple(convert_image_dtype(each, "float32") for each in (a, b, most))


def _check_one_size(a: Any, b: Any) -> None:
    known = [each.shape for each in (a, b) if each.shape is not None]
    images = all(len(dims) >= 3 for dims in known)
    pairs = zip(*(dims[-3:] for dims in known)) if len(known) == 2 else ()
    if not images or any(None not in pair and pair[0] != pair[1] for pair in pairs):
        raise InvalidArgumentError(
            f"images to compare must be [..., height, width, channels] of one size, got shapes "
            f"{a.shape} and {b.shape}"
        )


def _with_rank(images: Any, ranks: tuple[int, ...], expected: str) -> Any:
    images = convert(images)
    dims = getattr(images, "shape", ())
    if dims is None or len(dims) not in ranks:
        raise InvalidArgumentError(f"images must be {expected}, got shape {dims}")
    return images


def _differences(images: Any, axis: int) -> Any:
    """Along an axis, each value less the one before."""
    after = (slice(None),) * (-axis - 1)
    return call(
        "subtract",
        [images[(..., slice(1, None), *after)], images[(..., slice(None, -1), *after)]],
    )


def _like(result: Any, image: Any) -> Any:
    """`result` in the shape of `image`: without a row or a column there are no differences."""
    result = reshape(result, shape(image))
    if isinstance(result, Symbol):
        result.set_shape(image.shape)
    return result


def _name_of(image: Any) -> str:
    return "string" if isinstance(image, bytes) else dtype_name(image.dtype)


def _float_dtype(image: Any) -> DType:
    dtype = as_dtype(image.dtype)
    if dtype.is_floating:
        return dtype
    raise InvalidArgumentError(f"images must be floats, got {dtype.name}")
