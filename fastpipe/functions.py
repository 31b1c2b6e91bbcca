"""From a user's function to a Function: traced if it can be, else called as Python."""

from __future__ import annotations

import functools
import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fastpipe.base import DatasetBase, element_unflatten, leaf_structure
from fastpipe.errors import (
    FastpipeError,
    InvalidArgumentError,
    InvalidTypeError,
    PythonFallbackWarning,
    TracingError,
)
from fastpipe.python_callable import PythonCallable
from fastpipe.spec import TensorSpec, as_tensor, dtype_name
from fastpipe.structure import LEAF, DatasetLeaf, flatten, leaf_structures, unflatten
from fastpipe.tracing import (
    _PACKAGE,
    Function,
    Symbol,
    Tracer,
    convert,
    current_tracer,
    tracing,
    user_line,
)


def trace(
    function: Callable[..., Any],
    components: list[tuple[Any, list[Any]]],
    *,
    probe: DatasetBase | None = None,
    output_signature: Any = None,
    native_only: bool = False,
) -> Function:
    """Calls `function` once with symbols and returns the program it stands for.

    Args:
        function: the user's.
        components: structure and specs of each argument group, as `arguments_of` gives them.
        probe: the dataset to take one element from if the function cannot be traced. None makes
            that an error.
        output_signature: the function is not traced but called as Python, and returns this.
        native_only: a function that cannot be traced is an error.

    Raises:
        TracingError: it cannot be traced and may not, or cannot, run as Python.
    """
    if not callable(function):
        raise InvalidTypeError(f"expected a function, got {function!r}")
    if output_signature is not None:
        reason = "it was given an output_signature"
        return _named(python_function(function, components, output_signature, reason), function)
    with tracing() as tracer:
        try:
            traced = _traced(tracer, function, components)
            return _named(_to_step_through(function, components, traced) or traced, function)
        except Exception as error:
            if not _is_untraceable(error, tracer):
                raise
            cause = error
    what = tracer.untraceable or f"{type(cause).__name__}: {cause}"
    line = _line_of(cause)
    if native_only or probe is None or current_tracer() is not None:
        raise TracingError(
            f"the function could not be traced at {line}: {what}. Use fp.* functions there"
        ) from cause
    signature = _probe(function, probe, what, cause)
    warnings.warn(
        f"{getattr(function, '__name__', function)!s} runs as a Python function, one thread at a "
        f"time under the GIL: tracing stopped at {line} ({what}). Use fp.* functions there to make "
        f"it native, or fp.py_function to silence this",
        PythonFallbackWarning,
        stacklevel=_depth_of_user(),
    )
    reason = f"tracing stopped at {line} ({what})"
    return _named(python_function(function, components, signature, reason), function)


def _named(made: Function, function: Callable[..., Any]) -> Function:
    return replace(made, name=getattr(function, "__name__", ""))


_debugging = False


def enable_debug_mode() -> None:
    """From now on the functions given to datasets run as Python, on values: breakpoints and prints
    in them work. Functions that get or return datasets, and those inside others, stay native.
    """
    global _debugging
    _debugging = True


def _to_step_through(
    function: Callable[..., Any], components: list[tuple[Any, list[Any]]], traced: Function
) -> Function | None:
    """The function as Python, if debugging asks for it and it can be."""
    structures = [traced.structure, *(structure for structure, _ in components)]
    leaves = [leaf for structure in structures for leaf in leaf_structures(structure)]
    nested = current_tracer() is not None and current_tracer().outer is not None  # type: ignore[union-attr]
    if not _debugging or nested or any(leaf is not LEAF for leaf in leaves):
        return None
    specs = [TensorSpec(shape, dtype) for dtype, shape, _ in traced.program.output_specs]
    signature = unflatten(traced.structure, specs)
    return python_function(function, components, signature, "enable_debug_mode asks for it")


