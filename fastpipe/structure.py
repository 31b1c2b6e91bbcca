"""Nested structure: tuples and dicts exist only in Python; native code sees flat lists of leaves.

A structure is described by the same nesting with `LEAF` in place of each tensor and a
`DatasetLeaf` in place of each dataset. Dicts are in key order, as in tf.data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


class _Leaf:
    def __repr__(self) -> str:
        return "LEAF"

    def __reduce__(self) -> str:
        return "LEAF"


LEAF = _Leaf()


@dataclass(frozen=True)
class DatasetLeaf:
    """A component that is a dataset, whose elements have `structure`."""

    structure: Any


@dataclass(frozen=True)
class Composite:
    """A component made of several tensors, such as a ragged tensor: `kind.from_leaves(leaves)`."""

    kind: Any
    leaves: int


def is_namedtuple(value: object) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def flatten(value: Any, leaf_structure: Callable[[Any], Any]) -> tuple[list[Any], Any]:
    """The leaves of `value` in order, and its structure.

    `leaf_structure` gives the structure of one leaf: LEAF, or a DatasetLeaf.
    """
    leaves: list[Any] = []

    def walk(node: Any) -> Any:
        if is_namedtuple(node):
            return type(node)(*[walk(item) for item in node])
        if isinstance(node, tuple):
            return tuple(walk(item) for item in node)
        if isinstance(node, Mapping):
            return {key: walk(node[key]) for key in sorted(node)}
        if hasattr(type(node), "to_leaves"):  # asking a symbol itself would end its tracing
            parts = node.to_leaves()
            leaves.extend(parts)
            # A spec stands for the value that it describes.
            return Composite(getattr(type(node), "value_type", type(node)), len(parts))
        leaves.append(node)
        return leaf_structure(node)

    structure = walk(value)
    return leaves, structure


def _value(composite: Composite, leaves: list[Any]) -> Any:
    return composite.kind.from_leaves(leaves)


def unflatten(
    structure: Any, leaves: list[Any], composite: Callable[[Composite, list[Any]], Any] = _value
) -> Any:
    """The reverse of flatten. `composite` makes a value of several tensors from its leaves."""
    rest: Iterator[Any] = iter(leaves)

    def walk(node: Any) -> Any:
        if is_namedtuple(node):
            return type(node)(*[walk(item) for item in node])
        if isinstance(node, tuple):
            return tuple(walk(item) for item in node)
        if isinstance(node, dict):
            return {key: walk(item) for key, item in node.items()}
        if isinstance(node, Composite):
            return composite(node, [next(rest) for _ in range(node.leaves)])
        return next(rest)

    return walk(structure)


def leaf_structures(structure: Any) -> list[Any]:
    """The LEAF or DatasetLeaf of every tensor, in order."""
    if isinstance(structure, tuple):
        return [leaf for item in structure for leaf in leaf_structures(item)]
    if isinstance(structure, dict):
        return [leaf for item in structure.values() for leaf in leaf_structures(item)]
    if isinstance(structure, Composite):
        return [LEAF] * structure.leaves
    return [structure]


def components(structure: Any) -> list[Any]:
    """The LEAF, DatasetLeaf or Composite of every component, in order."""
    if isinstance(structure, tuple):
        return [part for item in structure for part in components(item)]
    if isinstance(structure, dict):
        return [part for item in structure.values() for part in components(item)]
    return [structure]


def map_components(structure: Any, change: Callable[[Any], Any]) -> Any:
    """The structure with `change(component)` in place of each component."""
    if is_namedtuple(structure):
        return type(structure)(*[map_components(item, change) for item in structure])
    if isinstance(structure, tuple):
        return tuple(map_components(item, change) for item in structure)
    if isinstance(structure, dict):
        return {key: map_components(item, change) for key, item in structure.items()}
    return change(structure)


def has_composites(structure: Any) -> bool:
    """True if some component is made of several tensors."""
    return any(isinstance(part, Composite) for part in components(structure))


def parts_argument(structure: Any) -> dict[str, Any]:
    """What ops that stack or take apart must be told of the tensors: nothing if all are plain."""
    if not has_composites(structure):
        return {}
    words: list[str] = []
    for part in components(structure):
        composite = isinstance(part, Composite)
        words += part.kind.part_names(part.leaves) if composite else ["tensor"]
    return {"parts": words}


def stacked(structure: Any) -> Any:
    """The structure of a batch of elements."""

    def stack(part: Any) -> Any:
        return part.kind.stacked(part.leaves) if isinstance(part, Composite) else part

    return map_components(structure, stack)


def unstacked(structure: Any) -> Any:
    """The structure of the rows of an element."""

    def unstack(part: Any) -> Any:
        return part.kind.unstacked(part.leaves) if isinstance(part, Composite) else part

    return map_components(structure, unstack)


def map_leaves(structure: Any, leaf: Callable[[Any], Any]) -> Any:
    """The structure with each leaf replaced by `leaf(its structure)`."""
    return unflatten(structure, [leaf(item) for item in leaf_structures(structure)])
