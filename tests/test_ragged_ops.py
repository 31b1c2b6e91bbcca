import numpy as np
import pytest

import fastpipe as fp
from fastpipe import ragged_ops as ragged
from fastpipe import sparse
from fastpipe.errors import InvalidArgumentError
from fastpipe.ragged import RaggedTensor
from fastpipe.ragged_ops import constant
from fastpipe.sparse import SparseTensor

ROWS = constant([[1], [2, 3], []])
NESTED = constant([[[1, 2], [3]], []])
TEXTS = constant([["ab"], ["c", "d e"], []])


def both(function, *tensors):
    """The plain result of `function`, the same eagerly and traced."""
    eager = function(*tensors)
    (traced,) = list(fp.Dataset.from_tensors(tensors).map(function))
    results = [x.to_list() if hasattr(x, "to_list") else x.tolist() for x in (eager, traced)]
    assert repr(results[0]) == repr(results[1])
    return results[0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x + 1, [[2], [3, 4], []]),
        (lambda x: 1 + x, [[2], [3, 4], []]),
        (lambda x: 10 - x, [[9], [8, 7], []]),
        (lambda x: x * x, [[1], [4, 9], []]),
        (lambda x: x / 2, [[0.5], [1.0, 1.5], []]),
        (lambda x: -x, [[-1], [-2, -3], []]),
        (lambda x: x > 1, [[False], [True, True], []]),
        (lambda x: (x > 1) & (x < 3), [[False], [True, False], []]),
        (lambda x: x == x, [[True], [True, True], []]),
        (lambda x: x + np.int32([[10], [20], [30]]), [[11], [22, 23], []]),
        (lambda x: fp.cast(x, "float32"), [[1.0], [2.0, 3.0], []]),
        (lambda x: fp.math.minimum(x, 2), [[1], [2, 2], []]),
        (lambda x: fp.clip_by_value(x, 2, 3), [[2], [2, 3], []]),
        (lambda x: fp.where(x > 1, x, -x), [[-1], [2, 3], []]),
        (lambda x: fp.strings.as_string(x), [[b"1"], [b"2", b"3"], []]),
        (lambda x: ragged.map_flat_values(lambda v: v * 2, x), [[2], [4, 6], []]),
        (lambda x: fp.gather(np.int32([10, 20, 30, 40]), x), [[20], [30, 40], []]),
    ],
)
def test_values_by_themselves(function, expected):
    assert both(function, ROWS) == expected


def test_numpy_arrays_leave_operators_to_ragged_tensors():
    assert (np.int32([[10], [20], [30]]) + ROWS).to_list() == [[11], [22, 23], []]
    assert (np.int32(2) * ROWS).to_list() == [[2], [4, 6], []]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (fp.strings.length, [[2], [1, 3], []]),
        (fp.strings.upper, [[b"AB"], [b"C", b"D E"], []]),
        (lambda x: fp.strings.join([x, "x"]), [[b"abx"], [b"cx", b"d ex"], []]),
        (lambda x: fp.strings.regex_replace(x, "a", "z"), [[b"zb"], [b"c", b"d e"], []]),
        (fp.strings.split, [[[b"ab"]], [[b"c"], [b"d", b"e"]], []]),
    ],
)
def test_strings(function, expected):
    assert both(function, TEXTS) == expected


LEAST, MOST = -(2**31), 2**31 - 1


@pytest.mark.parametrize(
    ("function", "of_all", "of_rows", "of_columns"),
    [
        (fp.reduce_sum, 6, [1, 5, 0], [3, 3]),
        (fp.reduce_prod, 6, [1, 6, 1], [2, 3]),
        (fp.reduce_max, 3, [1, 3, LEAST], [2, 3]),
        (fp.reduce_min, 1, [1, 2, MOST], [1, 3]),
        (fp.reduce_mean, 2.0, [1.0, 2.5, np.nan], [1.5, 3.0]),
    ],
)
def test_reductions(function, of_all, of_rows, of_columns):
    assert both(function, ROWS) == of_all
    assert repr(both(lambda x: function(x, axis=1), ROWS)) == repr(of_rows)
    assert repr(both(lambda x: function(x, axis=-1), ROWS)) == repr(of_rows)
    assert both(lambda x: function(x, axis=0), ROWS) == of_columns


