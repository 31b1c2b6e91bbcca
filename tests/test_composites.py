"""Sparse and ragged components in datasets: batched, taken apart, and carried through."""

import numpy as np
import pytest
from laws import check_op, check_transformation, outcomes

import fastpipe as fp
from fastpipe import dense_rows, sparse
from fastpipe.errors import InvalidArgumentError
from fastpipe.ragged import RaggedTensor
from fastpipe.sparse import SparseTensor

ROWS = [[1], [2, 3], []]
RAGGED = dense_rows.constant(ROWS, "int64")
SPARSE = SparseTensor([[0, 1], [1, 0], [1, 2]], [5, 6, 7], [3, 3])


def ragged_rows(ds):
    """Each number as rows of that many ones and none."""
    return ds.map(lambda x: RaggedTensor.from_row_lengths(fp.fill([x], x), fp.stack([x, x * 0])))


def sparse_rows(ds):
    return ds.map(lambda x: sparse.from_dense(fp.range(x)))


def dense(element):
    return sparse.to_dense(element).tolist()


@pytest.mark.parametrize("threads", [None, 2])
def test_a_batch_of_ragged_tensors_has_one_more_ragged_axis(threads):
    check_transformation(
        lambda ds: ragged_rows(ds).batch(2, num_parallel_calls=threads),
        lambda values: [
            [[[v] * v, []] for v in values[i : i + 2]] for i in range(0, len(values), 2)
        ],
    )


@pytest.mark.parametrize("threads", [None, 2])
def test_a_batch_of_sparse_tensors_has_the_rows_first(threads):
    def model(values):
        batches = [values[i : i + 2] for i in range(0, len(values), 2)]
        return [
            [
                [[i, j] for i, value in enumerate(batch) for j in range(1, value)],
                [j for value in batch for j in range(1, value)],
                [len(batch), max(batch)],
            ]
            for batch in batches
        ]

    check_transformation(lambda ds: sparse_rows(ds).batch(2, num_parallel_calls=threads), model)


def test_specs_of_batches():
    ragged = fp.Dataset.from_tensors(RAGGED).batch(2, drop_remainder=True)
    assert ragged.element_spec == fp.RaggedTensorSpec((2, None, None), "int64", 2)
    batch = fp.Dataset.from_tensors(SPARSE).batch(2)
    assert batch.element_spec == fp.SparseTensorSpec((None, None, None), "int32")
    assert batch.unbatch().element_spec == fp.SparseTensorSpec((None, None), "int32")
    rows = fp.Dataset.from_tensor_slices(RAGGED)
    assert rows.element_spec == fp.RaggedTensorSpec((None,), "int64", 0)
    assert rows.batch(2).element_spec == fp.RaggedTensorSpec((None, None), "int64", 1)


def test_slices_of_ragged_tensors_are_their_rows():
    check_op(lambda: fp.Dataset.from_tensor_slices(RAGGED), ROWS, cardinality=3)
    nested = dense_rows.constant([[[1], []], [[2, 3]], []])
    check_op(lambda: fp.Dataset.from_tensor_slices(nested), [[[1], []], [[2, 3]], []])
    strings = dense_rows.constant([["a", "long enough to be no inline string"], []])
    check_op(
        lambda: fp.Dataset.from_tensor_slices({"s": strings, "n": [1, 2]}),
        [{"n": 1, "s": strings.to_list()[0]}, {"n": 2, "s": []}],
    )


def test_slices_of_sparse_tensors_are_their_rows():
    check_op(
        lambda: fp.Dataset.from_tensor_slices(SPARSE),
        [[[[1]], [5], [3]], [[[0], [2]], [6, 7], [3]], [[], [], [3]]],
        cardinality=3,
    )


def test_rows_come_back_from_batches():
    ds = fp.Dataset.from_tensor_slices((RAGGED, SPARSE))
    plain = outcomes(iter(ds))
    check_op(lambda: ds.batch(2).unbatch(), plain)
    ragged = fp.Dataset.from_tensor_slices(RAGGED).batch(2).batch(2)
    check_op(lambda: ragged.unbatch().unbatch(), ROWS)
    check_op(lambda: ds.batch(2).rebatch(3), outcomes(iter(ds.batch(3))))


def test_rows_of_different_lengths_are_batched_as_ragged():
    ds = fp.Dataset.from_tensor_slices(RAGGED).batch(3)
    (batch,) = list(ds)
    assert isinstance(batch, RaggedTensor) and batch.to_list() == ROWS
    assert batch.row_splits.dtype == np.int64


def test_int32_splits_stay_int32():
    ragged = dense_rows.constant([[[1], []], [[2]]], row_splits_dtype="int32")
    (batch,) = list(fp.Dataset.from_tensors(ragged).batch(1))
    assert {splits.dtype.name for splits in batch.nested_row_splits} == {"int32"}
    assert batch.to_list() == [ragged.to_list()]


