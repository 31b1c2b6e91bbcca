"""The op descriptor: an immutable record of one op, with its name, arguments and inputs.

Nodes are plain data: they print, compare, pickle and hash. Native code runs what is built of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
        args = dict(self.args) if tuning else untuned(self.op, self.args)
        return b"".join(_canonical(("node", self.op, args, self.inputs), tuning))

    def fingerprint(self) -> bytes:
        """16 bytes that identify what this pipeline yields, whatever its parallelism."""
        return hashlib.sha256(self.canonical(tuning=False)).digest()[:16]


def untuned(op: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an op that change what it yields."""
    return {} if op == "prefetch" else {k: v for k, v in args.items() if k not in _TUNING_ARGS}


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
