import itertools

import pytest
from laws import check_op

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(("start", "step"), [(0, 1), (5, 1), (0, -2), (3, 0)])
def test_it_counts_without_end(start, step):
    check_op(
        lambda: fp.Dataset.counter(start, step),
        itertools.islice(itertools.count(start, step), 20),
        endless=True,
        cardinality=fp.INFINITE_CARDINALITY,
    )


def test_numbers_have_the_dtype_asked_for():
    assert next(iter(fp.Dataset.counter(dtype="float32"))).dtype == "float32"


def test_an_endless_dataset_has_no_length():
    with pytest.raises(TypeError, match="infinite"):
        len(fp.Dataset.counter())


def test_texts_cannot_be_counted():
    with pytest.raises(InvalidArgumentError, match="dtype"):
        fp.Dataset.counter(dtype="string")


def test_floats_count_too():
    check_op(
        lambda: fp.Dataset.counter(0.5, -0.25, "float64"),
        [0.5, 0.25, 0.0, -0.25],
        endless=True,
        cardinality=fp.INFINITE_CARDINALITY,
    )
