"""Random changes to the colours of images, for training: part of `tf.image`.

How the two kinds of functions come by their seeds: see `fastpipe.augmentation`.
"""

from __future__ import annotations

from typing import Any

from fastpipe.color import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from fastpipe.errors import InvalidArgumentError
from fastpipe.formats import adjust_jpeg_quality
from fastpipe.random import element_seed, stateless_uniform

__all__ = [
    "random_brightness",
    "random_contrast",
    "random_hue",
    "random_jpeg_quality",
    "random_saturation",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_hue",
    "stateless_random_jpeg_quality",
    "stateless_random_saturation",
]


def _check_delta(max_delta: float, most: float = float("inf")) -> None:
    if not 0 <= max_delta <= most:
        limits = ">= 0" if most == float("inf") else f"between 0 and {most}"
        raise InvalidArgumentError(f"max_delta must be {limits}, got {max_delta!r}")


def _check_factors(lower: float, upper: float) -> None:
    if not 0 <= lower < upper:
        raise InvalidArgumentError(
            f"lower must be >= 0 and less than upper, got {lower!r} and {upper!r}"
        )


def _check_qualities(least: int, most: int) -> None:
    if not 0 <= least < most <= 100:
        raise InvalidArgumentError(
            f"min_jpeg_quality must be less than max_jpeg_quality, and both between 0 and 100, got "
            f"{least!r} and {most!r}"
        )


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Any:
    """Images with a random number from [-max_delta, max_delta) added to all values.

    Args:
        image: As `adjust_brightness` takes it.
        max_delta: On the scale of 0 to 1, not negative.
        seed: Two integers, int32 or int64.

    Raises:
        InvalidArgumentError: `max_delta` is negative, or the seed is not two integers.

    >>> import numpy as np
    >>> grey = np.full((1, 1, 3), 100, np.uint8)
    >>> [int(stateless_random_brightness(grey, 0.2, [1, n])[0, 0, 0]) for n in range(3)]
    [138, 59, 135]
    """
    _check_delta(max_delta)
    return adjust_brightness(image, stateless_uniform([], seed, -max_delta, max_delta))


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """Images with a random number from [-max_delta, max_delta) added to all values.

    Args:
        image: As `adjust_brightness` takes it.
        max_delta: On the scale of 0 to 1, not negative.
        seed: An integer; see `fastpipe.random`.

    >>> import numpy as np
    >>> random_brightness(np.zeros((2, 2, 3), np.float32), 0.2, seed=1).shape
    (2, 2, 3)
    """
    _check_delta(max_delta)
    return stateless_random_brightness(image, max_delta, element_seed(seed))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Any:
    """Images with their contrast scaled by a random factor from [lower, upper).

    Args:
        image: As `adjust_contrast` takes it.
        lower: Not negative.
        upper: Greater than `lower`.
        seed: Two integers, int32 or int64.

    Raises:
        InvalidArgumentError: The bounds are not in order, or the seed is not two integers.

    >>> import numpy as np
    >>> stateless_random_contrast(np.zeros((2, 2, 3), np.uint8), 0.5, 1.5, [1, 2]).shape
    (2, 2, 3)
    """
    _check_factors(lower, upper)
    return adjust_contrast(image, stateless_uniform([], seed, lower, upper))


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """Images with their contrast scaled by a random factor from [lower, upper).

    Args:
        image: As `adjust_contrast` takes it.
        lower: Not negative.
        upper: Greater than `lower`.
        seed: An integer; see `fastpipe.random`.

    >>> import numpy as np
    >>> random_contrast(np.zeros((2, 2, 3), np.uint8), 0.5, 1.5, seed=1).shape
    (2, 2, 3)
    """
    _check_factors(lower, upper)
    return stateless_random_contrast(image, lower, upper, element_seed(seed))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    """RGB images with their saturation scaled by a random factor from [lower, upper).

    Args:
        image: As `adjust_saturation` takes it.
        lower: Not negative.
        upper: Greater than `lower`.
        seed: Two integers, int32 or int64.

    Raises:
        InvalidArgumentError: The bounds are not in order, or the seed is not two integers.

    >>> import numpy as np
    >>> stateless_random_saturation(np.zeros((2, 2, 3), np.uint8), 0.5, 1.5, [1, 2]).shape
    (2, 2, 3)
    """
    _check_factors(lower, upper)
    if seed is None:
        raise InvalidArgumentError("seed must be two integers, got None")
    return adjust_saturation(image, stateless_uniform([], seed, lower, upper))


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """RGB images with their saturation scaled by a random factor from [lower, upper).

    Args:
        image: As `adjust_saturation` takes it.
        lower: Not negative.
        upper: Greater than `lower`.
        seed: An integer; see `fastpipe.random`.

    >>> import numpy as np
    >>> random_saturation(np.zeros((2, 2, 3), np.uint8), 0.5, 1.5, seed=1).shape
    (2, 2, 3)
    """
    _check_factors(lower, upper)
    return stateless_random_saturation(image, lower, upper, element_seed(seed))


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Any:
    """RGB images with all hues turned by a random number from [-max_delta, max_delta).

    Args:
        image: As `adjust_hue` takes it.
        max_delta: In turns of the colour circle, from 0 to 0.5.
        seed: Two integers, int32 or int64.

    Raises:
        InvalidArgumentError: `max_delta` is out of range, or the seed is not two integers.

    >>> import numpy as np
    >>> stateless_random_hue(np.zeros((2, 2, 3), np.uint8), 0.1, [1, 2]).shape
    (2, 2, 3)
    """
    _check_delta(max_delta, 0.5)
    return adjust_hue(image, stateless_uniform([], seed, -max_delta, max_delta))


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """RGB images with all hues turned by a random number from [-max_delta, max_delta).

    Args:
        image: As `adjust_hue` takes it.
        max_delta: In turns of the colour circle, from 0 to 0.5.
        seed: An integer; see `fastpipe.random`.

    >>> import numpy as np
    >>> random_hue(np.zeros((2, 2, 3), np.uint8), 0.1, seed=1).shape
    (2, 2, 3)
    """
    _check_delta(max_delta, 0.5)
    return stateless_random_hue(image, max_delta, element_seed(seed))


