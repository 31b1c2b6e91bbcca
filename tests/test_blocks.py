"""Blocks: elements that pass many at once are those that pass one by one."""

from __future__ import annotations

import contextlib
import random
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import FAILED, outcomes

import fastpipe as fp
from fastpipe.description import describe

Build = Callable[[], Any]


def with_blocks(dataset: Any, blocks: bool) -> Any:
    options = fp.Options()
    options.fusion = blocks
    return dataset.with_options(options)


def exact(value: Any) -> Any:
    """A value with its dtypes, so that equal means equal bit by bit."""
    if isinstance(value, (tuple, list)):
        return [exact(item) for item in value]
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return value
    array = np.asarray(value)
    content = array.tolist() if array.dtype == object else array.tobytes()
    return array.dtype.str, array.shape, content


def results(iterator: Any) -> list[Any]:
    return [exact(element) for element in iterator]


def ops_in_blocks(dataset: Any) -> list[str]:
    """The ops whose consumer takes blocks, of which explain() tells."""
    return [op.title.split()[0] for op in describe(dataset) if op.in_blocks]


# ---- random pipelines ----


def _source(rng: random.Random) -> Any:
    size = rng.choice([0, 1, 2, 7, 30, 100])
    kind = rng.randrange(5)
    if kind == 0:
        start, step = rng.randrange(-5, 5), rng.choice([1, 2, -3])
        return fp.Dataset.range(start, start + size * step, step)
    if kind == 1:
        dtype = rng.choice([np.int8, np.uint16, np.float32, np.float64, np.float16])
        return fp.Dataset.range(size, output_type=dtype)
    numbers = np.random.default_rng(rng.randrange(100))
    if kind == 2:
        return fp.Dataset.from_tensor_slices(numbers.integers(-9, 9, size))
    if kind == 3:
        pair = (
            numbers.standard_normal((size, 3)).astype(np.float32),
            numbers.integers(0, 9, size, np.int32),
        )
        return fp.Dataset.from_tensor_slices(pair)
    names = np.array([b"n" * (i % 20) for i in range(size)], dtype=object)
    return fp.Dataset.from_tensor_slices({"name": names, "number": numbers.random(size)})


def _mapped(rng: random.Random, first: Any) -> Any:
    """A function of one number, elementwise or not."""
    number = rng.randrange(1, 5)
    dtype = rng.choice([fp.float32, fp.int32, fp.int64, fp.uint8, fp.float16])
    return rng.choice(
        [
            lambda x: x + number,
            lambda x: (x, x * x - number),
            lambda x: {"x": fp.cast(x, dtype), "same": number},
            lambda x: fp.where(x > number, x, -x) if first.dtype != fp.uint16 else x,
            lambda x: fp.clip_by_value(x, number, number + 3),
            lambda x: fp.cast(x, fp.int64) % number,
            lambda x: fp.cast(x, fp.int64) // (fp.cast(x, fp.int64) + number),
            lambda x: fp.math.exp(fp.cast(x, fp.float64) / 100),
            lambda x: (x < number, fp.cast(x, fp.float32) ** 2.0),
            lambda x: fp.reduce_sum(x),
            lambda x: fp.cast(x, fp.float32) + np.array([[1.0, 2.0, 3.0]], np.float32),
        ]
    )


def _predicate(rng: random.Random, spec: Any) -> Any:
    number = rng.randrange(5)

    def holds(*parts: Any) -> Any:
        leaf = fp.nest.flatten(parts)[-1]
        if leaf.dtype.name in ("string", "bool") or leaf.shape.rank != 0:
            return number != 3
        return fp.cast(leaf, fp.int64) % 5 != number

    return holds


