"""csrc/kernels/cond.cc: one of two functions runs."""

import numpy as np
import pytest

import fastpipe as fp


def test_the_predicate_picks_the_function():
    ds = fp.Dataset.range(6).map(lambda x: fp.cond(x > 2, lambda: x * 10, lambda: x))
    assert [int(x) for x in ds] == [0, 1, 2, 30, 40, 50]


def test_the_other_function_does_not_run():
    ran = []
    ds = fp.Dataset.range(4).map(
        lambda x: fp.cond(
            x == 1,
            lambda: fp.py_function(lambda v: ran.append(int(v)) or v, [x], fp.int64),
            lambda: x,
        )
    )
    assert [int(x) for x in ds] == [0, 1, 2, 3]
    assert ran == [1]


def test_nested_structures_and_branches():
    def function(x):
        return fp.cond(
            x > 3,
            lambda: (x, {"a": fp.constant(1.0)}),
            lambda: fp.cond(
                x > 1,
                lambda: (-x, {"a": fp.constant(2.0)}),
                lambda: (x * 100, {"a": fp.constant(3.0)}),
            ),
        )

    ds = fp.Dataset.range(5).map(function, num_parallel_calls=2)
    assert [(int(a), float(b["a"])) for a, b in ds] == [
        (0, 3.0),
        (100, 3.0),
        (-2, 2.0),
        (-3, 2.0),
        (4, 1.0),
    ]


def test_shapes_that_differ_are_unknown():
    ds = fp.Dataset.range(2).map(
        lambda x: fp.cond(x > 0, lambda: fp.zeros([3]), lambda: fp.zeros([2]))
    )
    assert ds.element_spec == fp.TensorSpec((None,), fp.float32)
    assert [v.shape for v in ds] == [(2,), (3,)]


def test_different_dtypes_are_refused():
    with pytest.raises(fp.errors.InvalidArgumentError, match="int64.*float32"):
        fp.Dataset.range(2).map(lambda x: fp.cond(x > 0, lambda: x, lambda: fp.cast(x, fp.float32)))


def test_different_structures_are_refused():
    with pytest.raises(fp.errors.InvalidArgumentError, match="structure"):
        fp.Dataset.range(2).map(lambda x: fp.cond(x > 0, lambda: x, lambda: (x, x)))


def test_a_number_is_no_predicate():
    with pytest.raises(fp.errors.InvalidArgumentError, match="bool"):
        fp.Dataset.range(2).map(lambda x: fp.cond(x, lambda: x, lambda: x))


def test_on_values_it_runs_at_once():
    assert fp.cond(np.bool_(True), lambda: 1, lambda: 2) == 1
    assert fp.cond(False, lambda: 1, lambda: 2) == 2
