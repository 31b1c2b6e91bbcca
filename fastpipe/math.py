"""Elementwise arithmetic, comparison and conversion: `tf.math`, on symbols and on real values.

Both sides of a function of two tensors have one dtype; Python literals adapt to the tensor beside
them; shapes broadcast by NumPy's rules. Integers wrap around on overflow. Unless a function says
otherwise the result has the dtype of the operands. A dtype that a function does not take, dtypes
that differ, and shapes that do not broadcast raise InvalidArgumentError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastpipe.logic import (
    binary,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    equal,
    greater,
    greater_equal,
    invert,
    left_shift,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
    right_shift,
)
from fastpipe.reductions import (
    argmax,
    argmin,
    cumsum,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
)
from fastpipe.spec import dtype_name
from fastpipe.tracing import call, convert

__all__ = [
    "abs", "add", "add_n", "argmax", "argmin", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor",
    "cast", "ceil", "check_numerics", "clip_by_value", "cos", "cumsum", "divide", "equal", "exp",
    "floor", "floordiv", "floormod", "greater", "greater_equal", "invert", "is_finite", "is_inf",
    "is_nan", "left_shift", "less", "less_equal", "log", "log1p", "logical_and", "logical_not",
    "logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply", "negative", "not_equal",
    "pow", "reciprocal", "reduce_all", "reduce_any", "reduce_max", "reduce_mean", "reduce_min",
    "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "relu", "right_shift", "round",
    "rsqrt", "sigmoid", "sign", "sin", "sqrt", "square", "squared_difference", "subtract", "tanh",
    "truediv",
]  # fmt: skip


# ---- two tensors ----


def add(x: object, y: object) -> Any:
    """x + y; joins strings.

    >>> add([1, 2], 3).tolist()
    [4, 5]
    """
    return binary("add", x, y)


def subtract(x: object, y: object) -> Any:
    """x - y.

    >>> subtract([1, 2], 3).tolist()
    [-2, -1]
    """
    return binary("subtract", x, y)


def multiply(x: object, y: object) -> Any:
    """x * y.

    >>> multiply([1, 2], 3).tolist()
    [3, 6]
    """
    return binary("multiply", x, y)


def divide(x: object, y: object) -> Any:
    """x / y: integers of 8 and 16 bits give float32, wider ones float64.

    >>> divide([7, 8], 2).tolist()
    [3.5, 4.0]
    """
    return binary("divide", x, y)


truediv = divide


def floordiv(x: object, y: object) -> Any:
    """x // y, rounded down. An integer divided by zero is an error.

    >>> floordiv([7, -7], 2).tolist()
    [3, -4]
    """
    return binary("floor_divide", x, y)


def floormod(x: object, y: object) -> Any:
    """x % y, with the sign of y. An integer divided by zero is an error.

    >>> floormod([7, -7], 4).tolist()
    [3, 1]
    """
    return binary("floor_mod", x, y)


mod = floormod


def pow(x: object, y: object) -> Any:
    """x to the power of y. A negative power of an integer is an error.

    >>> pow([2, 3], 3).tolist()
    [8, 27]
    """
    return binary("power", x, y)


def minimum(x: object, y: object) -> Any:
    """The lesser of each pair; NaN if one of them is.

    >>> minimum([1, 5], 3).tolist()
    [1, 3]
    """
    return binary("minimum", x, y)


def maximum(x: object, y: object) -> Any:
    """The greater of each pair; NaN if one of them is.

    >>> maximum([1, 5], 3).tolist()
    [3, 5]
    """
    return binary("maximum", x, y)


def squared_difference(x: object, y: object) -> Any:
    """(x - y) ** 2.

    >>> squared_difference([1, 5], 3).tolist()
    [4, 4]
    """
    return binary("squared_difference", x, y)


def atan2(y: object, x: object) -> Any:
    """The angle of the point (x, y) in radians; floats.

    >>> atan2(0.0, [1.0, 2.0]).tolist()
    [0.0, 0.0]
    """
    return binary("atan2", y, x)


def add_n(inputs: Sequence[object]) -> Any:
    """The sum of tensors of one shape and dtype.

    >>> add_n([[1, 2], [3, 4], [5, 6]]).tolist()
    [9, 12]
    """
    total, *rest = inputs
    for each in rest:
        total = add(total, each)
    return call("identity", [total])


# ---- one tensor ----


def negative(x: object) -> Any:
    """-x, of a signed dtype.

    >>> negative([1, -2]).tolist()
    [-1, 2]
    """
    return call("negative", [x])


def abs(x: object) -> Any:
    """x without its sign, of a signed dtype.

    >>> abs([1, -2]).tolist()
    [1, 2]
    """
    return call("abs", [x])


def sign(x: object) -> Any:
    """-1, 0 or 1 as x is negative, zero or positive; a signed dtype. NaN stays.

    >>> sign([3, 0, -2]).tolist()
    [1, 0, -1]
    """
    return call("sign", [x])


def square(x: object) -> Any:
    """x * x.

    >>> square([3, -2]).tolist()
    [9, 4]
    """
    return call("square", [x])


def relu(features: object) -> Any:
    """x where it is positive, else 0.

    >>> relu([3, -2]).tolist()
    [3, 0]
    """
    return call("relu", [features])


def round(x: object) -> Any:
    """The nearest integer, the even one of two; same dtype.

    >>> round([0.5, 1.5, -1.7]).tolist()
    [0.0, 2.0, -2.0]
    """
    return call("round", [x])


def floor(x: object) -> Any:
    """The greatest integer not above x; floats.

    >>> floor([1.5, -1.5]).tolist()
    [1.0, -2.0]
    """
    return call("floor", [x])


def ceil(x: object) -> Any:
    """The least integer not below x; floats.

    >>> ceil([1.5, -1.5]).tolist()
    [2.0, -1.0]
    """
    return call("ceil", [x])


def reciprocal(x: object) -> Any:
    """1 / x; floats.

    >>> reciprocal([2.0, 4.0]).tolist()
    [0.5, 0.25]
    """
    return call("reciprocal", [x])


def sqrt(x: object) -> Any:
    """The square root; floats.

    >>> sqrt([4.0, 9.0]).tolist()
    [2.0, 3.0]
    """
    return call("sqrt", [x])


def rsqrt(x: object) -> Any:
    """1 / sqrt(x); floats.

    >>> rsqrt([4.0, 16.0]).tolist()
    [0.5, 0.25]
    """
    return call("rsqrt", [x])


def exp(x: object) -> Any:
    """e to the power of x; floats.

    >>> exp([0.0]).tolist()
    [1.0]
    """
    return call("exp", [x])


def log(x: object) -> Any:
    """The natural logarithm; floats.

    >>> log([1.0]).tolist()
    [0.0]
    """
    return call("log", [x])


def log1p(x: object) -> Any:
    """log(1 + x), exact for small x; floats.

    >>> log1p([0.0]).tolist()
    [0.0]
    """
    return call("log1p", [x])


def sin(x: object) -> Any:
    """The sine of an angle in radians; floats.

    >>> sin([0.0]).tolist()
    [0.0]
    """
    return call("sin", [x])


def cos(x: object) -> Any:
    """The cosine of an angle in radians; floats.

    >>> cos([0.0]).tolist()
    [1.0]
    """
    return call("cos", [x])


def tanh(x: object) -> Any:
    """The hyperbolic tangent; floats.

    >>> tanh([0.0]).tolist()
    [0.0]
    """
    return call("tanh", [x])


def sigmoid(x: object) -> Any:
    """1 / (1 + exp(-x)); floats.

    >>> sigmoid([0.0]).tolist()
    [0.5]
    """
    return call("sigmoid", [x])


def is_nan(x: object) -> Any:
    """Whether x is NaN; floats, to bool.

    >>> is_nan([1.0, float("nan")]).tolist()
    [False, True]
    """
    return call("is_nan", [x])


def is_inf(x: object) -> Any:
    """Whether x is infinite; floats, to bool.

    >>> is_inf([1.0, float("inf")]).tolist()
    [False, True]
    """
    return call("is_inf", [x])


def is_finite(x: object) -> Any:
    """Whether x is neither infinite nor NaN; floats, to bool.

    >>> is_finite([1.0, float("inf")]).tolist()
    [True, False]
    """
    return call("is_finite", [x])


# ---- conversion and checks ----


def cast(x: object, dtype: object) -> Any:
    """x in another dtype, bool or number. Floats lose their fraction on the way to integers.

    Raises:
        UnimplementedError: x holds strings, or `dtype` is string.

    >>> cast([1.9, -1.9], "int32").tolist()
    [1, -1]
    """
    return call("cast", [x], dtype=dtype_name(dtype))


def clip_by_value(t: object, clip_value_min: object, clip_value_max: object) -> Any:
    """t with values below the minimum raised to it and those above the maximum lowered to it.

    The bounds broadcast to the shape of t.

    >>> clip_by_value([1.0, 5.0, 9.0], 2, 6).tolist()
    [2.0, 5.0, 6.0]
    """
    return call("clip", [convert(t), clip_value_min, clip_value_max], unify=True)


def check_numerics(tensor: object, message: str) -> Any:
    """`tensor` itself, floats.

    Raises:
        InvalidArgumentError: it holds a NaN or an infinity; the text starts with `message`.

    >>> check_numerics([1.0, 2.0], "loss").tolist()
    [1.0, 2.0]
    """
    return call("check_numerics", [tensor], message=message)
