import numpy as np
import pytest
from laws import check_op

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1, 2, 3], [1, 2, 3]),
        (["a", "b"], [b"a", b"b"]),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        (np.zeros((0,)), []),
        (np.zeros((2, 0)), [[], []]),
        (([1, 2], ["x", "y"]), [(1, b"x"), (2, b"y")]),
        ({"a": [1, 2], "b": ([3, 4],)}, [{"a": 1, "b": (3,)}, {"a": 2, "b": (4,)}]),
    ],
)
def test_each_row_is_an_element(value, expected):
    check_op(lambda: fp.Dataset.from_tensor_slices(value), expected, cardinality=len(expected))


@pytest.mark.parametrize(
    "dtype",
    [
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64",
    ],
)  # fmt: skip
def test_every_dtype_is_kept(dtype):
    array = np.array([[0, 1], [1, 0]], dtype)
    ds = fp.Dataset.from_tensor_slices(array)
    assert ds.element_spec == fp.TensorSpec((2,), dtype)
    for got, row in zip(ds, array):
        assert got.dtype == row.dtype
        np.testing.assert_array_equal(got, row)


def test_rows_are_views_that_outlive_everything_and_can_be_written():
    rows = list(fp.Dataset.from_tensor_slices(np.arange(6).reshape(3, 2)))
    rows[0][:] = 9
    assert [row.tolist() for row in rows] == [[9, 9], [2, 3], [4, 5]]


def test_writing_into_an_element_does_not_change_the_next_pass():
    ds = fp.Dataset.from_tensor_slices(np.arange(4).reshape(2, 2))
    for row in ds:
        row[:] = -1
    assert [row.tolist() for row in ds] == [[0, 1], [2, 3]]


@pytest.mark.parametrize("value", [1, "text", (1, 2), {"a": [1], "b": 2}])
def test_scalars_have_no_rows(value):
    with pytest.raises(InvalidArgumentError):
        fp.Dataset.from_tensor_slices(value)


def test_components_must_be_equally_long():
    with pytest.raises(InvalidArgumentError, match="2.*3|3.*2"):
        fp.Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))


def test_a_list_of_elements_becomes_their_dataset():
    elements = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    check_op(
        lambda: fp.Dataset.from_list(elements),
        [{"a": 1, "b": b"x"}, {"a": 2, "b": b"y"}],
        cardinality=2,
    )
    with pytest.raises(ValueError):
        fp.Dataset.from_list([])
    with pytest.raises(TypeError, match="structure"):
        fp.Dataset.from_list([{"a": 1}, {"b": 1}])


@pytest.mark.parametrize("elements", [[1, "a"], [1, 2.5], [[1], [1, 2]], [np.int64(1), 2]])
def test_a_list_of_elements_of_different_kinds_is_refused(elements):
    with pytest.raises(ValueError, match="differ"):
        fp.Dataset.from_list(elements)
