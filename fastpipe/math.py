"""Elementwise arithmetic, comparison and conversion: `tf.math`, on symbols and on real values.

Both sides of a function of two tensors have one dtype; Python literals adapt to the tensor beside
them; shapes broadcast by NumPy's rules. Integers wrap around on overflow. Unless a function says
otherwise the result has the dtype of the operands. A dtype that a function does not take, dtypes
that differ, and shapes that do not broadcast raise InvalidArgumentError.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from fastpipe.arithmetic import (
    accumulate_n,
    add,
    add_n,
    atan2,
    divide,
    divide_no_nan,
    floordiv,
    floormod,
    is_non_decreasing,
    is_strictly_increasing,
    maximum,
    minimum,
    mod,
    multiply,
    multiply_no_nan,
    nextafter,
    polyval,
    pow,
    scalar_mul,
    squared_difference,
    subtract,
    truediv,
    truncatediv,
    truncatemod,
    xdivy,
    xlog1py,
    xlogy,
)
from fastpipe.counting import (
    bincount,
    confusion_matrix,
    histogram_fixed_width,
    histogram_fixed_width_bins,
    in_top_k,
    invert_permutation,
    searchsorted,
    top_k,
    unique,
    unique_with_counts,
)
from fastpipe.elementary import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    digamma,
    erf,
    erfc,
    erfinv,
    exp,
    expm1,
    is_finite,
    is_inf,
    is_nan,
    lgamma,
    log,
    log1p,
    log_sigmoid,
    logit,
    reciprocal,
    reciprocal_no_nan,
    rsqrt,
    sigmoid,
    sin,
    sinh,
    softplus,
    softsign,
    sqrt,
    tan,
    tanh,
)
from fastpipe.linalg import l2_normalize
from fastpipe.logic import (
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
    count_nonzero,
    cumprod,
    cumsum,
    cumulative_logsumexp,
    reduce_all,
    reduce_any,
    reduce_euclidean_norm,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
    zero_fraction,
)
from fastpipe.segments import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from fastpipe.shapes import dtype_of
from fastpipe.spec import as_dtype, dtype_name
from fastpipe.tracing import call, convert

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "argmax", "argmin", "asin", "asinh",
    "atan", "atan2", "atanh", "bincount", "bitwise_and", "bitwise_or", "bitwise_xor", "cast",
    "ceil", "check_numerics", "clip_by_value", "confusion_matrix", "cos", "cosh", "count_nonzero",
    "cumprod", "cumsum", "cumulative_logsumexp", "digamma", "divide", "divide_no_nan", "equal",
    "erf", "erfc", "erfinv", "exp", "expm1", "floor", "floordiv", "floormod", "greater",
    "greater_equal", "histogram_fixed_width", "histogram_fixed_width_bins", "in_top_k", "invert",
    "invert_permutation", "is_finite", "is_inf", "is_nan", "is_non_decreasing",
    "is_strictly_increasing", "l2_normalize", "left_shift", "less", "less_equal", "lgamma", "log",
    "log1p", "log_sigmoid", "logical_and", "logical_not", "logical_or", "logical_xor", "logit",
    "maximum", "minimum", "mod", "multiply", "multiply_no_nan", "negative", "nextafter",
    "not_equal", "polyval", "pow", "reciprocal", "reciprocal_no_nan", "reduce_all", "reduce_any",
    "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min",
    "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "relu", "right_shift", "rint",
    "round", "rsqrt", "saturate_cast", "scalar_mul", "searchsorted", "segment_max", "segment_mean",
    "segment_min", "segment_prod", "segment_sum", "sigmoid", "sign", "sin", "sinh", "softplus",
    "softsign", "sqrt", "square", "squared_difference", "subtract", "tan", "tanh", "top_k",
    "truediv", "truncatediv", "truncatemod", "unique", "unique_with_counts", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod",
    "unsorted_segment_sqrt_n", "unsorted_segment_sum", "xdivy", "xlog1py", "xlogy", "zero_fraction",
]  # fmt: skip


# ---- one tensor ----


def negative(x: object, name: str | None = None) -> Any:
    """-x, of a signed dtype.

    >>> negative([1, -2]).tolist()
    [-1, 2]
    """
    return call("negative", [x])


def abs(x: object, name: str | None = None) -> Any:
    """x without its sign, of a signed dtype.

    >>> abs([1, -2]).tolist()
    [1, 2]
    """
    return call("abs", [x])


def sign(x: object, name: str | None = None) -> Any:
    """-1, 0 or 1 as x is negative, zero or positive; a signed dtype. NaN stays.

    >>> sign([3, 0, -2]).tolist()
    [1, 0, -1]
    """
    return call("sign", [x])


def square(x: object, name: str | None = None) -> Any:
    """x * x.

    >>> square([3, -2]).tolist()
    [9, 4]
    """
    return call("square", [x])


def relu(features: object, name: str | None = None) -> Any:
    """x where it is positive, else 0.

    >>> relu([3, -2]).tolist()
    [3, 0]
    """
    return call("relu", [features])


def round(x: object, name: str | None = None) -> Any:
    """The nearest integer, the even one of two; same dtype.

    >>> round([0.5, 1.5, -1.7]).tolist()
    [0.0, 2.0, -2.0]
    """
    return call("round", [x])


rint = round


def floor(x: object, name: str | None = None) -> Any:
    """The greatest integer not above x; floats.

    >>> floor([1.5, -1.5]).tolist()
    [1.0, -2.0]
    """
    return call("floor", [x])


def ceil(x: object, name: str | None = None) -> Any:
    """The least integer not below x; floats.

    >>> ceil([1.5, -1.5]).tolist()
    [2.0, -1.0]
    """
    return call("ceil", [x])


# ---- conversion and checks ----


def cast(x: object, dtype: object, name: str | None = None) -> Any:
    """x in another dtype, bool or number. Floats lose their fraction on the way to integers.

    Raises:
        UnimplementedError: x holds strings, or `dtype` is string.

    >>> cast([1.9, -1.9], "int32").tolist()
    [1, -1]
    """
    return call("cast", [x], dtype=dtype_name(dtype))


def saturate_cast(value: object, dtype: object, name: str | None = None) -> Any:
    """x in another dtype; what lies outside it becomes its least or greatest value.

    >>> saturate_cast([300.0, -5.0], "uint8").tolist()
    [255, 0]
    """
    value, target = convert(value), as_dtype(dtype)
    source = as_dtype(dtype_of(value))
    if source.is_floating or source.is_integer:
        least, greatest = builtins.max(source.min, target.min), builtins.min(source.max, target.max)
        if least > source.min or greatest < source.max:
            value = clip_by_value(value, _within(least, source, 1), _within(greatest, source, -1))
    return cast(value, dtype)


def _within(limit: Any, dtype: Any, step: int) -> Any:
    """`limit` in `dtype`; a float that rounds to outside the range goes one step back."""
    if dtype.is_integer:
        return np.asarray(int(limit), dtype.as_numpy_dtype)
    bound = np.asarray(limit, dtype.as_numpy_dtype)
    over = int(bound) > limit if step < 0 else int(bound) < limit
    return np.nextafter(bound, np.asarray(0, bound.dtype)) if over else bound


def clip_by_value(
    t: object, clip_value_min: object, clip_value_max: object, name: str | None = None
) -> Any:
    """t with values below the minimum raised to it and those above the maximum lowered to it.

    The bounds broadcast to the shape of t.

    >>> clip_by_value([1.0, 5.0, 9.0], 2, 6).tolist()
    [2.0, 5.0, 6.0]
    """
    return call("clip", [convert(t), clip_value_min, clip_value_max], unify=True)


def check_numerics(tensor: object, message: str, name: str | None = None) -> Any:
    """`tensor` itself, floats.

    Raises:
        InvalidArgumentError: it holds a NaN or an infinity; the text starts with `message`.

    >>> check_numerics([1.0, 2.0], "loss").tolist()
    [1.0, 2.0]
    """
    return call("check_numerics", [tensor], message=message)