def test_other_transformations_carry_them():
    ds = sparse_rows(fp.Dataset.range(1, 5))
    assert [dense(x) for x in ds.skip(2).concatenate(ds.take(1)).cache().prefetch(1)] == [
        [0, 1, 2], [0, 1, 2, 3], [0],
    ]  # fmt: skip
    kept = ds.filter(lambda x: fp.size(x.values) > 1)
    assert [dense(x) for x in kept] == [[0, 1, 2], [0, 1, 2, 3]]
    shuffled = ds.shuffle(4, seed=1).repeat(2)
    assert sorted(len(dense(x)) for x in shuffled) == [1, 1, 2, 2, 3, 3, 4, 4]
    zipped = fp.Dataset.zip(ds, ragged_rows(fp.Dataset.range(2)))
    assert [(dense(a), b.to_list()) for a, b in zipped] == [
        ([0], [[], []]), ([0, 1], [[1], []]),
    ]  # fmt: skip


def test_windows_hold_datasets_of_them():
    windows = sparse_rows(fp.Dataset.range(1, 4)).window(2)
    assert windows.element_spec == fp.DatasetSpec(fp.SparseTensorSpec((None,), "int64"))
    assert [[dense(x) for x in window] for window in windows] == [[[0], [0, 1]], [[0, 1, 2]]]
    batches = windows.flat_map(lambda window: window.batch(2))
    assert [dense(x) for x in batches] == [[[0, 0], [0, 1]], [[0, 1, 2]]]


def test_a_list_of_them():
    ds = fp.Dataset.from_list([SPARSE, SPARSE])
    assert [dense(x) for x in ds] == [dense(SPARSE)] * 2


def test_python_functions_take_and_return_them():
    def double(x):
        assert isinstance(x, SparseTensor)
        return x.with_values(x.values * 2)

    spec = fp.SparseTensorSpec((None,), "int64")
    ds = sparse_rows(fp.Dataset.range(2, 4)).map(double, output_signature=spec)
    assert ds.element_spec == spec
    assert [dense(x) for x in ds] == [[0, 2], [0, 2, 4]]


def generated(*elements, spec):
    return fp.Dataset.from_generator(lambda: iter(elements), output_signature=spec)


@pytest.mark.parametrize("unstack", [False, True])
@pytest.mark.parametrize("splits", [[0, 9], [1, 3], [0, 2, 1, 3], [], [0, 2**40]], ids=repr)
def test_row_splits_that_do_not_fit_are_an_error(splits, unstack):
    broken = RaggedTensor(np.arange(3), np.array(splits, np.int64))
    ds = generated(broken, spec=fp.RaggedTensorSpec([None, None], "int64"))
    with pytest.raises(InvalidArgumentError, match="row splits of ragged component 0 must rise"):
        list(ds.unbatch() if unstack else ds.batch(1))


@pytest.mark.parametrize("unstack", [False, True])
@pytest.mark.parametrize(
    "parts",
    [
        (np.zeros([2, 1], np.int64), np.zeros(3, np.int64), np.int64([4])),
        (np.zeros([2, 2], np.int64), np.zeros(2, np.int64), np.int64([4])),
    ],
)
def test_sparse_parts_that_do_not_fit_are_an_error(parts, unstack):
    ds = generated(SparseTensor.from_leaves(list(parts)), spec=fp.SparseTensorSpec(None, "int64"))
    with pytest.raises(InvalidArgumentError, match="sparse component 0 must have int64 indices"):
        list(ds.unbatch() if unstack else ds.batch(1))


def test_what_cannot_be_batched_or_taken_apart():
    mixed = generated(
        SPARSE, SparseTensor([[1]], np.int32([1]), [2]), spec=fp.SparseTensorSpec(None, "int32")
    )
    with pytest.raises(InvalidArgumentError, match="sparse tensors of different ranks"):
        list(mixed.batch(2))
    with pytest.raises(InvalidArgumentError, match="must be in row-major order"):
        fp.Dataset.from_tensor_slices(SparseTensor([[1], [0]], [1, 2], [2]))
    with pytest.raises(InvalidArgumentError, match="equally many rows"):
        fp.Dataset.from_tensor_slices((RAGGED, [1, 2]))
    with pytest.raises(TypeError, match="padded_batch takes dense tensors"):
        fp.Dataset.from_tensors(RAGGED).padded_batch(2)
    with pytest.raises(TypeError, match="in one size only"):
        fp.Dataset.from_tensors(RAGGED).rebatch([1, 2])
    with pytest.raises(TypeError, match="cannot concatenate"):
        fp.Dataset.from_tensors(RAGGED).concatenate(fp.Dataset.from_tensors(SPARSE))
