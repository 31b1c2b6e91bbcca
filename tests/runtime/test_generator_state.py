"""Generators that offer state can be saved, below any op."""

import pytest
from laws import check_op, outcomes

import fastpipe as fp
from fastpipe import errors

INT = fp.TensorSpec((), "int64")


class Squares:
    """An iterator that can be saved."""

    def __init__(self, size=12):
        self.number, self.size = 0, int(size)

    def __iter__(self):
        return self

    def __next__(self):
        if self.number == self.size:
            raise StopIteration
        self.number += 1
        return self.number**2

    def state_dict(self):
        return {"number": self.number}

    def load_state_dict(self, state):
        self.number = state["number"]


class Loader:
    """An iterable that can be saved, with a new iterator each time."""

    def __init__(self):
        self.number = 0

    def __iter__(self):
        for number in range(self.number, 12):
            self.number = number + 1
            yield self.number**2

    state_dict = Squares.state_dict
    load_state_dict = Squares.load_state_dict


class Iterable:
    """Whose iterators can be saved."""

    def __iter__(self):
        return Squares()


EXPECTED = [n**2 for n in range(1, 13)]


def generated(generator=Squares, **arguments):
    return fp.Dataset.from_generator(generator, output_signature=INT, **arguments)


@pytest.mark.parametrize("kind", [Squares, Loader, Iterable])
def test_a_generator_with_state_goes_on_where_it_was(kind):
    check_op(lambda: generated(kind), EXPECTED)


def test_a_generator_with_state_takes_its_arguments_again():
    check_op(lambda: generated(Squares, args=(3,)), [1, 4, 9])


ABOVE = {
    "map": (lambda ds: ds.map(lambda x: x + 1), lambda v: [x + 1 for x in v]),
    "parallel map": (lambda ds: ds.map(lambda x: x + 1, 2), lambda v: [x + 1 for x in v]),
    "batch": (lambda ds: ds.batch(5).unbatch(), lambda v: v),
    "parallel batch": (lambda ds: ds.batch(5, num_parallel_calls=2).unbatch(), lambda v: v),
    "repeat": (lambda ds: ds.repeat(2), lambda v: v * 2),
    "prefetch": (lambda ds: ds.prefetch(3), lambda v: v),
    "window": (lambda ds: ds.window(4).flat_map(lambda w: w.batch(4)).unbatch(), lambda v: v),
    "zip": (
        lambda ds: fp.Dataset.zip(ds, fp.Dataset.range(20)),
        lambda v: list(zip(v, range(20))),
    ),
    "interleave": (
        lambda ds: fp.Dataset.range(2).interleave(lambda x: ds, 2, num_parallel_calls=2),
        lambda v: [x for x in v for _ in range(2)],
    ),
}


@pytest.mark.parametrize("name", ABOVE)
def test_an_op_above_a_generator_with_state_is_restored(name):
    above, model = ABOVE[name]
    check_op(lambda: above(generated()), model(EXPECTED))


def test_a_shuffle_above_a_generator_with_state_is_restored():
    def make():
        return generated().shuffle(4, seed=1, reshuffle_each_iteration=False)

    check_op(make, [int(x) for x in make()])


def test_a_plain_generator_says_which_stage_cannot_be_saved_and_what_it_lacks():
    iterator = iter(generated(lambda: (n for n in range(3))).map(lambda x: x + 1))
    next(iterator)
    with pytest.raises(
        errors.UnimplementedError,
        match=r"from_generator .*returns \(generator\) the methods state_dict\(\) and load_state",
    ):
        iterator.save()


def test_a_pass_that_has_not_asked_its_generator_yet_can_be_saved():
    dataset = generated(lambda: (n for n in range(3)))
    assert [int(x) for x in dataset.iterator(dataset.iterator().save())] == [0, 1, 2]


class Broken(Squares):
    def state_dict(self):
        raise KeyError("no state today")


def test_what_state_dict_raises_is_what_save_raises():
    iterator = iter(generated(Broken))
    next(iterator)
    with pytest.raises(KeyError, match="no state today"):
        iterator.save()
    assert outcomes(iterator) == EXPECTED[1:]


class Unloadable(Squares):
    def load_state_dict(self, state):
        raise KeyError("another format")


def test_what_load_state_dict_raises_comes_with_the_first_element():
    dataset = generated(Unloadable)
    iterator = iter(dataset)
    next(iterator)
    with pytest.raises(KeyError, match="another format"):
        next(dataset.iterator(iterator.save()))


@pytest.mark.parametrize("state", [{1: 2}, (1, 2), {"x": (1,)}])
def test_a_state_that_json_would_change_is_refused(state):
    class Odd(Squares):
        def state_dict(self):
            return state

    iterator = iter(generated(Odd))
    next(iterator)
    with pytest.raises(errors.InvalidTypeError, match=r"state_dict\(\) of Odd must return what"):
        iterator.save()


@pytest.mark.parametrize("state", [b"bytes", float("nan"), object()])
def test_a_state_that_json_cannot_hold_is_refused(state):
    class Odd(Squares):
        def state_dict(self):
            return {"x": state}

    iterator = iter(generated(Odd))
    next(iterator)
    with pytest.raises((TypeError, ValueError)):
        iterator.save()
