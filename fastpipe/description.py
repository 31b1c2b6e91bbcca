"""From a dataset to the plain data that fastpipe.explanation writes about."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from fastpipe.base import DatasetBase, python_callables_in
from fastpipe.explanation import Op
from fastpipe.node import AUTOTUNE, Node
from fastpipe.options import Options
from fastpipe.python_callable import PythonCallable
from fastpipe.spec import ALL
from fastpipe.tracing import BoundFunction, Function

# Arguments that a title shows, by value alone or with their name.
_BY_VALUE = ("batch_size", "buffer_size", "count", "size")
_BY_NAME = ("start", "stop", "step", "num_shards", "index", "cycle_length", "window_size")
_LARGE_ROW = 1024  # bytes; csrc/core/row_space.cc
_LATER = "known when the function runs"
_TITLES = {"element": "an element of another pipeline", "argument": "an argument of the function"}


def describe(dataset: DatasetBase) -> list[Op]:
    """The ops of `dataset`, consumers before inputs. Without recursion: a pipeline may be deep."""
    options = dataset._options
    native_options = options.native()
    ops: list[Op] = []
    seen: set[int] = set()
    waiting: list[tuple[Node, Any, int, bool, int | None, bool]] = [
        (dataset.node, dataset.native, 0, True, None, False)
    ]
    while waiting:
        node, native, depth, last, above, in_blocks = waiting.pop()
        in_blocks = in_blocks and native is not None and native.gives_blocks(native_options)
        op = _op(node.op, node.args, node.where, options)
        op = replace(op, depth=depth, last=last, in_blocks=in_blocks)
        if options.fusion is not False and _has_rows_in_place(node):
            op = replace(op, fused=("the map below computes large rows in the batch's memory",))
        if id(node) in seen and node.inputs:
            ops.append(replace(op, threads="", again=True, python=(), fused=(), inner=()))
            continue
        seen.add(id(node))
        op_id = None if native is None else native.op_id
        below = len(ops) if op.threads else above
        ops.append(replace(op, stage_above=above, op_id=op_id, has_inputs=bool(node.inputs)))
        natives = [] if native is None else native.inputs
        if len(natives) != len(node.inputs):
            natives = [None] * len(node.inputs)
        # An op that is asked for blocks asks its own inputs for them.
        in_blocks = in_blocks or (native is not None and native.takes_blocks(native_options))
        pairs = list(zip(node.inputs, natives, strict=True))
        for index, (item, native_item) in reversed(list(enumerate(pairs))):
            waiting.append(
                (item, native_item, depth + 1, index + 1 == len(pairs), below, in_blocks)
            )
    return ops


def _op(op: str, args: Mapping[str, Any], where: str, options: Options) -> Op:
    values = list(args.values())
    place = f" ({where})" if where else ""
    inner = tuple(_inner(values, options))
    said = {sentence for item in inner for sentence in item.python}
    python = [_python(item) for value in values for item in python_callables_in(value)]
    return Op(
        title=" ".join([_TITLES.get(op, op), *_shown(op, args)]) + place,
        label=op + place,
        threads=_threads(op, args, options),
        python=tuple(sentence for sentence in dict.fromkeys(python) if sentence not in said),
        fused=() if options.fusion is False else tuple(_fused(values)),
        inner=inner,
    )


def _has_rows_in_place(node: Node) -> bool:
    """Whether it is a batch whose rows the map below may compute where they belong."""
    if node.op != "batch" or node.inputs[0].op != "map":
        return False
    function = node.inputs[0].args["function"]
    function = function.function if isinstance(function, BoundFunction) else function
    return any(map(_may_be_large, function.program.output_specs))


def _may_be_large(spec: Any) -> bool:
    """Whether a tensor of (dtype name, dims, ...) may have the size from which rows are claimed."""
    name, dims, elements = spec
    if name == "string" or elements is not None or dims == ():
        return False
    return dims is None or None in dims or math.prod(dims) * ALL[name].itemsize >= _LARGE_ROW


def _fused(values: list[Any]) -> Iterator[str]:
    for value in values:
        function = value.function if isinstance(value, BoundFunction) else value
        if isinstance(function, Function):
            for kernels in dict.fromkeys(function.program.rewrites):
                yield f"computed as one: {kernels}"


def _shown(op: str, args: Mapping[str, Any]) -> Iterator[str]:
    for name, value in args.items():
        function = value.function if isinstance(value, BoundFunction) else value
        number = _integer(value)
        if isinstance(function, Function):
            yield _function_name(function)
        elif number is None:
            continue
        elif name in _BY_NAME:
            yield f"{name}={number}"
        elif name in _BY_VALUE and number >= 0 and op != "prefetch":
            yield str(number)


def _function_name(function: Function) -> str:
    if function.name.isidentifier():
        return function.name
    kernels = [str(record[1]) for record in function.records if record[0] in ("kernel", "dataset")]
    if function.is_python or not kernels:
        return "lambda"
    return " → ".join(kernels[:3] + ["…"] * (len(kernels) > 3))


def _integer(value: Any) -> int | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def _threads(op: str, args: Mapping[str, Any], options: Options) -> str:
    """What the user asked for; "" for an op without a stage."""
    auto = "AUTOTUNE (off)" if options.autotune.enabled is False else "AUTOTUNE"
    if op == "prefetch":
        size = _integer(args.get("buffer_size", AUTOTUNE))
        if size == 0:
            return ""
        ahead = _LATER if size is None else auto if size < 0 else f"{size:,}"
        return f"1 thread, elements ahead: {ahead}"
    asked = args.get("num_parallel_calls")
    if asked is None:
        return ""
    count = _integer(asked)
    if count == AUTOTUNE:
        return f"threads: {auto}"
    if count is None:
        return f"threads: {_LATER}"
    return f"{count:,} thread" if count == 1 else f"{count:,} threads"


def _python(item: PythonCallable) -> str:
    name = getattr(item.origin, "__qualname__", None) or repr(item.origin)
    code = getattr(item.origin, "__code__", None)
    name = name.rpartition("<locals>.")[2]
    if code is not None:
        name += f" ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"
    return f"runs {name} as Python, one thread at a time under the GIL: {item.reason}"


def _inner(values: list[Any], options: Options) -> list[Op]:
    """Ops of the datasets that functions among `values` make or hold; one for each label."""
    found: dict[str, list[Op]] = {}
    for op in _made_by(values, options):
        found.setdefault(op.label, []).append(op)
    return [_together(ops) for ops in found.values()]


def _together(ops: list[Op]) -> Op:
    """Ops of one label, which reports of stages do not tell apart, as one."""
    if len(ops) == 1:
        return ops[0]
    threads = dict.fromkeys(op.threads for op in ops if op.threads)
    python = dict.fromkeys(sentence for op in ops for sentence in op.python)
    title = f"{len(ops)} times {ops[0].label}"
    return replace(ops[0], title=title, threads=", ".join(threads), python=tuple(python))


def _made_by(values: list[Any], options: Options) -> Iterator[Op]:
    for value in values:
        if isinstance(value, BoundFunction):
            yield from _made_by([value.function], options)
        elif isinstance(value, DatasetBase):
            yield from (replace(op, op_id=None) for op in describe(value))
        elif isinstance(value, (list, tuple)):
            yield from _made_by(list(value), options)
        elif isinstance(value, dict):
            yield from _made_by(list(value.values()), options)
        elif isinstance(value, Function):
            yield from _recorded(value, options)


def _recorded(function: Function, options: Options) -> Iterator[Op]:
    for record in reversed(function.records):
        if record[0] == "dataset":
            _, op, args, inputs, where = record
            made = _op(op, args, where, options)
            yield replace(made, inner=())
            yield from made.inner
            yield from _made_by(inputs, options)
        elif record[0] == "kernel":  # of reduce and the like: its function
            yield from _made_by(list(record[2].values()), options)
        elif record[0] == "constant":
            yield from _made_by([record[1]], options)


def describe_options(options: Options) -> list[str]:
    """What was set of the options that change how a pipeline runs; nothing for the defaults."""
    parts = {"": options, "autotune.": options.autotune, "threading.": options.threading}
    names = {
        "": ("deterministic", "fusion", "native_only", "storage"),
        "autotune.": (
            "enabled",
            "cpu_budget",
            "ram_budget",
            "initial_parallelism",
            "min_parallelism",
            "max_parallelism",
        ),
        "threading.": ("private_threadpool_size",),
    }
    found = [
        f"{prefix}{name}={getattr(part, name)!r}"
        for prefix, part in parts.items()
        for name in names[prefix]
        if getattr(part, name) is not None
    ]
    return [f"options: {', '.join(found)}"] if found else []
