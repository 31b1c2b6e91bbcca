"""tf.nest: structures by hand."""

from typing import NamedTuple

import pytest

from fastpipe import nest


class Pair(NamedTuple):
    a: object
    b: object


@pytest.mark.parametrize(
    ("structure", "leaves"),
    [
        (1, [1]),
        ([], []),
        ([1, (2, [3])], [1, 2, 3]),
        ({"b": 1, "a": {"d": 2, "c": 3}}, [3, 2, 1]),
        (Pair(1, [2]), [1, 2]),
        ("text", ["text"]),
        (None, [None]),
    ],
)
def test_leaves_and_back(structure, leaves):
    assert nest.flatten(structure) == leaves
    packed = nest.pack_sequence_as(structure, leaves)
    assert packed == structure and type(packed) is type(structure)


def test_mapping():
    assert nest.map_structure(lambda x, y: x * y, [1, {"a": 2}], [3, {"a": 4}]) == [3, {"a": 8}]
    assert nest.map_structure(str, Pair(1, (2,))) == Pair("1", ("2",))


@pytest.mark.parametrize(
    ("one", "other", "error"),
    [
        ([1], 1, ValueError),
        ([1], [1, 2], ValueError),
        ({"a": 1}, {"b": 1}, ValueError),
        ([1], (1,), TypeError),
        ([1], {"a": 1}, TypeError),
    ],
)
def test_structures_that_differ(one, other, error):
    with pytest.raises(error):
        nest.assert_same_structure(one, other)
    with pytest.raises(error):
        nest.map_structure(lambda x, y: x, one, other)


def test_types_may_be_left_out():
    nest.assert_same_structure([1], (1,), check_types=False)


def test_too_few_leaves():
    with pytest.raises(ValueError, match="has 2 leaves, got 1"):
        nest.pack_sequence_as([1, 2], [3])
