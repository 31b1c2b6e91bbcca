"""Branches inside traced functions: cond, case, switch_case; and what has no effect here.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fastpipe.debugging import Assert
from fastpipe.errors import InvalidArgumentError
from fastpipe.functions import trace
from fastpipe.structure import unflatten
from fastpipe.tracing import Symbol, call, convert, current_tracer, unified, user_line


def cond(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None
) -> Any:
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


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str | None = None,
) -> Any:
    """The result of the first function whose predicate holds, else that of `default`.

    Args:
        pred_fn_pairs: a list of pairs of a scalar bool and a function without arguments.
        default: runs if no predicate holds; without it that is an InvalidArgumentError.
        exclusive, strict, name: have no meaning here.

    >>> int(case([(True, lambda: 1), (True, lambda: 2)], default=lambda: 3))
    1
    """
    pairs = list(pred_fn_pairs)
    if not pairs and default is None:
        raise ValueError("case takes one pair or a default")
    if default is None:
        predicate, last = pairs.pop()

        def default() -> Any:
            Assert(predicate, ["case: no predicate holds, and there is no default"])
            return last()

    def branch(at: int) -> Callable[[], Any]:
        if at == len(pairs):
            return default
        predicate, function = pairs[at]
        return lambda: cond(predicate, function, branch(at + 1))

    return branch(0)()


def switch_case(
    branch_index: Any,
    branch_fns: Any,
    default: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """The result of function number `branch_index`, else that of `default`.

    Args:
        branch_index: an integer scalar.
        branch_fns: a list of functions without arguments, or of pairs of a number and a function,
            or a dict.
        default: for any other number; the last function if None.
        name: has no meaning here.

    >>> import fastpipe as fp
    >>> ds = fp.Dataset.range(3).map(lambda x: fp.switch_case(x, [lambda: 10, lambda: 20]))
    >>> [int(x) for x in ds]
    [10, 20, 20]
    """
    items = branch_fns.items() if isinstance(branch_fns, dict) else enumerate(branch_fns)
    numbered = [item[1] if isinstance(item[1], tuple) else item for item in items]
    numbered.sort(key=lambda item: item[0])
    if [item[0] for item in numbered] != list(range(len(numbered))):
        raise ValueError(f"branches must be numbered from 0 on, got {[n for n, _ in numbered]}")
    if default is None:
        default = numbered[-1][1]
    pairs = [
        (call("equal", unified(branch_index, number)), function) for number, function in numbered
    ]
    return case(pairs, default)


def function(func: Any = None, **options: Any) -> Any:
    """A decorator that leaves a function as it is: `map` traces functions by itself.

    Args:
        func: a function, or None where the decorator is called with options.
        options: have no meaning here.

    >>> @function
    ... def double(x):
    ...     return x * 2
    >>> double(4)
    8
    """
    return (lambda given: given) if func is None else func


def no_op(*ignored: Any, **options: Any) -> None:
    """Does nothing.

    >>> no_op()
    """


def executing_eagerly() -> bool:
    """False while a function is being traced.

    >>> executing_eagerly()
    True
    """
    return current_tracer() is None
