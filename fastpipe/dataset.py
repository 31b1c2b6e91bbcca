"""Dataset: sources and transformations. Each method checks, natively, and returns a description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fastpipe.base import DatasetBase, leaf_structure
from fastpipe.functions import arguments_of, signature_of, trace
from fastpipe.grouping import Grouping
from fastpipe.padding import padded_shape_list, padding_value_list
from fastpipe.spec import as_tensor, dtype_name, int64
from fastpipe.structure import LEAF, flatten, map_leaves
from fastpipe.tracing import PythonCallable, convert


def _components(tensors: Any) -> tuple[list[Any], Any]:
    leaves, structure = flatten(tensors, leaf_structure)
    return [leaf if isinstance(leaf, DatasetBase) else convert(leaf) for leaf in leaves], structure


def _components_as_is(leaves: list[Any]) -> list[Any]:
    # A component that is a dataset travels as a tensor that holds it.
    return [leaf.symbol or leaf if isinstance(leaf, DatasetBase) else leaf for leaf in leaves]


class Dataset(Grouping):
    """A pipeline's description: immutable, printable, picklable, iterable any number of times.

    >>> import fastpipe as fp
    >>> ds = fp.Dataset.range(6).map(lambda x: x * x).batch(4)
    >>> [batch.tolist() for batch in ds]
    [[0, 1, 4, 9], [16, 25]]
    """

    # ---- sources ----

    @classmethod
    def range(cls, *args: Any, output_type: Any = int64, name: str | None = None) -> Dataset:
        """Numbers as Python's range yields them: range(stop), (start, stop) or (start, stop, step).

        Raises:
            InvalidArgumentError: step is 0.

        >>> [int(x) for x in Dataset.range(1, 6, 2)]
        [1, 3, 5]
        """
        if not 1 <= len(args) <= 3:
            raise TypeError(f"range takes 1 to 3 numbers, got {len(args)}")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        arguments = {"start": start, "stop": stop, "step": step, "dtype": dtype_name(output_type)}
        return cls._make("range", arguments, (), LEAF)

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Dataset:
        """One element: `tensors`.

        >>> [x.tolist() for x in Dataset.from_tensors([1, 2])]
        [[1, 2]]
        """
        leaves, structure = _components(tensors)
        return cls._make("from_tensors", {"components": _components_as_is(leaves)}, (), structure)

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Dataset:
        """One element for each row of axis 0 of all components, which have equal length.

        Raises:
            InvalidArgumentError: a component is a scalar, or lengths differ.

        >>> [(int(x), y) for x, y in Dataset.from_tensor_slices(([1, 2], ["a", "b"]))]
        [(1, b'a'), (2, b'b')]
        """
        leaves, structure = _components(tensors)
        return cls._make("from_tensor_slices", {"components": leaves}, (), structure)

    @classmethod
    def from_list(cls, elements: Sequence[Any], name: str | None = None) -> Dataset:
        """The elements of a list, which have equal structure and shapes."""
        if not elements:
            raise ValueError("from_list needs at least one element")
        rows = [flatten(element, leaf_structure) for element in elements]
        structure = rows[0][1]
        for _, other in rows:
            if other != structure:
                raise TypeError(f"elements differ in structure: {structure!r} and {other!r}")
        columns = zip(*[leaves for leaves, _ in rows], strict=True)
        components = [as_tensor(np.stack([as_tensor(x) for x in c])) for c in columns]
        return cls._make("from_tensor_slices", {"components": components}, (), structure)

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Elements that a Python function yields; it is called again for every pass.

        Args:
            generator: returns an iterable.
            output_signature: TensorSpecs in the structure of an element.
            output_types, output_shapes: the older way to say the same.
            args: values that `generator` is called with, as NumPy values.

        >>> from fastpipe import TensorSpec
        >>> signature = TensorSpec((), "int64")
        >>> [int(x) for x in Dataset.from_generator(lambda: [3, 5], output_signature=signature)]
        [3, 5]
        """
        if not callable(generator):
            raise TypeError(f"generator must be callable, got {generator!r}")
        if output_signature is None:
            if output_types is None:
                raise TypeError("from_generator needs an output_signature")
            output_signature = signature_of(output_types, output_shapes)
        specs, structure = flatten(output_signature, lambda leaf: LEAF)

        def start(values: list[Any]) -> Any:
            def leaves() -> Any:
                for element in generator(*values):
                    flat, got = flatten(element, leaf_structure)
                    if got != structure:
                        raise TypeError(
                            f"the generator yielded {element!r:.80}, which has the structure "
                            f"{got!r}; output_signature has {structure!r}"
                        )
                    yield flat

            return leaves()

        arguments = {
            "handle": PythonCallable(start, generator),
            "signature": specs,
            "args": [convert(value) for value in args or ()],
        }
        return cls._make("from_generator", arguments, (), structure)

    @classmethod
    def list_files(
        cls,
        file_pattern: Any,
        shuffle: bool | None = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Paths that match one or several glob patterns, as bytes.

        Args:
            file_pattern: a string, a list of strings, or a string tensor.
            shuffle: True (default) draws a new order for every pass, False sorts.
            seed: makes the orders reproducible.

        Raises:
            InvalidArgumentError: no file matches.
        """
        arguments = {
            "patterns": convert(file_pattern),
            "shuffle": shuffle is None or bool(shuffle),
            "seed": seed,
        }
        return cls._make("list_files", arguments, (), LEAF)

    @classmethod
    def counter(
        cls, start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None
    ) -> Dataset:
        """start, start + step, ... without end."""
        arguments = {"start": start, "step": step, "dtype": dtype_name(dtype)}
        return cls._make("counter", arguments, (), LEAF)

    @classmethod
    def random(cls, seed: int | None = None, name: str | None = None) -> Dataset:
        """Pseudo-random int64 numbers without end."""
        return cls._make("random", {"seed": seed}, (), LEAF)

    @classmethod
    def zip(cls, *datasets: Any, name: str | None = None) -> Dataset:
        """Elements of several datasets side by side, until the first of them ends.

        Takes datasets, or one nested structure of them.

        >>> a, b = Dataset.range(3), Dataset.range(10, 12)
        >>> [(int(x), int(y)) for x, y in Dataset.zip(a, b)]
        [(0, 10), (1, 11)]
        """
        nest = datasets[0] if len(datasets) == 1 else datasets
        parts, structure = flatten(nest, lambda leaf: leaf)
        for part in parts:
            if not isinstance(part, DatasetBase):
                raise TypeError(f"zip takes datasets, got {type(part).__name__}: {part!r:.80}")
        return cls._make("zip", {}, parts, _zipped(structure))

    # ---- one to one ----

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        *,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """The result of `map_func` for each element.

        `map_func` is traced once and runs natively. If it needs values (PIL, NumPy, a branch), it
        runs as Python and a PythonFallbackWarning says so.

        Args:
            map_func: takes the components of an element; returns tensors, nested tuples or dicts
                of them, or a dataset.
            num_parallel_calls: threads; AUTOTUNE; None runs on the consumer's thread.
            deterministic: False delivers whatever is finished first.
            output_signature: TensorSpecs of the results; `map_func` then runs as Python, and
                nothing is traced or tried.

        >>> [int(x) for x in Dataset.range(3).map(lambda x: x + 1, num_parallel_calls=2)]
        [1, 2, 3]
        """
        function = self._trace(map_func, output_signature=output_signature, probe=self)
        arguments = {
            "function": function,
            "num_parallel_calls": num_parallel_calls,
            "deterministic": deterministic,
        }
        return self._make("map", arguments, (self,), function.structure)

    def _trace(self, function: Callable[..., Any], **how: Any) -> Any:
        return trace(
            function, [arguments_of(self)], native_only=bool(self._options.native_only), **how
        )

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which `predicate` is True.

        Raises:
            InvalidArgumentError: `predicate` does not return one bool.

        >>> [int(x) for x in Dataset.range(6).filter(lambda x: x % 2 == 0)]
        [0, 2, 4]
        """
        function = self._trace(predicate, probe=self)
        return self._make("filter", {"predicate": function}, (self,), self.structure)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """(index, element) pairs, from `start`.

        >>> [(int(i), x) for i, x in Dataset.from_tensor_slices(["a", "b"]).enumerate()]
        [(0, b'a'), (1, b'b')]
        """
        return self._make("enumerate", {"start": start}, (self,), (LEAF, self.structure))

    # ---- one to many ----

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """All elements of the dataset that `map_func` returns for each element, in order.

        >>> [int(x) for x in Dataset.range(3).flat_map(lambda x: Dataset.range(x))]
        [0, 0, 1]
        """
        function = self._trace(map_func)
        return self._make("flat_map", {"function": function}, (self,), _inner(function))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: int | None = None,
        block_length: int | None = None,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Blocks of elements from several datasets in turn: read many files at once.

        Args:
            map_func: returns a dataset for each element.
            cycle_length: datasets open at once; default 16, whatever the machine.
            block_length: elements taken from one before the next; default 1.
            num_parallel_calls: threads that read ahead, at most cycle_length; AUTOTUNE; None
                reads on the consumer's thread. The order is the same.
            deterministic: False takes from whichever dataset is ready.

        >>> ds = Dataset.range(1, 4).interleave(
        ...     lambda x: Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
        >>> [int(x) for x in ds]
        [1, 1, 2, 2, 1, 2, 3, 3, 3]
        """
        function = self._trace(map_func)
        arguments = {
            "function": function,
            "cycle_length": cycle_length,
            "block_length": block_length,
            "num_parallel_calls": num_parallel_calls,
            "deterministic": deterministic,
        }
        return self._make("interleave", arguments, (self,), _inner(function))

    def unbatch(self, name: str | None = None) -> Dataset:
        """The rows of axis 0 of each element.

        >>> [int(x) for x in Dataset.from_tensors([4, 5]).unbatch()]
        [4, 5]
        """
        return self._make("unbatch", {}, (self,), self.structure)

    # ---- which and in what order ----

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first `count` elements; all if -1."""
        return self._make("take", {"count": count}, (self,), self.structure)

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """All but the first `count` elements; none if -1."""
        return self._make("skip", {"count": count}, (self,), self.structure)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Every num_shards-th element, from element `index` on."""
        arguments = {"num_shards": num_shards, "index": index}
        return self._make("shard", arguments, (self,), self.structure)

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """The elements `count` times; for ever if None or -1."""
        return self._make("repeat", {"count": count}, (self,), self.structure)

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements of this dataset, then those of `dataset`.

        Raises:
            TypeError: the elements differ in structure or dtype.
        """
        mine = [spec[0] for spec in self.native.specs]
        theirs = [spec[0] for spec in dataset.native.specs]
        if self.structure != dataset.structure or mine != theirs:
            raise TypeError(
                f"cannot concatenate elements {self.element_spec!r} and {dataset.element_spec!r}"
            )
        return self._make("concatenate", {}, (self, dataset), self.structure)

    def shuffle(
        self,
        buffer_size: Any,
        seed: int | None = None,
        reshuffle_each_iteration: bool = True,
        name: str | None = None,
    ) -> Dataset:
        """Elements in random order: each is drawn from the next `buffer_size` ones.

        Args:
            buffer_size: elements held; -2 for all.
            seed: makes the orders reproducible.
            reshuffle_each_iteration: False repeats the same order in every pass.
        """
        arguments = {
            "buffer_size": buffer_size,
            "seed": seed,
            "reshuffle_each_iteration": reshuffle_each_iteration is not False,
        }
        return self._make("shuffle", arguments, (self,), self.structure)

    # ---- many to one ----

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Stacks `batch_size` elements along a new first axis.

        Args:
            batch_size: at least 1.
            drop_remainder: leaves out a last batch that is not full.
            num_parallel_calls: threads that stack batches; AUTOTUNE; None uses the consumer's.
            deterministic: as in map.

        Raises:
            InvalidArgumentError: while iterating, if shapes differ.
        """
        arguments = {
            "batch_size": batch_size,
            "drop_remainder": drop_remainder,
            "num_parallel_calls": num_parallel_calls,
            "deterministic": deterministic,
        }
        return self._make("batch", arguments, (self,), self.structure)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Stacks elements of different shapes, padded to a common one.

        Args:
            batch_size: at least 1.
            padded_shapes: shape for each component, None or -1 for "as long as the longest";
                None means that for all dimensions.
            padding_values: a scalar for each component, or one for all; default 0 or b"".
            drop_remainder: leaves out a last batch that is not full.

        Raises:
            DataLossError: while iterating, if an element is larger than its padded shape.
        """
        specs = self.native.specs
        arguments: dict[str, Any] = {
            "batch_size": batch_size,
            "drop_remainder": drop_remainder,
            "padded_shapes": padded_shape_list(padded_shapes, self.structure, specs),
            "padding_values": padding_value_list(padding_values, self.structure, specs),
        }
        return self._make("padded_batch", arguments, (self,), self.structure)

    # ---- running ----

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """Works ahead of the consumer on one thread, up to `buffer_size` elements; or AUTOTUNE."""
        return self._make("prefetch", {"buffer_size": buffer_size}, (self,), self.structure)

    def cache(self, filename: str = "", name: str | None = None) -> Dataset:
        """Keeps the elements of the first complete pass in memory for later ones."""
        if filename:
            raise NotImplementedError("cache to a file is not implemented yet; use cache()")
        return self._make("cache", {}, (self,), self.structure)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """Leaves out elements that fail; always ends."""
        return self._make("ignore_errors", {"log_warning": log_warning}, (self,), self.structure)

    def apply(self, transformation_func: Callable[[Dataset], Any]) -> Any:
        """transformation_func(self): to chain one's own functions."""
        result = transformation_func(self)
        if not isinstance(result, DatasetBase):
            raise TypeError(f"the function given to apply must return a dataset, got {result!r}")
        return result


DatasetBase._concrete = Dataset


def _inner(function: Any) -> Any:
    """Structure of the elements of the dataset that `function` returns."""
    return getattr(function.structure, "structure", function.structure)


def _zipped(structure: Any) -> Any:
    return map_leaves(structure, lambda part: part.structure)
