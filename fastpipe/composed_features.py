"""Features made of several others: sparse ones of values and indices, ragged ones of partitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fastpipe.array import concat, expand_dims, repeat, reshape, shape
from fastpipe.errors import InvalidArgumentError
from fastpipe.features import RaggedFeature, SparseFeature, index_keys
from fastpipe.ragged import RaggedTensor
from fastpipe.sparse import SparseTensor, reorder
from fastpipe.spec import as_dtype, dtype_name, int64
from fastpipe.tracing import call


def composed(features: Mapping[str, Any], found: dict[str, Any], rows: bool) -> dict[str, Any]:
    """The features asked for, of those that were read.

    `rows` tells whether ragged features have rows: those of a batch, or the steps of a sequence.
    """
    made = dict(found)
    for key, feature in features.items():
        if isinstance(feature, SparseFeature):
            made[key] = _merged(feature, found)
        elif isinstance(feature, RaggedFeature):
            value_key = key if feature.value_key is None else feature.value_key
            value = found[value_key]
            if rows:
                made[key] = _partitioned_rows(value, feature, found)
            else:
                for partition in reversed(feature.partitions):
                    value = _partitioned(value, partition, found, feature.row_splits_dtype)
                made[key] = value
    return {key: made[key] for key in features}


def _merged(feature: SparseFeature, found: dict[str, Any]) -> SparseTensor:
    """The values of one feature at the indices that others hold."""
    keys = index_keys(feature)
    sizes = [feature.size] if isinstance(feature.size, int) else list(feature.size)
    if len(sizes) != len(keys):
        raise InvalidArgumentError(
            f"size must have a number for each index_key, got {feature.size!r} for {keys!r}"
        )
    values = found[feature.value_key]
    columns = [expand_dims(found[key].values, 1) for key in keys]
    indices = concat([values.indices[:, :-1], *columns], axis=1)
    dims = concat([values.dense_shape[:-1], np.asarray(sizes, np.int64)], axis=0)
    merged = SparseTensor.from_leaves([indices, values.values, dims])
    return merged if feature.already_sorted else reorder(merged)


def _partition_values(partition: Any, tensor: Any, values: Any) -> RaggedTensor:
    makers: dict[type, Callable[..., RaggedTensor]] = {
        RaggedFeature.RowSplits: RaggedTensor.from_row_splits,
        RaggedFeature.RowLengths: RaggedTensor.from_row_lengths,
        RaggedFeature.RowStarts: RaggedTensor.from_row_starts,
        RaggedFeature.RowLimits: RaggedTensor.from_row_limits,
        RaggedFeature.ValueRowIds: RaggedTensor.from_value_rowids,
    }
    return makers[type(partition)](values, tensor)


def _partitioned(values: Any, partition: Any, found: dict[str, Any], dtype: Any) -> Any:
    """The values of one example, split once more."""
    if isinstance(partition, RaggedFeature.UniformRowLength):
        return _uniform(values, partition.length, dtype)
    tensor = call("cast", [found[partition.key]], dtype=dtype_name(dtype))
    return _partition_values(partition, tensor, values)


def _uniform(values: Any, length: int, dtype: Any) -> Any:
    if isinstance(values, RaggedTensor):
        return RaggedTensor.from_uniform_row_length(values, np.asarray(length, dtype_name(dtype)))
    inner = values.shape[1:]
    if None not in inner:
        return reshape(values, [-1, length, *inner])
    sizes = shape(values, out_type=int64)[1:]
    return reshape(values, concat([np.array([-1, length], np.int64), sizes], axis=0))


def _partitioned_rows(rows: Any, feature: RaggedFeature, found: dict[str, Any]) -> Any:
    """The rows of a batch, or of a sequence, each split by its own partitions."""
    outer = None
    partitions: tuple[Any, ...] = feature.partitions
    if rows.ragged_rank > 1:  # a batch of sequences: its rows are the steps
        outer, rows = rows.row_splits, rows.values
    for partition in reversed(partitions):
        tensor = None
        if not isinstance(partition, RaggedFeature.UniformRowLength):
            tensor = found[partition.key]
            tensor = tensor if outer is None else tensor.values
        rows = _split_rows(rows, partition, tensor)
    return rows if outer is None else RaggedTensor.from_row_splits(rows, outer)


def _split_rows(rows: RaggedTensor, partition: Any, tensor: Any) -> RaggedTensor:
    dtype = rows.row_splits.dtype
    if isinstance(partition, RaggedFeature.UniformRowLength):
        values = _uniform(rows.values, partition.length, dtype)
        length = np.asarray(partition.length, as_dtype(dtype).as_numpy_dtype)
        splits = call("floor_divide", [rows.row_splits, length])
        return RaggedTensor.from_row_splits(values, splits)
    tensor = tensor.with_flat_values(call("cast", [tensor.flat_values], dtype=as_dtype(dtype).name))
    if isinstance(partition, RaggedFeature.ValueRowIds):
        return _split_by_row_ids(rows, tensor)
    if isinstance(partition, RaggedFeature.RowSplits):
        tensor = tensor[:, 1:]
    counts = tensor.values
    if not isinstance(partition, RaggedFeature.RowLengths):
        counts = call("add", [counts, repeat(rows.row_starts(), tensor.row_lengths())])
    if isinstance(partition, RaggedFeature.RowSplits):
        partition = RaggedFeature.RowLimits(partition.key)
    split: RaggedTensor = tensor.with_values(_partition_values(partition, counts, rows.values))
    return split


def _split_by_row_ids(rows: RaggedTensor, ids: RaggedTensor) -> RaggedTensor:
    """`ids` counts the rows of each example from 0; they are renumbered over the batch."""
    zero = np.zeros([1, 1], as_dtype(ids.dtype).as_numpy_dtype)
    dense = ids.to_tensor(np.asarray(-1, zero.dtype))
    column = call("multiply", [expand_dims(ids.row_starts(), 1), zero]) - np.asarray(1, zero.dtype)
    last = call("reduce_max", [concat([dense, column], axis=1)], axis=[1])
    counts = call("add", [last, np.asarray(1, zero.dtype)])
    offsets = call("subtract", [call("cumsum", [counts], axis=0), counts])
    numbered = call("add", [ids.values, repeat(offsets, ids.row_lengths())])
    total = call("reduce_sum", [counts], axis=[0])
    inner = RaggedTensor.from_value_rowids(rows.values, numbered, nrows=total)
    return RaggedTensor.from_row_lengths(inner, counts)
