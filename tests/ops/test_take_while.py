import pytest
import reference
from laws import FAILED, check_op, check_transformation, numbers, outcomes

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("predicate", "never_stops"),
    [(lambda x: x < 5, False), (lambda x: x < 0, False), (lambda x: x < 100, True)],
)
def test_elements_come_until_the_predicate_is_false(predicate, never_stops):
    check_transformation(
        lambda ds: ds.take_while(predicate),
        lambda values: reference.take_while(values, predicate),
        failing=never_stops,
    )


def test_an_error_does_not_stop_it():
    ds = numbers([1, 2, 9, 1], failing=1).take_while(lambda x: x < 5)
    assert outcomes(iter(ds)) == [1, FAILED, 2]


def test_an_endless_dataset_ends():
    ds = fp.Dataset.counter().take_while(lambda x: x < 3)
    check_op(lambda: ds, [0, 1, 2], cardinality=fp.UNKNOWN_CARDINALITY)


def test_a_predicate_must_return_one_bool():
    with pytest.raises(InvalidArgumentError, match="bool"):
        list(fp.Dataset.range(3).take_while(lambda x: x))
