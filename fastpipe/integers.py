"""Lists of integers of which some are known only when the function runs: shapes, sizes, boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastpipe.errors import InvalidArgumentError
from fastpipe.tracing import Symbol


def integers_argument(name: str, value: Any) -> tuple[list[int | str] | None, list[Any]]:
    """A list of integers as kernels take it.

    Args:
        name: What to call it in messages.
        value: Integers and scalar Symbols in a list or tuple, an integer array, or one Symbol for
            all of them.

    Returns:
        The attribute, in which the word "input" stands for each integer that is an input, or None
        if one input holds them all; and the inputs.

    Raises:
        InvalidArgumentError: `value` is something else.

    >>> integers_argument("size", (224, 224))
    ([224, 224], [])
    """
    if isinstance(value, Symbol):
        return None, [value]
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist() if value.dtype.kind in "iu" or not value.size else list(value)
    if not isinstance(value, (list, tuple)):
        raise InvalidArgumentError(f"{name} must be a list of integers, got {value!r:.80}")
    items: list[int | str] = []
    inputs: list[Any] = []
    for item in value:
        if isinstance(item, Symbol):
            items.append("input")
            inputs.append(item)
        elif isinstance(item, (int, np.integer)) or _is_integer_scalar(item):
            items.append(int(item))
        else:
            raise InvalidArgumentError(
                f"{name} must be integers, got {item!r:.80} in {value!r:.80}"
            )
    return items, inputs


def _is_integer_scalar(item: Any) -> bool:
    return isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype.kind in "iu"


def integers(name: str, value: object) -> tuple[dict[str, Any], list[Any]]:
    """The attribute and the inputs that carry integers, alone or in nested lists, to a kernel."""
    items, inputs = integers_argument(name, value if isinstance(value, Symbol) else _flat(value))
    return {} if items is None else {name: items}, inputs


def _flat(value: object) -> list[object]:
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _flat(item)]
    if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "iu":
        return list(value.ravel())
    return [value]
