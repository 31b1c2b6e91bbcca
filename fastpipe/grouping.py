"""Transformations that group, select or carry state: the part of Dataset beyond the basics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fastpipe.base import DatasetBase
from fastpipe.errors import InvalidTypeError
from fastpipe.functions import arguments_of, trace
from fastpipe.ragged import RaggedTensor
from fastpipe.sparse import SparseTensor
from fastpipe.spec import int64
from fastpipe.structure import (
    LEAF,
    Composite,
    DatasetLeaf,
    flatten,
    has_composites,
    leaf_structures,
    map_components,
    parts_argument,
    unflatten,
)
from fastpipe.tracing import call, convert


class Grouping(DatasetBase):
    """Mixed into Dataset."""

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Datasets of `size` consecutive elements, one for each component.

        Args:
            size: elements in a window.
            shift: elements between the starts of two windows; default `size`.
            stride: distance between the elements of a window.
            drop_remainder: leaves out windows that are not full.

        >>> import fastpipe as fp
        >>> windows = fp.Dataset.range(5).window(2).flat_map(lambda w: w.batch(2))
        >>> [w.tolist() for w in windows]
        [[0, 1], [2, 3], [4]]
        """
        arguments = {
            "size": size,
            "shift": size if shift is None else shift,
            "stride": stride,
            "drop_remainder": drop_remainder,
            **parts_argument(self.structure),
        }
        structure = map_components(self.structure, DatasetLeaf)
        return self._make("window", arguments, (self,), structure)

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[[Any, Any], Any],
        window_size: Any = None,
        window_size_func: Callable[[Any], Any] | None = None,
        name: str | None = None,
    ) -> Any:
        """Groups elements by key and reduces each full group to a dataset.

        Args:
            key_func: a scalar integer for each element.
            reduce_func: takes (key, dataset of the group), returns a dataset.
            window_size: elements in a full group.
            window_size_func: the same, from the key.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("give exactly one of window_size and window_size_func")
        key = trace(lambda *element: _as_int64(key_func(*element)), [arguments_of(self)])
        key_spec = ("int64", (), None)
        group = ((LEAF, DatasetLeaf(self.structure)), [key_spec, _dataset_spec(self)])
        reduce = trace(reduce_func, [group])
        arguments: dict[str, Any] = {"key_func": key, "reduce_func": reduce}
        if window_size_func is None:
            arguments["window_size"] = window_size
        else:
            sizes = window_size_func
            arguments["window_size_func"] = trace(
                lambda key: _as_int64(sizes(key)), [(LEAF, [key_spec])]
            )
        inner = getattr(reduce.structure, "structure", reduce.structure)
        return self._make("group_by_window", arguments, (self,), inner)

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Batches of elements of similar length, padded to the longest of each batch.

        Args:
            element_length_func: the length of an element.
            bucket_boundaries: the first length of each bucket but the first, ascending.
            bucket_batch_sizes: one more than boundaries.
            padded_shapes, padding_values: as in padded_batch.
            pad_to_bucket_boundary: pads to the longest length of the bucket; elements beyond the
                last boundary are an error.
            no_padding: batches without padding; shapes must be equal.
            drop_remainder: leaves out batches that are not full.
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                f"bucket_batch_sizes must have one more entry than bucket_boundaries, got "
                f"{len(bucket_batch_sizes)} and {len(bucket_boundaries)}"
            )
        bounds = np.asarray(bucket_boundaries, np.int64)
        sizes = np.asarray(bucket_batch_sizes, np.int64)

        def bucket(*element: Any) -> Any:
            length = _as_int64(element_length_func(*element))
            passed = call("less_equal", [bounds, length])
            return call("reduce_sum", [_as_int64(passed)])

        def batch_size(key: Any) -> Any:
            return call("gather", [sizes, key], axis=0)

        def reduce(key: Any, group: Any) -> Any:
            if no_padding:
                return group.batch(batch_size(key), drop_remainder=drop_remainder)
            shapes = padded_shapes
            if pad_to_bucket_boundary:
                longest = call("gather", [bounds, key], axis=0) - 1
                shapes = _bounded_shapes(self, padded_shapes, longest)
            return group.padded_batch(batch_size(key), shapes, padding_values, drop_remainder)

        return self.group_by_window(bucket, reduce, window_size_func=batch_size)

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        row_splits_dtype: Any = int64,
        name: str | None = None,
    ) -> Any:
        """Batches of elements of different shapes, without padding.

        Components with unknown dimensions become RaggedTensors, ragged up to the last of these;
        others are batched as by `batch`.

        Args:
            batch_size: at least 1.
            drop_remainder: leaves out a last batch that is not full.
            row_splits_dtype: int64 or int32.

        >>> import fastpipe as fp
        >>> ds = fp.Dataset.range(3).map(lambda x: fp.range(x)).ragged_batch(2)
        >>> [batch.to_list() for batch in ds]
        [[[], [0]], [[0, 1]]]
        """
        if row_splits_dtype not in ("int64", "int32"):
            raise TypeError(f"row_splits_dtype must be int64 or int32, got {row_splits_dtype!r}")
        shapes = iter([spec[1] for spec in self.native.specs])

        def ragged(part: Any) -> Any:
            if isinstance(part, Composite):
                for _ in range(part.leaves):
                    next(shapes)
                return part.kind.stacked(part.leaves)
            unknown = [axis for axis, size in enumerate(next(shapes) or ()) if size is None]
            return Composite(RaggedTensor, unknown[-1] + 2) if unknown else part

        structure = map_components(self.structure, ragged)
        arguments = {
            "batch_size": batch_size,
            "drop_remainder": drop_remainder,
            **({} if row_splits_dtype == "int64" else {"row_splits_dtype": "int32"}),
            **parts_argument(self.structure),
        }
        return self._make("ragged_batch", arguments, (self,), structure)

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Any:
        """Batches of elements of different shapes as SparseTensors of all their values.

        Args:
            batch_size: at least 1.
            row_shape: the dense shape of an element, None for as large as the largest.

        Raises:
            TypeError: elements have several components.
            DataLossError: while iterating, if an element is larger than `row_shape`.

        >>> import fastpipe as fp
        >>> ds = fp.Dataset.range(1, 3).map(lambda x: fp.range(x)).sparse_batch(2, [None])
        >>> [batch.indices.tolist() for batch in ds]
        [[[0, 0], [1, 0], [1, 1]]]
        """
        if self.structure is not LEAF:
            raise TypeError(f"sparse_batch takes single tensors, got {self.element_spec!r}")
        for size in row_shape:
            if size is not None and size < 0:
                raise ValueError(f"row_shape must hold sizes or None, got {row_shape!r}")
        arguments = {
            "batch_size": batch_size,
            "row_shape": [-1 if size is None else int(size) for size in row_shape],
        }
        return self._make("sparse_batch", arguments, (self,), Composite(SparseTensor, 3))

    def rebatch(
        self, batch_size: Any, drop_remainder: bool = False, name: str | None = None
    ) -> Any:
        """Batches of other sizes: `batch_size`, or the sizes of a list in turn."""
        sizes = list(batch_size) if isinstance(batch_size, (list, tuple)) else [batch_size]
        if has_composites(self.structure):
            if len(sizes) != 1:
                raise TypeError("sparse and ragged components are batched anew in one size only")
            rows: Any = self
            return rows.unbatch().batch(sizes[0], drop_remainder=drop_remainder)
        arguments = {"batch_sizes": sizes, "drop_remainder": drop_remainder}
        return self._make("rebatch", arguments, (self,), self.structure)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """The elements before the first for which `predicate` is False."""
        function = trace(predicate, [arguments_of(self)], probe=self)
        return self._make("take_while", {"predicate": function}, (self,), self.structure)

    def unique(self, name: str | None = None) -> Any:
        """The first occurrence of each element."""
        return self._make("unique", {}, (self,), self.structure)

    def assert_cardinality(self, expected_cardinality: int) -> Any:
        """States the number of elements, which is checked while iterating."""
        arguments = {"cardinality": expected_cardinality}
        return self._make("assert_cardinality", arguments, (self,), self.structure)


def _as_int64(value: Any) -> Any:
    value = convert(value)
    if getattr(value, "dtype", "string") == "string":
        raise InvalidTypeError(f"expected an integer, got a string: {value!r:.80}")
    return call("cast", [value], dtype=int64.name)


def _dataset_spec(dataset: DatasetBase) -> tuple[str, tuple[()], Any]:
    return "dataset", (), dataset.native.specs


def _bounded_shapes(dataset: DatasetBase, shapes: Any, longest: Any) -> Any:
    """Padded shapes with `longest` in place of every unknown dimension."""
    if shapes is None:
        parts = [list(spec[1] or ()) for spec in dataset.native.specs]
    else:
        parts = [list(part) for part in flatten(shapes, lambda leaf: LEAF)[0]]
    parts = [[longest if dim in (None, -1) else dim for dim in part] for part in parts]
    assert len(parts) == len(leaf_structures(dataset.structure))
    return unflatten(dataset.structure, parts)
