import threading

import pytest
from laws import check_transformation

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError

WAIT = 30


@pytest.mark.parametrize("buffer_size", [0, 1, 2, 5, 100, fp.AUTOTUNE])
def test_elements_are_those_of_the_input(buffer_size):
    check_transformation(lambda ds: ds.prefetch(buffer_size), lambda values: values)


def numbered(count):
    """A dataset of range(count), and a list that grows as its elements are made."""
    made: list[int] = []
    grown = threading.Condition()

    def note(x):
        with grown:
            made.append(int(x))
            grown.notify_all()
        return x

    ds = fp.Dataset.range(count).map(lambda x: fp.py_function(note, [x], fp.int64))

    def wait_for(size):
        with grown:
            return grown.wait_for(lambda: len(made) >= size, WAIT)

    return ds, made, wait_for


def test_elements_are_made_ahead_of_the_consumer():
    ds, _, wait_for = numbered(10)
    it = iter(ds.prefetch(3))
    assert next(it) == 0
    assert wait_for(3), "nothing was made ahead"
    assert [int(x) for x in it] == list(range(1, 10))


@pytest.mark.parametrize("buffer_size", [1, 3])
def test_no_more_than_the_buffer_is_made_ahead(buffer_size):
    ds, made, wait_for = numbered(100)
    it = iter(ds.prefetch(buffer_size))
    for taken in range(1, 20):
        next(it)
        assert wait_for(taken)
        # One more may be in the making, and one in the consumer's hands.
        assert len(made) <= taken + buffer_size + 1


def test_without_a_buffer_nothing_is_made_ahead():
    ds, made, _ = numbered(10)
    it = iter(ds.prefetch(0))
    next(it)
    assert made == [0]
    assert it.thread_count() == 0


def test_nothing_is_made_before_the_first_next():
    ds, made, _ = numbered(10)
    it = iter(ds.prefetch(2))
    assert it.thread_count() == 0 and made == []


def test_a_negative_size_is_refused():
    with pytest.raises(InvalidArgumentError, match="buffer_size.*-2"):
        fp.Dataset.range(3).prefetch(-2)
