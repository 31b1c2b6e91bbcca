"""Dataset: sources and transformations. Each method checks, natively, and returns a description."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from fastpipe import _core
from fastpipe.base import DatasetBase
from fastpipe.choosing import Choosing
from fastpipe.description import describe, describe_options
from fastpipe.explanation import Run, describe_budgets, explain
from fastpipe.folding import Folding
from fastpipe.functions import arguments_of, trace
from fastpipe.grouping import Grouping
from fastpipe.padding import padded_shape_list, padding_value_list
from fastpipe.python_callable import PythonCallable
from fastpipe.seed import dataset_seed
from fastpipe.sources import Sources
from fastpipe.storage import Storage
from fastpipe.structure import LEAF, has_composites, parts_argument, stacked, unstacked


class Dataset(Sources, Grouping, Folding, Choosing, Storage):
    """A pipeline's description: immutable, printable, picklable, iterable any number of times.

    >>> import fastpipe as fp
    >>> ds = fp.Dataset.range(6).map(lambda x: x * x).batch(4)
    >>> [batch.tolist() for batch in ds]
    [[0, 1, 4, 9], [16, 25]]
    """

    # ---- one to one ----

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
        *,
        output_signature: Any = None,
    ) -> Dataset:
        """The result of `map_func` for each element.

        `map_func` is traced once and runs natively. If it needs values (PIL, NumPy, a branch), it
        runs as Python and a PythonFallbackWarning says so.

        Args:
            map_func: takes the components of an element; returns tensors, nested tuples or dicts
                of them, or a dataset.
            num_parallel_calls: threads; AUTOTUNE; None runs on the consumer's thread.
            deterministic: False delivers whatever is finished first.
            synchronous: True forbids num_parallel_calls; without them a map is synchronous.
            use_unbounded_threadpool: without effect: threads that wait do not keep others from
                working.
            output_signature: TensorSpecs of the results; `map_func` then runs as Python, and
                nothing is traced or tried.

        >>> [int(x) for x in Dataset.range(3).map(lambda x: x + 1, num_parallel_calls=2)]
        [1, 2, 3]
        """
        if synchronous and num_parallel_calls is not None:
            raise ValueError(
                f"a synchronous map has no num_parallel_calls, got {num_parallel_calls}"
            )
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
            cycle_length: datasets open at once; default 16, whatever the machine. With
                deterministic=False and num_parallel_calls=AUTOTUNE the default is tuned, up to 64.
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
        arguments = parts_argument(self.structure)
        return self._make("unbatch", arguments, (self,), unstacked(self.structure))

    # ---- which and in what order ----

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first `count` elements; all if it is negative."""
        return self._make("take", {"count": count}, (self,), self.structure)

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """All but the first `count` elements; none if it is negative."""
        return self._make("skip", {"count": count}, (self,), self.structure)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Every num_shards-th element, from element `index` on."""
        arguments = {"num_shards": num_shards, "index": index}
        return self._make("shard", arguments, (self,), self.structure)

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """The elements `count` times; for ever if None or negative."""
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
            "seed": dataset_seed(seed),
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
            **parts_argument(self.structure),
        }
        return self._make("batch", arguments, (self,), stacked(self.structure))

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
            TypeError: a component is sparse or ragged.
        """
        if has_composites(self.structure):
            raise TypeError(
                f"padded_batch takes dense tensors, got {self.element_spec!r}: use batch, or make "
                f"them dense first"
            )
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

    def ignore_errors(
        self,
        log_warning: bool = False,
        name: str | None = None,
        *,
        on_error: Callable[[Exception], Any] | None = None,
    ) -> Dataset:
        """Leaves out elements that fail; always ends. Iterator.ignored_errors() counts them.

        Args:
            log_warning: writes a line to standard error for each.
            on_error: called with each exception, on the thread that met it; an exception that it
                raises takes the place of the element.

        >>> import fastpipe as fp
        >>> seen = []
        >>> texts = Dataset.from_tensor_slices(["1", "x", "3"])
        >>> numbers = texts.map(lambda t: fp.strings.to_number(t, fp.int32))
        >>> it = iter(numbers.ignore_errors(on_error=seen.append))
        >>> [int(x) for x in it], it.ignored_errors(), type(seen[0]).__name__
        ([1, 3], 1, 'InvalidArgumentError')
        """
        arguments: dict[str, Any] = {"log_warning": log_warning}
        if on_error is not None:
            tell = functools.partial(_tell, on_error)
            arguments["on_error"] = PythonCallable(tell, on_error, "on_error")
        return self._make("ignore_errors", arguments, (self,), self.structure)

    def apply(self, transformation_func: Callable[[Dataset], Any]) -> Any:
        """transformation_func(self): to chain one's own functions."""
        result = transformation_func(self)
        if not isinstance(result, DatasetBase):
            raise TypeError(f"the function given to apply must return a dataset, got {result!r}")
        return result

    def explain(self) -> str:
        """How the pipeline would run: a tree of its ops, the one next to the consumer on top.

        Each line says which threads compute an op: its own ("2 threads", or as many as AUTOTUNE
        says), those of the op above that has some, or the consumer's. Functions that run as Python
        are named, with the line that stopped tracing; so are the ops of datasets that functions
        make, and the budgets. Iterator.explain() says what happens when it runs.

        >>> ds = Dataset.range(9).map(lambda x: x + 1, num_parallel_calls=2).batch(4).prefetch(1)
        >>> print(ds.explain())
        prefetch (...): 1 thread, elements ahead: 1
        └─ batch 4 (...): on a thread of prefetch
           └─ map add (...): 2 threads
              └─ range start=0 stop=9 step=1 (...): on a thread of map
        budgets of all stages together: ... cores, ...B
        """
        return self._explain(None)

    def _explain(self, run: Run | None) -> str:
        budgets = _core.budgets(self._options.native()) if run is None else run.budgets
        options = [describe_budgets(budgets), *describe_options(self._options)]
        return explain(describe(self), options, run)


DatasetBase._concrete = Dataset


def _tell(on_error: Callable[[Exception], Any], values: list[Any]) -> None:
    on_error(values[0])


def _inner(function: Any) -> Any:
    """Structure of the elements of the dataset that `function` returns."""
    return getattr(function.structure, "structure", function.structure)
