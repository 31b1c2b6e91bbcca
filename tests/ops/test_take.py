import pytest
import reference
from laws import FAILED, check_op, check_transformation, numbers, outcomes

import fastpipe as fp
from fastpipe import _core


@pytest.mark.parametrize("count", [1, 3, 8, 100, -1])
def test_the_first_elements_come(count):
    check_transformation(
        lambda ds: ds.take(count),
        lambda values: reference.take(values, count),
        failing=count == 100 or count == -1,
    )


def test_none_are_taken_of_anything():
    check_transformation(lambda ds: ds.take(0), lambda values: [], failing=False, cardinality=0)


def test_errors_are_not_counted():
    assert outcomes(iter(numbers([1, 2, 3], failing=1).take(2))) == [1, FAILED, 2]


def test_taking_from_an_endless_dataset_ends():
    check_op(lambda: fp.Dataset.range(2).repeat().take(5), [0, 1, 0, 1, 0], cardinality=5)


def test_the_cardinality_is_the_smaller():
    assert fp.Dataset.range(3).take(5).cardinality() == 3
    assert fp.Dataset.range(5).take(3).cardinality() == 3
    assert fp.Dataset.range(5).filter(lambda x: x > 0).take(3).cardinality() == -2


def test_what_runs_ahead_stops_when_enough_is_taken():
    base = _core.running_threads()
    it = iter(fp.Dataset.range(10**9).prefetch(2).take(2))
    assert [int(x) for x in it] == [0, 1]
    assert _core.running_threads() == base


def test_every_negative_count_is_like_minus_one():
    check_op(lambda: fp.Dataset.range(3).take(-2), [0, 1, 2], cardinality=3)
