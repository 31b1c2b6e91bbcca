import numpy as np
import open_shapes
import pytest

from fastpipe import scatter
from fastpipe.errors import InvalidArgumentError

DTYPES = ["int8", "int32", "int64", "uint8", "uint64", "float16", "float32", "float64"]
OPERATIONS = {
    "update": lambda a, b: b,
    "add": np.add,
    "sub": np.subtract,
    "min": np.minimum,
    "max": np.maximum,
}
INDICES = np.int32([[1], [3], [1]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_slices_are_joined_one_after_the_other(name, dtype):
    random = np.random.default_rng(3)
    x = random.integers(20, 40, [4, 2]).astype(dtype)
    updates = random.integers(0, 9, [3, 2]).astype(dtype)
    want = x.copy()
    for (at,), update in zip(INDICES, updates):
        want[at] = OPERATIONS[name](want[at], update)
    function = getattr(scatter, f"tensor_scatter_nd_{name}")
    open_shapes.check(function, [x, INDICES, updates], want)


@pytest.mark.parametrize("dtype", DTYPES)
def test_scatter_nd_adds_to_zeros(dtype):
    updates = np.array([[1, 2], [3, 4], [5, 6]], dtype)
    want = np.array([[0, 0], [6, 8], [0, 0], [3, 4]], dtype)
    open_shapes.check(lambda i, u: scatter.scatter_nd(i, u, [4, 2]), [INDICES, updates], want)
    shape = np.int64([4, 2])
    open_shapes.check(scatter.scatter_nd, [INDICES, updates, shape], want)


def test_single_values_and_strings():
    x = np.array([[b"a", b"b"], [b"c", b"d"]], object)
    want = np.array([[b"a", b"new"], [b"c", b"d"]], object)
    inputs = [x, np.int64([[0, 1]]), np.array([b"new"], object)]
    open_shapes.check(scatter.tensor_scatter_nd_update, inputs, want)


def test_literals_adapt():
    got = scatter.tensor_scatter_nd_add(np.float64([1, 2]), [[0], [0]], [1, 2])
    assert got.dtype == np.float64 and got.tolist() == [4, 2]


def test_nothing_to_put():
    x = np.int32([1, 2])
    got = scatter.tensor_scatter_nd_update(x, np.zeros([0, 1], np.int32), np.int32([]))
    assert got.tolist() == [1, 2]


def test_errors():
    x = np.int32([[1, 2], [3, 4]])
    with pytest.raises(InvalidArgumentError, match="between 0 and 1, got 2"):
        scatter.tensor_scatter_nd_update(x, [[2]], [[1, 2]])
    with pytest.raises(InvalidArgumentError, match=r"updates must have shape \[1, 2\]"):
        scatter.tensor_scatter_nd_update(x, [[0]], [1, 2])
    with pytest.raises(InvalidArgumentError, match="must have the dtype of the tensor"):
        scatter.tensor_scatter_nd_update(x, [[0]], np.float32([[1, 2]]))
    with pytest.raises(InvalidArgumentError, match="got string"):
        scatter.tensor_scatter_nd_add(["a"], [[0]], ["b"])
