import numpy as np
import open_shapes
import pytest

from fastpipe.errors import InvalidArgumentError
from fastpipe.scatter import gather_nd

X = np.arange(24, dtype=np.int32).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "indices", [[[0, 1], [1, 2]], [[0], [1]], [[[0, 1, 2]], [[1, 2, 3]]], [1], [1, 0]]
)
def test_slices(indices):
    indices = np.int64(indices)
    flat = [X[tuple(each)] for each in indices.reshape(-1, indices.shape[-1])]
    want = np.array(flat).reshape(indices.shape[:-1] + X.shape[indices.shape[-1] :])
    open_shapes.check(gather_nd, [X, indices], want)


def test_no_index_names_the_whole():
    assert gather_nd(X, np.zeros([2, 0], np.int32)).shape == (2, 2, 3, 4)


def test_batches():
    indices = np.int32([[[1], [2]], [[0], [0]]])
    want = np.stack([X[0, [1, 2]], X[1, [0, 0]]])
    open_shapes.check(lambda x, i: gather_nd(x, i, batch_dims=1), [X, indices], want)


def test_strings():
    x = np.array([b"a", b"bb"], object)
    open_shapes.check(gather_nd, [x, np.int64([[1], [0]])], x[::-1].copy())


def test_planned_shapes():
    def of(x, indices):
        return open_shapes.spec_of(gather_nd, (x, "int32"), (indices, "int32"))

    assert of((2, None, 4), (5, 1)) == (5, None, 4)
    assert of((2, 3), (None, 2)) == (None,)
    assert of((2, 3), (5, None)) is None
    assert of(None, (5, 1)) is None


def test_errors():
    with pytest.raises(InvalidArgumentError, match="along axis 1 must be between 0 and 2, got 3"):
        gather_nd(X, [[0, 3]])
    with pytest.raises(InvalidArgumentError, match="between 0 and 1, got -1"):
        gather_nd(X, [[-1]])
    with pytest.raises(InvalidArgumentError, match="at most 3 axes"):
        gather_nd(X, [[0, 0, 0, 0]])
    with pytest.raises(InvalidArgumentError, match="indices must be integers"):
        gather_nd(X, [[0.0]])
    with pytest.raises(InvalidArgumentError, match="got a scalar"):
        gather_nd(X, 0)
