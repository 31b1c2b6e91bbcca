"""Loops inside traced functions: while_loop, map_fn, foldl, foldr, scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastpipe.base import leaf_structure
from fastpipe.errors import InvalidArgumentError
from fastpipe.functions import trace
from fastpipe.spec import TensorSpec
from fastpipe.structure import flatten, unflatten
from fastpipe.tracing import Function, call, convert, current_tracer, native_args, user_line

__all__ = ["foldl", "foldr", "map_fn", "scan", "vectorized_map", "while_loop"]


def _leaves(value: Any) -> tuple[list[Any], Any]:
    leaves, structure = flatten(tuple(value) if isinstance(value, list) else value, leaf_structure)
    return [convert(leaf) for leaf in leaves], structure


def _spec(value: Any) -> Any:
    """What tracing calls a spec: (dtype name, dims, None)."""
    if isinstance(value, TensorSpec):
        return value.dtype.name, value.shape, None
    if isinstance(value, bytes):
        return "string", (), None
    dims = value.shape
    return TensorSpec(dims, value.dtype).dtype.name, None if dims is None else tuple(dims), None


def _run(kernel: str, attrs: dict[str, Any], inputs: list[Any], functions: list[Function]) -> Any:
    """The kernel, appended to the function that is being traced, or run at once."""
    captures = [symbol for function in functions for symbol in function.capture_symbols]
    tracer = current_tracer()
    if tracer is None:
        from fastpipe import _core

        return _core.run_kernel(kernel, native_args(attrs), [*inputs, *captures])
    slots = [tracer.slot_of(value) for value in (*inputs, *captures)]
    return tracer.kernel(kernel, attrs, slots, user_line())


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Calls `body` on the loop variables, again and again, while `cond` of them holds.

    Args:
        cond: takes the variables, returns a scalar bool.
        body: takes the variables, returns the next ones, of equal structure and dtypes.
        loop_vars: a tuple, list or dict of tensors; where it starts.
        shape_invariants: of the same structure, shapes with None where a size changes on the way;
            without it shapes stay.
        parallel_iterations, back_prop, swap_memory, name: have no meaning here.
        maximum_iterations: the most rounds.

    Raises:
        InvalidArgumentError: a variable changes its dtype, or its shape beyond its invariant.

    >>> import fastpipe as fp
    >>> ds = fp.Dataset.range(4).map(
    ...     lambda x: fp.while_loop(lambda i, p: i < x, lambda i, p: (i + 1, p * 2), (x * 0, 1))[1])
    >>> [int(x) for x in ds]
    [1, 2, 4, 8]
    """
    if current_tracer() is None:
        return _looped(cond, body, loop_vars, maximum_iterations)
    listed = isinstance(loop_vars, list)
    variables, structure = _leaves(loop_vars)
    specs = [_spec(each) for each in variables]
    if shape_invariants is not None:
        shapes = _invariants(shape_invariants, len(specs))
        specs = [(dtype, dims, None) for (dtype, _, _), dims in zip(specs, shapes, strict=True)]
    arguments = structure if isinstance(structure, tuple) else (structure,)
    group = [(arguments, specs)]
    condition, step = trace(cond, group), trace(body, group)
    if step.structure != structure and (step.structure,) != structure:
        raise InvalidArgumentError(
            f"while_loop: the body returns {step.structure!r}, the loop variables are {structure!r}"
        )
    attrs = {
        "condition": condition,
        "body": step,
        "signature": [TensorSpec(dims, dtype) for dtype, dims, _ in specs],
        "num_condition": len(condition.capture_symbols),
        "limit": -1 if maximum_iterations is None else int(maximum_iterations),
    }
    results = _run("while_loop", attrs, variables, [condition, step])
    value = unflatten(structure, list(results))
    return list(value) if listed else value


def _looped(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any) -> Any:
    """The loop on values."""
    several = isinstance(loop_vars, (list, tuple))
    values = tuple(loop_vars) if several else (loop_vars,)
    left = -1 if maximum_iterations is None else int(maximum_iterations)
    while left != 0 and bool(cond(*values)):
        result = body(*values)
        values = tuple(result) if isinstance(result, (list, tuple)) else (result,)
        left -= 1
    results = [flatten(each, leaf_structure) for each in values]
    made = [unflatten(kind, [convert(leaf) for leaf in leaves]) for leaves, kind in results]
    return type(loop_vars)(made) if several else made[0]


def _invariants(shapes: Any, count: int) -> list[Any]:
    """One shape a variable, out of a structure whose leaves are shapes, TensorSpecs or None."""
    found: list[Any] = []

    def walk(item: Any) -> None:
        if isinstance(item, TensorSpec):
            found.append(item.shape)
        elif item is None or all(size is None or isinstance(size, int) for size in item):
            found.append(None if item is None else tuple(item))
        else:
            for each in item.values() if isinstance(item, dict) else item:
                walk(each)

    for each in shapes.values() if isinstance(shapes, dict) else shapes:
        walk(each)
    if len(found) != count:
        raise InvalidArgumentError(
            f"while_loop: {len(found)} shape_invariants for {count} loop variables"
        )
    return found


