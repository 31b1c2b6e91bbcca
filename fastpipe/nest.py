"""Nested structures by hand: `tf.nest`. Lists, tuples and dicts nest; all else is a leaf."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


def is_nested(structure: Any) -> bool:
    """True for lists, tuples and dicts.

    >>> is_nested([1]), is_nested("a")
    (True, False)
    """
    return isinstance(structure, (list, tuple, Mapping))


def _children(structure: Any) -> list[Any]:
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    return list(structure)


def _rebuilt(structure: Any, children: list[Any]) -> Any:
    if isinstance(structure, Mapping):
        values = dict(zip(sorted(structure), children, strict=True))
        return type(structure)([(key, values[key]) for key in structure])  # type: ignore[call-arg]
    if hasattr(structure, "_fields"):
        return type(structure)(*children)
    return type(structure)(children)


def flatten(structure: Any) -> list[Any]:
    """The leaves in order, those of dicts by key.

    >>> flatten({"b": [2, 3], "a": 1})
    [1, 2, 3]
    """
    if not is_nested(structure):
        return [structure]
    return [leaf for child in _children(structure) for leaf in flatten(child)]


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """The reverse of `flatten`.

    Raises:
        ValueError: there are more or fewer leaves than `structure` has.

    >>> pack_sequence_as({"b": [0, 0], "a": 0}, [1, 2, 3])
    {'b': [2, 3], 'a': 1}
    """
    leaves = list(flat_sequence) if is_nested(flat_sequence) else [flat_sequence]
    if len(leaves) != len(flatten(structure)):
        raise ValueError(
            f"the structure has {len(flatten(structure))} leaves, got {len(leaves)}: {structure!r}"
        )
    rest: Iterator[Any] = iter(leaves)

    def walk(node: Any) -> Any:
        if not is_nested(node):
            return next(rest)
        return _rebuilt(node, [walk(child) for child in _children(node)])

    return walk(structure)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raises unless both nest alike.

    Raises:
        ValueError: one has leaves where the other nests, or other keys, or other sizes.
        TypeError: sequences of different types, if `check_types`.

    >>> assert_same_structure([1, (2, 3)], [4, (5, 6)])
    """
    if is_nested(nest1) != is_nested(nest2):
        raise ValueError(f"the structures differ: {nest1!r:.80} and {nest2!r:.80}")
    if not is_nested(nest1):
        return
    if isinstance(nest1, Mapping) != isinstance(nest2, Mapping) or (
        check_types and type(nest1) is not type(nest2) and not isinstance(nest1, Mapping)
    ):
        raise TypeError(f"the types differ: {type(nest1).__name__} and {type(nest2).__name__}")
    if isinstance(nest1, Mapping) and set(nest1) != set(nest2):
        raise ValueError(f"the keys differ: {sorted(nest1)} and {sorted(nest2)}")
    if len(nest1) != len(nest2):
        raise ValueError(f"the sizes differ: {nest1!r:.80} and {nest2!r:.80}")
    for a, b in zip(_children(nest1), _children(nest2), strict=True):
        assert_same_structure(a, b, check_types)


def map_structure(func: Callable[..., Any], *structure: Any, check_types: bool = True) -> Any:
    """The structure with each leaf replaced by `func` of the leaves there.

    >>> map_structure(lambda x, y: x + y, {"a": 1}, {"a": 2})
    {'a': 3}
    """
    first, *others = structure
    for other in others:
        assert_same_structure(first, other, check_types)
    leaves = [flatten(each) for each in structure]
    return pack_sequence_as(first, [func(*each) for each in zip(*leaves, strict=True)])
