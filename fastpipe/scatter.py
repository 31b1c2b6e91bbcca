"""Slices taken from a tensor, and put into one, by tensors of indices.

The last axis of `indices`, integers, holds positions along the first axes of a tensor; an index
outside raises InvalidArgumentError.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastpipe.errors import InvalidArgumentError
from fastpipe.integers import integers
from fastpipe.making import range_
from fastpipe.shapes import reshape, shape, static_rank
from fastpipe.tracing import call, convert, unified

__all__ = [
    "dynamic_partition", "dynamic_stitch", "gather_nd",
    "scatter_nd", "tensor_scatter_nd_add", "tensor_scatter_nd_max",
    "tensor_scatter_nd_min", "tensor_scatter_nd_sub", "tensor_scatter_nd_update",
]  # fmt: skip


def gather_nd(params: object, indices: object, batch_dims: int = 0, name: str | None = None) -> Any:
    """The slices that `indices` name; the first `batch_dims` axes of both are walked together.

    >>> gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).tolist()
    [2, 3]
    """
    return call("gather_nd", [params, indices], batch_dims=int(batch_dims))


def scatter_nd(indices: object, updates: object, shape: object, name: str | None = None) -> Any:
    """A tensor of zeros to which the slices of `updates` are added at `indices`.

    >>> scatter_nd([[1], [3], [1]], [5, 6, 7], [5]).tolist()
    [0, 12, 0, 6, 0]
    """
    attrs, inputs = integers("shape", shape)
    return call("scatter_nd", [indices, updates, *inputs], **attrs)


def _scatter(kernel: str, tensor: object, indices: object, updates: object) -> Any:
    tensor, updates = unified(tensor, updates)
    return call(kernel, [tensor, indices, updates])


def tensor_scatter_nd_update(
    tensor: object, indices: object, updates: object, name: str | None = None
) -> Any:
    """`tensor` with the slices at `indices` replaced; of several for one place the last stays.

    >>> tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [8, 9]).tolist()
    [8, 2, 9]
    """
    return _scatter("tensor_scatter_update", tensor, indices, updates)


def tensor_scatter_nd_add(
    tensor: object, indices: object, updates: object, name: str | None = None
) -> Any:
    """`tensor` to which the slices of `updates` are added at `indices`; numbers.

    >>> tensor_scatter_nd_add([1, 2, 3], [[0], [2]], [5, 1]).tolist()
    [6, 2, 4]
    """
    return _scatter("tensor_scatter_add", tensor, indices, updates)


def tensor_scatter_nd_sub(
    tensor: object, indices: object, updates: object, name: str | None = None
) -> Any:
    """`tensor` from which the slices of `updates` are subtracted at `indices`; numbers.

    >>> tensor_scatter_nd_sub([1, 2, 3], [[0], [2]], [5, 1]).tolist()
    [-4, 2, 2]
    """
    return _scatter("tensor_scatter_sub", tensor, indices, updates)


def tensor_scatter_nd_min(
    tensor: object, indices: object, updates: object, name: str | None = None
) -> Any:
    """The lesser of `tensor` and the slices of `updates` at `indices`; numbers.

    >>> tensor_scatter_nd_min([1, 2, 3], [[0], [2]], [5, 1]).tolist()
    [1, 2, 1]
    """
    return _scatter("tensor_scatter_min", tensor, indices, updates)


def tensor_scatter_nd_max(
    tensor: object, indices: object, updates: object, name: str | None = None
) -> Any:
    """The greater of `tensor` and the slices of `updates` at `indices`; numbers.

    >>> tensor_scatter_nd_max([1, 2, 3], [[0], [2]], [5, 1]).tolist()
    [5, 2, 3]
    """
    return _scatter("tensor_scatter_max", tensor, indices, updates)


def dynamic_partition(
    data: object, partitions: object, num_partitions: int, name: str | None = None
) -> list[Any]:
    """The slices of `data` with each number, as a list.

    Args:
        data: of any dtype.
        partitions: integers of the first sizes of `data`, from 0 to num_partitions - 1.
        num_partitions: how many tensors to return.

    >>> [part.tolist() for part in dynamic_partition([1, 2, 3], [1, 0, 1], 2)]
    [[2], [1, 3]]
    """
    numbers = convert(partitions)
    inside = call("less", unified(numbers, num_partitions))
    inside = call("logical_and", [inside, call("greater_equal", unified(numbers, 0))])
    text = f"partitions must be between 0 and {num_partitions - 1}, got"
    call("assert", [inside, numbers], message=text, summarize=3)
    return [
        call("boolean_mask", [data, call("equal", unified(numbers, each))], axis=0)
        for each in range(num_partitions)
    ]


def dynamic_stitch(
    indices: Sequence[object], data: Sequence[object], name: str | None = None
) -> Any:
    """One tensor of the slices of several, slice i of each at position indices[i].

    Args:
        indices: integer tensors.
        data: as many tensors of one dtype, each with the sizes of its indices first; of several
            slices for one position the last stays.

    >>> dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).tolist()
    [10, 20, 30]
    """
    places = [convert(each) for each in indices]
    parts = unified(*data)
    ranks = [static_rank(each) for each in places]
    if None in ranks:
        raise InvalidArgumentError("dynamic_stitch: indices need a known rank")
    rows = []
    for part, rank in zip(parts, ranks, strict=True):
        inner = [shape(part)[axis] for axis in range(rank or 0, static_rank(part) or 0)]
        rows.append(reshape(part, [-1, *inner]))
    flat = call("concat", [reshape(each, [-1]) for each in places], axis=0)
    count = call("add", unified(call("reduce_max", [flat], axis=None, keepdims=False), 1))
    values = call("concat", rows, axis=0)
    start = call("zeros_like", [call("gather", [values, _zeros(count)], axis=0)])
    return call("tensor_scatter_update", [start, call("expand_dims", [flat], axis=1), values])


def _zeros(count: Any) -> Any:
    """`count` zeros: which row to repeat."""
    return call("zeros_like", [range_(count)])
