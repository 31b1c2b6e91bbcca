"""fp.experimental: functions for apply, and what is no method of a dataset."""

import sqlite3

import numpy as np
import pytest
import reference
from laws import check_op, outcomes

import fastpipe as fp
from fastpipe import experimental, functions
from fastpipe.errors import InvalidArgumentError, OutOfRangeError, UnimplementedError

ONE_TO_FIVE = fp.Dataset.range(1, 6)


@pytest.mark.parametrize(
    "transformation, expected",
    [
        (experimental.enumerate_dataset(3), [(3, 1), (4, 2), (5, 3), (6, 4), (7, 5)]),
        (experimental.map_and_batch(lambda x: -x, 2), [[-1, -2], [-3, -4], [-5]]),
        (experimental.map_and_batch(lambda x: -x, 2, None, True, 3), [[-1, -2], [-3, -4]]),
        (experimental.map_and_batch(lambda x: -x, 3, 2), [[-1, -2, -3], [-4, -5]]),
        (experimental.scan(np.int64(0), lambda s, x: (s + x, s)), [0, 1, 3, 6, 10]),
        (experimental.take_while(lambda x: x < 3), [1, 2]),
        (experimental.shuffle_and_repeat(1, 2), [1, 2, 3, 4, 5] * 2),
        (experimental.ignore_errors(), [1, 2, 3, 4, 5]),
        (experimental.assert_cardinality(5), [1, 2, 3, 4, 5]),
        (experimental.copy_to_device("/CPU:0"), [1, 2, 3, 4, 5]),
        (experimental.prefetch_to_device("/cpu:0", 2), [1, 2, 3, 4, 5]),
        (experimental.prefetch_to_device("cpu"), [1, 2, 3, 4, 5]),
        (
            experimental.group_by_window(lambda x: x % 2, lambda k, w: w.batch(5), window_size=5),
            [[2, 4], [1, 3, 5]],
        ),
        (
            experimental.parallel_interleave(lambda x: fp.Dataset.range(x), 2),
            list(reference.interleave(map(range, range(1, 6)), 2)),
        ),
    ],
)
def test_functions_for_apply_do_what_the_methods_do(transformation, expected):
    assert outcomes(iter(ONE_TO_FIVE.apply(transformation))) == expected


def test_more_functions_for_apply():
    ds = fp.Dataset.from_tensor_slices([[1, 1], [2, 1]])
    assert outcomes(iter(ds.apply(experimental.unbatch()))) == [1, 1, 2, 1]
    flat = ds.apply(experimental.unbatch()).apply(experimental.unique())
    assert outcomes(iter(flat)) == [1, 2]
    grown = ONE_TO_FIVE.map(lambda x: fp.range(x))
    lengths = experimental.bucket_by_sequence_length(lambda x: fp.size(x), [3], [2, 2])
    assert [x.shape for x in grown.apply(lengths)] == [(2, 2), (2, 4), (1, 5)]
    (ragged,) = grown.take(2).apply(experimental.dense_to_ragged_batch(2, row_splits_dtype="int32"))
    assert ragged.to_list() == [[0], [0, 1]] and ragged.row_splits.dtype == np.int32
    mixed = ONE_TO_FIVE.apply(
        experimental.rejection_resample(lambda x: fp.cast(x % 2, fp.int32), [0.5, 0.5], [0.5, 0.5])
    )
    assert outcomes(iter(mixed)) == [(1, 1), (0, 2), (1, 3), (0, 4), (1, 5)]


def test_map_and_batch_takes_one_number_of_threads():
    with pytest.raises(ValueError, match="not both"):
        experimental.map_and_batch(lambda x: x, 2, 2, False, 2)


def test_another_device_is_refused():
    for make in (experimental.copy_to_device, experimental.prefetch_to_device):
        with pytest.raises(UnimplementedError, match="gpu"):
            make("/gpu:0")


def test_padding_to_a_cardinality():
    ds = fp.Dataset.from_tensor_slices({"a": [[1, 2]], "b": ["x"]})
    check_op(
        lambda: ds.apply(experimental.pad_to_cardinality(3, "real")),
        [
            {"a": [1, 2], "b": b"x", "real": True},
            {"a": [0, 0], "b": b"", "real": False},
            {"a": [0, 0], "b": b"", "real": False},
        ],
        cardinality=3,
    )
    for broken in (ONE_TO_FIVE, ds.repeat(9), ds.repeat(), ds.filter(lambda x: True)):
        with pytest.raises(ValueError, match="pad_to_cardinality"):
            broken.apply(experimental.pad_to_cardinality(3))


