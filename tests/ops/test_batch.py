import numpy as np
import pytest
import reference
from laws import FAILED, check_op, check_transformation, numbers, outcomes

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError

PARALLEL = [None, 1, 2, 8, fp.AUTOTUNE]


@pytest.mark.parametrize("batch_size", [1, 2, 3, 8, 100])
@pytest.mark.parametrize("drop_remainder", [False, True])
def test_elements_are_stacked_in_order(batch_size, drop_remainder):
    check_transformation(
        lambda ds: ds.batch(batch_size, drop_remainder),
        lambda values: reference.batch(values, batch_size, drop_remainder),
    )


@pytest.mark.parametrize("calls", PARALLEL)
def test_threads_change_nothing(calls):
    check_transformation(
        lambda ds: ds.batch(3, num_parallel_calls=calls), lambda values: reference.batch(values, 3)
    )


def test_threads_without_order_yield_the_same_batches():
    check_op(
        lambda: fp.Dataset.range(100).batch(7, num_parallel_calls=4, deterministic=False),
        reference.batch(range(100), 7),
        ordered=False,
        savable=False,
        cardinality=15,
    )


def test_every_component_is_stacked():
    def make():
        elements = {"a": np.arange(5, dtype=np.float32), "b": ["x", "yy", "", "z", "w"]}
        return fp.Dataset.from_tensor_slices(elements).enumerate().batch(2)

    check_op(
        make,
        [
            ([0, 1], {"a": [0.0, 1.0], "b": [b"x", b"yy"]}),
            ([2, 3], {"a": [2.0, 3.0], "b": [b"", b"z"]}),
            ([4], {"a": [4.0], "b": [b"w"]}),
        ],
        cardinality=3,
    )


def test_batches_of_batches_gain_an_axis():
    check_op(
        lambda: fp.Dataset.range(8).batch(2).batch(2),
        [[[0, 1], [2, 3]], [[4, 5], [6, 7]]],
        cardinality=2,
    )


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "float64", "uint64"])
def test_the_dtype_is_kept(dtype):
    values = np.array([0, 1, 1], dtype)
    (batch,) = fp.Dataset.from_tensor_slices(values).batch(3)
    assert batch.dtype == values.dtype
    np.testing.assert_array_equal(batch, values)


def test_the_spec_knows_the_batch_only_without_a_remainder():
    ds = fp.Dataset.from_tensor_slices(np.zeros((6, 2), np.uint8))
    assert ds.batch(4).element_spec == fp.TensorSpec((None, 2), "uint8")
    assert ds.batch(4, drop_remainder=True).element_spec == fp.TensorSpec((4, 2), "uint8")


def test_an_error_inside_a_batch_costs_one_element():
    got = outcomes(iter(numbers([0, 1, 2, 3], failing=1).batch(2)))
    assert got == [FAILED, [0, 1], [2, 3]]


@pytest.mark.parametrize("calls", [None, 2])
def test_elements_of_unequal_shape_fail_and_the_next_batch_arrives(calls):
    ds = fp.Dataset.range(1, 7).map(lambda x: fp.range(fp.where(x == 3, x, 2)))
    it = iter(ds.batch(2, num_parallel_calls=calls))
    assert next(it).tolist() == [[0, 1], [0, 1]]
    with pytest.raises(InvalidArgumentError, match=r"\[3\]"):
        next(it)
    assert next(it).tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize("size", [0, -1, -7])
def test_a_size_below_one_is_refused(size):
    with pytest.raises(InvalidArgumentError, match=f"batch_size.*{size}"):
        fp.Dataset.range(3).batch(size)


@pytest.mark.parametrize("calls", [0, -2])
def test_a_parallelism_below_one_is_refused(calls):
    with pytest.raises(InvalidArgumentError, match=f"num_parallel_calls.*{calls}"):
        fp.Dataset.range(3).batch(2, num_parallel_calls=calls)


def test_datasets_cannot_be_stacked():
    with pytest.raises(InvalidArgumentError, match="dataset"):
        fp.Dataset.range(3).window(2).batch(2)


def test_a_batch_can_be_written_and_stays_what_it_is():
    it = iter(fp.Dataset.range(4).batch(2))
    first = next(it)
    first += 10
    second = next(it)
    assert first.tolist() == [10, 11] and second.tolist() == [2, 3]
