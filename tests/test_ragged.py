import numpy as np
import pytest

import fastpipe as fp
from fastpipe import dense_rows as ragged
from fastpipe.errors import InvalidArgumentError
from fastpipe.ragged import RaggedTensor, RaggedTensorSpec

ROWS = [[1, 2], [], [3]]
NESTED = [[[1, 2], []], [], [[3]]]


def traced(function, *leaves):
    (result,) = list(fp.Dataset.from_tensors(tuple(leaves)).map(function))
    return result.to_list() if hasattr(result, "to_list") else result.tolist()


@pytest.mark.parametrize(
    "lists", [[], [[]], ROWS, NESTED, [[["a"], ["b", "c"]], []], [[[]], []], [[1.5]]]
)
def test_nested_lists_are_kept(lists):
    def encoded(value):
        if isinstance(value, list):
            return [encoded(item) for item in value]
        return value.encode() if isinstance(value, str) else value

    assert ragged.constant(lists).tolist() == [] if lists == [] else True
    if lists:
        assert ragged.constant(lists).to_list() == encoded(lists)


def test_constants_have_dtypes_and_inner_shapes():
    assert ragged.constant(ROWS).dtype == np.int32
    assert ragged.constant(ROWS, "float64").values.dtype == np.float64
    assert ragged.constant(ROWS, row_splits_dtype="int32").row_splits.dtype == np.int32
    pairs = ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    assert pairs.values.shape == (3, 2) and pairs.ragged_rank == 1
    assert ragged.constant([[[1, 2]], []], inner_shape=[2]).shape == (2, None, 2)
    with pytest.raises(ValueError, match="nested to one depth"):
        ragged.constant([[1], 2])


def test_parts_of_nested_rows():
    tensor = ragged.constant(NESTED)
    assert tensor.shape == (3, None, None)
    assert tensor.ragged_rank == 2
    assert tensor.flat_values.tolist() == [1, 2, 3]
    assert [splits.tolist() for splits in tensor.nested_row_splits] == [[0, 2, 2, 3], [0, 2, 2, 3]]
    assert tensor.row_lengths().tolist() == [2, 0, 1]
    assert tensor.row_lengths(axis=2).to_list() == [[2, 0], [], [1]]
    assert tensor.nrows() == 3 and len(tensor) == 3
    assert tensor.value_rowids().tolist() == [0, 0, 2]
    assert tensor.row_starts().tolist() == [0, 2, 2]
    assert tensor.row_limits().tolist() == [2, 2, 3]
    assert tensor.bounding_shape().tolist() == [3, 2, 2]
    with pytest.raises(InvalidArgumentError, match="axis must be 1 to 2, got 3"):
        tensor.row_lengths(axis=3)


def test_dense_arrays_are_filled_or_cut():
    tensor = ragged.constant(ROWS)
    assert tensor.to_tensor().tolist() == [[1, 2], [0, 0], [3, 0]]
    assert tensor.to_tensor(-1, shape=[None, 3]).tolist() == [[1, 2, -1], [-1, -1, -1], [3, -1, -1]]
    assert tensor.to_tensor(shape=[2, 1]).tolist() == [[1], [0]]
    assert tensor.to_tensor(7, shape=[4, 1]).tolist() == [[1], [7], [3], [7]]
    nested = ragged.constant(NESTED)
    assert nested.to_tensor().tolist() == [[[1, 2], [0, 0]], [[0, 0], [0, 0]], [[3, 0], [0, 0]]]
    assert nested.to_tensor(shape=[None, 1, 3]).tolist() == [[[1, 2, 0]], [[0, 0, 0]], [[3, 0, 0]]]


def test_rows_of_dense_arrays():
    dense = np.int32([[1, 2, 0], [0, 0, 0], [3, 0, 4]])
    assert RaggedTensor.from_tensor(dense).to_list() == dense.tolist()
    assert RaggedTensor.from_tensor(dense, padding=0).to_list() == [[1, 2], [], [3, 0, 4]]
    assert RaggedTensor.from_tensor(dense, lengths=[2, 0, 9]).to_list() == [[1, 2], [], [3, 0, 4]]
    cube = np.arange(8).reshape(2, 2, 2)
    deep = RaggedTensor.from_tensor(cube, ragged_rank=2, row_splits_dtype="int32")
    assert deep.to_list() == cube.tolist() and deep.ragged_rank == 2
    assert deep.row_splits.dtype == deep.values.row_splits.dtype == np.int32
    assert RaggedTensor.from_tensor(np.zeros([2, 0])).to_list() == [[], []]
    assert traced(lambda x: RaggedTensor.from_tensor(x, padding=0), dense) == [
        [1, 2],
        [],
        [3, 0, 4],
    ]
    with pytest.raises(InvalidArgumentError, match="less than the tensor's rank, 1, got 1"):
        RaggedTensor.from_tensor([1, 2])
    with pytest.raises(InvalidArgumentError, match="not both"):
        RaggedTensor.from_tensor(dense, lengths=[1, 1, 1], padding=0)


def test_strings_of_dense_arrays():
    dense = np.array([[b"a", b""], [b"", b""]], object)
    assert RaggedTensor.from_tensor(dense, padding="").to_list() == [[b"a"], []]


