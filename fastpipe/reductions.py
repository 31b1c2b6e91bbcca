"""Tensors folded along axes: sums, means, extremes and where they stand.

`axis` is an axis, a list of axes, or None for all; negative axes count from the end. `keepdims`
leaves the folded axes with size 1. An axis that does not exist, or a dtype that a function does not
take, raises InvalidArgumentError.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastpipe.spec import dtype_name
from fastpipe.tracing import call, convert

__all__ = [
    "argmax", "argmin", "count_nonzero", "cumprod", "cumsum", "cumulative_logsumexp", "reduce_all",
    "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max", "reduce_mean",
    "reduce_min", "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "zero_fraction",
]  # fmt: skip

Axis = int | Sequence[int] | None


def _reduce(kernel: str, value: object, axis: Axis, keepdims: bool) -> Any:
    axes = None if axis is None else [int(each) for each in np.atleast_1d(np.asarray(axis, int))]
    return call(kernel, [value], axis=axes, keepdims=keepdims)


def reduce_sum(
    input_tensor: object, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The sum of numbers, same dtype; 0 of nothing.

    >>> reduce_sum([[1, 2], [3, 4]], axis=0).tolist()
    [4, 6]
    """
    return _reduce("reduce_sum", input_tensor, axis, keepdims)


def reduce_prod(
    input_tensor: object, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The product of numbers, same dtype; 1 of nothing.

    >>> reduce_prod([[1, 2], [3, 4]], axis=1).tolist()
    [2, 12]
    """
    return _reduce("reduce_prod", input_tensor, axis, keepdims)


def reduce_mean(
    input_tensor: object, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The mean of numbers, same dtype: of integers rounded towards zero. NaN of nothing.

    >>> reduce_mean([[1.0, 2.0], [3.0, 4.0]], axis=1, keepdims=True).tolist()
    [[1.5], [3.5]]
    """
    return _reduce("reduce_mean", input_tensor, axis, keepdims)


def reduce_max(
    input_tensor: object, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The greatest of numbers, same dtype; NaN if there is one. The least value of nothing.

    >>> reduce_max([[1, 2], [4, 3]], axis=1).tolist()
    [2, 4]
    """
    return _reduce("reduce_max", input_tensor, axis, keepdims)


def reduce_min(
    input_tensor: object, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The least of numbers, same dtype; NaN if there is one. The greatest value of nothing.

    >>> reduce_min([[1, 2], [4, 3]], axis=1).tolist()
    [1, 3]
    """
    return _reduce("reduce_min", input_tensor, axis, keepdims)


def reduce_any(
    input_tensor: object, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Whether one of the bools is true; not of nothing.

    >>> reduce_any([[True, False], [False, False]], axis=1).tolist()
    [True, False]
    """
    return _reduce("reduce_any", input_tensor, axis, keepdims)


def reduce_all(
    input_tensor: object, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Whether all of the bools are true; so of nothing.

    >>> reduce_all([[True, False], [True, True]], axis=1).tolist()
    [False, True]
    """
    return _reduce("reduce_all", input_tensor, axis, keepdims)


def reduce_variance(
    input_tensor: object, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The mean squared distance from the mean; floats.

    >>> reduce_variance([[1.0, 3.0], [4.0, 4.0]], axis=1).tolist()
    [1.0, 0.0]
    """
    input_tensor = _floats(input_tensor)
    mean = reduce_mean(input_tensor, axis, keepdims=True)
    distances = call("squared_difference", [input_tensor, mean], unify=True)
    return reduce_mean(distances, axis, keepdims)


def _floats(value: object) -> Any:
    tensor = convert(value)
    name = "string" if isinstance(tensor, bytes) else dtype_name(tensor.dtype)
    if "float" not in name:
        raise TypeError(f"expected a tensor of floats, got {name}: cast it first")
    return tensor


def reduce_std(
    input_tensor: object, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The square root of the variance; floats.

    >>> reduce_std([[1.0, 5.0], [4.0, 4.0]], axis=1).tolist()
    [2.0, 0.0]
    """
    return call("sqrt", [reduce_variance(input_tensor, axis, keepdims)])


def argmax(
    input: object, axis: int | None = None, output_type: object = "int64", name: str | None = None
) -> Any:
    """Where the greatest value stands first along `axis` (0 if None).

    `output_type` is int16, uint16, int32 or int64.

    Raises:
        InvalidArgumentError: the axis has size 0.

    >>> argmax([[1, 9], [4, 3]], axis=1).tolist()
    [1, 0]
    """
    return call("argmax", [input], axis=int(axis or 0), output_type=dtype_name(output_type))


def argmin(
    input: object, axis: int | None = None, output_type: object = "int64", name: str | None = None
) -> Any:
    """Where the least value stands first along `axis` (0 if None).

    `output_type` is int16, uint16, int32 or int64.

    Raises:
        InvalidArgumentError: the axis has size 0.

    >>> argmin([[1, 9], [4, 3]], axis=1).tolist()
    [0, 1]
    """
    return call("argmin", [input], axis=int(axis or 0), output_type=dtype_name(output_type))


def reduce_logsumexp(
    input_tensor: object, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """log(sum(exp(x))), without overflow on the way; floats.

    >>> round(float(reduce_logsumexp([0.0, 0.0])), 4)
    0.6931
    """
    tensor = _floats(input_tensor)
    peak = reduce_max(tensor, axis, keepdims=True)
    finite = call("is_finite", [peak])
    peak = call("where", [finite, peak, call("zeros_like", [peak])])
    total = reduce_sum(call("exp", [call("subtract", [tensor, peak])]), axis, keepdims)
    if not keepdims:
        peak = reduce_sum(peak, axis)
    return call("add", [call("log", [total]), peak])


def reduce_euclidean_norm(
    input_tensor: object, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The square root of the sum of squares; integers are rounded towards zero.

    >>> float(reduce_euclidean_norm([3.0, 4.0]))
    5.0
    """
    tensor = convert(input_tensor)
    name = dtype_name(tensor.dtype)
    squares = call(
        "square", [tensor if "float" in name else call("cast", [tensor], dtype="float64")]
    )
    norm = call("sqrt", [reduce_sum(squares, axis, keepdims)])
    return norm if "float" in name else call("cast", [norm], dtype=name)


def count_nonzero(
    input: object,
    axis: Axis = None,
    keepdims: bool = False,
    dtype: object = "int64",
    name: str | None = None,
) -> Any:
    """How many values are not 0, False or b"", in dtype `dtype`.

    >>> count_nonzero([[0, 1], [2, 3]], axis=1).tolist()
    [1, 2]
    """
    tensor = convert(input)
    zeros = call("zeros_like", [tensor])
    counted = call("cast", [call("not_equal", [tensor, zeros])], dtype="int64")
    total = reduce_sum(counted, axis, keepdims)
    return call("cast", [total], dtype=dtype_name(dtype))


def zero_fraction(value: object, name: str | None = None) -> Any:
    """Which share of the values is 0, as float32.

    >>> float(zero_fraction([0, 1, 0, 0]))
    0.75
    """
    tensor = convert(value)
    zero = call("equal", [tensor, call("zeros_like", [tensor])])
    return reduce_mean(call("cast", [zero], dtype="float32"))


def cumsum(
    x: object,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Running sums of numbers along `axis`.

    Args:
        x: numbers of at least one axis.
        axis: along which to sum.
        exclusive: each sum leaves out the value at its own place.
        reverse: sum from the end.

    >>> cumsum([1, 2, 3]).tolist(), cumsum([1, 2, 3], exclusive=True, reverse=True).tolist()
    ([1, 3, 6], [5, 3, 0])
    """
    return call("cumsum", [x], axis=int(axis), exclusive=exclusive, reverse=reverse)


def cumprod(
    x: object,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Running products of numbers along `axis`; the arguments are those of `cumsum`.

    >>> cumprod([1, 2, 3, 4]).tolist()
    [1, 2, 6, 24]
    """
    return call("cumprod", [x], axis=int(axis), exclusive=exclusive, reverse=reverse)


def cumulative_logsumexp(
    x: object,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """log of the running sums of exp(x), floats; the arguments are those of `cumsum`.

    >>> cumulative_logsumexp([0.0, 0.0]).astype("float64").round(4).tolist()
    [0.0, 0.6931]
    """
    return call("cumulative_logsumexp", [x], axis=int(axis), exclusive=exclusive, reverse=reverse)
