"""Arithmetic of two tensors, on symbols and on real values.

Both have one dtype; Python literals adapt to the tensor beside them; shapes broadcast by NumPy's
rules. Integers wrap around on overflow. Unless a function says otherwise the result has the dtype
of the operands. What does not fit raises InvalidArgumentError.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastpipe.elementary import log1p
from fastpipe.logic import binary, equal
from fastpipe.reductions import reduce_all
from fastpipe.shapes import dtype_of
from fastpipe.spec import as_dtype
from fastpipe.tracing import call, convert, unified

__all__ = [
    "accumulate_n", "add", "add_n", "atan2", "divide", "divide_no_nan", "floordiv", "floormod",
    "is_non_decreasing", "is_strictly_increasing", "maximum", "minimum", "mod", "multiply",
    "multiply_no_nan", "nextafter", "polyval", "pow", "scalar_mul", "squared_difference",
    "subtract", "truediv", "truncatediv", "truncatemod", "xdivy", "xlog1py", "xlogy",
]  # fmt: skip


def add(x: object, y: object, name: str | None = None) -> Any:
    """x + y; joins strings.

    >>> add([1, 2], 3).tolist()
    [4, 5]
    """
    return binary("add", x, y)


def subtract(x: object, y: object, name: str | None = None) -> Any:
    """x - y.

    >>> subtract([1, 2], 3).tolist()
    [-2, -1]
    """
    return binary("subtract", x, y)


def multiply(x: object, y: object, name: str | None = None) -> Any:
    """x * y.

    >>> multiply([1, 2], 3).tolist()
    [3, 6]
    """
    return binary("multiply", x, y)


def divide(x: object, y: object, name: str | None = None) -> Any:
    """x / y: integers of 8 and 16 bits give float32, wider ones float64.

    >>> divide([7, 8], 2).tolist()
    [3.5, 4.0]
    """
    return binary("divide", x, y)


truediv = divide


def floordiv(x: object, y: object, name: str | None = None) -> Any:
    """x // y, rounded down. An integer divided by zero is an error.

    >>> floordiv([7, -7], 2).tolist()
    [3, -4]
    """
    return binary("floor_divide", x, y)


def floormod(x: object, y: object, name: str | None = None) -> Any:
    """x % y, with the sign of y. An integer divided by zero is an error.

    >>> floormod([7, -7], 4).tolist()
    [3, 1]
    """
    return binary("floor_mod", x, y)


mod = floormod


def truncatediv(x: object, y: object, name: str | None = None) -> Any:
    """x / y, rounded towards zero. An integer divided by zero is an error.

    >>> truncatediv([7, -7], 2).tolist()
    [3, -3]
    """
    return binary("truncate_divide", x, y)


def truncatemod(x: object, y: object, name: str | None = None) -> Any:
    """What truncatediv leaves, with the sign of x. An integer divided by zero is an error.

    >>> truncatemod([7, -7], 4).tolist()
    [3, -3]
    """
    return binary("truncate_mod", x, y)


def divide_no_nan(x: object, y: object, name: str | None = None) -> Any:
    """x / y, or 0 where y is 0; floats, and integers by way of divide.

    >>> divide_no_nan([3.0, 1.0], [2.0, 0.0]).tolist()
    [1.5, 0.0]
    """
    x, y = unified(x, y)
    if "float" not in dtype_of(x) and dtype_of(x) == dtype_of(y):
        name = "float32" if as_dtype(dtype_of(x)).itemsize < 4 else "float64"
        x, y = (call("cast", [each], dtype=name) for each in (x, y))
    return call("divide_no_nan", [x, y])


def multiply_no_nan(x: object, y: object, name: str | None = None) -> Any:
    """x * y, or 0 where y is 0, even if x is infinite or NaN; floats.

    >>> multiply_no_nan([3.0, float("inf")], [2.0, 0.0]).tolist()
    [6.0, 0.0]
    """
    return binary("multiply_no_nan", x, y)


def xlogy(x: object, y: object, name: str | None = None) -> Any:
    """x * log(y), or 0 where x is 0; floats.

    >>> xlogy([0.0, 2.0], [0.0, 1.0]).tolist()
    [0.0, 0.0]
    """
    return binary("xlogy", x, y)


def xdivy(x: object, y: object, name: str | None = None) -> Any:
    """x / y, or 0 where x is 0; floats.

    >>> xdivy([0.0, 2.0], [0.0, 4.0]).tolist()
    [0.0, 0.5]
    """
    return binary("xdivy", x, y)


def pow(x: object, y: object, name: str | None = None) -> Any:
    """x to the power of y. A negative power of an integer is an error.

    >>> pow([2, 3], 3).tolist()
    [8, 27]
    """
    return binary("power", x, y)


def minimum(x: object, y: object, name: str | None = None) -> Any:
    """The lesser of each pair; NaN if one of them is.

    >>> minimum([1, 5], 3).tolist()
    [1, 3]
    """
    return binary("minimum", x, y)


def maximum(x: object, y: object, name: str | None = None) -> Any:
    """The greater of each pair; NaN if one of them is.

    >>> maximum([1, 5], 3).tolist()
    [3, 5]
    """
    return binary("maximum", x, y)


def squared_difference(x: object, y: object, name: str | None = None) -> Any:
    """(x - y) ** 2.

    >>> squared_difference([1, 5], 3).tolist()
    [4, 4]
    """
    return binary("squared_difference", x, y)


def atan2(y: object, x: object, name: str | None = None) -> Any:
    """The angle of the point (x, y) in radians; floats.

    >>> atan2(0.0, [1.0, 2.0]).tolist()
    [0.0, 0.0]
    """
    return binary("atan2", y, x)


def nextafter(x1: object, x2: object, name: str | None = None) -> Any:
    """The float next to x1 on the way to x2; float32 or float64.

    >>> float(nextafter(1.0, 2.0)) > 1
    True
    """
    return binary("nextafter", x1, x2)


def scalar_mul(scalar: object, x: object, name: str | None = None) -> Any:
    """scalar * x, of which the first has no axes.

    >>> scalar_mul(2, [1, 2]).tolist()
    [2, 4]
    """
    return multiply(scalar, x)


def xlog1py(x: object, y: object, name: str | None = None) -> Any:
    """x * log(1 + y), or 0 where x is 0; floats.

    >>> xlog1py([0.0, 2.0], [-1.0, 0.0]).tolist()
    [0.0, 0.0]
    """
    x, y = unified(x, y)
    product = multiply(x, log1p(y))
    return call("where", [equal(x, 0), call("zeros_like", [product]), product])


def is_non_decreasing(x: object, name: str | None = None) -> Any:
    """Whether no value is less than the one before it, in row-major order.

    >>> bool(is_non_decreasing([1, 1, 2]))
    True
    """
    return _neighbours("greater_equal", x)


def is_strictly_increasing(x: object, name: str | None = None) -> Any:
    """Whether every value is greater than the one before it, in row-major order.

    >>> bool(is_strictly_increasing([1, 1, 2]))
    False
    """
    return _neighbours("greater", x)


def _neighbours(kernel: str, x: object) -> Any:
    flat = call("reshape", [convert(x)], shape=[-1])
    later = call("strided_slice", [flat], items=[[1, None, None]])
    earlier = call("strided_slice", [flat], items=[[None, -1, None]])
    return reduce_all(call(kernel, [later, earlier]))


def add_n(inputs: Sequence[object], name: str | None = None) -> Any:
    """The sum of tensors of one shape and dtype.

    >>> add_n([[1, 2], [3, 4], [5, 6]]).tolist()
    [9, 12]
    """
    total, *rest = inputs
    for each in rest:
        total = add(total, each)
    return call("identity", [total])


accumulate_n = add_n


def polyval(coeffs: Sequence[object], x: object, name: str | None = None) -> Any:
    """coeffs[0] * x ** n + ... + coeffs[n], by Horner's rule.

    >>> float(polyval([1.0, 2.0], 3.0))
    5.0
    """
    x = convert(x)
    total: Any = None
    for each in coeffs:
        total = convert(each) if total is None else add(multiply(total, x), each)
    return call("zeros_like", [x]) if total is None else total
