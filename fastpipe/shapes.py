"""Shapes: what they are, and tensors with the same values in another shape.

A shape, and any other list of integers, may be a list in which symbols stand for some of them, or
one tensor. Negative axes count from the end. What does not fit raises InvalidArgumentError, when
it is traced if the shapes are known then, else when it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastpipe.indexing import constant
from fastpipe.integers import integers
from fastpipe.spec import as_tensor, dtype_name
from fastpipe.tracing import Symbol, call, convert

__all__ = [
    "broadcast_to", "ensure_shape", "expand_dims", "identity", "rank", "reshape", "shape", "size",
    "squeeze",
]  # fmt: skip


def dtype_of(value: Any) -> str:
    """The dtype name of a Symbol or of what `convert` made."""
    return "string" if isinstance(value, bytes) else dtype_name(value.dtype)


def static_shape(value: object) -> tuple[int | None, ...] | None:
    """The shape of a Symbol or a value with None where unknown; None if the rank is unknown."""
    if isinstance(value, Symbol):
        return value.shape
    return tuple(int(size) for size in np.shape(as_tensor(value)))


def static_rank(value: object) -> int | None:
    """How many axes, None if unknown."""
    dims = static_shape(value)
    return None if dims is None else len(dims)


def shape(input: object, out_type: object = "int32") -> Any:
    """The sizes of a tensor, as int32 or int64: a real array wherever they are known.

    >>> shape([[1, 2, 3]]).tolist()
    [1, 3]
    """
    dims = static_shape(convert(input))
    if dims is not None and None not in dims:
        return constant(np.asarray(dims, dtype_name(out_type)))
    return call("shape", [input], out_type=dtype_name(out_type))


def size(input: object, out_type: object = "int32") -> Any:
    """How many values a tensor has, as int32 or int64.

    >>> int(size([[1, 2, 3]]))
    3
    """
    return call("size", [input], out_type=dtype_name(out_type))


def rank(input: object) -> Any:
    """How many axes a tensor has, as int32.

    >>> int(rank([[1, 2, 3]]))
    2
    """
    return call("rank", [input])


def reshape(tensor: object, shape: object) -> Any:
    """The same values in another shape; one size may be -1, what the others leave.

    >>> reshape([1, 2, 3, 4], [2, -1]).tolist()
    [[1, 2], [3, 4]]
    """
    attrs, inputs = integers("shape", shape)
    return call("reshape", [tensor, *inputs], **attrs)


def ensure_shape(x: object, shape: Sequence[int | None] | None) -> Any:
    """x itself, whose shape is known from then on; None leaves a size open.

    Raises:
        InvalidArgumentError: x has another shape.

    >>> ensure_shape([1, 2], [None]).tolist()
    [1, 2]
    """
    dims = None if shape is None else [-1 if each is None else int(each) for each in shape]
    return call("ensure_shape", [x], shape=dims)


def expand_dims(input: object, axis: int) -> Any:
    """A new axis of size 1 at `axis`.

    >>> expand_dims([1, 2], 0).tolist()
    [[1, 2]]
    """
    return call("expand_dims", [input], axis=int(axis))


def squeeze(input: object, axis: int | Sequence[int] | None = None) -> Any:
    """Without the given axes, which have size 1; without all such axes if None.

    >>> squeeze([[[1], [2]]]).tolist(), squeeze([[[1], [2]]], 0).tolist()
    ([1, 2], [[1], [2]])
    """
    axes = None if axis is None else integers("axis", axis)[0]["axis"]
    return call("squeeze", [input], axis=axes or None)


def broadcast_to(input: object, shape: object) -> Any:
    """Stretched to `shape` by NumPy's rules.

    >>> broadcast_to([1, 2], [2, 2]).tolist()
    [[1, 2], [1, 2]]
    """
    attrs, inputs = integers("shape", shape)
    return call("broadcast_to", [input, *inputs], **attrs)


def identity(input: object) -> Any:
    """The tensor itself.

    >>> identity([1, 2]).tolist()
    [1, 2]
    """
    return call("identity", [input])
