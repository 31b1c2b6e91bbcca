"""Kernels on ragged and sparse tensors: what a kernel means for a component of several tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fastpipe.array import boolean_mask as dense_mask
from fastpipe.array import concat, range_, reshape
from fastpipe.dense_rows import constant
from fastpipe.errors import InvalidArgumentError
from fastpipe.ragged import RaggedTensor
from fastpipe.sparse import SparseTensor
from fastpipe.spec import as_dtype, as_tensor, dtype_name, int64
from fastpipe.tracing import Symbol, call, convert

__all__ = [
    "boolean_mask", "constant", "map_flat_values", "range", "row_splits_to_segment_ids",
    "segment_ids_to_row_splits", "stack",
]  # fmt: skip

# Kernels that give each value by itself: they work on the innermost values.
_ELEMENTWISE = frozenset(
    "abs acos acosh add as_string asin asinh atan atan2 atanh bitcast bitwise_and bitwise_not "
    "bitwise_or bitwise_xor cast ceil check_numerics clip cos cosh decode_base64 divide "
    "divide_no_nan encode_base64 equal erf erfc exp expm1 floor floor_divide floor_mod greater "
    "greater_equal identity is_finite is_inf is_nan left_shift less less_equal lgamma log log1p "
    "logical_and logical_not logical_or logical_xor lookup maximum minimum multiply "
    "multiply_no_nan negative not_equal ones_like power reciprocal regex_full_match "
    "regex_replace relu right_shift round rsqrt sigmoid sign sin sinh softplus sqrt square "
    "squared_difference string_join string_length string_lower string_strip string_substr "
    "string_to_hash_bucket string_to_hash_bucket_fast string_to_hash_bucket_strong "
    "string_to_number string_upper subtract tan tanh truncate_divide truncate_mod where xdivy "
    "xlogy zeros_like one_hot".split()
)
# What changes nothing when it is folded in with the values of an axis.
_NOTHING: dict[str, Callable[[Any], Any]] = {
    "reduce_sum": lambda dtype: 0,
    "reduce_prod": lambda dtype: 1,
    "reduce_max": lambda dtype: dtype.min,
    "reduce_min": lambda dtype: dtype.max,
    "reduce_any": lambda dtype: False,
    "reduce_all": lambda dtype: True,
}
_SPARSE = frozenset(("cast", "multiply", "divide", "negative", "abs", "sign", "identity"))


def apply(kernel: str, inputs: Sequence[Any], unify: bool, attrs: dict[str, Any]) -> Any:
    """`kernel` on inputs of which some are RaggedTensors or SparseTensors.

    Raises:
        TypeError: it has no meaning for them.
    """
    if any(isinstance(value, SparseTensor) for value in inputs):
        return _on_sparse(kernel, inputs, unify, attrs)
    if kernel in _ELEMENTWISE:
        return _elementwise(kernel, inputs, unify, attrs)
    first = inputs[0]
    if isinstance(first, RaggedTensor) and (kernel in _NOTHING or kernel == "reduce_mean"):
        return _reduced(kernel, first, attrs.get("axis"), bool(attrs.get("keepdims")))
    if kernel == "concat":
        return _concat([_as_ragged(value) for value in inputs], int(attrs["axis"]))
    if kernel == "stack":
        return stack(inputs, int(attrs["axis"]))
    if kernel == "gather" and attrs.get("axis") == 0 and not attrs.get("batch_dims"):
        params, indices = inputs
        if isinstance(indices, RaggedTensor):
            picked = call("gather", [params, indices.flat_values], **attrs)
            return indices.with_flat_values(picked)
        return _rows(params, convert(indices))
    if kernel == "size" and isinstance(first, RaggedTensor):
        return call("size", [first.flat_values], **attrs)
    if kernel == "rank" and isinstance(first, RaggedTensor) and first.shape is not None:
        return np.int32(len(first.shape))
    raise TypeError(
        f"{kernel} does not take ragged tensors: make them dense with to_tensor(), or use their "
        f"values"
    )


def _on_sparse(kernel: str, inputs: Sequence[Any], unify: bool, attrs: dict[str, Any]) -> Any:
    first, *rest = inputs
    scalars = all(not isinstance(value, SparseTensor) and np.ndim(value) == 0 for value in rest)
    if kernel in _SPARSE and isinstance(first, SparseTensor) and scalars:
        return first.with_values(call(kernel, [first.values, *rest], unify=unify, **attrs))
    raise TypeError(
        f"{kernel} does not take sparse tensors: make them dense with sparse.to_dense, or use "
        f"sparse.map_values"
    )


# ---- value by value ----


def _elementwise(kernel: str, inputs: Sequence[Any], unify: bool, attrs: dict[str, Any]) -> Any:
    like = next(value for value in inputs if isinstance(value, RaggedTensor))
    flat = [_flat_like(value, like) for value in inputs]
    result = call(kernel, flat, unify=unify, **attrs)
    return like.with_flat_values(result)


def _flat_like(value: Any, like: RaggedTensor) -> Any:
    """The values that stand beside the flat values of `like`."""
    if isinstance(value, RaggedTensor):
        if value is not like:
            _expect_equal_rows(value, like)
        return value.flat_values
    if not isinstance(value, Symbol) and np.ndim(value) == 0:
        return value
    dims = value.shape if isinstance(value, Symbol) else np.shape(value)
    if dims == ():
        return value
    if dims is not None and len(dims) == 2 and dims[1] == 1 and like.ragged_rank == 1:
        column = reshape(convert(value), [-1])
        return call("gather", [column, like.value_rowids()], axis=0, batch_dims=0)
    raise InvalidArgumentError(
        f"beside ragged rows stand scalars, a column [rows, 1], or rows of the same lengths, got "
        f"the shape {dims}"
    )


def _expect_equal_rows(value: RaggedTensor, like: RaggedTensor) -> None:
    mine, theirs = value.nested_row_splits, like.nested_row_splits
    same = len(mine) == len(theirs)
    for a, b in zip(mine, theirs, strict=False):
        known = not isinstance(a, Symbol) and not isinstance(b, Symbol)
        same = same and (not known or np.array_equal(a, b))
    if not same:
        raise InvalidArgumentError(
            f"ragged tensors must have rows of the same lengths, got {value!r} and {like!r}"
        )


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`op` applied to the innermost values of the ragged tensors among its arguments.

    >>> map_flat_values(np.negative, constant([[1], [2, 3]])).to_list()
    [[-1], [-2, -3]]
    """
    found = [arg for arg in [*args, *kwargs.values()] if isinstance(arg, RaggedTensor)]
    if not found:
        return op(*args, **kwargs)
    for other in found[1:]:
        _expect_equal_rows(other, found[0])

    def flat(value: Any) -> Any:
        return value.flat_values if isinstance(value, RaggedTensor) else value

    result = op(*map(flat, args), **{name: flat(value) for name, value in kwargs.items()})
    return found[0].with_flat_values(result)


