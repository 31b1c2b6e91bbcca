"""The elements of a Python generator, and the state of one that can be saved."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fastpipe.base import leaf_structure
from fastpipe.errors import InvalidTypeError
from fastpipe.spec import TensorSpec
from fastpipe.structure import flatten


def _generated(value: Any, spec: TensorSpec, dtype: Any) -> Any:
    """What a generator yielded, in the NumPy dtype of `spec`; None leaves it as it is."""
    if dtype is None or getattr(value, "dtype", None) == dtype:
        return value
    try:
        return np.asarray(value, dtype)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(
            f"the generator yielded {value!r:.80} where its signature says {spec!r}: {error}"
        ) from None


class Generated:
    """One pass over what `generator(*values)` returns, as lists of leaves.

    Nothing is called before the first element is asked for. The pass can be saved if the returned
    object, or its iterator, has `state_dict()` and `load_state_dict(state)`.
    """

    def __init__(
        self, generator: Callable[..., Any], specs: list[Any], structure: Any, values: list[Any]
    ) -> None:
        self._generator = generator
        self._values = values
        self._specs = specs
        self._structure = structure
        self._stateful: Any = None
        self._state: Any = None
        self._restores = False
        self._leaves = self._generate()

    def __next__(self) -> list[Any]:
        return next(self._leaves)

    def save(self) -> bytes | str:
        """The state, as JSON; or the type of what the generator returned, which offers none."""
        if self._stateful is None or isinstance(self._stateful, type):
            return getattr(self._stateful, "__name__", "nothing")
        state = self._stateful.state_dict()
        text = json.dumps(state, allow_nan=False)
        if json.loads(text) != state:
            raise InvalidTypeError(
                f"state_dict() of {type(self._stateful).__name__} must return what JSON can hold "
                f"(dicts with str keys, lists, str, int, float, bool, None), got {state!r:.200}"
            )
        return text.encode()

    def restore(self, state: bytes) -> None:
        """Goes on where `state` was saved."""
        self._state, self._restores = json.loads(state), True

    def _generate(self) -> Iterator[list[Any]]:
        kinds = [
            None if spec.dtype in ("string", "bfloat16") else spec.dtype.as_numpy_dtype
            for spec in self._specs
        ]
        for element in self._start():
            flat, got = flatten(element, leaf_structure)
            if got != self._structure:
                raise InvalidTypeError(
                    f"the generator yielded {element!r:.80}, which has the structure "
                    f"{got!r}; output_signature has {self._structure!r}"
                )
            yield list(map(_generated, flat, self._specs, kinds))

    def _start(self) -> Iterator[Any]:
        elements = self._generator(*self._values)
        if not hasattr(elements, "__iter__") and not hasattr(elements, "__getitem__"):
            raise InvalidTypeError(f"the generator must return an iterable, got {elements!r:.80}")
        if _has_state(elements):
            self._stateful = elements
            self._load()
        iterator: Iterator[Any] = iter(elements)
        if self._stateful is None:
            self._stateful = iterator if _has_state(iterator) else type(iterator)
            self._load()
        return iterator

    def _load(self) -> None:
        if not self._restores:
            return
        if isinstance(self._stateful, type):
            raise InvalidTypeError(
                f"a state was saved, but the generator now returns a {self._stateful.__name__}, "
                f"which has no load_state_dict(state)"
            )
        self._stateful.load_state_dict(self._state)


def _has_state(elements: Any) -> bool:
    return callable(getattr(elements, "state_dict", None)) and callable(
        getattr(elements, "load_state_dict", None)
    )
