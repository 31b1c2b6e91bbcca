import numpy as np
import pytest
import reference
from laws import FAILED, check_op, check_transformation, numbers, outcomes

import fastpipe as fp


def test_the_state_is_carried_along():
    check_transformation(
        lambda ds: ds.scan(np.int64(10), lambda state, x: (state + x, state * x)),
        lambda values: reference.scan(values, 10, lambda state, x: (state + x, state * x)),
    )


def test_the_state_may_have_structure():
    def make():
        return fp.Dataset.range(4).scan(
            {"sum": np.int64(0), "names": "-"},
            lambda s, x: (
                {"sum": s["sum"] + x, "names": fp.strings.join([s["names"], "n"])},
                (s["sum"], s["names"]),
            ),
        )

    check_op(
        make, [(0, b"-"), (0, b"-n"), (1, b"-nn"), (3, b"-nnn")], cardinality=4, state_bytes=4096
    )


def test_an_element_that_fails_leaves_the_state_alone():
    got = outcomes(
        iter(numbers([1, 2, 3], failing=1).scan(np.int64(0), lambda s, x: (s + x, s + x)))
    )
    assert got == [1, FAILED, 3, 6]


@pytest.mark.parametrize(
    "function",
    [
        lambda s, x: s + x,
        lambda s, x: ((s, x), x),
        lambda s, x: (fp.cast(s, fp.float32), x),
        lambda s, x: (s, x, x),
    ],
)
def test_a_function_must_return_a_state_of_the_same_kind_and_a_result(function):
    with pytest.raises((TypeError, ValueError)):
        list(fp.Dataset.range(3).scan(np.int64(0), function))