def test_elements_and_structures():
    ds = ONE_TO_FIVE.map(lambda x: (x, 2 * x))
    assert experimental.at(ds, 2) == (3, 6)
    assert experimental.cardinality(ds) == 5
    assert experimental.get_single_element(ds.skip(4)) == (5, 10)
    assert experimental.get_structure(ds) == ds.element_spec
    assert experimental.get_structure(iter(ds)) == ds.element_spec
    with pytest.raises(TypeError):
        experimental.get_structure(3)
    assert outcomes(iter(experimental.from_list([1, 2]))) == [1, 2]
    assert outcomes(iter(experimental.Counter(5, 2)), 2) == [5, 7]
    numbers = experimental.RandomDataset(4)
    assert outcomes(iter(numbers), 2) == [3128586565, 2023892699]


def test_choices_of_ended_datasets_are_passed_over():
    two = [fp.Dataset.range(1), fp.Dataset.range(10, 12)]
    choices = fp.Dataset.from_tensor_slices(np.array([0, 0, 1, 1]))
    assert outcomes(iter(experimental.choose_from_datasets(two, choices))) == [0, 10, 11]
    assert outcomes(iter(fp.Dataset.choose_from_datasets(two, choices))) == [0]


def test_an_optional_may_be_missing():
    it = iter(fp.Dataset.range(1))
    assert it.element_spec == fp.TensorSpec((), "int64")
    first = it.get_next_as_optional()
    assert first.has_value() and first.get_value() == 0
    second = experimental.get_next_as_optional(it)
    assert not second.has_value() and second.element_spec == first.element_spec
    with pytest.raises(InvalidArgumentError):
        second.get_value()
    with pytest.raises(OutOfRangeError):
        it.get_next()
    value = experimental.Optional.from_value({"a": [1, 2]})
    assert value.element_spec == {"a": fp.TensorSpec((2,), "int32")}
    assert not experimental.Optional.empty(value.element_spec).has_value()


def test_a_numpy_iterator_is_an_iterator():
    it = fp.NumpyIterator(fp.Dataset.range(2))
    assert [it.next(), next(it)] == [0, 1] and it.save()


def test_rows_of_sqlite(tmp_path):
    path = str(tmp_path / "a.db")
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (a int, b text, c real, d text)")
        rows = [(1, "x", 1.5, "7"), (None, None, None, None), (300, "5", 2, "abc")]
        connection.executemany("insert into t values (?, ?, ?, ?)", rows)
    connection.close()

    def read(types, query="select a, b, c, d from t"):
        return experimental.SqlDataset("sqlite", path, query, types)

    ds = read(("int32", "string", "float64", "string"))
    expected = [(1, b"x", 1.5, b"7"), (0, b"", 0.0, b""), (300, b"5", 2.0, b"abc")]
    assert outcomes(iter(ds)) == expected == outcomes(iter(ds))
    got = outcomes(iter(read(("uint8", "string", "int32", "int64"))))
    assert got == [(1, b"x", 1, 7), (0, b"", 0, 0), (44, b"5", 2, 0)]
    for broken in (read(("int32",)), read(("int32",), "select z from t")):
        with pytest.raises(InvalidArgumentError):
            list(broken)
    with pytest.raises(InvalidArgumentError, match="sqlite"):
        experimental.SqlDataset("mysql", path, "select a from t", ("int32",))


def test_functions_can_be_stepped_through(monkeypatch):
    seen = []

    def double(x):
        seen.append(type(x))
        return 2 * x

    monkeypatch.setattr(functions, "_debugging", False)
    experimental.enable_debug_mode()
    ds = fp.Dataset.range(2).map(double).flat_map(lambda x: fp.Dataset.range(x))
    assert outcomes(iter(ds)) == [0, 1] and seen[1:] == [np.int64, np.int64]
    assert ds.element_spec == fp.TensorSpec((), "int64")
