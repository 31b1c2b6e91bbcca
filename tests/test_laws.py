"""The laws notice what breaks them."""

import numpy as np
import pytest
from laws import check_element_spec, check_failing, check_kernel, check_op, numbers

import fastpipe as fp

SCALAR = fp.TensorSpec((), "int64")


def generated(function):
    return fp.Dataset.from_generator(function, output_signature=SCALAR)


def counting_passes():
    passes = []

    def generate():
        passes.append(1)
        yield len(passes)

    return generated(generate)


def sharing_state():
    shared = iter([1, 2, 3, 4])
    return generated(lambda: shared)


@pytest.mark.parametrize(
    ("make", "expected", "laws", "complaint"),
    [
        (lambda: fp.Dataset.range(3), [0, 1], {}, "elements"),
        (lambda: fp.Dataset.range(3), [0, 2, 1], {}, "elements"),
        (lambda: fp.Dataset.range(3), [0, 1, 2], {"failures": 1}, "0 errors, expected 1"),
        (lambda: fp.Dataset.range(3), [0, 1, 2], {"cardinality": 4}, "cardinality: 3"),
        (lambda: numbers([1], failing=0), [1], {}, "1 errors, expected 0"),
        (lambda: fp.Dataset.range(9).shuffle(9, seed=1), range(9), {}, "elements"),
        (counting_passes, [1], {"pickles": False}, "pass 1: got"),
        (sharing_state, [1, 2, 3, 4], {"pickles": False}, r"pass 1: got \[\]"),
        (
            lambda: fp.Dataset.range(3).map(lambda x: x, 1, False),
            [0, 1, 2],
            {"cardinality": -2},
            "cardinality",
        ),
    ],
)
def test_an_op_that_breaks_a_law_is_noticed(make, expected, laws, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_op(make, expected, **laws)


def test_promises_about_positions_and_pickling_are_held_to():
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check_op(lambda: fp.Dataset.range(3), [0, 1, 2], savable=False)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check_op(lambda: fp.Dataset.range(3), [0, 1, 2], pickles=False)


def test_a_number_of_elements_that_is_not_true_is_noticed():
    def make():
        return fp.Dataset.range(5).filter(lambda x: x < 3).assert_cardinality(5)

    with pytest.raises(AssertionError):
        check_op(make, [0, 1, 2], failures=1)


def test_a_lost_neighbour_of_an_error_is_noticed():
    with pytest.raises(AssertionError, match="with an error among the input"):
        check_failing(lambda: numbers([1, 2, 3], failing=1), [1, 2, 3, 4])
    with pytest.raises(AssertionError, match="errors expected"):
        check_failing(lambda: numbers([1, 2, 3], failing=1), [1, 2, 3], failures=2)


@pytest.mark.parametrize(
    ("spec", "element"),
    [
        (SCALAR, np.int32(1)),
        (SCALAR, np.zeros(3, np.int64)),
        (fp.TensorSpec((2,), "int64"), np.zeros(3, np.int64)),
        (SCALAR, b"text"),
        ((SCALAR,), np.int64(1)),
        ({"a": SCALAR}, (np.int64(1),)),
    ],
)
def test_an_element_that_its_spec_does_not_allow_is_noticed(spec, element):
    with pytest.raises(AssertionError):
        check_element_spec(spec, element)


def test_a_kernel_that_is_wrong_is_noticed():
    two = [np.int64(1), np.int64(1)]
    check_kernel(fp.math.add, two, 2, wrong_dtypes=["string"])
    with pytest.raises(AssertionError):
        check_kernel(fp.math.add, two, 3)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check_kernel(lambda x, y: fp.math.add(1, y), two, 2, wrong_dtypes=["string"])
