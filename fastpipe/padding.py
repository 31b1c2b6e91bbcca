"""The arguments of padded_batch, spread over the components of an element."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastpipe.errors import InvalidArgumentError, InvalidTypeError
from fastpipe.spec import as_shape, as_tensor
from fastpipe.structure import LEAF, flatten, leaf_structures
from fastpipe.tracing import Symbol, convert, has_symbol


def _is_shape(value: Any) -> bool:
    """True for a list, tuple or array of sizes: in the place of a component it is its shape."""
    if isinstance(value, (list, np.ndarray)):
        return True
    return isinstance(value, tuple) and all(
        item is None or isinstance(item, (int, np.integer)) for item in value
    )


def _spread(value: Any, structure: Any) -> list[Any]:
    """The parts of `value`, one for each leaf of `structure`."""
    if structure is LEAF or value is None:
        return [value] * len(leaf_structures(structure))
    if isinstance(structure, dict):
        return [part for key in structure for part in _spread(value[key], structure[key])]
    if isinstance(structure, tuple):
        if not isinstance(value, (tuple, list)) or len(value) != len(structure):
            raise TypeError(f"expected one value for each of {structure!r}, got {value!r}")
        return [
            part
            for item, inner in zip(value, structure, strict=True)
            for part in _spread(item, inner)
        ]
    return [value] * len(leaf_structures(structure))


def padded_shape_list(shapes: Any, structure: Any, specs: list[Any]) -> list[Any]:
    """A list of ints (-1 for unknown) or scalar Symbols for each component."""
    if shapes is None:
        for spec in specs:
            if spec[1] is None:
                raise InvalidArgumentError(
                    "padded_batch needs padded_shapes where the rank is unknown"
                )
        return [[-1 if dim is None else dim for dim in spec[1]] for spec in specs]
    if structure is not LEAF and _is_shape(shapes) and len(specs) == 1:
        shapes = [shapes]
    parts = _spread(shapes, structure)
    lists = []
    for part in parts:
        shape = part.tolist() if isinstance(part, np.ndarray) else part
        if not has_symbol(shape):
            try:
                shape = as_shape(shape)
            except TypeError:
                raise InvalidTypeError(
                    f"padded_shapes must have a list of sizes for each component, got {part!r:.80}"
                ) from None
        lists.append([-1 if dim is None else dim for dim in shape or ()])
    return lists


def padding_value_list(values: Any, structure: Any, specs: list[Any]) -> list[Any] | None:
    """A scalar for each component, or None for 0 and b""."""
    if values is None:
        return None
    _, given = flatten(values, lambda leaf: LEAF)
    parts = _spread(values, structure) if given is not LEAF else [values] * len(specs)
    return [_padding_value(part, spec[0]) for part, spec in zip(parts, specs, strict=True)]


def _padding_value(value: Any, dtype: str) -> Any:
    if value is None:
        return b"" if dtype == "string" else as_tensor(0, dtype)
    if isinstance(value, Symbol):
        return value
    # A Python integer takes the component's dtype, a float that of floats; an array must have it.
    typed = isinstance(value, (np.ndarray, np.generic, str, bytes))
    if isinstance(value, float) and "float" not in dtype:
        raise InvalidTypeError(f"padding_values has {value!r} for a component of dtype {dtype}")
    return convert(value) if typed else as_tensor(value, dtype)
