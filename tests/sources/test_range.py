import numpy as np
import pytest
from laws import check_op

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    "arguments",
    [(5,), (0,), (-3,), (2, 6), (6, 2), (1, 10, 3), (10, 1, -4), (-5, 5, 5), (0, 1, 100)],
)
def test_numbers_come_as_from_pythons_range(arguments):
    check_op(
        lambda: fp.Dataset.range(*arguments), range(*arguments), cardinality=len(range(*arguments))
    )


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint16", "float32", "float64"])
def test_numbers_have_the_dtype_asked_for(dtype):
    ds = fp.Dataset.range(3, output_type=dtype)
    assert [x.dtype for x in ds] == [np.dtype(dtype)] * 3
    check_op(lambda: ds, [0, 1, 2], cardinality=3)


def test_the_largest_numbers_do_not_overflow():
    top = 2**63 - 1
    assert [int(x) for x in fp.Dataset.range(top - 2, top)] == [top - 2, top - 1]
    assert [int(x) for x in fp.Dataset.range(-(2**63), top, 2**62)] == [
        -(2**63),
        -(2**62),
        0,
        2**62,
    ]
    assert fp.Dataset.range(top).cardinality() == top


def test_a_step_of_zero_is_refused():
    with pytest.raises(InvalidArgumentError, match="step"):
        fp.Dataset.range(0, 5, 0)


@pytest.mark.parametrize("arguments", [(), (1, 2, 3, 4)])
def test_one_to_three_numbers_are_needed(arguments):
    with pytest.raises(TypeError):
        fp.Dataset.range(*arguments)


@pytest.mark.parametrize("stop", ["5", None, 2.5, [1, 2]])
def test_the_end_must_be_a_whole_number(stop):
    with pytest.raises((TypeError, ValueError)):
        fp.Dataset.range(stop)


def test_the_end_may_be_a_numpy_number_or_a_symbol():
    check_op(lambda: fp.Dataset.range(np.int32(3)), [0, 1, 2], cardinality=3)
    check_op(lambda: fp.Dataset.range(3).flat_map(fp.Dataset.range), [0, 0, 1])
