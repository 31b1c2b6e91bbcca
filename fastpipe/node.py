"""The op descriptor: an immutable record of one op, with its name, arguments and inputs.

Nodes are plain data: they print, compare, pickle and hash. Native code runs what is built of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

AUTOTUNE = -1

# Arguments that change how fast a pipeline runs but not what it yields: a position saved under one
# value may be restored under another.
_TUNING_ARGS = frozenset({"num_parallel_calls", "deterministic"})


@dataclass(frozen=True)
class SlotIndex:
    """Slot `index` of the program around: a value that exists only when that runs."""

    index: int


@dataclass(frozen=True)
class Node:
    """One op: `Node("take", {"count": 3}, (source,))`.

    Args:
        op: its native name.
        args: plain values, arrays, traced functions.
        inputs: the nodes it reads from.
        where: the user's line that made it, "train.py:12"; no part of its identity.
    """

    op: str
    args: Mapping[str, Any] = field(default_factory=dict)
    inputs: tuple[Node, ...] = ()
    where: str = field(default="", compare=False)

    def __repr__(self) -> str:
        parts = [repr(node) for node in self.inputs]
        parts += [f"{name}={_short(value)}" for name, value in self.args.items()]
        return f"{self.op}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.canonical() == other.canonical()

    def __hash__(self) -> int:
        return hash(self.canonical())

    def canonical(self, tuning: bool = True) -> bytes:
        """Bytes that are equal for equal nodes, in every process.

        Args:
            tuning: False leaves out, in functions too, what only changes how fast they run.
        """
        return _digest(self, tuning)

    def fingerprint(self) -> bytes:
        """16 bytes that identify what this pipeline yields, whatever its parallelism."""
        return _digest(self, tuning=False)[:16]


def untuned(op: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an op that change what it yields."""
    return {} if op == "prefetch" else {k: v for k, v in args.items() if k not in _TUNING_ARGS}


def _digest(root: Node, tuning: bool) -> bytes:
    """A hash over `root` and all below it. Without recursion: a pipeline may be very deep."""
    done: dict[int, bytes] = {}
    waiting = [root]
    while waiting:
        node = waiting[-1]
        below = [item for item in node.inputs if id(item) not in done]
        if below:
            waiting.extend(below)
            continue
        waiting.pop()
        inputs = [done[id(item)] for item in node.inputs]
        args = dict(node.args) if tuning else untuned(node.op, node.args)
        parts = _canonical(("node", node.op, args, inputs), tuning)
        done[id(node)] = hashlib.sha256(b"".join(parts)).digest()
    return done[id(root)]


def code_identity(function: Any) -> bytes:
    """Bytes that identify what a Python function does: its code, constants, defaults, closure.

    Of objects that may change, such as a list the function fills, only the type counts.
    """
    names = (getattr(function, "__module__", None), getattr(function, "__qualname__", None))
    code = getattr(function, "__code__", None)
    if code is None:
        return b"".join(_canonical((*names, type(function).__qualname__), tuning=True))
    cells = tuple(cell.cell_contents for cell in function.__closure__ or () if _filled(cell))
    keywords = tuple(sorted((function.__kwdefaults__ or {}).items()))
    parts = (names, _code(code), function.__defaults__ or (), keywords, cells)
    return b"".join(_canonical(_plain(parts), tuning=True))


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # the name has no value yet
        return False


def _code(code: CodeType) -> Any:
    constants = (_code(item) if isinstance(item, CodeType) else item for item in code.co_consts)
    return code.co_code, code.co_names, tuple(constants)


def _plain(value: Any) -> Any:
    """`value`, with the type in the place of what may change or differ between processes."""
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return value
    return type(value).__qualname__


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _canonical(value: Any, tuning: bool) -> Iterator[bytes]:
    """A tagged, unambiguous encoding of plain values."""
    if hasattr(value, "canonical"):
        body = value.canonical(tuning)
        yield b"%d:" % len(body)
        yield body
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield f"array {value.dtype.str} {value.shape} {value.nbytes}:".encode()
        yield value.tobytes()
    elif isinstance(value, np.ndarray):
        yield f"objects {value.shape}".encode()
        yield from _canonical(value.ravel().tolist(), tuning)
    elif isinstance(value, Mapping):
        yield b"{%d " % len(value)
        for key in sorted(value):
            yield from _canonical(key, tuning)
            yield from _canonical(value[key], tuning)
        yield b"}"
    elif isinstance(value, (list, tuple)):
        yield b"[%d " % len(value)
        if all(type(item) is bytes for item in value):  # soon, for a million names
            yield b"".join([b"b%d:%b" % (len(item), item) for item in value])
        else:
            for item in value:
                yield from _canonical(item, tuning)
        yield b"]"
    elif isinstance(value, bytes):
        yield b"b%d:" % len(value)
        yield value
    else:
        text = f"{type(value).__name__} {value!r}".encode("utf-8", "surrogateescape")
        yield b"%d:" % len(text)
        yield text
