import pytest
from laws import check_op

import fastpipe as fp
from fastpipe.errors import FailedPreconditionError, InvalidArgumentError


def some(count):
    return fp.Dataset.range(100).filter(lambda x: x < count)


def test_the_number_becomes_known():
    check_op(lambda: some(4).assert_cardinality(4), [0, 1, 2, 3], cardinality=4)


def test_nothing_may_be_asserted_of_nothing():
    check_op(lambda: some(0).assert_cardinality(0), [], cardinality=0)


def test_too_few_elements_are_an_error_at_the_end():
    it = iter(some(2).assert_cardinality(3))
    assert [int(next(it)), int(next(it))] == [0, 1]
    with pytest.raises(FailedPreconditionError, match="3.*2|2.*3"):
        next(it)
    with pytest.raises(StopIteration):
        next(it)


def test_too_many_elements_are_an_error_in_their_place():
    it = iter(some(4).assert_cardinality(2))
    assert [int(next(it)), int(next(it))] == [0, 1]
    with pytest.raises(FailedPreconditionError, match="2"):
        next(it)


def test_an_infinite_number_may_be_asserted():
    ds = fp.Dataset.range(2).repeat().filter(lambda x: x > 0)
    check_op(
        lambda: ds.assert_cardinality(fp.INFINITE_CARDINALITY),
        [1, 1, 1],
        endless=True,
        cardinality=fp.INFINITE_CARDINALITY,
    )


def test_a_number_below_minus_two_is_refused():
    with pytest.raises(InvalidArgumentError):
        fp.Dataset.range(3).assert_cardinality(-3)