# ---- folding ----


def _reduced(kernel: str, value: RaggedTensor, axes: Any, keepdims: bool) -> Any:
    if axes is None:
        flat = value.flat_values
        if kernel == "reduce_mean":
            flat = _floating(flat)
        return call(kernel, [flat], axis=None, keepdims=keepdims)
    if value.shape is None:
        raise InvalidArgumentError(f"{kernel}: the rank of the ragged tensor must be known")
    rank = len(value.shape)
    wanted = sorted({axis + rank if axis < 0 else axis for axis in np.atleast_1d(axes).tolist()})
    if not all(0 <= axis < rank for axis in wanted):
        raise InvalidArgumentError(f"{kernel}: axis must be {-rank} to {rank - 1}, got {wanted}")
    if kernel == "reduce_mean":
        ones = value.with_flat_values(call("ones_like", [value.flat_values]))
        both = [_reduced("reduce_sum", each, wanted, keepdims) for each in (value, ones)]
        return call("divide", [_floating(each) for each in both])
    result: Any = value
    for axis in reversed(wanted):
        if isinstance(result, RaggedTensor):
            result = _reduced_along(kernel, result, axis, keepdims)
        else:
            result = call(kernel, [result], axis=[axis], keepdims=keepdims)
    return result


def _floating(value: Any) -> Any:
    """Integers as float64, whose means are not rounded."""
    dtype = as_dtype(value.dtype)
    return value if dtype.is_floating else call("cast", [value], dtype="float64")


