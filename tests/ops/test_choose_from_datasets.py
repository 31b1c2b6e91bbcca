import numpy as np
import pytest
import reference
from laws import check_op, check_transformation

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


def datasets():
    return [fp.Dataset.range(start, start + 3) for start in (0, 10, 20)]


LISTS = [range(start, start + 3) for start in (0, 10, 20)]


@pytest.mark.parametrize("stop", [True, False])
def test_elements_come_from_the_chosen_dataset(stop):
    check_transformation(
        lambda ds: fp.Dataset.choose_from_datasets(datasets(), ds.map(lambda x: x % 3), stop),
        lambda values: reference.choose_from(LISTS, [v % 3 for v in values], stop),
        inputs=([], [7], [3, 1, 4, 1, 5], [0, 0, 0, 0, 0, 1]),
        failing=not stop,
    )


def test_the_chosen_datasets_may_run_on_threads():
    def make():
        parallel = [ds.map(lambda x: x, num_parallel_calls=2) for ds in datasets()]
        return fp.Dataset.choose_from_datasets(parallel, fp.Dataset.range(3).repeat(3))

    check_op(make, [0, 10, 20, 1, 11, 21, 2, 12, 22])


@pytest.mark.parametrize("choice", [3, -1])
def test_a_choice_out_of_range_is_an_error(choice):
    choices = fp.Dataset.from_tensor_slices(np.array([choice], np.int64))
    with pytest.raises(InvalidArgumentError, match=str(choice)):
        next(iter(fp.Dataset.choose_from_datasets(datasets(), choices)))


def test_choices_must_be_int64_scalars():
    with pytest.raises((TypeError, ValueError)):
        fp.Dataset.choose_from_datasets(datasets(), fp.Dataset.from_tensors(["a"]))


def test_the_datasets_must_be_alike():
    with pytest.raises(TypeError):
        fp.Dataset.choose_from_datasets(
            [fp.Dataset.range(2), fp.Dataset.from_tensors("a")], fp.Dataset.range(2)
        )


def test_no_datasets_are_refused():
    with pytest.raises(InvalidArgumentError):
        fp.Dataset.choose_from_datasets([], fp.Dataset.range(2))


def test_it_is_infinite_if_choices_and_a_chosen_dataset_are():
    def card(choices, stop):
        two = [fp.Dataset.range(3), fp.Dataset.range(3).repeat()]
        return fp.Dataset.choose_from_datasets(two, choices, stop).cardinality()

    choices = fp.Dataset.range(2)
    assert card(choices, False) == card(choices.repeat(), True) == fp.UNKNOWN_CARDINALITY
    assert card(choices.repeat(), False) == fp.INFINITE_CARDINALITY
