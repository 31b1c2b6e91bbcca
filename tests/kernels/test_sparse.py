import numpy as np
import open_shapes
import pytest

import fastpipe as fp
from fastpipe import sparse
from fastpipe.errors import InvalidArgumentError
from fastpipe.sparse import SparseTensor

DENSE = np.int32([[0, 5, 0], [6, 0, 7]])
SPARSE = SparseTensor([[0, 1], [1, 0], [1, 2]], np.int32([5, 6, 7]), [2, 3])


def lists(tensor):
    return [part.tolist() for part in tensor.to_leaves()]


def on_parts(function):
    """`function` of a SparseTensor as a function of its parts, with the parts as results."""

    def call(indices, values, dense_shape, *more):
        tensor = SparseTensor.from_leaves([indices, values, dense_shape])
        result = function(tensor, *more)
        return tuple(result.to_leaves()) if isinstance(result, SparseTensor) else result

    return call


def check(function, expected, *more, tensor=SPARSE):
    """`expected`, a SparseTensor or an array, whatever is known of the shapes."""
    want = tuple(expected.to_leaves()) if isinstance(expected, SparseTensor) else expected
    open_shapes.check(on_parts(function), [*tensor.to_leaves(), *more], want)


def test_to_dense():
    check(sparse.to_dense, DENSE)
    check(lambda t: sparse.to_dense(t, default_value=-1), np.where(DENSE == 0, -1, DENSE))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float16", "float64", "int64"])
def test_from_dense_and_back(dtype):
    dense = DENSE.astype(dtype)
    assert sparse.to_dense(sparse.from_dense(dense)).tolist() == dense.tolist()
    assert sparse.from_dense(dense).indices.tolist() == SPARSE.indices.tolist()


def test_strings():
    dense = np.array([[b"", b"a long string that is no slice"], [b"b", b""]], object)
    tensor = sparse.from_dense(dense)
    assert lists(tensor) == [[[0, 1], [1, 0]], [dense[0, 1], b"b"], [2, 2]]
    assert sparse.to_dense(tensor).tolist() == dense.tolist()
    assert sparse.to_dense(tensor, "x")[0].tolist() == [b"x", dense[0, 1]]


def test_nan_and_minus_zero():
    tensor = sparse.from_dense(np.float32([np.nan, -0.0, 1]))
    assert tensor.indices.tolist() == [[0], [2]]


def test_nothing_in_it():
    empty = sparse.from_dense(np.zeros([0, 3]))
    assert lists(empty) == [[], [], [0, 3]]
    assert sparse.to_dense(empty).shape == (0, 3)
    assert sparse.to_dense(sparse.from_dense(np.zeros([2]))).tolist() == [0, 0]
    assert lists(sparse.from_dense(np.int32(4))) == [[[]], [4], []]


def test_reorder():
    mixed = SparseTensor([[1, 2], [0, 1], [1, 0]], np.int32([7, 5, 6]), [2, 3])
    check(sparse.reorder, SPARSE, tensor=mixed)


def test_reshape():
    expected = SparseTensor([[1], [3], [5]], SPARSE.values, [6])
    check(lambda t: sparse.reshape(t, [6]), expected)
    assert lists(sparse.reshape(SPARSE, [3, -1]))[0] == [[0, 1], [1, 1], [2, 1]]
    with pytest.raises(InvalidArgumentError, match=r"the 6 elements the shape \[4\]"):
        sparse.reshape(SPARSE, [4])
    with pytest.raises(InvalidArgumentError, match="cannot give the 6 elements"):
        sparse.reshape(SPARSE, [-1, -1])


