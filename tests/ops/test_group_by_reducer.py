import numpy as np
import pytest
from laws import FAILED, check_op, check_transformation, numbers, outcomes

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError
from fastpipe.experimental import Reducer

SUM = Reducer(lambda key: np.int64(0), lambda state, x: state + x, lambda state: state)


def sums(values):
    groups = {}
    for value in values:
        groups[value % 3 - 1] = groups.get(value % 3 - 1, 0) + value
    return [groups[key] for key in sorted(groups)]


def test_each_key_has_one_result_in_the_order_of_keys():
    check_transformation(lambda ds: ds.group_by_reducer(lambda x: x % 3 - 1, SUM), sums)


def test_the_key_makes_the_state_and_structures_may_differ():
    reducer = Reducer(
        lambda key: {"key": key, "count": np.int64(0)},
        lambda state, element: {"key": state["key"], "count": state["count"] + element[1]},
        lambda state: (state["key"], 10 * state["count"]),
    )

    def make():
        ds = fp.Dataset.range(5).map(lambda x: (x, 2 * x))
        return ds.group_by_reducer(lambda x, y: x % 2, reducer)

    check_op(make, [(0, 120), (1, 80)])


def test_a_state_that_grows_gets_an_unknown_shape():
    reducer = Reducer(
        lambda key: np.zeros([0], np.int64),
        lambda state, x: fp.concat([state, [x]], axis=0),
        lambda state: state,
    )
    ds = fp.Dataset.range(5).group_by_reducer(lambda x: x % 2, reducer)
    assert ds.element_spec == fp.TensorSpec([None], "int64")
    assert outcomes(iter(ds)) == [[0, 2, 4], [1, 3]]


def test_a_result_that_fails_costs_its_group():
    reducer = Reducer(
        lambda key: "",
        lambda state, x: fp.strings.as_string(x),
        lambda state: fp.strings.to_number(fp.strings.join([state, "5"]), fp.int32),
    )
    ds = numbers([1, 2, -3, 4]).group_by_reducer(lambda x: x, reducer)
    assert outcomes(iter(ds)) == [-35, 15, 25, 45]
    failing = Reducer(
        reducer.init_func,
        reducer.reduce_func,
        lambda state: fp.strings.to_number(fp.strings.regex_replace(state, "2", "x"), fp.int32),
    )
    ds = numbers([1, 2, 3]).group_by_reducer(lambda x: x, failing)
    assert outcomes(iter(ds)) == [1, FAILED, 3]


def test_a_key_must_be_a_scalar():
    with pytest.raises(InvalidArgumentError, match="key_func"):
        fp.Dataset.range(3).group_by_reducer(lambda x: [x], SUM)


def test_a_state_of_another_kind_is_refused():
    wrong = Reducer(SUM.init_func, lambda state, x: (state, x), SUM.finalize_func)
    with pytest.raises(TypeError, match="reduce_func"):
        fp.Dataset.range(3).group_by_reducer(lambda x: x, wrong)
