import numpy as np
import pytest
import reference
from laws import check_op, check_transformation

import fastpipe as fp


def test_each_element_comes_once():
    check_transformation(lambda ds: ds.unique(), reference.unique)
    check_transformation(
        lambda ds: ds.map(lambda x: x % 3).unique(),
        lambda values: reference.unique(v % 3 for v in values),
    )


@pytest.mark.parametrize("dtype", ["int32", "float64", "uint8"])
def test_numbers_of_any_dtype_are_told_apart(dtype):
    values = np.array([3, 1, 3, 2, 1], dtype)
    check_op(lambda: fp.Dataset.from_tensor_slices(values).unique(), [3, 1, 2])


def test_strings_are_told_apart():
    texts = ["a", "b", "a", "", "ab", ""]
    check_op(lambda: fp.Dataset.from_tensor_slices(texts).unique(), [b"a", b"b", b"", b"ab"])


def test_rows_are_told_apart_by_all_their_values():
    rows = np.array([[1, 2], [2, 1], [1, 2]])
    check_op(lambda: fp.Dataset.from_tensor_slices(rows).unique(), [[1, 2], [2, 1]])
