"""Shapes: what they are, and tensors with the same values in another shape.

A shape, and any other list of integers, may be a list in which symbols stand for some of them, or
one tensor. Negative axes count from the end. What does not fit raises InvalidArgumentError, when
it is traced if the shapes are known then, else when it runs.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
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
    "broadcast_dynamic_shape", "broadcast_static_shape", "broadcast_to", "ensure_shape",
    "expand_dims", "identity", "identity_n", "rank", "reshape", "shape", "shape_n", "size",
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


def shape(input: object, out_type: object = "int32", name: str | None = None) -> Any:
    """The sizes of a tensor, as int32 or int64: a real array wherever they are known.

    >>> shape([[1, 2, 3]]).tolist()
    [1, 3]
    """
    dims = static_shape(convert(input))
    if dims is not None and None not in dims:
        return constant(np.asarray(dims, dtype_name(out_type)))
    return call("shape", [input], out_type=dtype_name(out_type))


def size(input: object, out_type: object = "int32", name: str | None = None) -> Any:
    """How many values a tensor has, as int32 or int64.

    >>> int(size([[1, 2, 3]]))
    3
    """
    return call("size", [input], out_type=dtype_name(out_type))


def rank(input: object, name: str | None = None) -> Any:
    """How many axes a tensor has, as int32.

    >>> int(rank([[1, 2, 3]]))
    2
    """
    return call("rank", [input])


def reshape(tensor: object, shape: object, name: str | None = None) -> Any:
    """The same values in another shape; one size may be -1, what the others leave.

    >>> reshape([1, 2, 3, 4], [2, -1]).tolist()
    [[1, 2], [3, 4]]
    """
    attrs, inputs = integers("shape", shape)
    return call("reshape", [tensor, *inputs], **attrs)


def ensure_shape(x: object, shape: Sequence[int | None] | None, name: str | None = None) -> Any:
    """x itself, whose shape is known from then on; None leaves a size open.

    Raises:
        InvalidArgumentError: x has another shape.

    >>> ensure_shape([1, 2], [None]).tolist()
    [1, 2]
    """
    dims = None if shape is None else [-1 if each is None else int(each) for each in shape]
    return call("ensure_shape", [x], shape=dims)


def expand_dims(input: object, axis: int, name: str | None = None) -> Any:
    """A new axis of size 1 at `axis`.

    >>> expand_dims([1, 2], 0).tolist()
    [[1, 2]]
    """
    return call("expand_dims", [input], axis=int(axis))


def squeeze(input: object, axis: int | Sequence[int] | None = None, name: str | None = None) -> Any:
    """Without the given axes, which have size 1; without all such axes if None.

    >>> squeeze([[[1], [2]]]).tolist(), squeeze([[[1], [2]]], 0).tolist()
    ([1, 2], [[1], [2]])
    """
    axes = None if axis is None else integers("axis", axis)[0]["axis"]
    return call("squeeze", [input], axis=axes or None)


def broadcast_to(input: object, shape: object, name: str | None = None) -> Any:
    """Stretched to `shape` by NumPy's rules.

    >>> broadcast_to([1, 2], [2, 2]).tolist()
    [[1, 2], [1, 2]]
    """
    attrs, inputs = integers("shape", shape)
    return call("broadcast_to", [input, *inputs], **attrs)


def identity(input: object, name: str | None = None) -> Any:
    """The tensor itself.

    >>> identity([1, 2]).tolist()
    [1, 2]
    """
    return call("identity", [input])


def identity_n(input: Sequence[object], name: str | None = None) -> list[Any]:
    """The tensors themselves.

    >>> [int(each) for each in identity_n([1, 2])]
    [1, 2]
    """
    return [identity(each) for each in input]


def shape_n(
    input: Sequence[object], out_type: object = "int32", name: str | None = None
) -> list[Any]:
    """The shape of each tensor.

    >>> [each.tolist() for each in shape_n([[1, 2], [[3]]])]
    [[2], [1, 1]]
    """
    return [shape(each, out_type) for each in input]


def broadcast_static_shape(shape_x: Sequence[int | None], shape_y: Sequence[int | None]) -> Any:
    """The shape to which two shapes broadcast, None where it is not known.

    Raises:
        ValueError: they do not broadcast.

    >>> broadcast_static_shape((2, 1), (None, 3))
    (2, 3)
    """
    rank = max(len(shape_x), len(shape_y))
    sizes: list[int | None] = []
    for axis in range(-rank, 0):
        x = shape_x[axis] if -axis <= len(shape_x) else 1
        y = shape_y[axis] if -axis <= len(shape_y) else 1
        if x == y or y == 1:
            sizes.append(x)
        elif x == 1 or x is None:
            sizes.append(y)
        elif y is None:
            sizes.append(x)
        else:
            raise ValueError(f"the shapes {shape_x!r} and {shape_y!r} do not broadcast")
    return tuple(sizes)


def broadcast_dynamic_shape(shape_x: object, shape_y: object, name: str | None = None) -> Any:
    """The shape to which two shapes broadcast, as a tensor.

    >>> broadcast_dynamic_shape([2, 1], [3]).tolist()
    [2, 3]
    """
    whole = call("add", [_bools(shape_x), _bools(shape_y)])
    return call("shape", [whole], out_type="int32")


def _bools(dims: object) -> Any:
    attrs, inputs = integers("dims", dims)
    return call("fill", [np.uint8(0), *inputs], **attrs)
