"""get_single_element and cardinality of datasets that are values in a traced function."""

import numpy as np
import pytest
from laws import check_op, outcomes, plain

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


def test_the_single_element_of_a_window_is_a_value():
    windows = fp.Dataset.range(5).map(lambda x: (x, {"twice": 2 * x})).window(2)
    ds = windows.map(
        lambda a, d: (a.batch(5).get_single_element(), d["twice"].batch(5).get_single_element())
    )
    assert ds.element_spec == (fp.TensorSpec([None], "int64"), fp.TensorSpec([None], "int64"))
    assert plain(tuple(ds)) == (([0, 1], [0, 2]), ([2, 3], [4, 6]), ([4], [8]))


def test_a_nested_structure_comes_back():
    ds = fp.Dataset.range(3).map(
        lambda x: fp.Dataset.from_tensors({"a": x, "b": (x, "s")}).get_single_element()
    )
    check_op(lambda: ds, [{"a": i, "b": (i, b"s")} for i in range(3)], cardinality=3)


def test_none_or_several_elements_cost_their_element_only():
    ds = fp.Dataset.range(4).map(lambda x: fp.Dataset.range(x).get_single_element())
    got = outcomes(iter(ds))
    assert len(got) == 4 and got[1] == 0
    for count in (0, 2):
        with pytest.raises(InvalidArgumentError, match="expected one element"):
            fp.Dataset.range(count).get_single_element()


def test_the_cardinality_of_a_window_is_a_value():
    ds = fp.Dataset.range(5).window(2).map(lambda w: w.cardinality())
    assert ds.element_spec == fp.TensorSpec((), "int64")
    assert [int(x) for x in ds] == [2, 2, 1]
    unknown = fp.Dataset.range(5).window(2).map(lambda w: w.filter(lambda x: x > 0).cardinality())
    assert [int(x) for x in unknown] == [-2, -2, -2]


def test_a_length_needs_a_value():
    with pytest.raises(TypeError, match="cardinality"):
        fp.Dataset.range(5).window(2).map(lambda w: len(w))


def test_an_element_by_its_number():
    ds = fp.Dataset.range(5).map(lambda x: x * x)
    assert ds.at(3) == 9 and ds.at(np.int64(0)) == 0
    for number in (5, -1):
        with pytest.raises(fp.errors.OutOfRangeError):
            ds.at(number)
    inside = fp.Dataset.range(3).map(lambda x: fp.Dataset.range(10, 20).at(x))
    assert [int(x) for x in inside] == [10, 11, 12]
