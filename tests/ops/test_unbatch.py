import numpy as np
import pytest
import reference
from laws import FAILED, check_op, check_transformation, outcomes

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize("batch_size", [1, 3, 20])
def test_unbatch_undoes_batch(batch_size):
    check_transformation(lambda ds: ds.batch(batch_size).unbatch(), lambda values: values)


def test_rows_of_unequal_elements_follow_one_another():
    check_transformation(
        lambda ds: ds.map(lambda x: fp.fill([x % 4], x)).unbatch(),
        lambda values: reference.unbatch([[v] * (v % 4) for v in values]),
    )


def test_every_component_is_cut():
    def make():
        columns = {"a": np.arange(4).reshape(2, 2), "b": np.array([["p", "q"], ["r", "s"]])}
        return fp.Dataset.from_tensor_slices(columns).unbatch()

    expected = [{"a": a, "b": b} for a, b in zip(range(4), [b"p", b"q", b"r", b"s"])]
    check_op(make, expected, cardinality=4)


def test_a_row_may_be_a_matrix():
    ds = fp.Dataset.from_tensors(np.arange(8).reshape(2, 2, 2)).unbatch()
    check_op(lambda: ds, [[[0, 1], [2, 3]], [[4, 5], [6, 7]]], cardinality=2)


def test_components_of_unequal_length_fail_and_the_next_element_arrives():
    ds = fp.Dataset.range(3).map(lambda x: (fp.fill([x], x), fp.fill([2], x))).unbatch()
    assert outcomes(iter(ds)) == [FAILED, FAILED, (2, 2), (2, 2)]


def test_scalars_have_no_rows():
    with pytest.raises(InvalidArgumentError):
        fp.Dataset.range(3).unbatch()