def arguments_of(dataset: DatasetBase) -> tuple[Any, list[Any]]:
    """Structure and specs of the elements of `dataset`, as an argument group of `trace`."""
    return dataset.structure, dataset.native.specs


def _traced(
    tracer: Tracer, function: Callable[..., Any], components: list[tuple[Any, list[Any]]]
) -> Function:
    args: list[Any] = []
    for structure, specs in components:
        leaves = [
            argument(tracer.arg(spec), leaf)
            for spec, leaf in zip(specs, leaf_structures(structure), strict=True)
        ]
        value = unflatten(structure, leaves)
        args += value if type(structure) is tuple else [value]
    leaves, structure = flatten(_packed(function(*args)), leaf_structure)
    return tracer.finish([_result_slot(tracer, leaf) for leaf in leaves], structure)


def _packed(result: Any) -> Any:
    """A list is a tensor everywhere but at the top of a function's result: there it is a tuple."""
    return tuple(result) if isinstance(result, list) else result


def argument(symbol: Symbol, leaf: Any) -> Any:
    """A tensor or dataset, by its structure, that exists only when the traced function runs."""
    return (
        DatasetBase._of_symbol(symbol, leaf.structure) if isinstance(leaf, DatasetLeaf) else symbol
    )


def _result_slot(tracer: Tracer, leaf: Any) -> int:
    if leaf is None:
        raise InvalidTypeError("the function returned None: it must return tensors or a dataset")
    if isinstance(leaf, DatasetBase):
        return tracer.slot_of(leaf.symbol if leaf.symbol is not None else leaf)
    return tracer.slot_of(convert(leaf))


def _is_untraceable(error: Exception, tracer: Tracer) -> bool:
    """True if the function needs values; False if it, or its use of fastpipe, is wrong."""
    if tracer.untraceable:
        return True
    if isinstance(error, FastpipeError):
        return False
    if not isinstance(error, (TypeError, AttributeError, ValueError)):
        return False
    return not _is_ours(traceback.extract_tb(error.__traceback__)[-1].filename)


def _is_ours(filename: str) -> bool:
    """True for a source of fastpipe; compiled ones go by a relative name."""
    return filename.startswith((_PACKAGE, "fastpipe/")) or filename.endswith((".pyx", ".pxi"))


def _line_of(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not _is_ours(frame.filename)]
    return f"{theirs[-1].filename}:{theirs[-1].lineno}" if theirs else user_line()


def _depth_of_user() -> int:
    """stacklevel that makes a warning point at the user's line."""
    stack = traceback.extract_stack()[:-1]
    depth = 1
    for frame in reversed(stack):
        if not frame.filename.startswith(_PACKAGE):
            break
        depth += 1
    return depth


def _probe(function: Callable[..., Any], dataset: DatasetBase, what: str, reason: Exception) -> Any:
    """The signature of `function`, from calling it on the first element."""
    with dataset.iterator() as iterator:
        try:
            element = next(iterator)
        except StopIteration:
            raise TracingError(
                f"the function could not be traced ({what}), and its input is empty, so that its "
                f"results cannot be seen either: give map an output_signature"
            ) from reason
    result = function(*_spread(element, dataset.structure))
    leaves, structure = flatten(_packed(result), leaf_structure)
    return unflatten(structure, [_spec_of_value(leaf) for leaf in leaves])


def _spread(element: Any, structure: Any) -> tuple[Any, ...]:
    return tuple(element) if type(structure) is tuple else (element,)


def _spec_of_value(value: Any) -> TensorSpec:
    array = as_tensor(value)
    if isinstance(array, bytes):
        return TensorSpec((), "string")
    return TensorSpec((None,) * np.ndim(array), array.dtype)


