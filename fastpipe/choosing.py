"""Elements drawn from several datasets, or drawn again to mix classes otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastpipe.base import DatasetBase
from fastpipe.errors import InvalidArgumentError


class Choosing(DatasetBase):
    """Mixed into Dataset."""

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
