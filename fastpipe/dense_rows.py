"""Ragged rows from and to nested lists, dense and sparse tensors, and parts of them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from fastpipe.array import boolean_mask, concat, expand_dims, range_, reshape, shape
from fastpipe.errors import InvalidArgumentError
from fastpipe.ragged import RaggedTensor
from fastpipe.sparse import SparseTensor
from fastpipe.spec import as_dtype, as_tensor, dtype_name, int64
from fastpipe.tracing import Symbol, call, convert


def from_tensor(
    tensor: Any, lengths: Any, padding: Any, ragged_rank: int, row_splits_dtype: Any
) -> Any:
    """RaggedTensor.from_tensor."""
    value = convert(tensor)
    rank = None if value.shape is None else len(value.shape)
    if rank is not None and not 1 <= ragged_rank < rank:
        raise InvalidArgumentError(
            f"ragged_rank must be 1 or more and less than the tensor's rank, {rank}, got "
            f"{ragged_rank}"
        )
    if lengths is not None and padding is not None:
        raise InvalidArgumentError("give lengths or padding, not both")
    if ragged_rank > 1:
        if lengths is not None:
            if not isinstance(lengths, (list, tuple)) or not isinstance(lengths[0], (list, tuple)):
                raise InvalidArgumentError(
                    "for a ragged_rank above 1 lengths must be a list of lists"
                )
            return RaggedTensor.from_nested_row_lengths(
                _cut(value, lengths), [np.asarray(part) for part in lengths]
            ).with_row_splits_dtype(row_splits_dtype)
        sizes = shape(value, out_type="int64")
        inner = reshape(value, concat([np.array([-1], np.int64), sizes[2:]], axis=0))
        outer = _uniform(inner, sizes, row_splits_dtype)
        return outer.with_values(
            from_tensor(inner, None, padding, ragged_rank - 1, row_splits_dtype)
        )
    sizes = shape(value, out_type="int64")
    if padding is not None:
        lengths = _lengths_without(value, padding)
    if lengths is None:
        flat = reshape(value, concat([np.array([-1], np.int64), sizes[2:]], axis=0))
        return _uniform(flat, sizes, row_splits_dtype)
    lengths = call("cast", [convert(lengths)], dtype="int64")
    lengths = call("clip", [lengths, np.int64(0), sizes[1]])
    mask = call("less", [range_(sizes[1]), expand_dims(lengths, 1)])
    rows = RaggedTensor.from_row_lengths(boolean_mask(value, mask), lengths)
    return rows.with_row_splits_dtype(row_splits_dtype)


def _cut(value: Any, lengths: Any) -> Any:
    """The values of nested rows of the given lengths, end to end."""
    for part in lengths:
        sizes = np.asarray(part, np.int64)
        mask = np.arange(value.shape[1]) < sizes[:, None]
        value = boolean_mask(value, mask)
    return value


def _uniform(values: Any, sizes: Any, row_splits_dtype: Any) -> RaggedTensor:
    length = call("cast", [sizes[1]], dtype=dtype_name(row_splits_dtype))
    return RaggedTensor.from_uniform_row_length(values, length, nrows=sizes[0])


def _lengths_without(value: Any, padding: Any) -> Any:
    """The length of each row without what equals `padding` at its end."""
    if not isinstance(padding, Symbol):
        padding = np.asarray(padding, as_dtype(value.dtype).as_numpy_dtype)
        if value.dtype == object or value.dtype == "string":
            padding = padding.reshape(())[()]
    other = call("not_equal", [value, padding])
    inner = list(range(2, len(value.shape)))
    if inner:
        other = call("reduce_any", [other], axis=inner)
    sizes = shape(value, out_type="int64")
    places = call("multiply", [call("cast", [other], dtype="int64"), range_(1, sizes[1] + 1)])
    longest = concat([places, call("multiply", [places[:, :1], np.int64(0)])], axis=1)
    return call("reduce_max", [longest], axis=[1])


def to_sparse(rows: RaggedTensor) -> SparseTensor:
    """RaggedTensor.to_sparse."""
    ids = call("cast", [rows.value_rowids()], dtype="int64")
    inner = rows.values
    starts = call("cast", [rows.row_starts()], dtype="int64")
    if isinstance(inner, RaggedTensor):
        below = to_sparse(inner)
        row = call("gather", [ids, below.indices[:, 0]], axis=0)
        column = call("subtract", [below.indices[:, 0], call("gather", [starts, row], axis=0)])
        indices = [expand_dims(row, 1), expand_dims(column, 1), below.indices[:, 1:]]
        values, tail = below.values, below.dense_shape[1:]
    else:
        if inner.shape is None or len(inner.shape) != 1:
            raise InvalidArgumentError("to_sparse takes ragged rows of scalars")
        count = call("size", [ids], out_type="int64")
        column = call("subtract", [range_(count), call("gather", [starts, ids], axis=0)])
        indices = [expand_dims(ids, 1), expand_dims(column, 1)]
        values, tail = inner, np.zeros(0, np.int64)
    lengths = call("cast", [rows.row_lengths()], dtype="int64")
    longest = call("reduce_max", [concat([lengths, np.zeros(1, np.int64)], axis=0)], keepdims=True)
    nrows = reshape(call("size", [lengths], out_type="int64"), [1])
    return SparseTensor.from_leaves(
        [concat(indices, axis=1), values, concat([nrows, longest, tail], axis=0)]
    )


def rows(ragged: RaggedTensor, key: Any) -> Any:
    """ragged[key]: a row, some rows, or parts of a row."""
    if isinstance(key, tuple):
        first, *rest = key
        if not rest:
            return rows(ragged, first)
        if isinstance(first, slice) and first == slice(None) and len(rest) == 1:
            return _columns(ragged, rest[0])
        if isinstance(first, slice):
            raise InvalidArgumentError("ragged rows are indexed by row first: x[i, j] or x[i][j]")
        row = rows(ragged, first)
        return row[rest[0] if len(rest) == 1 else tuple(rest)]
    splits = ragged.row_splits
    if isinstance(key, slice):
        if key.step not in (None, 1):
            raise InvalidArgumentError(f"a slice of ragged rows must have step 1, got {key.step}")
        starts, limits = ragged.row_starts()[key], ragged.row_limits()[key]
        # An empty slice keeps one split, where its rows would begin.
        bounds = concat([splits[:1], limits], axis=0)
        begin = concat([starts, splits[:1]], axis=0)[0]
        end = call("reduce_max", [concat([limits, reshape(begin, [1])], axis=0)])
        inner = ragged.values[begin:end]
        shifted = call("clip", [call("subtract", [bounds, begin]), splits[0], end - begin])
        return RaggedTensor(inner, shifted)
    at = key if isinstance(key, Symbol) else operator.index(key)
    return ragged.values[ragged.row_starts()[at] : ragged.row_limits()[at]]


def _columns(ragged: RaggedTensor, key: Any) -> Any:
    """ragged[:, key] for a slice from the start or to the end of each row."""
    if not isinstance(key, slice) or key.step not in (None, 1):
        raise InvalidArgumentError("columns of ragged rows are taken by a slice with step 1")
    if isinstance(ragged.values, RaggedTensor):
        raise InvalidArgumentError("columns of rows that are ragged themselves cannot be taken")
    lengths = ragged.row_lengths()
    zero = call("multiply", [lengths, np.zeros((), lengths.dtype.name)])

    def bound(value: Any, default: Any) -> Any:
        if value is None:
            return default
        offset = np.asarray(value, lengths.dtype.name) if not isinstance(value, Symbol) else value
        place = call(
            "add", [lengths if not isinstance(value, Symbol) and value < 0 else zero, offset]
        )
        return call("minimum", [call("maximum", [place, zero]), lengths])

    begin, end = bound(key.start, zero), bound(key.stop, lengths)
    ids = ragged.value_rowids()
    count = call("size", [ids], out_type=lengths.dtype.name)
    column = call(
        "subtract",
        [range_(count), call("gather", [ragged.row_starts(), ids], axis=0)],
    )
    inside = call(
        "logical_and",
        [
            call("greater_equal", [column, call("gather", [begin, ids], axis=0)]),
            call("less", [column, call("gather", [end, ids], axis=0)]),
        ],
    )
    kept = call("maximum", [call("subtract", [end, begin]), zero])
    return RaggedTensor.from_row_lengths(boolean_mask(ragged.values, inside), kept)


def from_sparse(sparse: Any, row_splits_dtype: Any) -> RaggedTensor:
    """RaggedTensor.from_sparse."""
    if not isinstance(sparse, SparseTensor):
        raise TypeError(f"expected a SparseTensor, got {type(sparse).__name__}")
    if sparse.shape is None or len(sparse.shape) != 2:
        raise InvalidArgumentError(f"the SparseTensor must have rank 2, got {sparse.shape}")
    row_of = sparse.indices[:, 0]
    made = RaggedTensor.from_value_rowids(sparse.values, row_of, nrows=sparse.dense_shape[0])
    # Without gaps the values are those, and at the places, of the rows written out again.
    same = call("equal", [sparse.indices, to_sparse(made).indices])
    message = "a SparseTensor whose rows become ragged must have no gaps in them"
    call("assert", [call("reduce_all", [same])], message=message, summarize=3)
    return made.with_row_splits_dtype(row_splits_dtype)


def merge_dims(ragged: RaggedTensor, outer_axis: int, inner_axis: int) -> Any:
    """RaggedTensor.merge_dims."""
    rank = None if ragged.shape is None else len(ragged.shape)
    outer, inner = (axis + (rank or 0) if axis < 0 else axis for axis in (outer_axis, inner_axis))
    if outer > inner or outer < 0 or (rank is not None and inner >= rank):
        raise InvalidArgumentError(
            f"the axes must be 0 to {'?' if rank is None else rank - 1} and in order, got "
            f"{outer_axis} and {inner_axis}"
        )
    if outer == inner:
        return ragged
    values = ragged.values
    if outer > 1:
        if not isinstance(values, RaggedTensor):
            merged = _merge_dense(values, outer - 1, inner - 1)
            return ragged.with_values(merged)
        return ragged.with_values(merge_dims(values, outer - 1, inner - 1))
    if outer == 0:
        return values if inner == 1 else _merged(values, 0, inner - 1)
    lengths = call("cast", [ragged.row_splits], dtype="int64")
    if isinstance(values, RaggedTensor):
        splits = call("gather", [values.row_splits, ragged.row_splits], axis=0, batch_dims=0)
        joined = RaggedTensor(values.values, splits)
    else:
        size = shape(values, out_type="int64")[1]
        flat = _merge_dense(values, 0, 1)
        joined = RaggedTensor.from_row_splits(flat, call("multiply", [lengths, size]))
        joined = joined.with_row_splits_dtype(ragged.row_splits.dtype)
    return joined if inner == 2 else merge_dims(joined, 1, inner - 1)


def _merged(values: Any, outer: int, inner: int) -> Any:
    if isinstance(values, RaggedTensor):
        return merge_dims(values, outer, inner)
    return _merge_dense(values, outer, inner)


def _merge_dense(values: Any, outer: int, inner: int) -> Any:
    sizes = shape(values, out_type="int64")
    parts = [sizes[:outer], np.array([-1], np.int64), sizes[inner + 1 :]]
    return reshape(values, concat(parts, axis=0))


# ---- nested lists ----


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """A RaggedTensor of nested lists; a dense array where there is nothing to split.

    Raises:
        ValueError: the lists are not nested to one depth.

    >>> constant([[1], [2, 3], []]).to_list()
    [[1], [2, 3], []]
    """
    depth = _depth(pylist)
    if inner_shape is not None and ragged_rank is None:
        ragged_rank = max(depth - 1 - len(inner_shape), 0)
    rank = max(depth - 1, 0) if ragged_rank is None else ragged_rank
    splits = []
    for _ in range(rank):
        lengths = [len(row) for row in pylist]
        splits.append(as_tensor(np.cumsum([0, *lengths]), row_splits_dtype))
        pylist = [item for row in pylist for item in row]
    if not isinstance(pylist, list) or pylist or dtype is not None:
        values = as_tensor(pylist, dtype)
    else:
        values = np.zeros([0], np.float32)
    values = np.array([values], object)[0] if isinstance(values, bytes) else values
    if inner_shape is not None and rank:
        values = np.reshape(values, [-1, *inner_shape])
    return RaggedTensor.from_leaves([values, *splits])


def _depth(value: Any) -> int:
    """How deep lists are nested; an empty list tells nothing of what it would hold."""
    if not isinstance(value, (list, tuple)):
        return int(np.ndim(value)) if isinstance(value, np.ndarray) else 0
    depths = {_depth(item) for item in value if not _hollow(item)}
    if len(depths) > 1:
        raise ValueError(
            f"lists must be nested to one depth, got {sorted(depths)} in {value!r:.80}"
        )
    hollow = max((_depth(item) for item in value if _hollow(item)), default=0)
    return 1 + max(hollow, *depths, 0)


def _hollow(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(_hollow(item) for item in value)
