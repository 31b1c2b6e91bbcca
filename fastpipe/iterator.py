"""Iterator: one pass over a dataset, with its position, its statistics and its end."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import weakref
from typing import Any

from fastpipe import _core, position_file
from fastpipe.errors import OutOfRangeError
from fastpipe.explanation import Run
from fastpipe.optional import Optional
from fastpipe.options import SimulatedStorage
from fastpipe.structure import LEAF

# How _core.Iterator makes an element; a count of leaves means a flat tuple.
_ONE_LEAF = -1
_NESTED = -2
_TUPLES_AND_DICTS = -3

# Threads that may call Python must have ended before the interpreter does.
_live: weakref.WeakSet[Iterator] = weakref.WeakSet()


def _close_all() -> None:
    # From now on all that closes shares one bound, so what hangs must not use it up for others.
    _core.set_exiting()
    iterators = list(_live)
    for iterator in iterators:
        iterator.cancel()
    for iterator in iterators:
        with contextlib.suppress(Exception):  # the others must be closed all the same
            iterator.close()


atexit.register(_close_all)


class Iterator(_core.Iterator):
    """Yields elements as NumPy values. Usable by several threads, one element at a time.

    Threads start at the first `next` and stop when the iterator is closed, dropped or exhausted.
    After an error the next call goes on with the next element.

    >>> import fastpipe as fp
    >>> with fp.Dataset.range(3).iterator() as it:
    ...     print(next(it))
    0
    """

    _dataset: Any

    @property
    def element_spec(self) -> Any:
        """TensorSpecs in the structure of an element."""
        return self._dataset.element_spec

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
        """
        for element in self:
            return element
        raise OutOfRangeError("get_next: the iterator has ended")

    def get_next_as_optional(self) -> Optional:
        """The next element as an Optional, which is empty after the end."""
        for element in self:
            return Optional((element,), self.element_spec)
        return Optional.empty(self.element_spec)

    def next(self) -> Any:
        """The same as next(iterator)."""
        return self.__next__()

    def __enter__(self) -> Iterator:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Stops and joins its threads; the next `next` raises CancelledError.

        It waits at most 2 seconds: threads that hang, in a call to storage or in a Python function,
        are left alone with all they use, and joined when they have come back. A process can end
        without them.
        """
        super().close()

    def save(self) -> bytes:
        """The position: a few bytes from which `dataset.iterator(state)` goes on.

        Raises:
            UnimplementedError: a stage has no position that can be replayed; it names itself.
        """
        return super().save()

    def save_file(self, path: str | os.PathLike[str]) -> None:
        """Saves the position to a file, from which `dataset.iterator(path)` goes on.

        The file is replaced as a whole: a process that is killed meanwhile leaves the old one.

        Raises:
            UnimplementedError: a stage has no position that can be replayed; it names itself.
            OSError: the file cannot be written.

        >>> import os, tempfile
        >>> import fastpipe as fp
        >>> ds = fp.Dataset.range(5)
        >>> it = ds.iterator()
        >>> _ = next(it), next(it)
        >>> path = os.path.join(tempfile.mkdtemp(), "position")
        >>> it.save_file(path)
        >>> [int(x) for x in ds.iterator(path)]
        [2, 3, 4]
        """
        position_file.write(path, self.save())

    def ignored_errors(self) -> int:
        """How many errors the ignore_errors of the pipeline left out so far."""
        return super().ignored_errors()

    def stats(self) -> list[dict[str, Any]]:
        """What each stage (an op with threads of its own) counted, and where its knobs are.

        One dict a stage, consumers before what they read from: from the first `next` to close(),
        also after the end. A stage below `repeat` is a new one in each epoch, one inside interleave
        in each dataset. All counts begin with the stage. Times are in nanoseconds, summed over its
        threads: busy_ns, input_wait_ns, lock_wait_ns and full_wait_ns add up to their lives.

        - label: the op and the line that made it, "map (train.py:12)".
        - op: tells the ops of a pipeline apart, also those of one label.
        - threads: those that run now; 0 after the end.
        - window: chunks of results (of 1 or more elements each) that may be under way or ready; in
          an interleave, datasets that are opened ahead.
        - autotuned: whether AUTOTUNE may change threads or window.
        - direct: whether its consumer computes at present, itself and what is below, while the
          threads rest: AUTOTUNE's choice where elements cost less than handing them over.
        - feeds_program: whether the program itself takes its results, and no other stage.
        - elements: results that were made; delivered: those that the consumer took.
        - buffered: results that are ready and not delivered yet.
        - buffered_bytes: bytes of results made and not delivered, ready or not.
        - byte_limit: where buffered_bytes makes the threads wait: this stage's share of
          AutotuneOptions.ram_budget.
        - busy_ns: in the stage's own function, and in ops without threads below it.
        - cpu_ns: of it, and of what waiting costs, on a core.
        - core_wait_ns: ready to run while all cores were taken, whatever the thread was doing; 0
          where the system does not tell.
        - input_wait_ns: waiting for the next stage below; lock_wait_ns: for another thread of this
          stage that takes from the input, which one does at a time.
        - full_wait_ns: waiting for the consumer to make room.
        - empty_wait_ns: the consumer's time waiting for this stage.
        - age_ns: since the first `next`, or since the stage was made if that was later; until the
          end. elements / age_ns is its rate.

        >>> import fastpipe as fp
        >>> it = iter(fp.Dataset.range(3).map(lambda x: x + 1, num_parallel_calls=2))
        >>> it.stats()
        []
        >>> _ = list(it)
        >>> [(stage["elements"], stage["delivered"]) for stage in it.stats()]
        [(3, 3)]
        """
        return self.stages()

    def explain(self) -> str:
        """What the pipeline does: Dataset.explain() with what stats() counted, as a tree of text.

        Below the line of each stage: elements made since it began and their rate, what is ready and
        its limit, the share of the time in which the consumer waits for it; how its threads spend
        their time (busy, and waiting: shares of 100 %), and how much of it they had a core or were
        ready without one; the last that AUTOTUNE decided about it. Stages of datasets that a
        function makes are summed by label. At the end what bottleneck() says, the budgets, and the
        latest of autotune_log(). Before the first `next` and after close() there are no figures.

        >>> import fastpipe as fp
        >>> it = iter(fp.Dataset.range(10**6).map(lambda x: x + 1, num_parallel_calls=2))
        >>> _ = next(it)
        >>> print(it.explain())
        map add (...): 2 threads, ... chunks ahead
        │   ... made, .../s; ... of them ready, ...B (limit ...); its consumer waits ... %
        │   threads busy ... %...
        └─ range start=0 stop=1000000 step=1 (...): on a thread of map
        bottleneck: ...
        budgets of all stages together: ... cores, ...B
        """
        text: str = self._dataset._explain(
            Run(self.stats(), self.autotune_log(), self.bottleneck(), self.budgets())
        )
        return text

    def bottleneck(self) -> str:
        """What keeps the pipeline from going faster, in a sentence.

        >>> import fastpipe as fp
        >>> it = iter(fp.Dataset.range(10**6).map(lambda x: x + 1, num_parallel_calls=1))
        >>> _ = next(it)
        >>> isinstance(it.bottleneck(), str)
        True
        """
        return super().bottleneck()

    def set_storage(self, storage: SimulatedStorage) -> None:
        """Changes the simulated storage while the pipeline runs, for files that are open too.

        Raises:
            TypeError: `storage` is not a SimulatedStorage.
            ValueError: the pipeline does not read through a SimulatedStorage.
        """
        if not isinstance(storage, SimulatedStorage):
            raise TypeError(
                f"set_storage: storage must be a SimulatedStorage, got "
                f"{type(storage).__name__}: {storage!r}"
            )
        if self._dataset.options().storage is None:
            raise ValueError(
                "set_storage: the pipeline reads from real storage; give it a SimulatedStorage "
                "with Options(storage=...)"
            )
        self.change_storage(storage.native())

    def autotune_log(self) -> list[str]:
        """What AUTOTUNE decided, one line a decision: when, where, why, from what to what."""
        return self.tuner_log()


class NumpyIterator(Iterator):
    """NumpyIterator(dataset): the same as iter(dataset)."""

    def __new__(cls, dataset: Any) -> Any:
        return dataset.iterator()


def _tuples_and_dicts(structure: Any) -> bool:
    if type(structure) is tuple:
        return all(_tuples_and_dicts(item) for item in structure)
    if type(structure) is dict:
        return all(_tuples_and_dicts(item) for item in structure.values())
    return structure is LEAF


def start(
    dataset: Any,
    unflatten: Any,
    options: Any,
    run_index: int,
    state: bytes | str | os.PathLike[str] | None,
) -> Iterator:
    """Makes an Iterator of `dataset`, at `state` if given.

    `unflatten` makes an element of its leaves, unless that is the only leaf or a flat tuple.
    """
    structure = dataset.structure
    leaves = _NESTED
    if structure is LEAF:
        leaves = _ONE_LEAF
    elif type(structure) is tuple and all(item is LEAF for item in structure):
        leaves = len(structure)
    elif _tuples_and_dicts(structure):
        leaves, unflatten = _TUPLES_AND_DICTS, structure
    iterator = Iterator(
        dataset.native,
        options.native(),
        options.storage.native() if options.storage is not None else None,
        run_index,
        leaves,
        unflatten,
        functools.cache(dataset.node.fingerprint),
    )
    iterator._dataset = dataset  # keeps the Python callables of the pipeline alive
    _live.add(iterator)
    if state is not None:
        position_file.restore(state, iterator.restore)
    return iterator
