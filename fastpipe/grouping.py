"""Transformations that group, select or carry state: the part of Dataset beyond the basics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fastpipe.base import INFINITE_CARDINALITY, DatasetBase, leaf_structure
from fastpipe.errors import InvalidArgumentError
from fastpipe.functions import arguments_of, trace
from fastpipe.ragged import RaggedTensor
from fastpipe.spec import as_tensor, int64
from fastpipe.structure import (
    LEAF,
    Composite,
    DatasetLeaf,
    flatten,
    leaf_structures,
    map_leaves,
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
        }
        structure = map_leaves(self.structure, DatasetLeaf)
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
        self, batch_size: Any, drop_remainder: bool = False, name: str | None = None
    ) -> Any:
        """Batches whose components of rank 1 and more are RaggedTensors."""
        ragged = Composite(RaggedTensor, 2)
        kinds = iter([LEAF if spec[1] == () else ragged for spec in self.native.specs])
        structure = map_leaves(self.structure, lambda leaf: next(kinds))
        arguments = {"batch_size": batch_size, "drop_remainder": drop_remainder}
        return self._make("ragged_batch", arguments, (self,), structure)

    def rebatch(
        self, batch_size: Any, drop_remainder: bool = False, name: str | None = None
    ) -> Any:
        """Batches of other sizes: `batch_size`, or the sizes of a list in turn."""
        sizes = list(batch_size) if isinstance(batch_size, (list, tuple)) else [batch_size]
        arguments = {"batch_sizes": sizes, "drop_remainder": drop_remainder}
        return self._make("rebatch", arguments, (self,), self.structure)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """The elements before the first for which `predicate` is False."""
        function = trace(predicate, [arguments_of(self)], probe=self)
        return self._make("take_while", {"predicate": function}, (self,), self.structure)

    def unique(self, name: str | None = None) -> Any:
        """The first occurrence of each element."""
        return self._make("unique", {}, (self,), self.structure)

    def scan(
        self, initial_state: Any, scan_func: Callable[[Any, Any], Any], name: str | None = None
    ) -> Any:
        """A map that carries state: scan_func(state, element) -> (state, result).

        >>> import numpy as np, fastpipe as fp
        >>> sums = fp.Dataset.range(4).scan(np.int64(0), lambda s, x: (s + x, s + x))
        >>> [int(x) for x in sums]
        [0, 1, 3, 6]
        """
        leaves, structure = flatten(initial_state, leaf_structure)
        state = [convert(leaf) for leaf in leaves]
        group = _with_state(self, state, structure)
        function = trace(scan_func, [group])
        if not isinstance(function.structure, tuple) or len(function.structure) != 2:
            raise TypeError("the function given to scan must return (state, result)")
        if function.structure[0] != structure:
            raise TypeError(
                f"the function given to scan returned a state {function.structure[0]!r}, the "
                f"initial state is {structure!r}"
            )
        arguments = {"function": function, "initial_state": state}
        return self._make("scan", arguments, (self,), function.structure[1])

    def reduce(
        self, initial_state: Any, reduce_func: Callable[[Any, Any], Any], name: str | None = None
    ) -> Any:
        """Folds all elements into one value: reduce_func(state, element) -> state.

        >>> import numpy as np, fastpipe as fp
        >>> int(fp.Dataset.range(5).reduce(np.int64(0), lambda s, x: s + x))
        10
        """
        if self.cardinality() == INFINITE_CARDINALITY:
            raise InvalidArgumentError("reduce: the dataset is infinite")

        def step(state: Any, element: Any) -> Any:
            new = reduce_func(state, element)
            return new, new

        leaves, structure = flatten(initial_state, leaf_structure)
        state = unflatten(structure, [as_tensor(leaf) for leaf in leaves])
        for new_state in self.scan(initial_state, step):
            state = new_state
        return state

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element.

        Raises:
            InvalidArgumentError: there is none, or more than one.
        """
        with self.iterator() as iterator:
            elements = [element for element, _ in zip(iterator, range(2), strict=False)]
        if len(elements) != 1:
            found = "none" if not elements else "more than one"
            raise InvalidArgumentError(f"get_single_element: expected one element, found {found}")
        return elements[0]

    def assert_cardinality(self, expected_cardinality: int) -> Any:
        """States the number of elements, which is checked while iterating."""
        arguments = {"cardinality": expected_cardinality}
        return self._make("assert_cardinality", arguments, (self,), self.structure)

    @classmethod
    def choose_from_datasets(
        cls,
        datasets: Sequence[Any],
        choice_dataset: Any,
        stop_on_empty_dataset: bool = True,
        name: str | None = None,
    ) -> Any:
        """Elements of several datasets, in the order in which `choice_dataset` names them."""
        _require_alike(datasets)
        arguments = {"stop_on_empty_dataset": stop_on_empty_dataset}
        inputs = (choice_dataset, *datasets)
        return cls._make("choose_from_datasets", arguments, inputs, datasets[0].structure)

    @classmethod
    def sample_from_datasets(
        cls,
        datasets: Sequence[Any],
        weights: Any = None,
        seed: int | None = None,
        stop_on_empty_dataset: bool = False,
        name: str | None = None,
    ) -> Any:
        """Elements of several datasets, drawn at random by `weights` (default equal)."""
        _require_alike(datasets)
        arguments = {
            "weights": None if weights is None else [float(w) for w in weights],
            "seed": seed,
            "stop_on_empty_dataset": stop_on_empty_dataset,
        }
        return cls._make("sample_from_datasets", arguments, datasets, datasets[0].structure)


def _as_int64(value: Any) -> Any:
    return call("cast", [value], dtype=int64.name)


def _dataset_spec(dataset: DatasetBase) -> tuple[str, tuple[()], Any]:
    return "dataset", (), dataset.native.specs


def _with_state(dataset: DatasetBase, state: list[Any], structure: Any) -> tuple[Any, list[Any]]:
    """The arguments (state, element) of a stateful function."""
    specs = []
    for value in state:
        dtype = "string" if isinstance(value, bytes) or value.dtype == object else value.dtype.name
        specs.append((dtype, () if isinstance(value, bytes) else tuple(value.shape), None))
    return (structure, dataset.structure), specs + dataset.native.specs


def _require_alike(datasets: Sequence[Any]) -> None:
    if not datasets:
        raise InvalidArgumentError("expected at least one dataset, got an empty list")
    first = datasets[0]
    for other in datasets[1:]:
        same = [a[0] for a in first.native.specs] == [b[0] for b in other.native.specs]
        if first.structure != other.structure or not same:
            raise TypeError(
                f"the datasets must have equal elements, got {first.element_spec!r} and "
                f"{other.element_spec!r}"
            )


def _bounded_shapes(dataset: DatasetBase, shapes: Any, longest: Any) -> Any:
    """Padded shapes with `longest` in place of every unknown dimension."""
    if shapes is None:
        parts = [list(spec[1] or ()) for spec in dataset.native.specs]
    else:
        parts = [list(part) for part in flatten(shapes, lambda leaf: LEAF)[0]]
    parts = [[longest if dim in (None, -1) else dim for dim in part] for part in parts]
    assert len(parts) == len(leaf_structures(dataset.structure))
    return unflatten(dataset.structure, parts)
