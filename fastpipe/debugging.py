"""Checks and prints inside traced functions: `tf.debugging`, `tf.Assert`, `tf.print`.

The functions that compare values raise InvalidArgumentError when they run and the values are wrong;
those about shapes and dtypes raise when they are called, or when the function runs if only then the
shape is known.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from fastpipe.errors import InvalidArgumentError
from fastpipe.math import check_numerics
from fastpipe.shapes import dtype_of, static_rank
from fastpipe.spec import as_dtype
from fastpipe.tracing import call, convert, current_tracer, unified

__all__ = [
    "Assert", "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal",
    "assert_integer", "assert_less", "assert_less_equal", "assert_near", "assert_negative",
    "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive",
    "assert_proper_iterable", "assert_rank", "assert_rank_at_least", "assert_rank_in",
    "assert_scalar", "assert_shapes", "assert_type", "check_numerics", "is_numeric_tensor",
    "print_",
]  # fmt: skip


def Assert(condition: object, data: Sequence[object], summarize: int | None = None) -> None:
    """Raises unless all of `condition` holds.

    Args:
        condition: bools.
        data: tensors to show in the message.
        summarize: how many entries of each to show.

    >>> Assert(True, ["never shown"])
    """
    _assert(condition, "", data, summarize)


def _assert(condition: object, message: str, data: Sequence[object], summarize: Any) -> None:
    call("assert", [condition, *data], message=message, summarize=int(summarize or 3))


def _comparison(kernel: str, sign: str) -> Callable[..., None]:
    def check(
        x: object,
        y: object,
        message: str | None = None,
        summarize: int | None = None,
        name: str | None = None,
    ) -> None:
        left, right = unified(x, y)
        text = f"{message}: " if message else ""
        condition = call(kernel, [left, right])
        _assert(condition, f"{text}expected x {sign} y, got x =", [left, "y =", right], summarize)

    check.__doc__ = f"""Raises unless x {sign} y everywhere; they have one dtype and broadcast.

    `message` stands before the text of the error, `summarize` is how many entries it shows.
    """
    return check


assert_equal = _comparison("equal", "==")
assert_none_equal = _comparison("not_equal", "!=")
assert_less = _comparison("less", "<")
assert_less_equal = _comparison("less_equal", "<=")
assert_greater = _comparison("greater", ">")
assert_greater_equal = _comparison("greater_equal", ">=")


def _with_zero(kernel: str, sign: str) -> Callable[..., None]:
    def check(
        x: object,
        message: str | None = None,
        summarize: int | None = None,
        name: str | None = None,
    ) -> None:
        value = convert(x)
        text = f"{message}: " if message else ""
        condition = call(kernel, unified(value, 0))
        _assert(condition, f"{text}expected x {sign} 0, got x =", [value], summarize)

    check.__doc__ = f"""Raises unless x {sign} 0 everywhere."""
    return check


assert_positive = _with_zero("greater", ">")
assert_negative = _with_zero("less", "<")
assert_non_negative = _with_zero("greater_equal", ">=")
assert_non_positive = _with_zero("less_equal", "<=")


def assert_near(
    x: object,
    y: object,
    rtol: float | None = None,
    atol: float | None = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises unless |x - y| < atol + rtol * |y| everywhere; floats.

    `rtol` and `atol` are ten times the distance from 1 to the next number of the dtype if None.

    >>> assert_near([1.0], [1.0 + 1e-7])
    """
    left, right = unified(x, y)
    epsilon = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
    usual = 10 * epsilon.get(dtype_of(left), 0.0)
    distance = call("abs", [call("subtract", [left, right])])
    share = call("multiply", unified(call("abs", [right]), usual if rtol is None else float(rtol)))
    bound = call("add", unified(share, usual if atol is None else float(atol)))
    text = f"{message}: " if message else ""
    condition = call("less", [distance, bound])
    _assert(condition, f"{text}expected x near y, got x =", [left, "y =", right], summarize)


def assert_all_finite(x: object, message: str = "", name: str | None = None) -> Any:
    """x itself; raises if it holds a NaN or an infinity.

    >>> assert_all_finite([1.0], "loss").tolist()
    [1.0]
    """
    return check_numerics(x, message)


# ---- shapes and dtypes ----


def _ranks(
    x: object, allowed: Callable[[int], bool], expected: str, message: str | None, ranks: list[int]
) -> None:
    value = convert(x)
    rank = static_rank(value)
    text = f"{message}: " if message else ""
    if rank is None:
        found = call("rank", [value])
        matches = [call("equal", unified(found, each)) for each in ranks]
        if not matches:
            return
        condition = matches[0]
        for each in matches[1:]:
            condition = call("logical_or", [condition, each])
        _assert(condition, f"{text}expected rank {expected}, got rank", [found], None)
    elif not allowed(rank):
        raise ValueError(f"{text}expected rank {expected}, got rank {rank}")


def assert_rank(x: object, rank: int, message: str | None = None, name: str | None = None) -> None:
    """Raises ValueError unless x has `rank` axes.

    >>> assert_rank([1, 2], 1)
    """
    _ranks(x, lambda found: found == rank, str(rank), message, [rank])


def assert_rank_in(
    x: object, ranks: Sequence[int], message: str | None = None, name: str | None = None
) -> None:
    """Raises ValueError unless x has one of these numbers of axes.

    >>> assert_rank_in([1, 2], [0, 1])
    """
    _ranks(x, lambda found: found in ranks, f"in {list(ranks)}", message, list(ranks))