def _reduced_along(kernel: str, value: RaggedTensor, axis: int, keepdims: bool) -> Any:
    if axis > 1:
        inner = value.values
        if isinstance(inner, RaggedTensor):
            return value.with_values(_reduced_along(kernel, inner, axis - 1, keepdims))
        return value.with_values(call(kernel, [inner], axis=[axis - 1], keepdims=keepdims))
    if value.ragged_rank > 1:
        raise InvalidArgumentError(
            f"{kernel}: rows that are ragged themselves are reduced along their inner axes first"
        )
    dtype = as_dtype(value.dtype)
    nothing = as_tensor(_NOTHING[kernel](dtype), dtype)
    dense = value.to_tensor(nothing)
    if axis == 1 and kernel in (
        "reduce_max",
        "reduce_min",
    ):  # of no values at all as of none in a row
        dense = concat([dense, value.to_tensor(nothing, shape=_first_column(value))], axis=1)
    return call(kernel, [dense], axis=[axis], keepdims=keepdims)


def _first_column(value: RaggedTensor) -> list[Any]:
    return [None, 1, *[None] * (len(value.shape or ()) - 2)]


# ---- rows ----


def _as_ragged(value: Any) -> RaggedTensor:
    return value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value)


def _rows(ragged: RaggedTensor, indices: Any) -> RaggedTensor:
    """The rows that `indices`, a vector, names."""
    starts = call("gather", [ragged.row_starts(), indices], axis=0, batch_dims=0)
    lengths = call("gather", [ragged.row_lengths(), indices], axis=0, batch_dims=0)
    places = _ranges(starts, lengths)
    inner = ragged.values
    if isinstance(inner, RaggedTensor):
        return places.with_values(_rows(inner, places.values))
    return places.with_values(call("gather", [inner, places.values], axis=0, batch_dims=0))


def _ranges(starts: Any, lengths: Any) -> RaggedTensor:
    """Row i counts from starts[i], lengths[i] numbers."""
    total = call("reduce_sum", [lengths], axis=[0], keepdims=False)
    rows = RaggedTensor.from_row_lengths(range_(total), lengths)
    shift = call("subtract", [starts, rows.row_starts()])
    shifts = call("gather", [shift, rows.value_rowids()], axis=0, batch_dims=0)
    return rows.with_values(call("add", [rows.values, shifts]))


def _concat(values: list[RaggedTensor], axis: int) -> Any:
    rank = len(values[0].shape or ())
    axis = axis + rank if axis < 0 else axis
    if axis == 0:
        return _joined(values)
    if axis > 1:
        inner = _concat_inner([value.values for value in values], axis - 1)
        for value in values[1:]:
            _expect_equal_rows(value, values[0])
        return values[0].with_values(inner)
    joined = _joined(values)
    count = values[0].nrows()
    turns = [range_(count) + count * turn for turn in np.arange(len(values), dtype=np.int64)]
    order = reshape(call("stack", turns, axis=1), [-1])
    mixed = _rows(joined, order)
    # Of the splits of the rows in turn, those between two results are the splits of the results.
    each = call("strided_slice", [mixed.row_splits], items=[[None, None, len(values)]])
    return RaggedTensor(mixed.values, each)


def _concat_inner(values: list[Any], axis: int) -> Any:
    if any(isinstance(value, RaggedTensor) for value in values):
        return _concat([_as_ragged(value) for value in values], axis)
    return call("concat", values, axis=axis)


