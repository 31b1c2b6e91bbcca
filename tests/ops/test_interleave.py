import itertools

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import FAILED, check_op, check_transformation, numbers, outcomes, plain

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError

PARALLEL = [None, 1, 2, 8, fp.AUTOTUNE]


def repeated(x):
    return fp.Dataset.from_tensors(x).repeat(x)


def counted(x):
    """The elements of inner x: 100 x, 100 x + 1, ..., as many as x % 10."""
    return fp.Dataset.range(100 * x, 100 * x + x % 10)


def counted_list(x):
    return list(range(100 * x, 100 * x + x % 10))


def threads(calls, cycle_length):
    """num_parallel_calls may not exceed cycle_length."""
    return calls if calls in (None, fp.AUTOTUNE) else min(calls, cycle_length)


# ---- order ----


@pytest.mark.parametrize("calls", PARALLEL)
@pytest.mark.parametrize(
    ("cycle_length", "block_length", "expected"),
    [
        (1, 1, "444455555666666"),
        (2, 1, "454545455666666"),
        (2, 3, "444555455666666"),
        (3, 2, "445566445566566"),
        (7, 2, "445566445566566"),
        (2, 100, "444455555666666"),
    ],
)
def test_golden_orders_of_tensorflow(calls, cycle_length, block_length, expected):
    check_op(
        lambda: fp.Dataset.range(4, 7).interleave(
            repeated, cycle_length, block_length, threads(calls, cycle_length)
        ),
        [int(digit) for digit in expected],
    )


@pytest.mark.parametrize("calls", PARALLEL)
@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([3, 0, 0, 1, 2, 4], "30 31 32 10 20 40 21 41 42 43"),
        ([0, 2, 0, 3], "20 21 30 31 32"),
        ([0, 0], ""),
    ],
)
def test_golden_orders_with_empty_inners(calls, lengths, expected):
    ds = fp.Dataset.from_tensor_slices(np.array(lengths, np.int64)).interleave(
        lambda n: fp.Dataset.range(10 * n, 10 * n + n),
        cycle_length=2,
        num_parallel_calls=threads(calls, 2),
    )
    assert outcomes(iter(ds)) == [int(number) for number in expected.split()]


def interleaved(lengths, cycle_length, block_length, calls, deterministic=None):
    numbered = [100 * number + length for number, length in enumerate(lengths)]
    ds = fp.Dataset.from_tensor_slices(np.array(numbered, np.int64))
    return ds.interleave(
        lambda x: fp.Dataset.range(100 * x, 100 * x + x % 100),
        cycle_length,
        block_length,
        threads(calls, cycle_length),
        deterministic,
    )


def expected_order(lengths, cycle_length, block_length):
    inners = [
        range(100 * (100 * number + length), 100 * (100 * number + length) + length)
        for number, length in enumerate(lengths)
    ]
    return list(reference.interleave(inners, cycle_length, block_length))


any_case = given(
    lengths=st.lists(st.integers(0, 9), max_size=12),
    cycle_length=st.integers(1, 9),
    block_length=st.integers(1, 7),
)


@settings(max_examples=500)
@any_case
def test_any_sequential_order_is_that_of_the_model(lengths, cycle_length, block_length):
    got = outcomes(iter(interleaved(lengths, cycle_length, block_length, None)))
    assert got == expected_order(lengths, cycle_length, block_length)


@pytest.mark.parametrize("calls", [1, 2, 8, fp.AUTOTUNE])
def test_any_parallel_order_is_that_of_the_model(calls):
    @settings(max_examples=450)
    @any_case
    def check(lengths, cycle_length, block_length):
        got = outcomes(iter(interleaved(lengths, cycle_length, block_length, calls)))
        assert got == expected_order(lengths, cycle_length, block_length)

    check()


@pytest.mark.parametrize("calls", [1, 2, 8, fp.AUTOTUNE])
def test_without_order_any_case_has_the_same_elements(calls):
    @settings(max_examples=60)
    @any_case
    def check(lengths, cycle_length, block_length):
        ds = interleaved(lengths, cycle_length, block_length, calls, deterministic=False)
        assert sorted(outcomes(iter(ds))) == sorted(expected_order(lengths, cycle_length, 1))

    check()


@settings(max_examples=80)
@given(
    lengths=st.lists(st.integers(0, 6), max_size=8),
    cycle_length=st.integers(1, 5),
    block_length=st.integers(1, 4),
    saved_with=st.sampled_from(PARALLEL),
    restored_with=st.sampled_from(PARALLEL),
    fraction=st.floats(0, 1),
)
def test_any_position_holds_under_any_parallelism(
    lengths, cycle_length, block_length, saved_with, restored_with, fraction
):
    expected = expected_order(lengths, cycle_length, block_length)
    count = int(fraction * len(expected))
    it = iter(interleaved(lengths, cycle_length, block_length, saved_with))
    assert outcomes(it, count) == expected[:count]
    copy = interleaved(lengths, cycle_length, block_length, restored_with)
    assert outcomes(copy.iterator(it.save())) == expected[count:]


# ---- laws ----


