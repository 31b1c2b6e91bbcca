import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

DTYPES = ["int8", "int32", "int64", "uint8", "uint64", "float16", "float32", "float64"]


def of_numpy(x, k):
    order = np.argsort(-x.astype(np.float64), axis=-1, kind="stable")[..., :k]
    return [np.take_along_axis(x, order, -1), order.astype(np.int32)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [0, 1, 3, 7])
def test_the_greatest_come_first_and_equal_ones_in_their_order(dtype, k):
    x = np.random.default_rng(1).integers(0, 5, [2, 3, 7]).astype(dtype)
    open_shapes.check(lambda t: list(math.top_k(t, k)), [x], of_numpy(x, k))


def test_k_may_be_a_tensor():
    x = np.float32([3, 1, 2])
    expected = [np.float32([3, 2]), np.int32([0, 2])]
    open_shapes.check(lambda t, k: list(math.top_k(t, k)), [x, np.int32(2)], expected)


def test_nan_counts_as_the_least():
    values, places = math.top_k(np.float32([np.nan, 1, np.nan, 2]), 4)
    assert places.tolist() == [3, 1, 0, 2] and np.isnan(values[2:]).all()


def test_planned_shapes():
    def of(k, shape):
        return open_shapes.spec_of(lambda t: math.top_k(t, k).values, (shape, "float32"))

    assert of(2, (None, 5)) == (None, 2)
    assert of(2, (3, None)) == (3, 2)
    assert of(2, None) is None


def test_index_type():
    assert math.top_k([1, 2], 1, index_type="int64").indices.dtype == np.int64


def test_errors():
    with pytest.raises(InvalidArgumentError, match="at least k values, got k 3 and rows of 2"):
        math.top_k([1, 2], 3)
    with pytest.raises(InvalidArgumentError, match="k must be >= 0, got -1"):
        math.top_k([1, 2], -1)
    with pytest.raises(InvalidArgumentError, match="got a scalar"):
        math.top_k(1, 1)
    with pytest.raises(InvalidArgumentError, match="got string"):
        math.top_k(["a"], 1)
    with pytest.raises(InvalidArgumentError, match="rows of 2"):
        list(open_shapes.traced(lambda t: math.top_k(t, 3)[0], [np.int32([1, 2])], [(None,)]))
