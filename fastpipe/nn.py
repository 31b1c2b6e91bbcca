"""Activations and normalisation: the functions of `tf.nn` that prepare inputs.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastpipe.counting import in_top_k, top_k
from fastpipe.elementary import log_sigmoid, sigmoid, softplus, softsign, tanh
from fastpipe.linalg import l2_normalize
from fastpipe.math import relu
from fastpipe.reductions import reduce_max, reduce_mean, reduce_sum, zero_fraction
from fastpipe.shapes import reshape, shape
from fastpipe.tracing import call, convert, unified

__all__ = [
    "depth_to_space", "elu", "in_top_k", "l2_normalize", "leaky_relu", "log_sigmoid", "log_softmax",
    "moments", "relu", "relu6", "sigmoid", "silu", "softmax", "softplus", "softsign",
    "space_to_depth", "swish", "tanh", "top_k", "zero_fraction",
]  # fmt: skip


def _shifted(logits: object, axis: int | None) -> tuple[Any, int]:
    at = -1 if axis is None else int(axis)
    x = convert(logits)
    return call("subtract", [x, reduce_max(x, at, keepdims=True)]), at


def softmax(logits: object, axis: int | None = None, name: str | None = None) -> Any:
    """exp(x) / sum(exp(x)) along `axis`, the last if None; floats.

    >>> softmax([0.0, 0.0]).tolist()
    [0.5, 0.5]
    """
    shifted, at = _shifted(logits, axis)
    powers = call("exp", [shifted])
    return call("divide", [powers, reduce_sum(powers, at, keepdims=True)])


def log_softmax(logits: object, axis: int | None = None, name: str | None = None) -> Any:
    """log(softmax(x)), exact for small values; floats.

    >>> log_softmax([0.0, 0.0]).astype("float64").round(4).tolist()
    [-0.6931, -0.6931]
    """
    shifted, at = _shifted(logits, axis)
    total = reduce_sum(call("exp", [shifted]), at, keepdims=True)
    return call("subtract", [shifted, call("log", [total])])


def elu(features: object, name: str | None = None) -> Any:
    """x where it is positive, else exp(x) - 1; floats.

    >>> elu([1.0, 0.0]).tolist()
    [1.0, 0.0]
    """
    x = convert(features)
    positive = call("greater", unified(x, 0))
    return call("where", [positive, x, call("expm1", [x])])


def leaky_relu(features: object, alpha: float = 0.2, name: str | None = None) -> Any:
    """x where it is positive, else alpha * x; floats.

    >>> leaky_relu([1.0, -1.0], alpha=0.5).tolist()
    [1.0, -0.5]
    """
    x = convert(features)
    if "float" not in str(x.dtype):
        x = call("cast", [x], dtype="float32")
    positive = call("greater", unified(x, 0))
    return call("where", [positive, x, call("multiply", unified(x, float(alpha)))])


def relu6(features: object, name: str | None = None) -> Any:
    """x clipped to 0 .. 6.

    >>> relu6([-1.0, 3.0, 9.0]).tolist()
    [0.0, 3.0, 6.0]
    """
    return call("clip", [convert(features), 0, 6], unify=True)


def silu(features: object, beta: float = 1.0, name: str | None = None) -> Any:
    """x * sigmoid(beta * x); floats.

    >>> silu([0.0]).tolist()
    [0.0]
    """
    x = convert(features)
    return call("multiply", [x, call("sigmoid", [call("multiply", unified(x, float(beta)))])])


swish = silu


def moments(
    x: object, axes: Any, shift: None = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Mean and variance over `axes`; floats. `shift` has no meaning.

    >>> mean, variance = moments([1.0, 3.0], [0])
    >>> float(mean), float(variance)
    (2.0, 1.0)
    """
    x = convert(x)
    mean = reduce_mean(x, axes, keepdims=True)
    variance = reduce_mean(call("squared_difference", [x, mean]), axes, keepdims)
    return reduce_mean(x, axes, keepdims), variance


def _image_sizes(input: object, data_format: str) -> tuple[Any, list[Any]]:
    if data_format != "NHWC":
        raise NotImplementedError(f"expected data_format 'NHWC', got {data_format!r}")
    images = convert(input)
    sizes = shape(images)
    return images, [sizes[i] for i in range(4)]


def _by(size: Any, factor: int, divide: bool) -> Any:
    """`size` times or divided by `factor`, at once if it is known."""
    if isinstance(size, np.integer):
        return int(size) // factor if divide else int(size) * factor
    return call("floor_divide" if divide else "multiply", unified(size, factor))


def space_to_depth(
    input: object, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Any:
    """Squares of pixels moved into the channels.

    Args:
        input: [batch, height, width, channels], height and width multiples of `block_size`.
        block_size: the side of a square.
        data_format: "NHWC".

    >>> space_to_depth([[[[1], [2]], [[3], [4]]]], 2).tolist()
    [[[[1, 2, 3, 4]]]]
    """
    images, (batch, height, width, channels) = _image_sizes(input, data_format)
    rows, columns = (_by(each, block_size, True) for each in (height, width))
    blocks = reshape(images, [batch, rows, block_size, columns, block_size, channels])
    blocks = call("transpose", [blocks], perm=[0, 1, 3, 2, 4, 5])
    return reshape(blocks, [batch, rows, columns, _by(channels, block_size**2, False)])


def depth_to_space(
    input: object, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Any:
    """Channels spread over squares of pixels: the reverse of `space_to_depth`.

    Args:
        input: [batch, height, width, channels], channels a multiple of `block_size` squared.
        block_size: the side of a square.
        data_format: "NHWC".

    >>> depth_to_space([[[[1, 2, 3, 4]]]], 2).tolist()
    [[[[1], [2]], [[3], [4]]]]
    """
    images, (batch, height, width, channels) = _image_sizes(input, data_format)
    inner = _by(channels, block_size**2, True)
    blocks = reshape(images, [batch, height, width, block_size, block_size, inner])
    blocks = call("transpose", [blocks], perm=[0, 1, 3, 2, 4, 5])
    rows, columns = (_by(each, block_size, False) for each in (height, width))
    return reshape(blocks, [batch, rows, columns, inner])