def _joined(values: list[RaggedTensor]) -> RaggedTensor:
    """All rows, one after the other."""
    lengths = concat([value.row_lengths() for value in values], axis=0)
    inner = [value.values for value in values]
    if any(isinstance(value, RaggedTensor) for value in inner):
        return RaggedTensor.from_row_lengths(_joined([_as_ragged(x) for x in inner]), lengths)
    return RaggedTensor.from_row_lengths(call("concat", inner, axis=0), lengths)


def stack(values: Sequence[Any], axis: int = 0, name: str | None = None) -> Any:
    """Tensors of one rank, dense or ragged, as the rows of a ragged tensor; `axis` is 0.

    >>> stack([[1, 2], [3]]).to_list()
    [[1, 2], [3]]
    """
    if axis != 0:
        raise InvalidArgumentError(f"ragged.stack: axis must be 0, got {axis}")
    parts = [value if isinstance(value, RaggedTensor) else convert(value) for value in values]
    counts = [
        call("cast", [part.nrows()], dtype="int64")
        if isinstance(part, RaggedTensor)
        else call("size", [part[..., 0] if len(part.shape) > 1 else part], out_type="int64")
        for part in parts
    ]
    lengths = call("stack", counts, axis=0)
    if any(isinstance(part, RaggedTensor) for part in parts):
        return RaggedTensor.from_row_lengths(_joined([_as_ragged(p) for p in parts]), lengths)
    return RaggedTensor.from_row_lengths(call("concat", parts, axis=0), lengths)


def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> RaggedTensor:
    """Row i counts from starts[i] to limits[i] by `deltas`, a number; or from 0 to starts[i].

    >>> range([1, 5], [3, 9], 2).to_list()
    [[1], [5, 7]]
    """
    if limits is None:
        starts, limits = 0, starts
    first, last = convert(starts), convert(limits)
    if np.ndim(deltas) != 0 or deltas == 0:
        raise InvalidArgumentError(f"ragged.range: deltas must be a number but 0, got {deltas!r}")
    kind = as_dtype(last.dtype if dtype is None else dtype).name
    first, last = (call("cast", [value], dtype="int64") for value in (first, last))
    distance = call("subtract", [last, first])
    step = np.int64(deltas)
    counts = call("negative", [call("floor_divide", [call("negative", [distance]), step])])
    counts = call("maximum", [counts, np.int64(0)])
    rows = _ranges(call("multiply", [counts, np.int64(0)]), counts)
    begins = call("add", [call("multiply", [counts, np.int64(0)]), first])
    offsets = call("gather", [begins, rows.value_rowids()], axis=0, batch_dims=0)
    numbers = call("add", [call("multiply", [rows.values, step]), offsets])
    made = rows.with_values(call("cast", [numbers], dtype=kind))
    return made.with_row_splits_dtype(row_splits_dtype)


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> RaggedTensor:
    """The values of a dense matrix for which `mask` is True, in their rows.

    >>> boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]).to_list()
    [[1], [3, 4]]
    """
    mask = convert(mask)
    if isinstance(data, RaggedTensor) or mask.shape is None or len(mask.shape) != 2:
        raise InvalidArgumentError("ragged.boolean_mask takes dense data and a mask of rank 2")
    counts = call("reduce_sum", [call("cast", [mask], dtype="int64")], axis=[1], keepdims=False)
    return RaggedTensor.from_row_lengths(dense_mask(data, mask), counts)


def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """The row of each value.

    >>> row_splits_to_segment_ids([0, 2, 3]).tolist()
    [0, 0, 1]
    """
    splits = splits if hasattr(splits, "dtype") else as_tensor(splits, int64)
    ids = call("value_rowids", [splits])
    return ids if out_type is None else call("cast", [ids], dtype=dtype_name(out_type))


def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """Where each row begins and the last ends, from the row of each value, ascending.

    >>> segment_ids_to_row_splits([0, 0, 2]).tolist()
    [0, 2, 2, 3]
    """
    ids = segment_ids if hasattr(segment_ids, "dtype") else as_tensor(segment_ids, int64)
    splits = RaggedTensor.from_value_rowids(ids, ids, num_segments).row_splits
    return splits if out_type is None else call("cast", [splits], dtype=dtype_name(out_type))
