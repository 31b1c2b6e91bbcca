import numpy as np
import pytest
import reference
from laws import FAILED, check_op, check_transformation, outcomes, plain

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError

PARALLEL = [None, 1, 2, 8, fp.AUTOTUNE]


@pytest.mark.parametrize("calls", PARALLEL)
def test_each_element_gives_its_result_in_order(calls):
    check_transformation(
        lambda ds: ds.map(lambda x: x * 2 + 1, num_parallel_calls=calls),
        lambda values: reference.map_elements(values, lambda x: x * 2 + 1),
    )


@pytest.mark.parametrize("calls", [1, 2, 8, fp.AUTOTUNE])
def test_without_order_each_result_comes_once(calls):
    check_op(
        lambda: fp.Dataset.range(200).map(
            lambda x: x + 1, num_parallel_calls=calls, deterministic=False
        ),
        range(1, 201),
        ordered=False,
        savable=False,
        cardinality=200,
    )


@pytest.mark.parametrize("calls", PARALLEL)
def test_long_sequences_keep_their_positions(calls):
    check_op(
        lambda: fp.Dataset.range(1000).map(lambda x: x + 1, num_parallel_calls=calls),
        range(1, 1001),
        cardinality=1000,
    )


@pytest.mark.parametrize("calls", PARALLEL)
def test_a_function_that_fails_costs_its_element(calls):
    texts = [b"%d" % i if i % 5 else b"x" for i in range(40)]
    ds = fp.Dataset.from_tensor_slices(texts)
    ds = ds.map(lambda s: fp.strings.to_number(s, fp.int32), num_parallel_calls=calls)
    expected = [i if i % 5 else FAILED for i in range(40)]
    assert outcomes(iter(ds)) == expected


def test_a_position_holds_under_another_number_of_threads():
    def make(calls):
        return fp.Dataset.range(100).map(lambda x: x * 3, num_parallel_calls=calls)

    for saved_with in PARALLEL:
        it = iter(make(saved_with))
        assert outcomes(it, 37) == [3 * x for x in range(37)]
        state = it.save()
        for restored_with in PARALLEL:
            rest = outcomes(make(restored_with).iterator(state))
            assert rest == [3 * x for x in range(37, 100)]


def test_structures_go_in_and_come_out():
    def make():
        ds = fp.Dataset.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]})
        return ds.map(lambda e: {"t": (e["a"], e["b"]), "c": e["a"] + 1})

    check_op(make, [{"c": 2, "t": (1, b"x")}, {"c": 3, "t": (2, b"y")}], cardinality=2)


def test_a_tuple_is_spread_over_the_arguments():
    ds = fp.Dataset.range(3).enumerate().map(lambda i, x: i + x)
    check_op(lambda: ds, [0, 2, 4], cardinality=3)


def test_constants_and_captured_arrays_are_results_too():
    table = np.array([5, 6, 7])
    ds = fp.Dataset.range(3).map(lambda x: (fp.gather(table, x), 1.5, "text"))
    check_op(lambda: ds, [(v, 1.5, b"text") for v in (5, 6, 7)], cardinality=3)


def test_a_function_may_return_a_dataset():
    ds = fp.Dataset.range(3).map(lambda x: fp.Dataset.range(x))
    assert [plain(inner) for inner in ds] == [[], [0], [0, 1]]


def test_an_outer_symbol_can_be_used_in_an_inner_function():
    ds = fp.Dataset.range(1, 3).flat_map(
        lambda x: fp.Dataset.range(3).map(lambda y: y * x, num_parallel_calls=2)
    )
    check_op(lambda: ds, [0, 1, 2, 0, 2, 4])


@pytest.mark.parametrize("calls", [0, -2, -100])
def test_a_parallelism_below_one_is_refused(calls):
    with pytest.raises(InvalidArgumentError, match=f"num_parallel_calls.*{calls}"):
        fp.Dataset.range(3).map(lambda x: x, num_parallel_calls=calls)


@pytest.mark.parametrize("function", [None, 3, "text"])
def test_only_functions_can_be_mapped(function):
    with pytest.raises(TypeError, match="function"):
        fp.Dataset.range(3).map(function)


def test_a_function_without_a_result_is_refused():
    with pytest.raises(TypeError, match="None"):
        fp.Dataset.range(3).map(lambda x: None)


@pytest.mark.parametrize("calls", PARALLEL)
def test_python_functions_give_the_same_results(calls):
    with pytest.warns(fp.PythonFallbackWarning):
        ds = fp.Dataset.range(20).map(lambda x: int(x) ** 2, num_parallel_calls=calls)
    check_op(lambda: ds, [x * x for x in range(20)], pickles=False, cardinality=20)


@pytest.mark.parametrize("calls", PARALLEL)
def test_an_output_signature_asks_for_python(calls):
    ds = fp.Dataset.range(5).map(
        lambda x: (float(x), b"t" * int(x)),
        num_parallel_calls=calls,
        output_signature=(fp.TensorSpec((), "float32"), fp.TensorSpec((), "string")),
    )
    check_op(lambda: ds, [(float(x), b"t" * x) for x in range(5)], pickles=False, cardinality=5)
