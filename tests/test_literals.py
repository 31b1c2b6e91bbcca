"""Python literals beside tensors, and how values become tensors."""

import numpy as np
import open_shapes
import pytest

import fastpipe as fp
from fastpipe import math
from fastpipe.errors import InvalidArgumentError
from fastpipe.indexing import convert_to_tensor

OPERATORS = [
    (lambda x: x + 300, np.uint8([45, 46])),
    (lambda x: x - -1, np.uint8([2, 3])),
    (lambda x: x + True, np.uint8([2, 3])),
    (lambda x: x * np.int64(2), np.uint8([2, 4])),
    (lambda x: x * np.float64(3), np.uint8([3, 6])),
    (lambda x: 2**40 + x, np.uint8([1, 2])),
    (lambda x: x < 300, np.array([True, True])),
]


@pytest.mark.parametrize(("function", "want"), OPERATORS)
def test_literals_take_the_dtype_of_the_symbol(function, want):
    (got,) = list(open_shapes.traced(function, [np.uint8([1, 2])], [(2,)]))
    assert got.dtype == want.dtype and got.tolist() == want.tolist()


def test_what_would_lose_something_does_not_adapt():
    def of(function):
        return list(open_shapes.traced(function, [np.int32([1, 2])], [(2,)]))

    with pytest.raises(TypeError, match="2.5 is a float, the tensor beside it is int32"):
        of(lambda x: x * 2.5)
    with pytest.raises(InvalidArgumentError, match="one dtype, got int32 .* and float64"):
        of(lambda x: x * np.float64(2.5))
    with pytest.raises(InvalidArgumentError, match="one dtype, got int32 .* and int64"):
        of(lambda x: x + fp.constant(1, "int64"))
    with pytest.raises(InvalidArgumentError, match="one dtype, got int32 .* and string"):
        of(lambda x: x + "a")


def test_bools_are_multiplied_as_and():
    x = np.array([True, False])
    (got,) = list(open_shapes.traced(lambda t: t * True, [x], [(2,)]))
    assert got.tolist() == [True, False]


def test_branches_of_where_adapt_to_each_other():
    x = np.int32([1, 5])
    open_shapes.check(lambda t: fp.where(t > 2, 1.5, 0.0), [x], np.float32([0, 1.5]))
    open_shapes.check(lambda t: fp.where(t > 2, "a", "b"), [x], np.array([b"b", b"a"], object))
    open_shapes.check(lambda t: fp.where(t > 2, t, 0), [x], np.int32([0, 5]))


def test_a_symbolic_mask_selects():
    open_shapes.check(lambda t: fp.identity(t)[t > 2], [np.int32([1, 5])], np.int32([5]))


def test_matrix_products_by_the_operator():
    x = np.float32([[1, 2]])
    (got,) = list(open_shapes.traced(lambda t: t @ fp.transpose(t), [x], [(1, 2)]))
    assert got.tolist() == [[5.0]]


def test_constants():
    assert fp.constant(300, "uint8") == 44 and fp.constant(-1, "uint8") == 255
    assert fp.constant([np.int32(1), 2]).dtype == np.int32
    for value, dtype in [("a", "int32"), (1, "bool"), (1.5, "int32"), (1, "string")]:
        with pytest.raises(TypeError):
            fp.constant(value, dtype)


def test_convert_to_tensor():
    assert convert_to_tensor([1, 2], "float64").dtype == np.float64
    assert convert_to_tensor([1.5], dtype_hint="int32").dtype == np.float32
    with pytest.raises(ValueError, match="expected a tensor of float32, got int32"):
        convert_to_tensor(fp.constant(1), "float32")


def test_casting_to_pythons_float():
    assert math.cast([1], float).dtype == np.float32


def test_a_ragged_tensor_beside_a_symbol():
    def function(x):
        rows = fp.RaggedTensor.from_row_splits(x, [0, 1, 3])
        return rows + x[0], x[0] * rows

    (pair,) = list(open_shapes.traced(function, [np.int32([1, 2, 3])], [(3,)]))
    assert [each.to_list() for each in pair] == [[[2], [3, 4]], [[1], [2, 3]]]
