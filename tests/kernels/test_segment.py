import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

DTYPES = ["int8", "int32", "int64", "uint8", "float16", "float32", "float64"]
FOLDS = {"sum": np.sum, "mean": np.mean, "prod": np.prod, "min": np.min, "max": np.max}
X = np.arange(1, 11).reshape(5, 2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fold", FOLDS)
def test_sorted_segments(dtype, fold):
    x = X.astype(dtype)
    parts = [x[:2], x[2:4], x[4:]]
    want = [FOLDS[fold](part.astype(np.float64), axis=0) for part in parts]
    want.insert(1, np.full(2, fold == "prod"))  # no slice has id 1
    ids = np.int32([0, 0, 2, 2, 3])
    function = getattr(math, f"segment_{fold}")
    open_shapes.check(function, [x, ids], np.array(want).astype(dtype), 2e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fold", FOLDS)
def test_unsorted_segments(dtype, fold):
    x = X.astype(dtype)
    parts = [x[[1, 2]], x[[0]]]
    want = np.array([FOLDS[fold](part.astype(np.float64), axis=0) for part in parts])
    result = dtype
    if fold == "mean" and "int" in dtype:
        result = "float32" if "8" in dtype else "float64"
    ids = np.int64([1, 0, 0, -1, -3])
    function = getattr(math, f"unsorted_segment_{fold}")
    open_shapes.check(lambda t, i: function(t, i, 2), [x, ids], want.astype(result), 2e-3)


def test_ids_of_several_axes():
    x, ids = np.float32([[1, 2], [3, 4]]), np.int32([[0, 1], [1, 0]])
    open_shapes.check(
        lambda t, i: math.unsorted_segment_sum(t, i, 3), [x, ids], np.float32([5, 5, 0])
    )


def test_segments_of_nothing():
    ids = np.int32([0])
    assert math.unsorted_segment_max(np.int32([5]), ids, 2).tolist() == [5, -(2**31)]
    assert math.unsorted_segment_min(np.uint8([5]), ids, 2).tolist() == [5, 255]
    assert math.unsorted_segment_prod(np.int32([5]), ids, 2).tolist() == [5, 1]
    assert math.unsorted_segment_mean(np.float32([5]), ids, 2).tolist() == [5, 0]
    assert math.segment_sum(np.zeros([0, 2], np.float32), np.int32([])).shape == (0, 2)


def test_segments_of_no_halves_are_finite():
    assert math.unsorted_segment_max(np.float16([5]), [0], 2)[1] == -65504


def test_sums_by_the_square_root():
    x = np.float32([1, 2, 3, 4])
    assert math.unsorted_segment_sqrt_n(x, [0, 0, 0, 0], 1).tolist() == [5.0]


def test_the_number_of_segments_may_be_a_tensor():
    inputs = [np.int32([1, 2]), np.int32([1, 1]), np.int32(3)]
    open_shapes.check(math.unsorted_segment_sum, inputs, np.int32([0, 3, 0]))


def test_errors():
    with pytest.raises(InvalidArgumentError, match="in order and >= 0, got 0 at index 1"):
        math.segment_sum([1, 2], [1, 0])
    with pytest.raises(InvalidArgumentError, match="in order and >= 0, got -1 at index 0"):
        math.segment_sum([1, 2], [-1, 0])
    with pytest.raises(InvalidArgumentError, match="below the number of segments, 1, got 1"):
        math.unsorted_segment_sum([1, 2], [0, 1], 1)
    with pytest.raises(InvalidArgumentError, match=r"got \[3\] for \[2\]"):
        math.segment_sum([1, 2], [0, 1, 2])
    with pytest.raises(InvalidArgumentError, match="ids must be integers, got float32"):
        math.segment_sum([1, 2], [0.0, 1.0])


def test_means_of_more_values_than_the_dtype_counts():
    for count in (200, 256, 300):
        ids = np.zeros([count], np.int32)
        assert math.segment_mean(np.zeros([count], np.int8), ids).tolist() == [0]
        assert math.segment_mean(np.ones([count], np.uint8), ids)[0] in (0, 1)
