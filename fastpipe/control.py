"""Branches inside traced functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fastpipe.errors import InvalidArgumentError
from fastpipe.functions import trace
from fastpipe.structure import unflatten
from fastpipe.tracing import Symbol, convert, current_tracer, user_line


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """The result of `true_fn` if `pred` holds, else that of `false_fn`; the other does not run.

    Args:
        pred: a scalar bool.
        true_fn, false_fn: take nothing; their results have equal structure and dtypes.

    Raises:
        InvalidArgumentError: the results differ in structure or dtype, or `pred` is no scalar bool.

    >>> import fastpipe as fp
    >>> ds = fp.Dataset.range(4).map(lambda x: fp.cond(x > 1, lambda: x * 10, lambda: -x))
    >>> [int(x) for x in ds]
    [0, -1, 20, 30]
    """
    tracer = current_tracer()
    if tracer is None or not isinstance(pred, Symbol):
        if np.shape(pred) != ():
            raise InvalidArgumentError(f"cond: pred must be a scalar bool, got {pred!r}")
        return true_fn() if pred else false_fn()
    then = trace(true_fn, [])
    otherwise = trace(false_fn, [])
    if then.structure != otherwise.structure:
        raise InvalidArgumentError(
            f"cond: the functions return different structures, {then.structure!r} and "
            f"{otherwise.structure!r}"
        )
    captures = [*then.capture_symbols, *otherwise.capture_symbols]
    attrs = {"then": then, "otherwise": otherwise, "num_then": len(then.capture_symbols)}
    slots = [tracer.slot_of(value) for value in (convert(pred), *captures)]
    return unflatten(then.structure, list(tracer.kernel("cond", attrs, slots, user_line())))