def _step(rng: random.Random, dataset: Any) -> Any:
    kind = rng.randrange(10)
    spec = dataset.element_spec
    if kind <= 1:
        calls = rng.choice([None, None, 2, fp.AUTOTUNE])
        if isinstance(spec, tuple):
            return dataset.map(lambda *parts: (parts[-1], parts[0]), num_parallel_calls=calls)
        if isinstance(spec, dict):
            key = sorted(spec)[-1]
            return dataset.map(lambda parts: (parts[key], parts), num_parallel_calls=calls)
        if spec.dtype.name in ("string", "bool"):
            return dataset.map(lambda x: (x, x), num_parallel_calls=calls)
        return dataset.map(_mapped(rng, spec), num_parallel_calls=calls)
    if kind == 2:
        again = rng.choice([True, False])
        size = rng.choice([1, 2, 5, 20, 1000])
        return dataset.shuffle(size, rng.randrange(9), reshuffle_each_iteration=again)
    if kind == 3:
        return dataset.repeat(rng.choice([0, 1, 2, 3]))
    if kind == 4:
        return dataset.take(rng.choice([0, 1, 10, -1, 1000]))
    if kind == 5:
        return dataset.skip(rng.choice([0, 1, 10]))
    if kind == 6:
        return dataset.enumerate(rng.randrange(3))
    if kind == 7:
        return dataset.cache()
    if kind == 8:
        return dataset.filter(_predicate(rng, spec))
    other = fp.Dataset.range(rng.choice([3, 40]))
    return fp.Dataset.zip(*rng.sample([dataset, other], 2))


def _pipeline(seed: int) -> Any:
    rng = random.Random(seed)
    dataset = _source(rng)
    for _ in range(rng.randrange(6)):
        dataset = _step(rng, dataset)
    drop = rng.choice([True, False])
    calls = rng.choice([None, None, None, 2])
    dataset = dataset.batch(rng.choice([1, 3, 8, 100]), drop, num_parallel_calls=calls)
    if rng.random() < 0.3:
        dataset = dataset.unbatch().batch(rng.choice([2, 5]))
    return dataset


def _outcomes(iterator: Any) -> list[Any]:
    found: list[Any] = []
    while len(found) < 10_000:
        try:
            found.append(exact(next(iterator)))
        except StopIteration:
            return found
        except fp.errors.FastpipeError as error:
            found.append(str(error))
    raise AssertionError("the iterator does not end")


@pytest.mark.parametrize("seed", range(400))
def test_a_pipeline_gives_the_same_in_blocks_as_one_by_one(seed):
    in_blocks = with_blocks(_pipeline(seed), True)
    one_by_one = with_blocks(_pipeline(seed), False)
    for _ in range(2):
        assert _outcomes(iter(in_blocks)) == _outcomes(iter(one_by_one))


@pytest.mark.parametrize("seed", range(0, 400, 3))
def test_a_position_saved_in_blocks_goes_on_one_by_one_and_the_reverse(seed):
    whole = with_blocks(_pipeline(seed), True)
    expected = _outcomes(iter(whole))
    places = sorted({0, 1, len(expected) // 2, len(expected)} & set(range(len(expected) + 1)))
    for place in places:
        for saved, restored in [(True, False), (False, True), (True, True)]:
            first = iter(with_blocks(_pipeline(seed), saved))
            begun = []
            for _ in range(place):
                begun += _one(first)
            second = with_blocks(_pipeline(seed), restored).iterator(first.save())
            assert begun + _outcomes(second) == expected


def _one(iterator: Any) -> list[Any]:
    try:
        return [exact(next(iterator))]
    except fp.errors.FastpipeError as error:
        return [str(error)]


# ---- what goes in blocks ----


def test_explain_says_what_passes_in_blocks():
    ds = fp.Dataset.range(9).map(lambda x: x + 1).filter(lambda x: x > 2).shuffle(3)
    ds = ds.repeat(2).take(4).batch(2)
    assert ops_in_blocks(ds) == ["take", "repeat", "shuffle", "filter", "map", "range"]
    assert ds.explain().count("in blocks") == 6


def test_the_option_turns_blocks_off():
    ds = with_blocks(fp.Dataset.range(9).map(lambda x: x + 1).batch(2), False)
    assert ops_in_blocks(ds) == []
    assert "fusion=False" in ds.explain()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 100 // x,
        lambda x: x + fp.random.uniform([], maxval=9, dtype=fp.int64),
        lambda x: fp.strings.as_string(x),
        lambda x: x // 0,
        lambda x: fp.range(x),
        lambda x: fp.py_function(lambda y: y, [x], fp.int64),
    ],
)
def test_a_function_that_may_fail_or_is_not_elementwise_sees_elements_one_by_one(function):
    ds = fp.Dataset.range(9).map(function)
    assert ops_in_blocks(ds.batch(2)) == []


def test_a_number_of_threads_that_was_asked_for_is_kept():
    ds = fp.Dataset.range(10**6).map(lambda x: x + 1, num_parallel_calls=2).batch(2)
    assert ops_in_blocks(ds) == []
    it = iter(ds)
    next(it)
    assert [(stage["threads"], stage["direct"]) for stage in it.stats()] == [(2, False)]