def assert_rank_at_least(
    x: object, rank: int, message: str | None = None, name: str | None = None
) -> None:
    """Raises ValueError unless x has `rank` axes or more.

    >>> assert_rank_at_least([1, 2], 1)
    """
    value = convert(x)
    if static_rank(value) is None:
        found = call("rank", [value])
        condition = call("greater_equal", unified(found, rank))
        _assert(condition, f"expected rank >= {rank}, got rank", [found], None)
        return
    _ranks(value, lambda found: found >= rank, f">= {rank}", message, [])


def assert_scalar(tensor: object, message: str | None = None, name: str | None = None) -> Any:
    """The tensor itself; raises ValueError unless it is a scalar.

    >>> int(assert_scalar(3))
    3
    """
    assert_rank(tensor, 0, message)
    return convert(tensor)


def assert_type(
    tensor: object, tf_type: object, message: str | None = None, name: str | None = None
) -> None:
    """Raises TypeError unless the tensor has this dtype.

    >>> assert_type([1.0], "float32")
    """
    found = dtype_of(convert(tensor))
    if as_dtype(tf_type) != found:
        text = f"{message}: " if message else ""
        raise TypeError(f"{text}expected {as_dtype(tf_type).name}, got {found}")


def assert_integer(x: object, message: str | None = None, name: str | None = None) -> None:
    """Raises TypeError unless x holds integers.

    >>> assert_integer([1])
    """
    found = dtype_of(convert(x))
    if not as_dtype(found).is_integer:
        text = f"{message}: " if message else ""
        raise TypeError(f"{text}expected integers, got {found}")


def is_numeric_tensor(tensor: object) -> bool:
    """True for tensors of numbers.

    >>> import numpy as np
    >>> is_numeric_tensor(np.float32(1)), is_numeric_tensor("a")
    (True, False)
    """
    return hasattr(tensor, "dtype") and dtype_of(tensor) not in ("bool", "string", "dataset")


def assert_proper_iterable(values: object) -> None:
    """Raises TypeError unless `values` is a list, tuple or the like of values.

    >>> assert_proper_iterable([1, 2])
    """
    if isinstance(values, (str, bytes)) or hasattr(values, "dtype"):
        raise TypeError(f"expected a list of values, got {type(values).__name__}")
    if not hasattr(values, "__iter__"):
        raise TypeError(f"expected a list of values, got {type(values).__name__}")


def assert_shapes(
    shapes: Any,
    data: Sequence[object] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raises unless tensors have the given shapes.

    Args:
        shapes: pairs of a tensor and its shape, or a dict. A shape holds integers, None for any
            size, and letters or words that stand for one size wherever they appear.
        data, summarize: what to show besides, and how many entries.
        message: stands before the text of the error.
        name: has no meaning here.

    Raises:
        ValueError: ranks or known sizes are wrong; sizes that are not known yet raise
            InvalidArgumentError when the function runs.

    >>> assert_shapes([([[1, 2]], ("N", 2)), ([5], ("N",))])
    """
    sizes: dict[str, Any] = {}
    text = f"{message}: " if message else ""
    for tensor, shape in shapes.items() if isinstance(shapes, dict) else shapes:
        value = convert(tensor)
        assert_rank(value, len(shape), message)
        found = call("shape", [value], out_type="int32")
        known = getattr(value, "shape", None)
        for axis, want in enumerate(shape):
            if want is None:
                continue
            static = None if known is None else known[axis]
            have = static if static is not None else call("strided_slice", [found], items=[axis])
            expected = sizes.setdefault(want, have) if isinstance(want, str) else want
            if isinstance(have, int) and isinstance(expected, int):
                if have != expected:
                    raise ValueError(f"{text}expected size {expected} in axis {axis}, got {have}")
                continue
            condition = call("equal", unified(have, expected))
            _assert(condition, f"{text}expected size {want} in axis {axis}, got", [have], summarize)


def print_(
    *inputs: object,
    output_stream: Any = None,
    summarize: int | None = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> None:
    """Writes values to the standard error stream, each time that it runs.

    Args:
        inputs: tensors and plain values.
        output_stream: `sys.stdout` or `sys.stderr` when values are printed at once; inside a traced
            function always the standard error stream.
        summarize: how many entries of each end of an axis to show; -1 or None shows all.
        sep: stands between the values.
        end: stands behind them.
        name: has no meaning here.

    >>> import sys
    >>> print_("x =", [1, 2], output_stream=sys.stdout)
    x = [1 2]
    """
    parts: list[Any] = []
    for each in inputs:
        value = each if hasattr(each, "dtype") else _printable(each)
        if isinstance(value, bytes):
            parts.append(value)
        elif dtype_of(value) == "string" and getattr(value, "ndim", None) == 0:
            parts.append(value)
        else:
            entries = -1 if summarize is None else int(summarize)
            parts.append(call("string_format", [value], template="{}", summarize=entries))
    line = call("string_join", [*_between(parts, sep.encode()), end.encode()], separator="")
    if current_tracer() is None:
        print(line.decode("utf-8", "replace"), file=output_stream or sys.stderr, end="")
    else:
        call("print", [line])


def _printable(value: object) -> Any:
    try:
        return convert(value)
    except (TypeError, ValueError, InvalidArgumentError):
        return repr(value).encode()


def _between(parts: list[Any], separator: bytes) -> list[Any]:
    joined: list[Any] = []
    for part in parts:
        joined += [part, separator]
    return joined[:-1]
