import pytest
import reference
from laws import FAILED, check_op, check_transformation, outcomes

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    "predicate", [lambda x: x % 2 == 0, lambda x: x > 100, lambda x: x >= 0, lambda x: x != 1]
)
def test_elements_for_which_the_predicate_holds_stay(predicate):
    check_transformation(
        lambda ds: ds.filter(predicate), lambda values: reference.filter_elements(values, predicate)
    )


def test_the_predicate_sees_every_component():
    def make():
        ds = fp.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "x"]})
        return ds.filter(lambda e: (e["b"] == "x") & (e["a"] > 1))

    check_op(make, [{"a": 3, "b": b"x"}], cardinality=fp.UNKNOWN_CARDINALITY)


def test_a_constant_predicate_keeps_all_or_nothing():
    check_op(lambda: fp.Dataset.range(3).filter(lambda x: True), [0, 1, 2])
    check_op(lambda: fp.Dataset.range(3).filter(lambda x: False), [])


def test_a_predicate_that_fails_costs_its_element():
    ds = fp.Dataset.from_tensor_slices(["1", "x", "3"])
    ds = ds.filter(lambda text: fp.strings.to_number(text, fp.int32) > 0)
    assert outcomes(iter(ds)) == [b"1", FAILED, b"3"]


@pytest.mark.parametrize(
    "predicate", [lambda x: x, lambda x: (x > 0, x > 1), lambda x: fp.stack([x > 0, x > 1])]
)
def test_a_predicate_must_return_one_bool(predicate):
    with pytest.raises(InvalidArgumentError, match="bool"):
        list(fp.Dataset.range(3).filter(predicate))


def test_a_python_predicate_runs_with_a_warning():
    with pytest.warns(fp.PythonFallbackWarning):
        ds = fp.Dataset.range(6).filter(lambda x: int(x) % 3 == 0)
    assert [int(x) for x in ds] == [0, 3]
