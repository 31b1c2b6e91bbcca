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


# ---- rows that a map computes in the memory of their batch ----

WIDE = 600  # int64 values: enough for a row to get its place


def wide(x):
    return fp.zeros([WIDE], fp.int64) + x


def rows_of(first, count):
    return np.arange(first, first + count)[:, None] + np.zeros(WIDE, np.int64)


@pytest.mark.parametrize("calls", PARALLEL)
@pytest.mark.parametrize("batch_calls", [None, 3])
def test_large_rows_of_a_map_are_where_they_belong(calls, batch_calls):
    check_op(
        lambda: (
            fp.Dataset.range(23)
            .map(wide, num_parallel_calls=calls)
            .batch(4, num_parallel_calls=batch_calls)
        ),
        [rows_of(first, min(4, 23 - first)).tolist() for first in range(0, 23, 4)],
        cardinality=6,
    )


@pytest.mark.parametrize("calls", PARALLEL)
def test_rows_after_an_error_move_up(calls):
    def fails_at_five(x):
        return fp.debugging.check_numerics(
            fp.cast(wide(x), fp.float32) / fp.cast(x - 5, fp.float32), ""
        )

    ds = fp.Dataset.range(40).map(fails_at_five, num_parallel_calls=calls)
    good = [x for x in range(40) if x != 5]
    expected = [np.float32(x) / np.float32(x - 5) for x in good]
    for made in (ds.ignore_errors().batch(8), ds.batch(8).ignore_errors()):
        rows = np.concatenate(list(made.as_numpy_iterator()))
        assert rows.shape == (39, WIDE)
        np.testing.assert_array_equal(rows[:, 0], expected)
        np.testing.assert_array_equal(rows[:, -1], expected)


def test_a_result_that_occurs_twice_and_one_that_shares_its_input_are_both_whole():
    def make(x):
        row = wide(x)
        return row, row, fp.reshape(row + 1, [2, WIDE // 2]), row[:10]

    ds = fp.Dataset.range(12).map(make, num_parallel_calls=2).batch(5)
    for first, (a, b, c, d) in zip(range(0, 12, 5), ds.as_numpy_iterator(), strict=True):
        rows = rows_of(first, len(a))
        np.testing.assert_array_equal(a, rows)
        np.testing.assert_array_equal(b, rows)
        np.testing.assert_array_equal(c.reshape(len(a), -1), rows + 1)
        np.testing.assert_array_equal(d, rows[:, :10])
        a[:] = -1
        np.testing.assert_array_equal(b, rows)


def test_functions_inside_the_function_do_not_write_to_the_row():
    def make(x):
        first = fp.cond(x % 2 == 0, lambda: wide(x), lambda: wide(-x))
        return first, wide(x) * 2

    ds = fp.Dataset.range(9).map(make, num_parallel_calls=2).batch(4)
    for first, (a, b) in zip(range(0, 9, 4), ds.as_numpy_iterator(), strict=True):
        numbers_ = np.arange(first, first + len(a))
        np.testing.assert_array_equal(a[:, 7], np.where(numbers_ % 2 == 0, numbers_, -numbers_))
        np.testing.assert_array_equal(b[:, 7], 2 * numbers_)


def test_batches_are_the_callers_own():
    ds = fp.Dataset.range(20).map(wide, num_parallel_calls=2).batch(4)
    batches = list(ds.as_numpy_iterator())
    batches[0][:] = -1
    for index, batch in enumerate(batches[1:], start=1):
        np.testing.assert_array_equal(batch, rows_of(4 * index, 4))
    assert all(batch.flags.writeable for batch in batches)


def test_rows_of_many_shapes_are_an_error_that_names_both():
    ds = fp.Dataset.range(6).map(lambda x: fp.zeros([WIDE + x], fp.int64), num_parallel_calls=2)
    with pytest.raises(InvalidArgumentError, match=r"\[600\] in element 0.*\[601\] in element 1"):
        next(iter(ds.batch(3)))


def test_unbatched_rows_are_batched_again_as_they_were():
    values = np.arange(6 * 500).reshape(6, 500)
    ds = fp.Dataset.from_tensors(values).unbatch().batch(4)
    got = list(ds.as_numpy_iterator())
    np.testing.assert_array_equal(np.concatenate(got), values)
    got[0][:] = -1
    np.testing.assert_array_equal(next(ds.as_numpy_iterator()), values[:4])


@pytest.mark.parametrize("threads", [None, 2])
def test_no_batch_is_copied_on_its_way_to_python(threads):
    rows = fp.Dataset.range(7).map(lambda x: fp.fill([300], x), num_parallel_calls=threads)
    batches = list(rows.batch(4))
    assert [batch.shape for batch in batches] == [(4, 300), (3, 300)]
    assert [batch.flags.owndata for batch in batches] == [False, False]