def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each row of `elems`, axis 0, its results stacked.

    Args:
        fn: takes one row, of the structure of `elems`.
        elems: a tensor or nested tuples and dicts of them, of equally many rows.
        dtype, fn_output_signature: if given, the dtypes that `fn` returns.
        parallel_iterations, back_prop, swap_memory, infer_shape, name: have no meaning here.

    Raises:
        InvalidArgumentError: the results have other dtypes than told, or the rows differ in number.

    >>> from fastpipe import constant
    >>> map_fn(lambda row: row * 2, constant([1, 2, 3])).tolist()
    [2, 4, 6]
    """
    leaves, structure = _leaves(elems)
    function = trace(fn, [((structure,), [_row_spec(each) for each in leaves])])
    signature = dtype if fn_output_signature is None else fn_output_signature
    results = list(
        _run("map_rows", {"function": function, "num_elements": len(leaves)}, leaves, [function])
    )
    if signature is not None:
        _expect_dtypes(signature, results)
    return unflatten(function.structure, results)


def _expect_dtypes(signature: Any, results: list[Any]) -> None:
    wanted, _ = flatten(
        tuple(signature) if isinstance(signature, list) else signature, leaf_structure
    )
    for spec, value in zip(wanted, results, strict=True):
        want = spec.dtype if isinstance(spec, TensorSpec) else spec
        if not TensorSpec(None, want).dtype == _spec(value)[0]:
            raise InvalidArgumentError(
                f"map_fn: the function returns {_spec(value)[0]}, the signature says {want!r}"
            )


def vectorized_map(fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True) -> Any:
    """The same as `map_fn`.

    >>> from fastpipe import constant
    >>> vectorized_map(lambda row: row + 1, constant([1, 2])).tolist()
    [2, 3]
    """
    return map_fn(fn, elems)


def _row_spec(value: Any) -> Any:
    dtype, dims, _ = _spec(value)
    if dims == ():
        raise InvalidArgumentError("expected tensors of one axis or more, got a scalar")
    return dtype, None if dims is None else dims[1:], None


def _fold(
    fn: Callable[..., Any], elems: Any, initializer: Any, collect: bool, reverse: bool
) -> Any:
    leaves, structure = _leaves(elems)
    skipped = initializer is None
    if skipped:
        first = -1 if reverse else 0
        states = [_row(each, first) for each in leaves]
        rest = slice(None, -1) if reverse else slice(1, None)
        leaves = [_rows(each, rest) for each in leaves]
        state_structure = structure
    else:
        states, state_structure = _leaves(initializer)
    specs = [_spec(each) for each in states]
    rows = [_row_spec(each) for each in leaves]

    def fold(specs: list[Any]) -> list[Any]:
        function = trace(fn, [((state_structure,), specs), ((structure,), rows)])
        if function.structure != state_structure:
            raise InvalidArgumentError(
                f"the function returns {function.structure!r}, the state is {state_structure!r}"
            )
        attrs = {
            "function": function,
            "num_states": len(states),
            "num_elements": len(leaves),
            "signature": [TensorSpec(dims, dtype) for dtype, dims, _ in specs],
            "collect": collect,
            "reverse": reverse,
        }
        return list(_run("fold_rows", attrs, [*states, *leaves], [function]))

    try:
        results = fold(specs)
    except InvalidArgumentError:
        # The shapes of the states may not be known on the way.
        results = fold([(dtype, None, None) for dtype, _, _ in specs])
    if skipped and collect:
        results = [
            call(
                "concat",
                [call("expand_dims", [state], axis=0), rows][:: -1 if reverse else 1],
                axis=0,
            )
            for state, rows in zip(states, results, strict=True)
        ]
    return unflatten(state_structure, results)


def _row(value: Any, position: int) -> Any:
    return call("strided_slice", [value], items=[position])


def _rows(value: Any, part: slice) -> Any:
    return call("strided_slice", [value], items=[[part.start, part.stop, None]])


def foldl(fn: Callable[..., Any], elems: Any, initializer: Any = None, **ignored: Any) -> Any:
    """fn(... fn(fn(initializer, row 0), row 1) ...) over the rows of `elems`.

    Args:
        fn: takes the state and a row, returns the next state.
        elems: a tensor or nested tuples and dicts of them, of equally many rows.
        initializer: the first state; the first row if None.
        ignored: TensorFlow's other arguments, which have no meaning here.

    >>> from fastpipe import constant
    >>> int(foldl(lambda state, row: state * 10 + row, constant([1, 2, 3])))
    123
    """
    return _fold(fn, elems, initializer, False, False)


def foldr(fn: Callable[..., Any], elems: Any, initializer: Any = None, **ignored: Any) -> Any:
    """The same as `foldl`, from the last row to the first.

    >>> from fastpipe import constant
    >>> int(foldr(lambda state, row: state * 10 + row, constant([1, 2, 3])))
    321
    """
    return _fold(fn, elems, initializer, False, True)


def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """The states that `foldl` goes through, stacked; with `reverse` those of `foldr`.

    >>> from fastpipe import constant
    >>> scan(lambda state, row: state + row, constant([1, 2, 3])).tolist()
    [1, 3, 6]
    """
    return _fold(fn, elems, initializer, True, reverse)
