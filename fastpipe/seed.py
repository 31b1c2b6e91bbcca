"""Seeds: the global one, and those that operations get from it.

A seed that an operation was given says which random numbers it draws, together with the global
seed if there is one. Operations without a seed take theirs from the global seed, in the order in
which they are made; without a global seed they have none, and every run differs.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import Counter

import numpy as np

# What seeds of operations go together with where there is no global one: TensorFlow's value.
_DEFAULT_GLOBAL_SEED = 87654321


class _Seeds:
    """The global seed and what has been taken from it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.set(None)

    def set(self, seed: int | None) -> None:
        """Starts anew from a global seed, or from none."""
        with self._lock:
            self._global_seed = seed
            self._taken = 0
            self._calls: Counter[int] = Counter()

    def of_operation(self, seed: int | None) -> int | None:
        """See op_seed."""
        with self._lock:
            if seed is not None:
                own = _DEFAULT_GLOBAL_SEED if self._global_seed is None else self._global_seed
                return _mixed("own", own, seed)
            if self._global_seed is None:
                return None
            self._taken += 1
            return _mixed("taken", self._global_seed, self._taken)

    def of_dataset(self, seed: int | None) -> int | None:
        """See dataset_seed."""
        if self._global_seed is None or not isinstance(seed, (int, np.integer, type(None))):
            return seed
        return self.of_operation(None if seed is None else int(seed))

    def of_call(self, seed: int | None) -> tuple[int, int]:
        """See call_seed."""
        own = self.of_operation(seed)
        if own is None:
            first, second = np.frombuffer(os.urandom(16), np.int64)
            return int(first), int(second)
        with self._lock:
            self._calls[own] += 1
            return own, self._calls[own]


def _mixed(*parts: object) -> int:
    """An int64 that looks random and is a function of `parts`."""
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


_seeds = _Seeds()


def set_seed(seed: int | None) -> None:
    """Sets the global seed: from here on every run of the same program draws the same numbers.

    Random functions and datasets (`shuffle`, `list_files`, ...) that are given no seed get one
    each, in the order in which they are made: `set_seed` before making a pipeline again makes it
    the same again. Those that have a seed draw other numbers under another global seed.

    Args:
        seed: An integer; None goes back to numbers that differ from run to run.

    >>> import fastpipe as fp
    >>> def draw():
    ...     fp.random.set_seed(7)
    ...     return list(fp.Dataset.range(3).map(lambda x: fp.random.uniform([])))
    >>> draw() == draw()
    True
    >>> fp.random.set_seed(None)
    """
    _seeds.set(None if seed is None else int(seed))


def op_seed(seed: int | None) -> int | None:
    """The seed, an int64, of an operation that was given `seed`; None if it has none."""
    return _seeds.of_operation(None if seed is None else int(seed))


def dataset_seed(seed: int | None) -> int | None:
    """The seed of a dataset that was given `seed`: that one unless there is a global seed."""
    return _seeds.of_dataset(seed)


def call_seed(seed: int | None) -> tuple[int, int]:
    """Two integers for one call on values: those of calls with equal `seed` differ."""
    return _seeds.of_call(None if seed is None else int(seed))
