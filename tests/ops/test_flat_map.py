import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import check_op, check_transformation, outcomes

import fastpipe as fp


def counted(x):
    return fp.Dataset.range(100 * x, 100 * x + x % 10)


def counted_list(x):
    return list(range(100 * x, 100 * x + x % 10))


def test_all_elements_of_each_inner_come_in_order():
    check_transformation(
        lambda ds: ds.flat_map(counted),
        lambda values: reference.flat_map(map(counted_list, values)),
    )


@settings(max_examples=60)
@given(st.lists(st.integers(0, 9), max_size=10), st.integers(1, 5))
def test_flat_map_is_interleave_with_a_cycle_of_one(values, block_length):
    ds = fp.Dataset.from_tensor_slices(values or [0])
    ds = ds.map(lambda x: fp.cast(x, fp.int64))
    flat = outcomes(iter(ds.flat_map(counted)))
    assert flat == outcomes(iter(ds.interleave(counted, 1, block_length)))


def test_inners_may_run_on_threads():
    ds = fp.Dataset.range(1, 4).flat_map(
        lambda x: fp.Dataset.range(5).map(lambda y: x * y, num_parallel_calls=2).prefetch(1)
    )
    check_op(lambda: ds, [x * y for x in (1, 2, 3) for y in range(5)])


def test_a_function_must_return_a_dataset():
    with pytest.raises((TypeError, ValueError), match="dataset"):
        fp.Dataset.range(3).flat_map(lambda x: x)
