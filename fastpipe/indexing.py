"""value[key] on symbols, and constants that can be indexed by symbols."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from fastpipe.spec import as_dtype, as_tensor
from fastpipe.tracing import Symbol, call, set_indexing

__all__ = ["Constant", "constant", "index"]


def index(value: object, key: object) -> Any:
    """value[key] by NumPy's rules for integers, slices, None and `...`, any of them symbolic.

    An integer must exist in its axis, or running raises InvalidArgumentError; slices stop at the
    ends.

    Raises:
        TypeError: the key holds something else: use gather or boolean_mask.

    >>> index([[1, 2, 3], [4, 5, 6]], (slice(None), -1)).tolist()
    [3, 6]
    """
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


def constant(value: object, dtype: object = None, shape: object = None) -> Constant:
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
    if dtype is not None and isinstance(value, (int, float, list, tuple)):
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
    """TypeError for floats that would become integers."""
    array = np.asarray(value)
    if as_dtype(dtype).is_integer and array.dtype.kind == "f" and array.size:
        raise TypeError(f"{value!r} holds floats, the dtype is {as_dtype(dtype).name}: cast it")