def test_reductions_of_nested_rows():
    assert both(lambda x: fp.reduce_sum(x, axis=2), NESTED) == [[3, 3], []]
    assert both(lambda x: fp.reduce_sum(x, axis=[1, 2]), NESTED) == [6, 0]
    assert both(lambda x: fp.reduce_any(x > 1, axis=1), ROWS) == [False, True, False]
    assert both(lambda x: fp.reduce_max(x, axis=1), constant([[], []], "int32")) == [LEAST] * 2
    with pytest.raises(InvalidArgumentError, match="along their inner axes first"):
        fp.reduce_sum(NESTED, axis=1)
    with pytest.raises(InvalidArgumentError, match=r"axis must be -2 to 1, got \[2\]"):
        fp.reduce_sum(ROWS, axis=2)


def test_rows_are_joined():
    assert both(lambda x: fp.concat([x, x], 0), ROWS) == [[1], [2, 3], []] * 2
    assert both(lambda x: fp.concat([x, x], 1), ROWS) == [[1, 1], [2, 3, 2, 3], []]
    column = np.int32([[9], [8], [7]])
    assert both(lambda x: fp.concat([x, column], -1), ROWS) == [[1, 9], [2, 3, 8], [7]]
    assert both(lambda x: fp.concat([x, x], 0), NESTED) == [[[1, 2], [3]], []] * 2
    assert both(lambda x: fp.concat([x, x], 1), NESTED) == [[[1, 2], [3]] * 2, []]
    assert both(lambda x: fp.stack([x, x]), ROWS) == [[[1], [2, 3], []]] * 2
    assert ragged.stack([[1, 2], [3]]).to_list() == [[1, 2], [3]]


def test_rows_are_picked_by_number():
    assert both(lambda x: fp.gather(x, [1, 0, 1]), ROWS) == [[2, 3], [1], [2, 3]]
    assert both(lambda x: fp.gather(x, [1, 0]), NESTED) == [[], [[1, 2], [3]]]


def test_facts():
    assert fp.size(ROWS) == 3
    assert fp.rank(NESTED) == 3


def test_ranges_and_masks():
    assert ragged.range([2, 0, 3]).to_list() == [[0, 1], [], [0, 1, 2]]
    assert ragged.range([5, 1], [1, 9], -2).to_list() == [[5, 3], []]
    assert ragged.range([1, 5], 9, 3).to_list() == [[1, 4, 7], [5, 8]]
    assert ragged.range([2], row_splits_dtype="int32").row_splits.dtype == np.int32
    mask = [[True, False], [True, True]]
    assert ragged.boolean_mask([[1, 2], [3, 4]], mask).to_list() == [[1], [3, 4]]
    assert ragged.segment_ids_to_row_splits([0, 2], 4).tolist() == [0, 1, 1, 2, 2]
    with pytest.raises(InvalidArgumentError, match="must be a number but 0"):
        ragged.range([2], deltas=0)


def test_rows_must_be_alike():
    other = constant([[1, 2], [3], []])
    with pytest.raises(InvalidArgumentError, match="rows of the same lengths"):
        ROWS + other
    with pytest.raises(InvalidArgumentError, match=r"a column \[rows, 1\]"):
        ROWS + np.int32([1, 2])


def test_kernels_without_meaning_say_so():
    with pytest.raises(TypeError, match="tile does not take ragged tensors: make them dense"):
        fp.tile(ROWS, [1, 2])
    with pytest.raises(TypeError, match="add does not take sparse tensors"):
        fp.math.add(SparseTensor([[0]], [1], [2]), 1)


def test_sparse_values_are_scaled_and_cast():
    tensor = SparseTensor([[0, 1], [1, 0]], np.int32([5, 6]), [2, 2])
    assert both(lambda x: (x * 2).values, tensor) == [10, 12]
    assert both(lambda x: (x / 2).values, tensor) == [2.5, 3.0]
    assert fp.cast(tensor, "float32").values.dtype == np.float32
    assert both(lambda x: sparse.reduce_sum(x, axis=1), tensor) == [5, 6]
    assert sparse.reset_shape(tensor, [3, 4]).dense_shape.tolist() == [3, 4]
    assert both(lambda x: sparse.reset_shape(x).dense_shape, tensor) == [2, 2]
    assert isinstance(ROWS, RaggedTensor)
