"""Slices taken from a tensor, and put into one, by tensors of indices.

The last axis of `indices`, integers, holds positions along the first axes of a tensor; an index
outside raises InvalidArgumentError.
"""

from __future__ import annotations

from typing import Any

from fastpipe.integers import integers
from fastpipe.tracing import call, unified

__all__ = [
    "gather_nd", "scatter_nd", "tensor_scatter_nd_add", "tensor_scatter_nd_max",
    "tensor_scatter_nd_min", "tensor_scatter_nd_sub", "tensor_scatter_nd_update",
]  # fmt: skip


def gather_nd(params: object, indices: object, batch_dims: int = 0) -> Any:
    """The slices that `indices` name; the first `batch_dims` axes of both are walked together.

    >>> gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).tolist()
    [2, 3]
    """
    return call("gather_nd", [params, indices], batch_dims=int(batch_dims))


def scatter_nd(indices: object, updates: object, shape: object) -> Any:
    """A tensor of zeros to which the slices of `updates` are added at `indices`.

    >>> scatter_nd([[1], [3], [1]], [5, 6, 7], [5]).tolist()
    [0, 12, 0, 6, 0]
    """
    attrs, inputs = integers("shape", shape)
    return call("scatter_nd", [indices, updates, *inputs], **attrs)


def _scatter(kernel: str, tensor: object, indices: object, updates: object) -> Any:
    tensor, updates = unified(tensor, updates)
    return call(kernel, [tensor, indices, updates])


def tensor_scatter_nd_update(tensor: object, indices: object, updates: object) -> Any:
    """`tensor` with the slices at `indices` replaced; of several for one place the last stays.

    >>> tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [8, 9]).tolist()
    [8, 2, 9]
    """
    return _scatter("tensor_scatter_update", tensor, indices, updates)


def tensor_scatter_nd_add(tensor: object, indices: object, updates: object) -> Any:
    """`tensor` to which the slices of `updates` are added at `indices`; numbers.

    >>> tensor_scatter_nd_add([1, 2, 3], [[0], [2]], [5, 1]).tolist()
    [6, 2, 4]
    """
    return _scatter("tensor_scatter_add", tensor, indices, updates)


def tensor_scatter_nd_sub(tensor: object, indices: object, updates: object) -> Any:
    """`tensor` from which the slices of `updates` are subtracted at `indices`; numbers.

    >>> tensor_scatter_nd_sub([1, 2, 3], [[0], [2]], [5, 1]).tolist()
    [-4, 2, 2]
    """
    return _scatter("tensor_scatter_sub", tensor, indices, updates)


def tensor_scatter_nd_min(tensor: object, indices: object, updates: object) -> Any:
    """The lesser of `tensor` and the slices of `updates` at `indices`; numbers.

    >>> tensor_scatter_nd_min([1, 2, 3], [[0], [2]], [5, 1]).tolist()
    [1, 2, 1]
    """
    return _scatter("tensor_scatter_min", tensor, indices, updates)


def tensor_scatter_nd_max(tensor: object, indices: object, updates: object) -> Any:
    """The greater of `tensor` and the slices of `updates` at `indices`; numbers.

    >>> tensor_scatter_nd_max([1, 2, 3], [[0], [2]], [5, 1]).tolist()
    [5, 2, 3]
    """
    return _scatter("tensor_scatter_max", tensor, indices, updates)
