"""tf.data.experimental: what is not a method of Dataset, and functions for `Dataset.apply`.

>>> import fastpipe as fp
>>> ds = fp.Dataset.range(4).apply(fp.experimental.map_and_batch(lambda x: x * x, 2))
>>> [batch.tolist() for batch in ds]
[[0, 1], [4, 9]]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastpipe.base import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, DatasetBase
from fastpipe.csv_dataset import CsvDataset, make_csv_dataset
from fastpipe.dataset import Dataset
from fastpipe.errors import UnimplementedError
from fastpipe.example_dataset import make_batched_features_dataset, parse_example_dataset
from fastpipe.functions import enable_debug_mode
from fastpipe.iterator import Iterator
from fastpipe.node import AUTOTUNE
from fastpipe.optional import Optional
from fastpipe.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
)
from fastpipe.readers import SqlDataset
from fastpipe.spec import as_dtype, int64
from fastpipe.structure import unflatten
from fastpipe.writers import DatasetRecordWriter as TFRecordWriter

Transformation = Callable[[Any], Any]

SHARD_HINT = -1


@dataclass(frozen=True)
class Reducer:
    """The fold of group_by_reducer.

    Attributes:
        init_func: the state at first, from the key.
        reduce_func: the next state, from the state and an element.
        finalize_func: the result, from the last state.
    """

    init_func: Callable[[Any], Any]
    reduce_func: Callable[[Any, Any], Any]
    finalize_func: Callable[[Any], Any]


def _method(name: str) -> Callable[..., Transformation]:
    """A function that makes the Transformation `lambda ds: ds.name(...)`."""

    def make(*args: Any, **kwargs: Any) -> Transformation:
        return lambda dataset: getattr(dataset, name)(*args, **kwargs)

    return make


# ---- datasets in files: the older forms of methods ----


def save(
    dataset: Any,
    path: Any,
    compression: str | None = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: None = None,
) -> None:
    """Dataset.save."""
    dataset.save(path, compression, shard_func, checkpoint_args)


def load(
    path: Any,
    element_spec: Any = None,
    compression: str | None = None,
    reader_func: Callable[[Any], Any] | None = None,
) -> Any:
    """Dataset.load."""
    return Dataset.load(path, element_spec, compression, reader_func)


def snapshot(
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Callable[[Any], Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Transformation:
    """Dataset.snapshot, for apply."""
    return _method("snapshot")(path, compression, reader_func, shard_func)


# ---- for apply: the older forms of methods ----


def assert_cardinality(expected_cardinality: int) -> Transformation:
    """Dataset.assert_cardinality, for apply."""
    return _method("assert_cardinality")(expected_cardinality)


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """Dataset.bucket_by_sequence_length, for apply."""
    return _method("bucket_by_sequence_length")(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """Dataset.sparse_batch, for apply."""
    return _method("sparse_batch")(batch_size, row_shape)


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: bool = False, row_splits_dtype: Any = int64
) -> Transformation:
    """Dataset.ragged_batch, for apply."""
    return _method("ragged_batch")(batch_size, drop_remainder, row_splits_dtype)


def enumerate_dataset(start: Any = 0) -> Transformation:
    """Dataset.enumerate, for apply."""
    return _method("enumerate")(start)


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """Dataset.group_by_reducer, for apply."""
    return _method("group_by_reducer")(key_func, reducer)


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[[Any, Any], Any],
    window_size: Any = None,
    window_size_func: Callable[[Any], Any] | None = None,
) -> Transformation:
    """Dataset.group_by_window, for apply."""
    return _method("group_by_window")(key_func, reduce_func, window_size, window_size_func)


def ignore_errors(log_warning: bool = False) -> Transformation:
    """Dataset.ignore_errors, for apply."""
    return _method("ignore_errors")(log_warning)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: int | None = None,
    drop_remainder: bool = False,
    num_parallel_calls: int | None = None,
) -> Transformation:
    """Dataset.map, then Dataset.batch, for apply.

    Args:
        num_parallel_batches: batches mapped at once; default 1. Gives each element of them a
            thread, up to the number of threads that there may be.
        num_parallel_calls: elements mapped at once, instead; AUTOTUNE.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            f"give num_parallel_batches or num_parallel_calls, not both, got "
            f"{num_parallel_batches} and {num_parallel_calls}"
        )
    calls = num_parallel_calls
    if calls is None:
        calls = batch_size * (num_parallel_batches or 1)
    return lambda dataset: dataset.map(map_func, calls).batch(batch_size, drop_remainder)


def pad_to_cardinality(cardinality: int, mask_key: str = "valid") -> Transformation:
    """Appends elements of zeros until there are `cardinality`, for apply.

    Elements are dicts, and get a bool at `mask_key`: False where the element was appended.

    Raises:
        ValueError: the dataset has more elements, or nobody knows how many.

    >>> ds = Dataset.from_tensor_slices({"a": [1, 2]}).apply(pad_to_cardinality(3))
    >>> [(int(x["a"]), bool(x["valid"])) for x in ds]
    [(1, True), (2, True), (0, False)]
    """

    def pad(dataset: Any) -> Any:
        size = dataset.cardinality()
        if not isinstance(dataset.element_spec, Mapping):
            raise ValueError("pad_to_cardinality needs a dataset whose elements are dicts")
        if size < 0 or size > cardinality:
            known = {INFINITE_CARDINALITY: "no end", UNKNOWN_CARDINALITY: "an unknown number"}
            raise ValueError(
                f"pad_to_cardinality needs a dataset of at most {cardinality} elements, got one of "
                f"{known.get(size, size)}"
            )
        filler = {**_zeros(dataset), mask_key: np.bool_(False)}
        marked = dataset.map(lambda element: {**element, mask_key: np.bool_(True)})
        padding = type(dataset).from_tensors(filler).repeat(cardinality - size)
        return marked.concatenate(padding)

    return pad


