import numpy as np
import pytest
from laws import check_op

import fastpipe as fp


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1),
        (1.5, 1.5),
        (True, True),
        ("text", b"text"),
        (b"\x00\xff", b"\x00\xff"),
        ("", b""),
        ([1, 2, 3], [1, 2, 3]),
        ([["a", "bb"], ["", "é"]], [[b"a", b"bb"], [b"", "é".encode()]]),
        (np.zeros((0, 3)), []),
        ((1, {"a": 2, "b": (3,)}), (1, {"a": 2, "b": (3,)})),
    ],
)
def test_the_value_is_the_only_element(value, expected):
    check_op(lambda: fp.Dataset.from_tensors(value), [expected], cardinality=1)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, "int32"),
        (2**40, "int64"),
        (1.0, "float32"),
        (True, "bool"),
        ("a", "string"),
        ([1, 2], "int32"),
        (np.float64(1), "float64"),
        (np.uint8(1), "uint8"),
        (np.float16(1), "float16"),
    ],
)
def test_literals_have_the_dtypes_of_tensorflow(value, dtype):
    assert fp.Dataset.from_tensors(value).element_spec.dtype == dtype


def test_changing_an_array_afterwards_changes_nothing():
    array = np.arange(3)
    ds = fp.Dataset.from_tensors(array)
    array[:] = 9
    (element,) = ds
    assert element.tolist() == [0, 1, 2]
    element[:] = 7
    (again,) = ds
    assert again.tolist() == [0, 1, 2]


def test_a_strided_or_swapped_array_is_taken_by_value():
    base = np.arange(12).reshape(3, 4)
    for array in (base.T, base[::2, ::-1], np.asfortranarray(base), base.astype(">i4")):
        (element,) = fp.Dataset.from_tensors(array)
        np.testing.assert_array_equal(element, array)
        assert element.dtype == array.dtype.newbyteorder("=")


def test_a_dataset_can_be_an_element():
    (inner,) = fp.Dataset.from_tensors(fp.Dataset.range(3))
    assert [int(x) for x in inner] == [0, 1, 2]


@pytest.mark.parametrize("value", [object(), None, [object()], 1 + 2j])
def test_only_tensors_are_accepted(value):
    with pytest.raises((TypeError, ValueError)):
        fp.Dataset.from_tensors(value)


def test_ragged_lists_are_refused():
    with pytest.raises((TypeError, ValueError)):
        fp.Dataset.from_tensors([[1], [2, 3]])