@pytest.mark.parametrize("lists", [ROWS, NESTED, [[]], [[1]]])
def test_sparse_and_dense_agree(lists):
    tensor = ragged.constant(lists, "int64")
    sparse = tensor.to_sparse()
    assert fp.sparse.to_dense(sparse).tolist() == tensor.to_tensor().tolist()
    assert sparse.dense_shape.tolist() == tensor.bounding_shape().tolist()


def test_rows_can_be_picked():
    tensor = ragged.constant(NESTED)
    assert tensor[0].to_list() == [[1, 2], []]
    assert tensor[-1].to_list() == [[3]]
    assert tensor[0, 0].tolist() == [1, 2]
    assert tensor[0, 0, 1] == 2
    assert tensor[1:].to_list() == [[], [[3]]]
    assert tensor[:-1].to_list() == NESTED[:-1]
    assert tensor[3:].to_list() == [] and tensor[2:1].to_list() == []
    assert [row.to_list() for row in tensor] == NESTED
    flat = ragged.constant([[1, 2, 3], [], [4]])
    assert flat[:, 1:].to_list() == [[2, 3], [], []]
    assert flat[:, :-1].to_list() == [[1, 2], [], []]
    assert flat[:, :2].to_list() == [[1, 2], [], [4]]
    assert flat[:, -1:].to_list() == [[3], [], [4]]


def test_rows_can_be_picked_while_tracing():
    tensor = ragged.constant(ROWS)
    leaves = tensor.to_leaves()

    def rows(function):
        return traced(lambda *parts: function(RaggedTensor.from_leaves(list(parts))), *leaves)

    assert rows(lambda r: r[0]) == [1, 2]
    assert rows(lambda r: r[1:]) == [[], [3]]
    assert rows(lambda r: r[:, :1]) == [[1], [], [3]]
    assert rows(lambda r: r.with_values(r.values * 2)) == [[2, 4], [], [6]]
    assert rows(lambda r: r.row_lengths()) == [2, 0, 1]
    assert rows(lambda r: r.to_sparse().dense_shape) == [3, 2]


def test_what_cannot_be_picked():
    tensor = ragged.constant(ROWS)
    with pytest.raises(InvalidArgumentError, match="must have step 1, got 2"):
        tensor[::2]
    with pytest.raises(TypeError):
        tensor["a"]
    with pytest.raises(InvalidArgumentError, match="columns"):
        tensor[:, 0]


def test_numpy_gives_an_array_of_rows():
    rows = ragged.constant(ROWS).numpy()
    assert rows.dtype == object and [row.tolist() for row in rows] == ROWS
    assert ragged.constant([[1], [2]]).numpy().tolist() == [[1], [2]]


def test_nested_partitions():
    tensor = RaggedTensor.from_nested_row_lengths([1, 2, 3], [[2, 0, 1], [2, 0, 1]])
    assert tensor.to_list() == NESTED
    tensor = RaggedTensor.from_nested_row_splits([1, 2, 3], tensor.nested_row_splits)
    assert tensor.to_list() == NESTED
    assert tensor.with_flat_values([4, 5, 6]).to_list() == [[[4, 5], []], [], [[6]]]


def test_a_spec_describes_a_component():
    spec = RaggedTensorSpec([None, None, 2], "int32", 1)
    ds = fp.Dataset.from_generator(
        lambda: [{"r": RaggedTensor.from_row_lengths(np.ones([3, 2], np.int32), [1, 2])}],
        output_signature={"r": spec},
    )
    assert ds.element_spec == {"r": spec}
    (element,) = list(ds)
    assert element["r"].to_list() == [[[1, 1]], [[1, 1], [1, 1]]]
    with pytest.raises(InvalidArgumentError, match="less than the rank"):
        RaggedTensorSpec([None], "int32", 1)


def test_rows_of_sparse_tensors():
    sparse = fp.SparseTensor([[0, 0], [2, 0], [2, 1]], [1, 2, 3], [4, 9])
    assert RaggedTensor.from_sparse(sparse).to_list() == [[1], [], [2, 3], []]
    ds = fp.Dataset.from_tensors(sparse).map(RaggedTensor.from_sparse)
    assert [x.to_list() for x in ds] == [[[1], [], [2, 3], []]]
    with pytest.raises(InvalidArgumentError, match="must have no gaps"):
        RaggedTensor.from_sparse(fp.SparseTensor([[0, 1]], [1], [1, 2]))
    with pytest.raises(InvalidArgumentError, match="must have rank 2"):
        RaggedTensor.from_sparse(fp.SparseTensor([[0]], [1], [1]))


def test_axes_can_be_merged():
    tensor = ragged.constant(NESTED)
    assert tensor.merge_dims(0, 1).to_list() == [[1, 2], [], [3]]
    assert tensor.merge_dims(1, 2).to_list() == [[1, 2], [], [3]]
    assert tensor.merge_dims(-2, -1).to_list() == [[1, 2], [], [3]]
    assert tensor.merge_dims(0, 2).tolist() == [1, 2, 3]
    assert tensor.merge_dims(1, 1).to_list() == NESTED
    pairs = ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    assert pairs.merge_dims(1, 2).to_list() == [[1, 2, 3, 4], [5, 6]]
    assert pairs.merge_dims(0, 1).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert pairs.merge_dims(0, 2).tolist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(InvalidArgumentError, match="the axes must be 0 to 2 and in order"):
        tensor.merge_dims(2, 1)
