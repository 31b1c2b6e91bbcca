import numpy as np
import pytest
from laws import check_op, check_transformation

import fastpipe as fp
from fastpipe.errors import DataLossError, InvalidArgumentError


def rows(ds):
    return ds.map(lambda x: fp.fill([x], x))


def sparse(lengths, width=None):
    indices = [[i, j] for i, length in enumerate(lengths) for j in range(length)]
    values = [length for length in lengths for _ in range(length)]
    return [indices, values, [len(lengths), max(lengths) if width is None else width]]


@pytest.mark.parametrize("width", [None, 9])
def test_all_values_are_kept(width):
    def model(values):
        batches = [values[i : i + 3] for i in range(0, len(values), 3)]
        return [sparse(batch, width) for batch in batches]

    check_transformation(lambda ds: rows(ds).sparse_batch(3, [width]), model)


def test_rows_of_higher_rank_and_scalars():
    ds = fp.Dataset.range(1, 3).map(lambda x: fp.fill([x, 2], x))
    expected = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
    check_op(lambda: ds.sparse_batch(2, [None, 3]), [[expected, [1, 1, 2, 2, 2, 2], [2, 2, 3]]])
    check_op(lambda: fp.Dataset.range(3).sparse_batch(3, []), [[[[0], [1], [2]], [0, 1, 2], [3]]])


def test_strings_and_empty_rows():
    ds = fp.Dataset.from_tensor_slices(["a b", "", "c"]).map(fp.strings.split)
    expected = [[[0, 0], [0, 1], [2, 0]], [b"a", b"b", b"c"], [3, 2]]
    check_op(lambda: ds.sparse_batch(3, [None]), [expected])


def test_the_spec_is_sparse():
    ds = rows(fp.Dataset.range(3)).sparse_batch(2, [4])
    assert ds.element_spec == fp.SparseTensorSpec((None, None), "int64")


def test_a_row_that_is_too_large_costs_its_batch():
    with pytest.raises(DataLossError, match=r"shape \[3\], larger than row_shape \[2\]"):
        list(rows(fp.Dataset.range(4)).sparse_batch(2, [2]))


def test_bad_arguments():
    ds = rows(fp.Dataset.range(3))
    with pytest.raises(InvalidArgumentError, match="must have the rank of the elements"):
        ds.sparse_batch(2, [2, 2])
    with pytest.raises(ValueError, match="sizes or None"):
        ds.sparse_batch(2, [-1])
    with pytest.raises(TypeError, match="takes single tensors"):
        fp.Dataset.zip(ds, ds).sparse_batch(2, [2])
    with pytest.raises(InvalidArgumentError, match="batch_size.*0"):
        ds.sparse_batch(0, [2])


def test_the_older_form():
    ds = rows(fp.Dataset.range(3)).apply(fp.experimental.dense_to_sparse_batch(3, [2]))
    (batch,) = list(ds)
    assert fp.sparse.to_dense(batch).tolist() == [[0, 0], [1, 0], [2, 2]]
    assert isinstance(batch.indices, np.ndarray)
