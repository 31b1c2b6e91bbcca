"""Arrangements: joining, cutting and rearranging tensors, on symbols and on real values.

A shape, and any other list of integers, may be a list in which symbols stand for some of them, or
one tensor. Negative axes count from the end. What does not fit raises InvalidArgumentError, when
it is traced if the shapes are known then, else when it runs.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastpipe.errors import InvalidArgumentError
from fastpipe.indexing import Constant, constant, index
from fastpipe.integers import integers
from fastpipe.literals import adapted
from fastpipe.making import (
    eye,
    fill,
    linspace,
    meshgrid,
    one_hot,
    ones,
    ones_like,
    range_,
    sequence_mask,
    zeros,
    zeros_like,
)
from fastpipe.shapes import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    dtype_of,
    ensure_shape,
    expand_dims,
    identity,
    identity_n,
    rank,
    reshape,
    shape,
    shape_n,
    size,
    squeeze,
    static_shape,
)
from fastpipe.spec import as_dtype, dtype_name
from fastpipe.tracing import Symbol, call, convert, unified

__all__ = [
    "Constant", "argsort", "bitcast", "boolean_mask", "broadcast_dynamic_shape",
    "broadcast_static_shape", "broadcast_to", "concat", "constant", "ensure_shape", "expand_dims",
    "eye", "fill", "gather", "identity", "identity_n", "index", "linspace", "meshgrid", "one_hot",
    "ones", "ones_like", "pad", "range_", "rank", "repeat", "reshape", "reverse",
    "reverse_sequence", "roll", "sequence_mask", "shape", "shape_n", "size", "slice_", "sort",
    "split", "squeeze", "stack", "strided_slice", "tile", "transpose", "unravel_index", "unstack",
    "where", "zeros", "zeros_like",
]  # fmt: skip


# ---- joining and cutting ----


def stack(values: Sequence[object], axis: int = 0, name: str | None = None) -> Any:
    """Tensors of one shape and dtype side by side on a new axis.

    >>> stack([[1, 2], [3, 4]], axis=1).tolist()
    [[1, 3], [2, 4]]
    """
    if isinstance(values, (list, tuple)) and not values:
        return constant(np.zeros([0], np.float32))
    return call("stack", _parts(values), unify=True, axis=int(axis))


def unstack(
    value: object, num: int | None = None, axis: int = 0, name: str | None = None
) -> list[Any]:
    """The slices along `axis`, as a list; `num` says how many where that is not known.

    >>> [part.tolist() for part in unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    return _listed(call("unstack", [value], num=num, axis=int(axis)))


def concat(values: Sequence[object], axis: int, name: str | None = None) -> Any:
    """Tensors of one dtype one after the other along `axis`; their other sizes are equal.

    >>> concat([[1, 2], [3]], 0).tolist()
    [1, 2, 3]
    """
    if not isinstance(values, (list, tuple)):
        return identity(values)  # one tensor is a list of one
    return call("concat", values, unify=True, axis=int(axis))


def split(
    value: object, num_or_size_splits: int | Sequence[int], axis: int = 0, name: str | None = None
) -> list[Any]:
    """Cut along `axis` into equal parts, or into parts of given sizes, one of which may be -1.

    >>> [part.tolist() for part in split([1, 2, 3, 4], [1, -1])]
    [[1], [2, 3, 4]]
    """
    sizes = integers("sizes", num_or_size_splits)[0]["sizes"]
    parts = {"num": sizes[0]} if np.ndim(num_or_size_splits) == 0 else {"sizes": sizes}
    return _listed(call("split", [value], axis=int(axis), **parts))


def _parts(values: object) -> Sequence[object]:
    """The tensors of a list, or the rows of one tensor."""
    if isinstance(values, Symbol):
        return unstack(values)
    return values if isinstance(values, (list, tuple)) else list(np.asarray(values))


def _listed(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def slice_(input_: object, begin: object, size: object, name: str | None = None) -> Any:
    """The block of the given sizes that starts at `begin`; a size of -1 reaches to the end.

    >>> slice_([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).tolist()
    [[2, 3], [5, 6]]
    """
    begins, sizes = _items(begin), _items(size)
    dims = static_shape(convert(input_))
    key = []
    for axis, (first, length) in enumerate(zip(begins, sizes, strict=True)):
        if isinstance(length, Symbol):
            end = where(
                call("less", [length, 0], unify=True), as_dtype(length.dtype).max, first + length
            )
        else:
            end = None if length == -1 else first + length
        key.append(slice(first, end))
        known = None if dims is None or axis >= len(dims) else dims[axis]
        _expect_inside(axis, first, length, known)
    taken = index(input_, tuple(key))
    exact = [-1 if isinstance(length, Symbol) else length for length in sizes]
    return call("ensure_shape", [taken], shape=exact)


def _expect_inside(axis: int, first: object, length: object, size: int | None) -> None:
    """InvalidArgumentError for what is wrong whatever the symbols turn out to be."""
    wrong = isinstance(length, int) and length < -1
    if isinstance(first, int):
        wrong |= first < 0 or (size is not None and first > size)
    if wrong:
        raise InvalidArgumentError(
            f"slice: expected begin >= 0 inside the axis and size >= -1, got begin {first!r} and "
            f"size {length!r} for axis {axis} of size {size!r}"
        )


def strided_slice(
    input_: object,
    begin: object,
    end: object,
    strides: object = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    name: str | None = None,
) -> Any:
    """input_[begin:end:strides] in every axis; bit i of a mask says what entry i is instead.

    Args:
        input_: of any dtype.
        begin, end, strides: integers, one for each entry; strides are 1 if None.
        begin_mask, end_mask: the entry has no begin, or no end.
        ellipsis_mask, new_axis_mask: the entry is `...`, or a new axis.
        shrink_axis_mask: the entry is the integer `begin`.

    >>> strided_slice([[1, 2, 3], [4, 5, 6]], [0, 0], [2, 3], [1, 2]).tolist()
    [[1, 3], [4, 6]]
    """
    begins, ends = _items(begin), _items(end)
    steps = [1] * len(begins) if strides is None else _items(strides)
    key: list[Any] = []
    for i, (first, last, step) in enumerate(zip(begins, ends, steps, strict=True)):
        if ellipsis_mask >> i & 1:
            key.append(...)
        elif new_axis_mask >> i & 1:
            key.append(None)
        elif shrink_axis_mask >> i & 1:
            key.append(first)
        else:
            bounds = (
                None if begin_mask >> i & 1 else first,
                None if end_mask >> i & 1 else last,
            )
            key.append(slice(*bounds, step))
    return index(input_, tuple(key))


def _items(value: Any) -> list[Any]:
    if isinstance(value, Symbol):
        return unstack(value)
    return [item if isinstance(item, Symbol) else int(item) for item in value]


def gather(
    params: object,
    indices: object,
    validate_indices: None = None,
    axis: int | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """The slices along `axis` (`batch_dims` if None) that `indices` name; indices must exist.

    Args:
        params: what to take from.
        indices: integers of any shape, which replaces `axis` in the result.
        validate_indices: has no meaning, as in TensorFlow.
        axis: along which to take.
        batch_dims: how many first axes of both are walked together.

    >>> gather([10, 20, 30], [2, 0]).tolist()
    [30, 10]
    """
    if batch_dims < 0:
        dims = static_shape(convert(indices))
        if dims is None:
            raise InvalidArgumentError("gather: batch_dims < 0 needs indices of a known rank")
        batch_dims += len(dims)
    at = batch_dims if axis is None else int(axis)
    return call("gather", [params, indices], axis=at, batch_dims=batch_dims)


def boolean_mask(
    tensor: object, mask: object, axis: int | None = None, name: str | None = None
) -> Any:
    """The slices for which `mask` is true; its axes stand for those of the tensor from `axis` on.

    >>> boolean_mask([1, 2, 3], [True, False, True]).tolist()
    [1, 3]
    """
    mask = convert(mask)
    if dtype_of(mask) != "bool":
        mask = call("cast", [mask], dtype="bool")
    return call("boolean_mask", [tensor, mask], axis=int(axis or 0))


def where(condition: object, x: object = None, y: object = None, name: str | None = None) -> Any:
    """x where `condition` is true, else y; the three broadcast, x and y have one dtype.

    Without x and y: where `condition` is not zero, as int64 positions of shape [n, rank].

    >>> where([True, False], [1, 2], 0).tolist(), where([True, False, True]).tolist()
    ([1, 0], [[0], [2]])
    """
    if x is None and y is None:
        return call("where_indices", [condition])
    if x is None or y is None:
        raise ValueError("where takes both x and y, or neither")
    return call("where", [condition, *unified(x, y)])


# ---- rearranging ----


def transpose(
    a: object, perm: Sequence[int] | None = None, conjugate: bool = False, name: str | None = None
) -> Any:
    """The axes in the order `perm`; reversed if None. `conjugate` changes no real number.

    >>> transpose([[1, 2], [3, 4]]).tolist()
    [[1, 3], [2, 4]]
    """
    order = None if perm is None else integers("perm", perm)[0]["perm"]
    return call("transpose", [a], perm=order)


def reverse(tensor: object, axis: int | Sequence[int], name: str | None = None) -> Any:
    """Backwards along the given axes.

    >>> reverse([1, 2, 3], [0]).tolist()
    [3, 2, 1]
    """
    return call("reverse", [tensor], axis=integers("axis", axis)[0]["axis"])


def roll(input: object, shift: object, axis: object, name: str | None = None) -> Any:
    """Shifted along the given axes; what leaves one end comes in at the other.

    Args:
        input: of any dtype.
        shift: an integer, or one for each axis; negative ones shift to the front.
        axis: an integer or a list of them.

    >>> roll([1, 2, 3, 4], 1, 0).tolist()
    [4, 1, 2, 3]
    """
    value = convert(input)
    shifts, axes = np.atleast_1d(_objects(shift)), np.atleast_1d(_objects(axis))
    if len(shifts) != len(axes):
        raise InvalidArgumentError(f"roll: got {len(shifts)} shifts for {len(axes)} axes")
    for by, along in zip(shifts, axes, strict=True):
        size = shape(value)[int(along)]
        places = call("subtract", [range_(size), by], unify=True)
        value = gather(value, call("floor_mod", [places, size], unify=True), axis=int(along))
    return value


def _objects(value: object) -> Any:
    """A scalar, or an array of objects: symbols stay what they are."""
    if isinstance(value, (list, tuple)):
        array = np.empty(len(value), object)
        array[:] = value
        return array
    return value if isinstance(value, np.ndarray) else np.array([value], object)


def reverse_sequence(
    input: object,
    seq_lengths: object,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Any:
    """The first slices along `seq_axis` backwards, as many as told for each along `batch_axis`.

    Args:
        input: of two axes or more.
        seq_lengths: integers, one for each slice along `batch_axis`.
        seq_axis: along which to reverse, 0 if None.
        batch_axis: along which the lengths stand, 0 if None.

    >>> reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).tolist()
    [[2, 1, 3], [6, 5, 4]]
    """
    axes: dict[str, Any] = {"seq_axis": int(seq_axis or 0), "batch_axis": int(batch_axis or 0)}
    return call("reverse_sequence", [input, seq_lengths], **axes)


def bitcast(input: object, type: object, name: str | None = None) -> Any:
    """The bytes of numbers as numbers of another dtype.

    A narrower dtype adds a last axis for the parts of each value, a wider one takes the last axis
    as the parts of one.

    >>> bitcast([1.0], "uint32").tolist()
    [1065353216]
    """
    return call("bitcast", [input], type=dtype_name(type))


def pad(
    tensor: object,
    paddings: object,
    mode: str = "CONSTANT",
    constant_values: object = 0,
    name: str | None = None,
) -> Any:
    """Values added before and after each axis.

    Args:
        tensor: of any dtype.
        paddings: [before, after] for each axis.
        mode: "CONSTANT", "REFLECT" (mirrored without the edge) or "SYMMETRIC" (with it).
        constant_values: what to add in the first mode; for strings 0 stands for b"".

    >>> pad([1, 2], [[1, 2]]).tolist()
    [0, 1, 2, 0, 0]
    """
    attrs, inputs = integers("paddings", paddings)
    tensor = convert(tensor)
    values = []
    if mode.lower() == "constant":
        empty = constant_values == 0 if isinstance(constant_values, int) else False
        values = [b"" if empty and dtype_of(tensor) == "string" else constant_values]
        if dtype_of(tensor) == "bool" and isinstance(constant_values, int):
            values = [np.bool_(constant_values)]
        elif not hasattr(values[0], "dtype"):
            values = [adapted(values[0], dtype_of(tensor))]
    return call("pad", [tensor, *inputs, *values], mode=mode.lower(), **attrs)


def tile(input: object, multiples: object, name: str | None = None) -> Any:
    """Repeated as a whole along each axis.

    >>> tile([1, 2], [2]).tolist()
    [1, 2, 1, 2]
    """
    attrs, inputs = integers("multiples", multiples)
    return call("tile", [input, *inputs], **attrs)


def repeat(input: object, repeats: object, axis: int | None = None, name: str | None = None) -> Any:
    """Each slice along `axis` repeated; each value, of a flat result, if `axis` is None.

    >>> repeat([1, 2], [2, 1]).tolist()
    [1, 1, 2]
    """
    if axis is None:
        input, axis = reshape(input, [-1]), 0
    result = call("repeat", [input, repeats], axis=int(axis))
    dims = static_shape(result)
    if dims is None or isinstance(repeats, Symbol):
        return result
    size = static_shape(input)[int(axis)]  # type: ignore[index]
    times = np.asarray(repeats)
    # What TensorFlow knows of the size: all of one number, of several if it is not of rows.
    total: Any = None
    if times.size == 1:
        total = 0 if times.item() == 0 else None if size is None else size * times.item()
    elif int(axis) % len(dims) and size is not None:
        total = times.sum()
    if total is None or dims[int(axis)] is not None:
        return result
    known = [-1 if each is None else each for each in dims]
    known[int(axis)] = int(total)
    return call("ensure_shape", [result], shape=known)


def sort(
    values: object, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Any:
    """Numbers in order along `axis`; `direction` is "ASCENDING" or "DESCENDING". NaN comes last.

    >>> sort([3, 1, 2]).tolist()
    [1, 2, 3]
    """
    return call("sort", [values], axis=int(axis), descending=_descending(direction))


def argsort(
    values: object,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Any:
    """The int32 positions that would put numbers in order; equal ones keep theirs in any case.

    >>> argsort([3, 1, 2]).tolist()
    [1, 2, 0]
    """
    return call("argsort", [values], axis=int(axis), descending=_descending(direction))


def _descending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction must be 'ASCENDING' or 'DESCENDING', got {direction!r}")
    return direction == "DESCENDING"


def unravel_index(indices: object, dims: object, name: str | None = None) -> Any:
    """The coordinates, one row an axis, of flat positions in a tensor of shape `dims`.

    >>> unravel_index([5, 2], [2, 3]).tolist()
    [[1, 0], [2, 2]]
    """
    flat = convert(indices)
    sizes = _items(dims)
    rows: list[Any] = []
    for each in reversed(sizes):
        rows.insert(0, call("floor_mod", unified(flat, each)))
        flat = call("floor_divide", unified(flat, each))
    return stack(rows)
