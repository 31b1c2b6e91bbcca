"""Shapes, slices and arrangements: the array functions of `tf.*`, on symbols and on real values.

A shape, and any other list of integers, may be a list in which symbols stand for some of them, or
one tensor. Negative axes count from the end. What does not fit raises InvalidArgumentError, when
it is traced if the shapes are known then, else when it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastpipe.indexing import Constant, constant, index
from fastpipe.integers import integers_argument
from fastpipe.spec import as_tensor, dtype_name
from fastpipe.tracing import Symbol, call, convert

__all__ = [
    "Constant", "argsort", "boolean_mask", "broadcast_to", "concat", "constant", "ensure_shape",
    "expand_dims", "fill", "gather", "identity", "index", "one_hot", "ones", "ones_like", "pad",
    "range_", "rank", "repeat", "reshape", "reverse", "shape", "size", "slice_", "sort", "split",
    "squeeze", "stack", "tile", "transpose", "unstack", "where", "zeros", "zeros_like",
]  # fmt: skip


def _integers(name: str, value: object) -> tuple[dict[str, Any], list[Any]]:
    """The attribute and the inputs that carry integers, alone or in nested lists, to a kernel."""
    items, inputs = integers_argument(name, value if isinstance(value, Symbol) else _flat(value))
    return {} if items is None else {name: items}, inputs


def _flat(value: object) -> list[object]:
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _flat(item)]
    if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "iu":
        return list(value.ravel())
    return [value]


def _dtype_of(value: Any) -> str:
    return "string" if isinstance(value, bytes) else dtype_name(value.dtype)


def _static_shape(value: object) -> tuple[int, ...] | None:
    """The shape, if all of it is known."""
    dims = value.shape if isinstance(value, Symbol) else np.shape(as_tensor(value))
    if dims is None or None in dims:
        return None
    return tuple(int(size) for size in dims if size is not None)


# ---- shapes ----


def shape(input: object, out_type: object = "int32") -> Any:
    """The sizes of a tensor, as int32 or int64: a real array wherever they are known.

    >>> shape([[1, 2, 3]]).tolist()
    [1, 3]
    """
    dims = _static_shape(convert(input))
    if dims is not None:
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
    attrs, inputs = _integers("shape", shape)
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
    axes = None if axis is None else _integers("axis", axis)[0]["axis"]
    return call("squeeze", [input], axis=axes or None)


def broadcast_to(input: object, shape: object) -> Any:
    """Stretched to `shape` by NumPy's rules.

    >>> broadcast_to([1, 2], [2, 2]).tolist()
    [[1, 2], [1, 2]]
    """
    attrs, inputs = _integers("shape", shape)
    return call("broadcast_to", [input, *inputs], **attrs)


def identity(input: object) -> Any:
    """The tensor itself.

    >>> identity([1, 2]).tolist()
    [1, 2]
    """
    return call("identity", [input])


# ---- joining and cutting ----


def stack(values: Sequence[object], axis: int = 0) -> Any:
    """Tensors of one shape and dtype side by side on a new axis.

    >>> stack([[1, 2], [3, 4]], axis=1).tolist()
    [[1, 3], [2, 4]]
    """
    return call("stack", _parts(values), unify=True, axis=int(axis))


def unstack(value: object, num: int | None = None, axis: int = 0) -> list[Any]:
    """The slices along `axis`, as a list; `num` says how many where that is not known.

    >>> [part.tolist() for part in unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    return _listed(call("unstack", [value], num=num, axis=int(axis)))


def concat(values: Sequence[object], axis: int) -> Any:
    """Tensors of one dtype one after the other along `axis`; their other sizes are equal.

    >>> concat([[1, 2], [3]], 0).tolist()
    [1, 2, 3]
    """
    return call("concat", _parts(values), unify=True, axis=int(axis))


def split(value: object, num_or_size_splits: int | Sequence[int], axis: int = 0) -> list[Any]:
    """Cut along `axis` into equal parts, or into parts of given sizes, one of which may be -1.

    >>> [part.tolist() for part in split([1, 2, 3, 4], [1, -1])]
    [[1], [2, 3, 4]]
    """
    sizes = _integers("sizes", num_or_size_splits)[0]["sizes"]
    parts = {"num": sizes[0]} if np.ndim(num_or_size_splits) == 0 else {"sizes": sizes}
    return _listed(call("split", [value], axis=int(axis), **parts))


def _parts(values: object) -> Sequence[object]:
    """The tensors of a list, or the rows of one tensor."""
    if isinstance(values, Symbol):
        return unstack(values)
    return values if isinstance(values, (list, tuple)) else list(np.asarray(values))


def _listed(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def slice_(input_: object, begin: object, size: object) -> Any:
    """The block of the given sizes that starts at `begin`; a size of -1 reaches to the end.

    >>> slice_([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).tolist()
    [[2, 3], [5, 6]]
    """
    begins, sizes = _items(begin), _items(size)
    key = []
    for first, length in zip(begins, sizes, strict=True):
        to_end = not isinstance(length, Symbol) and length == -1
        key.append(slice(first, None if to_end else first + length))
    taken = index(input_, tuple(key))
    exact = [-1 if isinstance(length, Symbol) else length for length in sizes]
    return call("ensure_shape", [taken], shape=exact)


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
    at = batch_dims if axis is None else int(axis)
    return call("gather", [params, indices], axis=at, batch_dims=batch_dims)


def boolean_mask(tensor: object, mask: object, axis: int | None = None) -> Any:
    """The slices for which `mask` is true; its axes stand for those of the tensor from `axis` on.

    >>> boolean_mask([1, 2, 3], [True, False, True]).tolist()
    [1, 3]
    """
    return call("boolean_mask", [tensor, mask], axis=int(axis or 0))


def where(condition: object, x: object = None, y: object = None) -> Any:
    """x where `condition` is true, else y; the three broadcast, x and y have one dtype.

    Without x and y: where `condition` is not zero, as int64 positions of shape [n, rank].

    >>> where([True, False], [1, 2], 0).tolist(), where([True, False, True]).tolist()
    ([1, 0], [[0], [2]])
    """
    if x is None and y is None:
        return call("where_indices", [condition])
    if x is None or y is None:
        raise ValueError("where takes both x and y, or neither")
    return call("where", [condition, x, y], unify=True)


# ---- rearranging ----


def transpose(a: object, perm: Sequence[int] | None = None) -> Any:
    """The axes in the order `perm`; reversed if None.

    >>> transpose([[1, 2], [3, 4]]).tolist()
    [[1, 3], [2, 4]]
    """
    order = None if perm is None else _integers("perm", perm)[0]["perm"]
    return call("transpose", [a], perm=order)


def reverse(tensor: object, axis: int | Sequence[int]) -> Any:
    """Backwards along the given axes.

    >>> reverse([1, 2, 3], [0]).tolist()
    [3, 2, 1]
    """
    return call("reverse", [tensor], axis=_integers("axis", axis)[0]["axis"])


def pad(
    tensor: object, paddings: object, mode: str = "CONSTANT", constant_values: object = 0
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
    attrs, inputs = _integers("paddings", paddings)
    tensor = convert(tensor)
    values = []
    if mode.lower() == "constant":
        empty = constant_values == 0 if isinstance(constant_values, int) else False
        values = [b"" if empty and _dtype_of(tensor) == "string" else constant_values]
        if not isinstance(values[0], Symbol):
            values = [as_tensor(values[0], _dtype_of(tensor))]
    return call("pad", [tensor, *inputs, *values], mode=mode.lower(), **attrs)


def tile(input: object, multiples: object) -> Any:
    """Repeated as a whole along each axis.

    >>> tile([1, 2], [2]).tolist()
    [1, 2, 1, 2]
    """
    attrs, inputs = _integers("multiples", multiples)
    return call("tile", [input, *inputs], **attrs)


def repeat(input: object, repeats: object, axis: int | None = None) -> Any:
    """Each slice along `axis` repeated; each value, of a flat result, if `axis` is None.

    >>> repeat([1, 2], [2, 1]).tolist()
    [1, 1, 2]
    """
    if axis is None:
        input, axis = reshape(input, [-1]), 0
    return call("repeat", [input, repeats], axis=int(axis))


def sort(values: object, axis: int = -1, direction: str = "ASCENDING") -> Any:
    """Numbers in order along `axis`; `direction` is "ASCENDING" or "DESCENDING". NaN comes last.

    >>> sort([3, 1, 2]).tolist()
    [1, 2, 3]
    """
    return call("sort", [values], axis=int(axis), descending=_descending(direction))


def argsort(
    values: object, axis: int = -1, direction: str = "ASCENDING", stable: bool = False
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


# ---- making ----


def range_(start: object, limit: object = None, delta: object = 1, dtype: object = None) -> Any:
    """start, start + delta, ... before limit; from 0 to start if limit is None.

    Without `dtype` the result has the widest dtype of the three: int32, int64, float32, float64.

    >>> range_(3).tolist(), range_(5, 0, -2).tolist()
    ([0, 1, 2], [5, 3, 1])
    """
    if limit is None:
        start, limit = 0, start
    bounds = [convert(each) for each in (start, limit, delta)]
    if dtype is None:
        order = ["int32", "int64", "float32", "float64"]
        names = [_dtype_of(each) for each in bounds]
        other = [name for name in names if name not in order]
        dtype = other[0] if other else max(names, key=order.index)
    name = dtype_name(dtype)
    cast = [
        each if _dtype_of(each) == name else call("cast", [each], dtype=name) for each in bounds
    ]
    return call("range", cast)


def fill(dims: object, value: object) -> Any:
    """A tensor of shape `dims` that holds the scalar `value` everywhere.

    >>> fill([2, 2], 7).tolist()
    [[7, 7], [7, 7]]
    """
    attrs, inputs = _integers("dims", dims)
    return call("fill", [value, *inputs], **attrs)


def zeros(shape: object, dtype: object = "float32") -> Any:
    """A tensor of 0, False or b"".

    >>> zeros([2]).tolist()
    [0.0, 0.0]
    """
    name = dtype_name(dtype)
    return fill(shape, b"" if name == "string" else as_tensor(0, name))


def ones(shape: object, dtype: object = "float32") -> Any:
    """A tensor of 1 or True.

    >>> ones([2], "int32").tolist()
    [1, 1]
    """
    return fill(shape, as_tensor(1, dtype))


def zeros_like(input: object, dtype: object = None) -> Any:
    """A tensor of the same shape that holds 0, False or b"".

    >>> zeros_like([1, 2]).tolist()
    [0, 0]
    """
    return _like("zeros_like", input, dtype)


def ones_like(input: object, dtype: object = None) -> Any:
    """A tensor of the same shape that holds 1 or True.

    >>> ones_like([5, 6], "bool").tolist()
    [True, True]
    """
    return _like("ones_like", input, dtype)


def _like(kernel: str, input: object, dtype: object) -> Any:
    input = convert(input)
    if dtype is None or dtype_name(dtype) == _dtype_of(input):
        return call(kernel, [input])
    # By way of bools, which any tensor gives and any dtype but string comes from.
    mask = call(kernel, [call("equal", [input, input])])
    if dtype_name(dtype) == "string":
        return call("where", [mask, b"", b""])
    return call("cast", [mask], dtype=dtype_name(dtype))


def one_hot(
    indices: object,
    depth: object,
    on_value: object = None,
    off_value: object = None,
    axis: int | None = None,
    dtype: object = None,
) -> Any:
    """A new axis of size `depth` that holds `on_value` at the index and `off_value` elsewhere.

    Args:
        indices: integers; one outside 0 .. depth - 1 gives `off_value` everywhere.
        depth: an integer scalar.
        on_value: 1 if None.
        off_value: 0 if None.
        axis: where the new axis goes, the end if None.
        dtype: of the result; without it that of the values, or float32.

    >>> one_hot([2, 0], 3, dtype="int32").tolist()
    [[0, 0, 1], [1, 0, 0]]
    """
    attrs, inputs = _integers("depth", depth)
    given = [each for each in (on_value, off_value) if each is not None]
    name = dtype_name(dtype) if dtype else (_dtype_of(convert(given[0])) if given else "float32")
    values = [
        each if isinstance(each, Symbol) else as_tensor(each, name)
        for each in (1 if on_value is None else on_value, 0 if off_value is None else off_value)
    ]
    at = -1 if axis is None else int(axis)
    return call("one_hot", [indices, *values, *inputs], axis=at, **attrs)