def python_function(
    function: Callable[..., Any],
    components: list[tuple[Any, list[Any]]],
    signature: Any,
    reason: str,
) -> Function:
    """A Function that calls `function` on values and checks its results against `signature`.

    `reason` says why it is no native one.
    """
    specs, structure = flatten(signature, lambda leaf: LEAF)
    specs = [spec if isinstance(spec, TensorSpec) else TensorSpec(None, spec) for spec in specs]
    call_on_leaves = _CallOnLeaves(function, [part for part, _ in components], structure)
    callable_ = PythonCallable(call_on_leaves, function, reason)
    with tracing() as tracer:
        slots = [tracer.arg(spec)._slot for _, group in components for spec in group]
        results = tracer.kernel(
            "py_call", {"handle": callable_, "signature": specs}, slots, user_line()
        )
        return tracer.finish([item._slot for item in results], structure, is_python=True)


class _CallOnLeaves:
    """`function` on elements of the structures `parts`, as a function of leaves; it pickles."""

    def __init__(self, function: Callable[..., Any], parts: list[Any], structure: Any) -> None:
        self._given = (function, parts, structure)
        self._function = function
        self._structure = structure
        self._makers = [
            (len(leaf_structures(part)), part, element_unflatten(part)) for part in parts
        ]

    def __reduce__(self) -> Any:
        return _CallOnLeaves, self._given

    def __call__(self, values: list[Any]) -> list[Any]:
        args: list[Any] = []
        for count, part, make in self._makers:
            args += _spread(make(values[:count]), part)
            values = values[count:]
        leaves, got = flatten(_packed(self._function(*args)), leaf_structure)
        if got != self._structure:
            raise InvalidArgumentError(
                f"the Python function returned the structure {got!r}, earlier it was "
                f"{self._structure!r}"
            )
        return leaves


def _call_as_asked(function: Callable[..., Any], several: bool, leaves: list[Any]) -> list[Any]:
    result = function(*leaves)
    return list(result) if several and isinstance(result, (list, tuple)) else [result]


def py_function(func: Callable[..., Any], inp: Any, Tout: Any, name: str | None = None) -> Any:
    """Calls a Python function on values, from inside a traced function.

    Args:
        func: takes NumPy values, returns values of the dtypes `Tout`.
        inp: list of tensors it is called with.
        Tout: a dtype or TensorSpec, or a list of them.

    Returns:
        One tensor, or a list of them if `Tout` is a list.

    >>> import fastpipe as fp
    >>> ds = fp.Dataset.range(2).map(lambda x: fp.py_function(lambda v: v * 10, [x], fp.int64))
    >>> [int(x) for x in ds]
    [0, 10]
    """
    several = isinstance(Tout, (list, tuple))
    specs = [
        item if isinstance(item, TensorSpec) else TensorSpec(None, dtype_name(item))
        for item in (Tout if several else [Tout])
    ]
    values = [convert(item) for item in (inp if isinstance(inp, (list, tuple)) else [inp])]

    call_on_leaves = functools.partial(_call_as_asked, func, several or len(specs) != 1)
    tracer = current_tracer()
    if tracer is None:
        results: list[Any] = call_on_leaves(values)
        return results if several else results[0]
    callable_ = PythonCallable(call_on_leaves, func, "py_function asks for it")
    slots = [tracer.slot_of(value) for value in values]
    results = tracer.kernel(
        "py_call", {"handle": callable_, "signature": specs}, slots, user_line()
    )
    return results if several else results[0]


numpy_function = py_function


def signature_of(output_types: Any, output_shapes: Any) -> Any:
    """TensorSpecs from the older pair of from_generator's arguments."""
    types, structure = flatten(output_types, lambda leaf: LEAF)
    if output_shapes is None:
        return unflatten(structure, [TensorSpec(None, item) for item in types])
    if structure is LEAF:
        return TensorSpec(output_shapes, output_types)
    shapes = output_shapes if isinstance(output_shapes, tuple) else list(output_shapes.values())
    return unflatten(structure, [TensorSpec(s, t) for s, t in zip(shapes, types, strict=True)])