def stateless_random_jpeg_quality(
    image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any
) -> Any:
    """An image with the losses of a JPEG of a random quality from [min, max).

    Args:
        image: As `adjust_jpeg_quality` takes it.
        min_jpeg_quality: From 0 to 100.
        max_jpeg_quality: Greater, up to 100.
        seed: Two integers, int32 or int64.

    Raises:
        InvalidArgumentError: The bounds are not in order or out of range, or the seed is not two
            integers.

    >>> import numpy as np
    >>> stateless_random_jpeg_quality(np.zeros((2, 2, 3), np.uint8), 50, 90, [1, 2]).shape
    (2, 2, 3)
    """
    _check_qualities(min_jpeg_quality, max_jpeg_quality)
    quality = stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, "int32")
    # TensorFlow decodes the faster way; losses are what is asked for here.
    return adjust_jpeg_quality(image, quality, dct_method="INTEGER_FAST")


def random_jpeg_quality(
    image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Any:
    """An image with the losses of a JPEG of a random quality from [min, max).

    Args:
        image: As `adjust_jpeg_quality` takes it.
        min_jpeg_quality: From 0 to 100.
        max_jpeg_quality: Greater, up to 100.
        seed: An integer; see `fastpipe.random`.

    >>> import numpy as np
    >>> random_jpeg_quality(np.zeros((2, 2, 3), np.uint8), 50, 90, seed=1).shape
    (2, 2, 3)
    """
    _check_qualities(min_jpeg_quality, max_jpeg_quality)
    return stateless_random_jpeg_quality(
        image, min_jpeg_quality, max_jpeg_quality, element_seed(seed)
    )
