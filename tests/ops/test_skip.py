import pytest
import reference
from laws import FAILED, check_op, check_transformation, numbers, outcomes

import fastpipe as fp


@pytest.mark.parametrize("count", [0, 1, 3, 8, 100])
def test_the_first_elements_are_left_out(count):
    check_transformation(lambda ds: ds.skip(count), lambda values: reference.skip(values, count))


def test_minus_one_leaves_out_all():
    check_op(lambda: fp.Dataset.range(5).skip(-1), [], cardinality=0)


def test_errors_are_reported_and_not_counted():
    assert outcomes(iter(numbers([1, 2, 3], failing=1).skip(2))) == [FAILED, 3]


def test_skipping_everything_is_quick_where_nothing_has_to_be_made():
    size = 2**62
    it = iter(fp.Dataset.range(size).take(3))
    assert [int(x) for x in it] == [0, 1, 2]
    assert fp.Dataset.range(size).skip(size - 1).cardinality() == 1


def test_the_cardinality_is_what_remains():
    assert fp.Dataset.range(5).skip(3).cardinality() == 2
    assert fp.Dataset.range(2).skip(3).cardinality() == 0
    assert fp.Dataset.range(2).repeat().skip(3).cardinality() == fp.INFINITE_CARDINALITY


def test_every_negative_count_is_like_minus_one():
    check_op(lambda: fp.Dataset.range(3).skip(-2), [], cardinality=0)