def test_slice():
    expected = SparseTensor([[0, 0], [0, 2]], np.int32([6, 7]), [1, 3])
    check(lambda t: sparse.slice(t, [1, 0], [5, 5]), expected)
    assert lists(sparse.slice(SPARSE, [9, 0], [1, 1])) == [[], [], [0, 1]]
    with pytest.raises(InvalidArgumentError, match="must have 2 integers, got 1 and 1"):
        sparse.slice(SPARSE, [0], [1])
    with pytest.raises(InvalidArgumentError, match="must be >= 0"):
        sparse.slice(SPARSE, [0, -1], [1, 1])


def test_concat():
    joined = sparse.concat(-1, [SPARSE, SPARSE])
    assert sparse.to_dense(joined).tolist() == np.concatenate([DENSE, DENSE], 1).tolist()
    check(lambda t: sparse.concat(0, [t]), SPARSE)
    wide = SparseTensor([[0, 4]], np.int32([9]), [1, 5])
    assert lists(sparse.concat(0, [SPARSE, wide], expand_nonconcat_dims=True))[2] == [3, 5]
    with pytest.raises(InvalidArgumentError, match="sizes may differ along axis 0 only"):
        sparse.concat(0, [SPARSE, wide])
    with pytest.raises(InvalidArgumentError, match="input 4 must be int32, got int64"):
        sparse.concat(0, [SPARSE, SPARSE.with_values(np.int64([1, 2, 3]))])


def test_expand_dims_and_transpose():
    assert sparse.to_dense(sparse.expand_dims(SPARSE, 1)).tolist() == DENSE[:, None].tolist()
    assert sparse.to_dense(sparse.expand_dims(SPARSE, -1)).tolist() == DENSE[..., None].tolist()
    assert sparse.to_dense(sparse.transpose(SPARSE)).tolist() == DENSE.T.tolist()
    with pytest.raises(InvalidArgumentError, match="axis must be -3 to 2, got 3"):
        sparse.expand_dims(SPARSE, 3)


def test_values_can_be_kept_and_changed():
    assert lists(sparse.retain(SPARSE, [True, False, True]))[1] == [5, 7]
    doubled = sparse.map_values(lambda x, y: x + y, SPARSE, SPARSE)
    assert doubled.values.tolist() == [10, 12, 14]
    with pytest.raises(InvalidArgumentError, match="needs a SparseTensor"):
        sparse.map_values(lambda x: x, 1)


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (SparseTensor([[3]], [1], [3]), r"index 0, \[3\], must lie in the shape \[3\]"),
        (SparseTensor([[-1]], [1], [3]), "must lie in the shape"),
        (SparseTensor([[1], [0]], [1, 2], [3]), r"index 1, \[0\], is out of order"),
        (SparseTensor([[1], [1]], [1, 2], [3]), r"index 1, \[1\], is there twice"),
    ],
)
def test_indices_must_be_in_order(tensor, message):
    with pytest.raises(InvalidArgumentError, match=message):
        sparse.to_dense(tensor)


def test_of_two_values_at_one_place_the_last_counts():
    twice = SparseTensor([[1], [0], [1]], [1, 2, 3], [3])
    assert sparse.to_dense(twice, validate_indices=False).tolist() == [2, 3, 0]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (([0], [1], [3]), "indices of a SparseTensor must have rank 2"),
        (([[0]], [1, 2], [3]), "as many indices as values, got 1 and 2"),
        (([[0]], [1], [3, 3]), "a size for each number of an index, got 1 and 2"),
    ],
)
def test_parts_must_fit(parts, message):
    with pytest.raises(InvalidArgumentError, match=message):
        SparseTensor(*parts)


def test_shapes_while_tracing():
    def shapes(x):
        tensor = sparse.from_dense(x)
        assert tensor.shape == (None, None)
        assert sparse.reshape(tensor, [-1]).shape == (None,)
        return tensor

    ds = fp.Dataset.from_tensors(DENSE).map(shapes)
    assert ds.element_spec == fp.SparseTensorSpec((None, None), "int32")
    (element,) = list(ds)
    assert lists(element) == lists(SPARSE)
    assert element.shape == (2, 3)
