"""Elements drawn from several datasets, or drawn so that classes mix in another way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fastpipe.array import concat, gather, one_hot, reshape, tile
from fastpipe.base import DatasetBase
from fastpipe.errors import InvalidArgumentError
from fastpipe.math import cast
from fastpipe.reductions import cumsum, reduce_max, reduce_min, reduce_sum
from fastpipe.seed import dataset_seed
from fastpipe.spec import TensorSpec, as_tensor
from fastpipe.structure import flatten

# How many elements share an estimate of how classes are distributed, and how many of each class
# are thought to have been seen before the first.
_ESTIMATED_AT_ONCE = 32
_SEEN_BEFORE = 10


class Choosing(DatasetBase):
    """Mixed into Dataset."""

    @classmethod
    def choose_from_datasets(
        cls, datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = True
    ) -> Any:
        """Elements of several datasets, in the order in which `choice_dataset` names them.

        Args:
            datasets: have equal elements.
            choice_dataset: scalar int64 numbers of datasets, from 0.
            stop_on_empty_dataset: True ends with the first choice of a dataset that has ended;
                False passes over such choices.

        >>> from fastpipe import Dataset
        >>> two = [Dataset.range(3), Dataset.range(10, 13)]
        >>> choices = Dataset.range(2).repeat()
        >>> [int(x) for x in Dataset.choose_from_datasets(two, choices).take(4)]
        [0, 10, 1, 11]
        """
        datasets = list(datasets)
        _require_alike(datasets)
        if not isinstance(choice_dataset, DatasetBase):
            raise TypeError(f"choice_dataset must be a dataset, got {choice_dataset!r:.80}")
        if choice_dataset.element_spec != TensorSpec((), "int64"):
            raise TypeError(
                f"choice_dataset must have scalar int64 elements, got "
                f"{choice_dataset.element_spec!r}"
            )
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
        rerandomize_each_iteration: bool | None = None,
    ) -> Any:
        """Elements of several datasets, drawn at random.

        Args:
            datasets: have equal elements.
            weights: a number for each dataset (default equal), or a dataset of such vectors, one
                for each draw.
            seed: makes the draws reproducible.
            stop_on_empty_dataset: True ends with the first draw of a dataset that has ended; False
                goes on with the others.
            rerandomize_each_iteration: True gives each pass draws of its own.
        """
        datasets = list(datasets)
        _require_alike(datasets)
        if isinstance(weights, DatasetBase):
            choices = _draws(cls, weights, len(datasets), seed, rerandomize_each_iteration)
            return cls.choose_from_datasets(datasets, choices, stop_on_empty_dataset)
        parts = [1.0] * len(datasets) if weights is None else [float(weight) for weight in weights]
        if len(parts) == len(datasets) and all(part >= 0 for part in parts):
            datasets = [item for item, part in zip(datasets, parts) if part > 0] or [
                cls._make("take", {"count": 0}, (datasets[0],), datasets[0].structure)
            ]
            parts = [part for part in parts if part > 0]
            if len(datasets) == 1:
                return datasets[0]
        arguments = {
            "weights": parts,
            "seed": dataset_seed(seed),
            "stop_on_empty_dataset": stop_on_empty_dataset,
            "rerandomize_each_iteration": bool(rerandomize_each_iteration),
        }
        return cls._make("sample_from_datasets", arguments, datasets, datasets[0].structure)

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> Any:
        """(class, element) pairs of which some are left out, so that classes are distributed as
        `target_dist` says.

        Args:
            class_func: the class of an element, an integer scalar from 0.
            target_dist: the probability of each class.
            initial_dist: how the classes are distributed now; None estimates it on the way.
            seed: makes the draws reproducible.

        >>> import fastpipe as fp
        >>> ds = fp.Dataset.range(1000).map(lambda x: fp.cast(x % 10 == 0, fp.int32))
        >>> even = ds.rejection_resample(lambda c: c, [0.5, 0.5], [0.9, 0.1], seed=1)
        >>> classes = [int(c) for c, _ in even]
        >>> 0.4 < sum(classes) / len(classes) < 0.6
        True
        """
        target = np.asarray(as_tensor(target_dist)).astype(np.float32)

        def with_class(*element: Any) -> Any:
            return class_func(*element), element[0] if len(element) == 1 else element

        classified = self._same.map(with_class)
        if initial_dist is None:
            mixing = _estimated(classified, len(target)).map(lambda now: _mixing(now, target))
            original: Any = mixing.map(lambda accept, part: [part, 1 - part])
            accepted = mixing.map(lambda accept, part: accept)
        else:
            initial = np.asarray(as_tensor(initial_dist)).astype(np.float32)
            with np.errstate(all="ignore"):
                accept, part = _mixing(initial, target)
            if part >= 1:
                return classified
            original = [float(part), 1 - float(part)]
            accepted = self._same.from_tensors(np.asarray(accept)).repeat()
        kept = _accept(classified, accepted, seed)
        if initial_dist is not None and part <= 0:
            return kept
        return self.sample_from_datasets([classified, kept], original, seed, True)

    @property
    def _same(self) -> Any:
        """This dataset, with the methods of the other parts of its class."""
        return self


def _draws(cls: Any, weights: Any, count: int, seed: int | None, anew: bool | None) -> Any:
    """Numbers below `count`, drawn by the vectors that `weights` yields."""

    def draw(bits: Any, vector: Any) -> Any:
        parts = [reshape(cast(leaf, "float64"), [-1]) for leaf in flatten(vector, lambda x: x)[0]]
        edges = cumsum(concat(parts, axis=0))
        place = cast(bits, "float64") / 2.0**32 * edges[-1]
        return reduce_sum(cast(edges[: count - 1] <= place, "int64"))

    return cls.zip(cls.random(seed, anew), weights).map(draw)


def _mixing(initial: Any, target: Any) -> tuple[Any, Any]:
    """Which part of each class to accept, and which part of all elements to take unseen."""
    ratio = target / (initial + np.finfo(np.float32).tiny)
    most, least = reduce_max(ratio), reduce_min(ratio)
    return (ratio - least) / (most - least), least


def _estimated(classified: Any, classes: int) -> Any:
    """For each element the distribution of classes so far."""

    def update(seen: Any, batch: Any) -> Any:
        seen = seen + reduce_sum(one_hot(batch, classes, dtype="int64"), axis=0)
        now = cast(seen, "float64") / cast(reduce_sum(seen), "float64")
        return seen, tile(reshape(cast(now, "float32"), [1, classes]), [_ESTIMATED_AT_ONCE, 1])

    batches = classified.map(lambda number, element: number).batch(_ESTIMATED_AT_ONCE)
    return batches.scan(np.full([classes], _SEEN_BEFORE, np.int64), update).unbatch()


def _accept(classified: Any, accepted: Any, seed: int | None) -> Any:
    """The pairs that a draw accepts, by the probability of their class."""

    def passes(pair: Any, accept: Any, bits: Any) -> Any:
        return cast(bits, "float32") / 2.0**32 < gather(accept, pair[0])

    drawn = classified.zip(classified, accepted, classified.random(seed)).filter(passes)
    return drawn.map(lambda pair, accept, bits: pair)


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
