"""Nested tuples and dicts to flat lists, and back."""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest
from laws import plain

import fastpipe as fp
from fastpipe.structure import (
    LEAF,
    Composite,
    DatasetLeaf,
    flatten,
    leaf_structures,
    map_leaves,
    unflatten,
)

Point = namedtuple("Point", "x y")

VALUES = [
    1,
    (1, 2),
    (1,),
    (),
    {"a": 1, "b": (2, {"c": 3})},
    ((1, (2, 3)), {"z": 4}),
    Point(1, Point(2, 3)),
    {"p": Point(1, 2), "q": ()},
    {},
]


def leaf(value):
    return LEAF


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_unflatten_undoes_flatten(value):
    leaves, structure = flatten(value, leaf)
    assert unflatten(structure, leaves) == value
    assert type(unflatten(structure, leaves)) is type(value)
    assert leaf_structures(structure) == [LEAF] * len(leaves)


def test_dicts_are_in_the_order_of_their_keys():
    leaves, structure = flatten({"b": 2, "a": 1}, leaf)
    assert leaves == [1, 2] and list(structure) == ["a", "b"]
    assert flatten(OrderedDict(b=2, a=1), leaf)[1] == structure


def test_lists_are_leaves():
    leaves, structure = flatten(([1, 2], 3), leaf)
    assert leaves == [[1, 2], 3] and structure == (LEAF, LEAF)


def test_composites_are_several_leaves():
    ragged = fp.RaggedTensor(np.array([1, 2, 3]), np.array([0, 1, 3]))
    leaves, structure = flatten({"r": ragged, "n": 1}, leaf)
    assert len(leaves) == 3 and structure == {"n": LEAF, "r": Composite(fp.RaggedTensor, 2)}
    assert unflatten(structure, leaves)["r"].to_list() == [[1], [2, 3]]


def test_leaves_can_be_replaced():
    structure = {"a": LEAF, "b": (LEAF, DatasetLeaf(LEAF))}
    numbered = iter(range(3))
    assert map_leaves(structure, lambda each: next(numbered)) == {"a": 0, "b": (1, 2)}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": [1], "a": (["x"], {"c": [True]})}, {"a": (b"x", {"c": True}), "b": 1}),
        (Point([1], [2.5]), Point(1, 2.5)),
        (([1], ([2], ([3],))), (1, (2, (3,)))),
    ],
)
def test_elements_have_the_structure_of_what_they_came_from(value, expected):
    (element,) = fp.Dataset.from_tensor_slices(value)
    assert plain(element) == expected
    assert type(element) is type(expected)


def test_a_named_tuple_goes_through_a_function():
    ds = fp.Dataset.from_tensor_slices(Point([1], [2]))
    (element,) = ds.map(lambda p: Point(p.y, p.x))
    assert element == Point(2, 1) and isinstance(element, Point)
