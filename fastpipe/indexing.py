"""value[key] on symbols, and constants that can be indexed by symbols.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from fastpipe.spec import as_dtype, as_tensor
from fastpipe.tracing import Symbol, call, convert, has_symbol, set_indexing

__all__ = [
    "Constant", "constant", "convert_to_tensor", "get_static_value", "index", "is_tensor",
]  # fmt: skip


def index(value: object, key: object) -> Any:
    """value[key] by NumPy's rules for integers, slices, None and `...`, any of them symbolic.

    An integer must exist in its axis, or running raises InvalidArgumentError; slices stop at the
    ends. A symbolic bool tensor selects as `boolean_mask` does.

    Raises:
        TypeError: the key holds something else: use gather or boolean_mask.

    >>> index([[1, 2, 3], [4, 5, 6]], (slice(None), -1)).tolist()
    [3, 6]
    """
    if isinstance(key, Symbol) and key.dtype.name == "bool" and key.ndim != 0:
        return call("boolean_mask", [value, key], axis=0)
    inputs: list[object] = [value]

    def bound(item: object) -> int | str | None:
        if item is None:
            return None
        if isinstance(item, Symbol):
            inputs.append(item)
            return "input"
        if not isinstance(item, (bool, np.bool_)):
            try:
                return operator.index(item)  # type: ignore[arg-type]
            except TypeError:
                pass
        raise TypeError(
            f"a tensor is indexed by integers, slices, None and ..., not by {item!r}: "
            f"use gather or boolean_mask"
        )

    items: list[object] = []
    for item in key if isinstance(key, tuple) else (key,):
        if item is Ellipsis:
            items.append("...")
        elif item is None:
            items.append("newaxis")
        elif isinstance(item, slice):
            items.append([bound(item.start), bound(item.stop), bound(item.step)])
        else:
            items.append(bound(item))
    return call("strided_slice", inputs, items=items)


set_indexing(index)


def _is_symbolic(key: object) -> bool:
    if isinstance(key, slice):
        return any(isinstance(each, Symbol) for each in (key.start, key.stop, key.step))
    if isinstance(key, tuple):
        return any(_is_symbolic(item) for item in key)
    return isinstance(key, Symbol)


class Constant(np.ndarray[Any, Any]):
    """A NumPy array that a symbol may index: `table[label]` inside a traced function.

    >>> constant([1, 2, 3])[1:].tolist()
    [2, 3]
    """

    def __getitem__(self, key: Any) -> Any:
        return index(self, key) if _is_symbolic(key) else super().__getitem__(key)

    def numpy(self) -> Any:
        """The plain NumPy array; a scalar if there are no axes."""
        return np.asarray(self)[()]


def constant(
    value: object, dtype: object = None, shape: object = None, name: str | None = None
) -> Constant:
    """A value as an array: ints become int32, floats float32, strings bytes.

    Args:
        value: a number, string, array, or nested lists of them.
        dtype: another dtype.
        shape: of the result; a single value fills it.

    Raises:
        TypeError: `value` does not fit the dtype, or not the shape.

    >>> constant([1.5, 2]).dtype.name, constant(7, shape=[2]).tolist()
    ('float32', [7, 7])
    """
    if dtype is not None and isinstance(value, (int, float, str, bytes, list, tuple)):
        _expect_fitting(value, dtype)
    tensor = as_tensor(value, dtype)
    array = np.asarray(tensor, dtype=object) if isinstance(tensor, bytes) else np.asarray(tensor)
    if shape is not None:
        dims = tuple(int(size) for size in np.atleast_1d(np.asarray(shape, int)))
        if array.size == 1:
            array = np.full(dims, array.reshape(()), array.dtype)
        elif array.size != np.prod(dims, dtype=int):
            raise TypeError(f"{array.size} values do not fill the shape {dims}")
        array = array.reshape(dims)
    return array.view(Constant)


def _expect_fitting(value: object, dtype: object) -> None:
    """TypeError for values of another kind: floats for integers, numbers for bools, text."""
    array = np.asarray(value)
    name = as_dtype(dtype).name
    fits = {"bool": "b", "string": "OSU"}.get(name, "iub" if as_dtype(dtype).is_integer else "iubf")
    if array.size and array.dtype.kind not in fits and array.dtype.kind != "O":
        raise TypeError(f"{value!r:.80} does not fit the dtype {name}: cast it")


def convert_to_tensor(
    value: object, dtype: object = None, dtype_hint: object = None, name: str | None = None
) -> Any:
    """A symbol as it is, anything else as a value, by the rules of literals.

    Args:
        value: a symbol, number, string, array, or nested lists of them.
        dtype: the dtype of the result.
        dtype_hint: the dtype of the result if the value fits it.
        name: has no meaning here.

    Raises:
        TypeError, ValueError: `value` is a tensor of another dtype, or does not fit it.

    >>> convert_to_tensor([1, 2], "float32").tolist()
    [1.0, 2.0]
    """
    wanted = dtype if dtype is not None else dtype_hint
    if isinstance(value, (Symbol, Constant)):
        if dtype is not None and as_dtype(value.dtype) != as_dtype(dtype):
            raise ValueError(
                f"expected a tensor of {as_dtype(dtype).name}, got {as_dtype(value.dtype).name}"
            )
        return value
    if wanted is None or has_symbol(value):
        return convert(value)
    try:
        return constant(value, wanted)
    except (TypeError, ValueError):
        if dtype is not None:
            raise
        return convert(value)


def is_tensor(x: object) -> bool:
    """True for symbols and NumPy values.

    >>> is_tensor(constant(1)), is_tensor(1)
    (True, False)
    """
    return isinstance(x, (Symbol, np.ndarray, np.generic))


def get_static_value(tensor: object, partial: bool = False) -> Any:
    """The value if it is known while tracing, else None.

    >>> get_static_value(constant([1, 2])).tolist()
    [1, 2]
    """
    return None if isinstance(tensor, Symbol) else tensor