def _zeros(dataset: Any) -> Any:
    """An element of zeros and empty strings."""
    leaves = []
    for dtype, shape, _ in dataset.native.specs:
        if shape is None or None in shape:
            raise ValueError(
                f"pad_to_cardinality needs elements of known shapes, got {dataset.element_spec!r}"
            )
        kind = as_dtype(dtype).as_numpy_dtype
        leaves.append(np.full(shape, b"", object) if dtype == "string" else np.zeros(shape, kind))
    return unflatten(dataset.structure, leaves)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: int,
    block_length: int = 1,
    sloppy: bool = False,
    buffer_output_elements: int | None = None,
    prefetch_input_elements: int | None = None,
) -> Transformation:
    """Dataset.interleave with a thread for each open dataset, for apply.

    Args:
        sloppy: takes from whichever dataset is ready.
        buffer_output_elements, prefetch_input_elements: without effect: buffers find their sizes.
    """
    return lambda dataset: dataset.interleave(
        map_func,
        cycle_length,
        block_length,
        num_parallel_calls=cycle_length,
        deterministic=not sloppy,
    )


def rejection_resample(
    class_func: Callable[..., Any],
    target_dist: Any,
    initial_dist: Any = None,
    seed: int | None = None,
) -> Transformation:
    """Dataset.rejection_resample, for apply."""
    return _method("rejection_resample")(class_func, target_dist, initial_dist, seed)


def scan(initial_state: Any, scan_func: Callable[[Any, Any], Any]) -> Transformation:
    """Dataset.scan, for apply."""
    return _method("scan")(initial_state, scan_func)


def shuffle_and_repeat(
    buffer_size: Any, count: Any = None, seed: int | None = None
) -> Transformation:
    """Dataset.shuffle, then Dataset.repeat, for apply."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """Dataset.take_while, for apply."""
    return _method("take_while")(predicate)


def unbatch() -> Transformation:
    """Dataset.unbatch, for apply."""
    return _method("unbatch")()


def unique() -> Transformation:
    """Dataset.unique, for apply."""
    return _method("unique")()


def _require_cpu(device: Any) -> None:
    if "cpu" not in str(device).lower():
        raise UnimplementedError(
            f"fastpipe delivers arrays in the memory of the host, not on {device!r}: hand them on"
        )


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """The dataset itself, for apply, since the only device is the CPU.

    Raises:
        UnimplementedError: for any other device.
    """
    _require_cpu(target_device)
    _require_cpu(source_device)
    return lambda dataset: dataset


def prefetch_to_device(device: str, buffer_size: int | None = None) -> Transformation:
    """Dataset.prefetch, for apply, since the only device is the CPU.

    Raises:
        UnimplementedError: for any other device.
    """
    _require_cpu(device)
    return _method("prefetch")(AUTOTUNE if buffer_size is None else buffer_size)


# ---- functions of datasets and iterators ----


def at(dataset: Any, index: Any) -> Any:
    """Dataset.at."""
    return dataset.at(index)


def cardinality(dataset: Any) -> Any:
    """Dataset.cardinality."""
    return dataset.cardinality()


def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Any:
    """Dataset.choose_from_datasets, which passes over choices of datasets that have ended."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def from_list(elements: Any, name: str | None = None) -> Any:
    """Dataset.from_list."""
    return Dataset.from_list(elements, name)


def get_next_as_optional(iterator: Iterator) -> Optional:
    """Iterator.get_next_as_optional."""
    return iterator.get_next_as_optional()


def get_single_element(dataset: Any) -> Any:
    """Dataset.get_single_element."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The element_spec of a dataset or an iterator.

    Raises:
        TypeError: it is neither.
    """
    if not isinstance(dataset_or_iterator, (DatasetBase, Iterator)):
        raise TypeError(f"expected a dataset or an iterator, got {dataset_or_iterator!r:.80}")
    return dataset_or_iterator.element_spec


def sample_from_datasets(
    datasets: Any,
    weights: Any = None,
    seed: int | None = None,
    stop_on_empty_dataset: bool = False,
) -> Any:
    """Dataset.sample_from_datasets."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def Counter(start: Any = 0, step: Any = 1, dtype: Any = int64) -> Any:
    """Dataset.counter."""
    return Dataset.counter(start, step, dtype)


def RandomDataset(
    seed: int | None = None,
    rerandomize_each_iteration: bool | None = None,
    name: str | None = None,
) -> Any:
    """Dataset.random."""
    return Dataset.random(seed, rerandomize_each_iteration, name)


__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "SHARD_HINT",
    "UNKNOWN_CARDINALITY",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DistributeOptions",
    "ExternalStatePolicy",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "Reducer",
    "ServiceOptions",
    "SqlDataset",
    "TFRecordWriter",
    "ThreadingOptions",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "load",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "map_and_batch",
    "pad_to_cardinality",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "take_while",
    "unbatch",
    "unique",
]