@pytest.mark.parametrize("calls", PARALLEL)
@pytest.mark.parametrize(("cycle_length", "block_length"), [(1, 1), (3, 1), (2, 4), (20, 3)])
def test_interleave_obeys_the_laws(calls, cycle_length, block_length):
    check_transformation(
        lambda ds: ds.interleave(counted, cycle_length, block_length, threads(calls, cycle_length)),
        lambda values: reference.interleave(map(counted_list, values), cycle_length, block_length),
        failing=False,
    )


@pytest.mark.parametrize("calls", PARALLEL)
def test_an_element_that_fails_costs_no_other(calls):
    ds = numbers([1, 2, 3], failing=1).interleave(
        counted, cycle_length=2, num_parallel_calls=threads(calls, 2)
    )
    got = outcomes(iter(ds))
    assert got.count(FAILED) == 1
    assert sorted(x for x in got if x is not FAILED) == [100, 200, 201, 300, 301, 302]


@pytest.mark.parametrize("calls", PARALLEL)
def test_an_inner_that_fails_goes_on_with_its_next_element(calls):
    def digits(x):
        texts = fp.stack([fp.strings.as_string(x), "x", fp.strings.as_string(x + 1)])
        inner = fp.Dataset.from_tensor_slices(texts)
        return inner.map(lambda text: fp.strings.to_number(text, fp.int64))

    def make():
        return fp.Dataset.range(0, 40, 10).interleave(
            digits, cycle_length=2, num_parallel_calls=threads(calls, 2)
        )

    expected = [0, 10, FAILED, FAILED, 1, 11, 20, 30, FAILED, FAILED, 21, 31]
    sequential = outcomes(iter(make()))
    assert [x for x in sequential if x is not FAILED] == [x for x in expected if x is not FAILED]
    assert sequential.count(FAILED) == 4
    check_op(make, [x for x in expected if x is not FAILED], failures=4)


@pytest.mark.parametrize("calls", PARALLEL)
def test_errors_take_the_same_place_at_any_parallelism(calls):
    def digits(x):
        texts = fp.stack([fp.strings.as_string(x), "x", fp.strings.as_string(x + 1)])
        inner = fp.Dataset.from_tensor_slices(texts)
        return inner.map(lambda text: fp.strings.to_number(text, fp.int64))

    def results(parallel):
        return outcomes(
            iter(fp.Dataset.range(0, 90, 10).interleave(digits, 3, 2, threads(parallel, 3)))
        )

    assert results(calls) == results(None)


@pytest.mark.parametrize("calls", PARALLEL)
def test_interleave_of_an_endless_input_is_endless(calls):
    ds = fp.Dataset.counter(1).interleave(
        lambda x: fp.Dataset.from_tensors(x).repeat(2), 2, 1, threads(calls, 2)
    )
    model = reference.interleave(([x, x] for x in itertools.count(1)), 2, 1)
    check_op(lambda: ds, itertools.islice(model, 15), endless=True)


@pytest.mark.parametrize("calls", PARALLEL)
def test_endless_inners_take_turns(calls):
    ds = fp.Dataset.range(3).interleave(
        lambda x: fp.Dataset.from_tensors(x).repeat(), 3, 2, threads(calls, 3)
    )
    check_op(lambda: ds, [0, 0, 1, 1, 2, 2, 0, 0, 1], endless=True)


@pytest.mark.parametrize("calls", PARALLEL)
def test_interleaves_can_be_nested(calls):
    def make():
        return fp.Dataset.range(1, 5).interleave(
            lambda x: fp.Dataset.range(x).interleave(
                lambda y: fp.Dataset.from_tensors(10 * x + y).repeat(2), 2, 1, threads(calls, 2)
            ),
            2,
            3,
            threads(calls, 2),
        )

    inners = [
        list(reference.interleave([[10 * x + y] * 2 for y in range(x)], 2, 1)) for x in range(1, 5)
    ]
    check_op(make, reference.interleave(inners, 2, 3), state_bytes=4096)


# ---- arguments ----


@pytest.mark.parametrize(
    "arguments",
    [
        {"cycle_length": 0},
        {"cycle_length": -2},
        {"block_length": 0},
        {"block_length": -1},
        {"num_parallel_calls": 0},
        {"num_parallel_calls": -2},
        {"cycle_length": 2, "num_parallel_calls": 3},
    ],
)
def test_impossible_arguments_are_refused(arguments):
    (name,) = list(arguments)[-1:]
    with pytest.raises(InvalidArgumentError, match=name):
        fp.Dataset.range(3).interleave(counted, **arguments)


def test_the_default_cycle_does_not_depend_on_the_machine():
    values = list(range(1, 30))
    expected = list(reference.interleave(map(counted_list, values), 16, 1))
    for calls in (None, 4, fp.AUTOTUNE):
        ds = fp.Dataset.range(1, 30).interleave(counted, num_parallel_calls=calls)
        assert outcomes(iter(ds)) == expected


def test_a_function_must_return_a_dataset():
    with pytest.raises((TypeError, ValueError), match="dataset"):
        fp.Dataset.range(3).interleave(lambda x: x)


def test_elements_keep_their_structure():
    ds = fp.Dataset.range(2).interleave(
        lambda x: fp.Dataset.range(2).map(lambda y: {"x": x, "y": (y, "t")}), cycle_length=2
    )
    assert [plain(e) for e in ds] == [{"x": x, "y": (y, b"t")} for y in (0, 1) for x in (0, 1)]
