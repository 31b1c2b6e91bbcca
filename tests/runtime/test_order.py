"""Every element exactly once and in order, at any parallelism, however long each one takes."""

import random
import threading

import numpy as np
import pytest
import reference

import fastpipe as fp

COUNT = 10_000
PARALLEL = [1, 2, 8, fp.AUTOTUNE]


@pytest.mark.parametrize("calls", PARALLEL)
@pytest.mark.parametrize("deterministic", [True, False])
def test_a_native_map_loses_nothing(calls, deterministic):
    ds = fp.Dataset.range(COUNT).map(
        # Work of very unequal length.
        lambda x: x + 0 * fp.cast(fp.reduce_sum(fp.range((x * 7919) % 3000)), fp.int64),
        num_parallel_calls=calls,
        deterministic=deterministic,
    )
    got = [int(x) for x in ds]
    assert (got if deterministic else sorted(got)) == list(range(COUNT))


@pytest.mark.parametrize("calls", PARALLEL)
@pytest.mark.parametrize("deterministic", [True, False])
def test_a_python_map_with_random_delays_loses_nothing(calls, deterministic):
    delays = random.Random(3)
    wake = threading.Event()  # never set: a wait that ends by its timeout is a delay

    def delayed(x):
        if x % 100 == 0:
            wake.wait(delays.random() * 0.002)
        return x

    ds = fp.Dataset.range(COUNT).map(
        lambda x: fp.py_function(delayed, [x], fp.int64),
        num_parallel_calls=calls,
        deterministic=deterministic,
    )
    got = [int(x) for x in ds]
    assert (got if deterministic else sorted(got)) == list(range(COUNT))


@pytest.mark.parametrize("calls", PARALLEL)
@pytest.mark.parametrize("deterministic", [True, False])
def test_an_interleave_loses_nothing(calls, deterministic):
    lengths = np.random.default_rng(5).integers(0, 200, 100)
    ds = fp.Dataset.from_tensor_slices(np.stack([np.arange(100) * 1000, lengths], 1)).interleave(
        lambda row: fp.Dataset.range(row[0], row[0] + row[1]),
        cycle_length=8,
        block_length=3,
        num_parallel_calls=calls,
        deterministic=deterministic,
    )
    inners = [range(1000 * n, 1000 * n + int(length)) for n, length in enumerate(lengths)]
    expected = list(reference.interleave(inners, 8, 3))
    got = [int(x) for x in ds]
    assert (got if deterministic else sorted(got)) == (
        expected if deterministic else sorted(expected)
    )


@pytest.mark.parametrize("calls", PARALLEL)
def test_a_pipeline_of_many_stages_keeps_the_order(calls):
    ds = fp.Dataset.range(COUNT).map(lambda x: x + 1, num_parallel_calls=calls).prefetch(3)
    ds = ds.batch(7, num_parallel_calls=calls).map(lambda b: b * 2, num_parallel_calls=calls)
    ds = ds.unbatch().prefetch(fp.AUTOTUNE)
    assert [int(x) for x in ds] == [2 * (x + 1) for x in range(COUNT)]


@pytest.mark.parametrize("calls", [2, 8, fp.AUTOTUNE])  # one thread has no others
def test_one_slow_element_does_not_idle_the_others(calls):
    """The window is wider than the threads: others are made while the first one takes its time."""
    done: list[int] = []
    grown = threading.Condition()

    def work(x):
        with grown:
            if x == 0:
                assert grown.wait_for(lambda: len(done) >= 2, 30), f"only {done} were made"
            done.append(int(x))
            grown.notify_all()
        return x

    ds = fp.Dataset.range(50).map(
        lambda x: fp.py_function(work, [x], fp.int64), num_parallel_calls=calls
    )
    assert [int(x) for x in ds] == list(range(50))
    assert done[0] != 0


@pytest.mark.parametrize("deterministic", [None, False])
def test_order_is_kept_unless_options_say_otherwise(deterministic):
    """Element 0 waits for another one: with free order that one is delivered first."""
    delivered = threading.Event()

    def work(x):
        if x == 0:
            # In order, nobody can be delivered before this one.
            delivered.wait(30 if deterministic is False else 0)
        return x

    options = fp.Options(deterministic=deterministic)
    ds = fp.Dataset.range(4).map(
        lambda x: fp.py_function(work, [x], fp.int64), num_parallel_calls=2
    )
    iterator = iter(ds.with_options(options))
    first = int(next(iterator))
    delivered.set()
    rest = [int(x) for x in iterator]
    if deterministic is False:
        assert first != 0 and sorted([first, *rest]) == [0, 1, 2, 3]
    else:
        assert [first, *rest] == [0, 1, 2, 3]
