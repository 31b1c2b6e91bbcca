"""Comparison, and the arithmetic of bools and of bits, on symbols and on real values.

Both sides of a function of two tensors have one dtype; Python literals adapt to the tensor beside
them; shapes broadcast by NumPy's rules. A dtype that a function does not take, dtypes that differ,
and shapes that do not broadcast raise InvalidArgumentError.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from typing import Any

from fastpipe.tracing import call, unified

__all__ = [
    "bitwise_and", "bitwise_or", "bitwise_xor", "equal", "greater", "greater_equal", "invert",
    "left_shift", "less", "less_equal", "logical_and", "logical_not", "logical_or", "logical_xor",
    "not_equal", "right_shift",
]  # fmt: skip


def binary(kernel: str, x: Any, y: Any) -> Any:
    """A kernel of two tensors; a literal takes the dtype of the other, or of the first literal."""
    return call(kernel, unified(x, y))


# ---- comparison, to bool ----


def equal(x: object, y: object, name: str | None = None) -> Any:
    """x == y, of any dtype, to bool.

    >>> equal([1, 5], 5).tolist()
    [False, True]
    """
    return binary("equal", x, y)


def not_equal(x: object, y: object, name: str | None = None) -> Any:
    """x != y, of any dtype, to bool.

    >>> not_equal([1, 5], 5).tolist()
    [True, False]
    """
    return binary("not_equal", x, y)


def less(x: object, y: object, name: str | None = None) -> Any:
    """x < y, to bool; strings compare byte by byte.

    >>> less([1, 5], 5).tolist()
    [True, False]
    """
    return binary("less", x, y)


def less_equal(x: object, y: object, name: str | None = None) -> Any:
    """x <= y, to bool; strings compare byte by byte.

    >>> less_equal([1, 5], 5).tolist()
    [True, True]
    """
    return binary("less_equal", x, y)


def greater(x: object, y: object, name: str | None = None) -> Any:
    """x > y, to bool; strings compare byte by byte.

    >>> greater([1, 5], 1).tolist()
    [False, True]
    """
    return binary("greater", x, y)


def greater_equal(x: object, y: object, name: str | None = None) -> Any:
    """x >= y, to bool; strings compare byte by byte.

    >>> greater_equal([1, 5], 1).tolist()
    [True, True]
    """
    return binary("greater_equal", x, y)


# ---- bools and bits ----


def logical_and(x: object, y: object, name: str | None = None) -> Any:
    """x and y; bools.

    >>> logical_and([True, False], True).tolist()
    [True, False]
    """
    return binary("logical_and", x, y)


def logical_or(x: object, y: object, name: str | None = None) -> Any:
    """x or y; bools.

    >>> logical_or([True, False], True).tolist()
    [True, True]
    """
    return binary("logical_or", x, y)


def logical_xor(x: object, y: object, name: str | None = None) -> Any:
    """Either x or y; bools.

    >>> logical_xor([True, False], True).tolist()
    [False, True]
    """
    return binary("logical_xor", x, y)


def logical_not(x: object, name: str | None = None) -> Any:
    """not x; bools.

    >>> logical_not([True, False]).tolist()
    [False, True]
    """
    return call("logical_not", [x])


def bitwise_and(x: object, y: object, name: str | None = None) -> Any:
    """The bits that both integers have.

    >>> bitwise_and([6, 5], 3).tolist()
    [2, 1]
    """
    return binary("bitwise_and", x, y)


def bitwise_or(x: object, y: object, name: str | None = None) -> Any:
    """The bits that one of the integers has.

    >>> bitwise_or([6, 5], 3).tolist()
    [7, 7]
    """
    return binary("bitwise_or", x, y)


def bitwise_xor(x: object, y: object, name: str | None = None) -> Any:
    """The bits that exactly one of the integers has.

    >>> bitwise_xor([6, 5], 3).tolist()
    [5, 6]
    """
    return binary("bitwise_xor", x, y)


def left_shift(x: object, y: object, name: str | None = None) -> Any:
    """Integers x with their bits moved up by y, which counts as the nearest of 0 .. bits - 1.

    >>> left_shift([1, 3], 2).tolist()
    [4, 12]
    """
    return binary("left_shift", x, y)


def right_shift(x: object, y: object, name: str | None = None) -> Any:
    """Integers x with their bits moved down by y, which counts as the nearest of 0 .. bits - 1.

    >>> right_shift([4, -4], 1).tolist()
    [2, -2]
    """
    return binary("right_shift", x, y)


def invert(x: object, name: str | None = None) -> Any:
    """Integers with every bit flipped.

    >>> invert([0, 5]).tolist()
    [-1, -6]
    """
    return call("bitwise_not", [x])
