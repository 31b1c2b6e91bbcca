import pytest
import reference
from laws import FAILED, check_op, check_transformation, numbers, outcomes

import fastpipe as fp


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_the_elements_come_count_times(count):
    check_transformation(
        lambda ds: ds.repeat(count), lambda values: reference.repeat(values, count), failing=False
    )


def test_an_error_comes_in_every_epoch():
    got = outcomes(iter(numbers([1, 2], failing=1).repeat(2)))
    assert got == [1, FAILED, 2, 1, FAILED, 2]


@pytest.mark.parametrize("count", [None, -1])
def test_without_a_count_it_never_ends(count):
    check_op(
        lambda: fp.Dataset.range(3).repeat(count),
        [0, 1, 2, 0, 1, 2, 0, 1],
        endless=True,
        cardinality=fp.INFINITE_CARDINALITY,
    )


def test_repeating_nothing_for_ever_ends():
    check_op(lambda: fp.Dataset.range(0).repeat(), [], cardinality=0)
    # Nobody can know beforehand that this is empty: its cardinality is infinite, as in tf.data.
    assert list(fp.Dataset.range(5).filter(lambda x: x > 9).repeat()) == []


def test_repeating_only_errors_for_ever_does_not_hang():
    it = iter(numbers([], failing=0).repeat())
    assert outcomes(it, 3) in ([FAILED], [FAILED, FAILED, FAILED])


def test_every_epoch_is_shuffled_anew_or_alike():
    def epochs(reshuffle):
        ds = fp.Dataset.range(20).shuffle(20, seed=3, reshuffle_each_iteration=reshuffle).repeat(2)
        values = [int(x) for x in ds]
        return values[:20], values[20:]

    first, second = epochs(True)
    assert first != second and sorted(first) == sorted(second) == list(range(20))
    first, second = epochs(False)
    assert first == second


@pytest.mark.parametrize("calls", [1, 4])
def test_threads_below_go_through_all_epochs(calls):
    check_op(
        lambda: fp.Dataset.range(5).map(lambda x: x + 1, num_parallel_calls=calls).repeat(3),
        [1, 2, 3, 4, 5] * 3,
        cardinality=15,
    )


def test_every_negative_count_is_like_minus_one():
    ds = fp.Dataset.range(2).repeat(-2)
    assert ds.cardinality() == fp.INFINITE_CARDINALITY
    assert [int(x) for x in ds.take(5)] == [0, 1, 0, 1, 0]
