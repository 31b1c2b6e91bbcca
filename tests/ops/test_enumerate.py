import pytest
import reference
from laws import FAILED, check_op, check_transformation, numbers, outcomes

import fastpipe as fp


@pytest.mark.parametrize("start", [0, 5, -3])
def test_each_element_comes_with_its_number(start):
    check_transformation(
        lambda ds: ds.enumerate(start), lambda values: reference.enumerate_elements(values, start)
    )


def test_an_error_has_no_number():
    assert outcomes(iter(numbers([7, 8], failing=1).enumerate())) == [(0, 7), FAILED, (1, 8)]


def test_structures_stay_beside_the_number():
    ds = fp.Dataset.from_tensor_slices({"a": [1], "b": ["x"]}).enumerate()
    check_op(lambda: ds, [(0, {"a": 1, "b": b"x"})], cardinality=1)


def test_the_number_is_int64():
    number, _ = next(iter(fp.Dataset.range(1).enumerate()))
    assert number.dtype == "int64"