def test_a_map_whose_threads_are_tuned_is_computed_by_a_consumer_that_takes_blocks():
    it = iter(fp.Dataset.range(100).map(lambda x: x + 1, num_parallel_calls=fp.AUTOTUNE).batch(8))
    assert next(it).tolist() == list(range(1, 9))
    (stage,) = it.stats()
    assert (stage["direct"], stage["elements"], stage["delivered"]) == (True, 8, 8)
    assert "at rest: its consumer computes, in blocks" in it.explain()


def test_an_error_costs_one_element_and_its_neighbours_survive():
    ds = fp.Dataset.range(8).map(lambda x: 12 // (x - 3)).map(lambda x: x + 1).batch(2)
    assert outcomes(iter(ds)) == [[-3, -5], FAILED, [-11, 13], [7, 5], [4]]


def test_rows_of_arrays_broadcast_only_as_they_would_one_by_one():
    rows = np.arange(12.0).reshape(3, 4)
    ds = fp.Dataset.from_tensor_slices((rows, rows[:, 0]))
    added = ds.map(lambda x, y: x + y).batch(3)
    assert np.array_equal(next(iter(added)), rows + rows[:, :1])


def test_a_cache_that_has_been_filled_serves_blocks():
    ds = fp.Dataset.range(1, 5000).map(lambda x: 10000 // x).cache().batch(1000)
    assert ops_in_blocks(ds) == []
    first = results(iter(ds))
    assert ops_in_blocks(ds) == ["cache"]
    assert results(iter(ds)) == first


@pytest.mark.parametrize("calls", [None, fp.AUTOTUNE, 2])
@pytest.mark.parametrize("place", [0, 1, 3, 6])
def test_a_pass_restored_above_a_cache_that_another_has_filled_goes_on(calls, place):
    # The store gives blocks by now; the restored pass reads its input, which does not.
    ds = fp.Dataset.range(1, 40).map(lambda x: 10000 // x, calls).cache().repeat(2).batch(7)
    whole = results(iter(ds))
    unfilled = fp.Dataset.range(1, 40).map(lambda x: 10000 // x, calls).cache().repeat(2).batch(7)
    first = iter(unfilled)
    begun = [exact(next(first)) for _ in range(place)]
    position = first.save()
    assert begun + results(first) == whole
    assert begun + results(unfilled.iterator(position)) == whole


def test_batches_do_not_share_memory_with_the_array_or_each_other():
    rows = np.arange(100)
    batches = list(fp.Dataset.from_tensor_slices(rows).batch(50))
    batches[0][:] = -1
    assert batches[1].tolist() == list(range(50, 100))
    assert rows[0] == 0
    pairs = list(fp.Dataset.range(40).map(lambda x: (x, x)).batch(40))
    pairs[0][0][:] = -1
    assert pairs[0][1].tolist() == list(range(40))


def test_an_interrupt_does_not_set_the_inputs_of_a_zip_apart():
    left = fp.Dataset.range(3_000_000).map(lambda x: x + 1)
    iterator = iter(fp.Dataset.zip(left, fp.Dataset.range(3_000_000)).batch(500_000))

    waiting = False

    def interrupt(number: int, frame: Any) -> None:
        if waiting:
            raise InterruptedError

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for delay in [0.0002, 0.0005, 0.001, 0.0003, 0]:
            with contextlib.suppress(InterruptedError):
                waiting = True
                signal.setitimer(signal.ITIMER_REAL, delay)
                first, second = next(iterator)
                waiting = False
                assert np.array_equal(first, second + 1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_huge_batch_takes_only_the_memory_of_what_there_is():
    (batch,) = fp.Dataset.range(10_000).batch(2**62)
    assert batch.tolist() == list(range(10_000))


def test_a_huge_shuffle_buffer_takes_only_the_memory_of_what_there_is():
    (batch,) = fp.Dataset.range(10_000).shuffle(2**62, seed=1).batch(10_000)
    assert sorted(batch.tolist()) == list(range(10_000))


def test_passes_over_a_repeated_zip_do_not_run_ahead_in_its_longer_input():
    def build():
        endless = fp.Dataset.range(7).shuffle(7, seed=2).repeat()
        return fp.Dataset.zip(endless, fp.Dataset.range(10)).repeat(3).batch(4)

    assert results(with_blocks(build(), True)) == results(with_blocks(build(), False))
