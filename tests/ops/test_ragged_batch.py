import pytest
import reference
from laws import check_op, check_transformation

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


def rows(ds):
    return ds.map(lambda x: fp.fill([x], x))


@pytest.mark.parametrize("drop_remainder", [False, True])
def test_rows_keep_their_lengths(drop_remainder):
    check_transformation(
        lambda ds: rows(ds).ragged_batch(3, drop_remainder),
        lambda values: reference.batch([[v] * v for v in values], 3, drop_remainder),
    )


def test_scalars_become_a_dense_batch():
    check_op(lambda: fp.Dataset.range(3).ragged_batch(2), [[0, 1], [2]])


def test_components_are_ragged_or_dense_by_their_rank():
    def make():
        return fp.Dataset.range(2).map(lambda x: (x, fp.fill([x], x))).ragged_batch(2)

    check_op(make, [([0, 1], [[], [1]])])


def test_a_ragged_batch_has_values_and_splits():
    (batch,) = rows(fp.Dataset.range(3)).ragged_batch(3)
    assert isinstance(batch, fp.RaggedTensor)
    assert batch.values.tolist() == [1, 2, 2]
    assert batch.row_splits.tolist() == [0, 0, 1, 3]


def test_strings_can_be_ragged():
    ds = fp.Dataset.from_tensor_slices(["a b", "", "c"]).map(fp.strings.split)
    check_op(lambda: ds.ragged_batch(3), [[[b"a", b"b"], [], [b"c"]]])


def test_a_ragged_batch_can_be_mapped_to_a_dense_one():
    ds = rows(fp.Dataset.range(3)).ragged_batch(3).map(lambda r: r.to_tensor())
    check_op(lambda: ds, [[[0, 0], [1, 0], [2, 2]]])


def test_a_size_below_one_is_refused():
    with pytest.raises(InvalidArgumentError, match="batch_size.*0"):
        rows(fp.Dataset.range(3)).ragged_batch(0)


def test_components_of_a_known_shape_stay_dense():
    ds = fp.Dataset.from_tensor_slices([[1, 2], [3, 4]])
    assert ds.ragged_batch(2).element_spec == fp.TensorSpec((None, 2), "int32")
    check_op(lambda: ds.ragged_batch(2), [[[1, 2], [3, 4]]])


def test_components_are_ragged_up_to_their_last_unknown_axis():
    def squares(ds):
        return ds.map(lambda x: fp.fill([x, x], x))

    check_transformation(
        lambda ds: squares(ds).ragged_batch(2),
        lambda values: reference.batch([[[v] * v] * v for v in values], 2, False),
    )
    inner = fp.Dataset.range(1, 3).map(lambda x: fp.fill([2, x], x)).ragged_batch(2)
    assert inner.element_spec == fp.RaggedTensorSpec((None, None, None), "int64", 2)
    check_op(lambda: inner, [[[[1], [1]], [[2, 2], [2, 2]]]])
    outer = fp.Dataset.range(1, 3).map(lambda x: fp.fill([x, 2], x)).ragged_batch(2)
    assert outer.element_spec == fp.RaggedTensorSpec((None, None, 2), "int64", 1)
    check_op(lambda: outer, [[[[1, 1]], [[2, 2], [2, 2]]]])


def test_ragged_components_become_more_ragged():
    ds = rows(fp.Dataset.range(3)).ragged_batch(2)
    check_op(lambda: ds.ragged_batch(2), [[[[], [1]], [[2, 2]]]])


def test_row_splits_may_be_int32():
    (batch,) = (
        fp.Dataset.range(2)
        .map(lambda x: fp.fill([x, x], x))
        .ragged_batch(2, row_splits_dtype="int32")
    )
    assert {splits.dtype.name for splits in batch.nested_row_splits} == {"int32"}
