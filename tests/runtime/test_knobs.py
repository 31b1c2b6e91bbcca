"""Every element exactly once and in order while all knobs change every millisecond."""

import collections
import contextlib
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import reference
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fastpipe as fp
from fastpipe import _core

MOST_ELEMENTS = 8000
TURN_SECONDS = 0.001
BUDGETS = [None, 1, 1000, 100_000]


@contextlib.contextmanager
def turning(iterator: Any, seed: int = 0) -> Iterator[None]:
    """Sets all knobs of `iterator` at random every millisecond, from a thread of its own."""
    draw = random.Random(seed)
    done = threading.Event()

    def turn() -> None:
        while not done.wait(TURN_SECONDS):
            for op in {stage["op"] for stage in iterator.stats()}:
                iterator.set_knobs(op, draw.randint(1, 9), draw.randint(1, 30))

    thread = threading.Thread(target=turn)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def tuned(ds: Any, ram_budget: int | None = None) -> Any:
    options = fp.Options()
    options.autotune.enabled = True
    options.autotune.ram_budget = ram_budget
    return ds.with_options(options)


def uneven(x: Any) -> Any:
    """`x`, after work of very unequal length."""
    return x + 0 * fp.reduce_sum(fp.range((x * 7919) % 3000))


# ---- random pipelines ----


@dataclass
class Pipeline:
    ds: Any
    values: list[int]  # what it gives, if in order
    ordered: bool = True


Step = Callable[[Pipeline], Pipeline]


def mapped(deterministic: bool) -> Step:
    def step(before: Pipeline) -> Pipeline:
        ds = before.ds.map(
            lambda x: uneven(x) + 1, num_parallel_calls=fp.AUTOTUNE, deterministic=deterministic
        )
        return Pipeline(ds, [x + 1 for x in before.values], before.ordered and deterministic)

    return step


def interleaved(cycle: int, block: int, deterministic: bool, nested: bool) -> Step:
    def inner(x: Any) -> Any:
        ds = fp.Dataset.range(x, x + x % 6)
        return ds.map(uneven, num_parallel_calls=fp.AUTOTUNE) if nested else ds

    def step(before: Pipeline) -> Pipeline:
        if len(before.values) * 6 > MOST_ELEMENTS:
            return before
        ds = before.ds.interleave(
            inner,
            cycle_length=cycle,
            block_length=block,
            num_parallel_calls=fp.AUTOTUNE,
            deterministic=deterministic,
        )
        inners = [range(x, x + x % 6) for x in before.values]
        values = list(reference.interleave(inners, cycle, block))
        return Pipeline(ds, values, before.ordered and deterministic)

    return step


def batched(size: int) -> Step:
    def step(before: Pipeline) -> Pipeline:
        ds = before.ds.batch(size, num_parallel_calls=fp.AUTOTUNE).unbatch()
        return Pipeline(ds, before.values, before.ordered)

    return step


def prefetched(before: Pipeline) -> Pipeline:
    return Pipeline(before.ds.prefetch(fp.AUTOTUNE), before.values, before.ordered)


def zipped(before: Pipeline) -> Pipeline:
    """Two maps of the same elements side by side; without an order they would not meet."""
    if not before.ordered:
        return before
    left = before.ds.map(uneven, num_parallel_calls=fp.AUTOTUNE)
    right = before.ds.map(lambda x: x * 2, num_parallel_calls=fp.AUTOTUNE)
    ds = fp.Dataset.zip((left, right)).map(lambda x, y: x + y, num_parallel_calls=fp.AUTOTUNE)
    return Pipeline(ds, [3 * x for x in before.values], True)


STEPS = st.one_of(
    st.builds(mapped, st.sampled_from([True, True, False])),
    st.builds(
        interleaved,
        cycle=st.sampled_from([1, 2, 5, 16]),
        block=st.sampled_from([1, 3, 100]),
        deterministic=st.sampled_from([True, True, False]),
        nested=st.booleans(),
    ),
    st.builds(batched, st.sampled_from([1, 7, 64])),
    st.just(prefetched),
    st.just(zipped),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    count=st.sampled_from([500, 1300, 4000]),
    steps=st.lists(STEPS, min_size=1, max_size=4),
    ram_budget=st.sampled_from(BUDGETS),
    seed=st.integers(0, 2**32),
)
def test_random_pipelines_give_what_they_mean(count, steps, ram_budget, seed):
    pipeline = Pipeline(fp.Dataset.range(count), list(range(count)))
    for step in steps:
        pipeline = step(pipeline)
    iterator = iter(tuned(pipeline.ds, ram_budget))
    with turning(iterator, seed):
        got = [int(x) for x in iterator]
    if pipeline.ordered:
        assert got == pipeline.values
    else:
        assert collections.Counter(got) == collections.Counter(pipeline.values)


# ---- errors, memory, the end ----


def failing(x: Any) -> Any:
    """`x`, but an error for every 100th."""
    return x + 0 * (x // (x % 100))


def test_an_error_keeps_its_place_and_its_neighbours():
    ds = fp.Dataset.range(1, 3000).map(uneven, num_parallel_calls=fp.AUTOTUNE)
    ds = ds.map(failing, num_parallel_calls=fp.AUTOTUNE).prefetch(fp.AUTOTUNE)
    iterator = iter(tuned(ds))
    got: list[int | None] = []
    with turning(iterator):
        while True:
            try:
                got.append(int(next(iterator)))
            except StopIteration:
                break
            except fp.errors.InvalidArgumentError:
                got.append(None)
    assert got == [x if x % 100 else None for x in range(1, 3000)]


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("ram_budget", [1, 1000, 1_000_000])
def test_scarce_memory_slows_down_and_loses_nothing(ram_budget, deterministic):
    def inner(x):
        ds = fp.Dataset.range(100 * x, 100 * x + 100)
        return ds.map(lambda y: fp.fill([y % 7 * 5000 + 1], y), num_parallel_calls=fp.AUTOTUNE)

    ds = fp.Dataset.range(10).interleave(
        inner, cycle_length=4, num_parallel_calls=fp.AUTOTUNE, deterministic=deterministic
    )
    ds = ds.map(lambda x: x + 1, num_parallel_calls=fp.AUTOTUNE, deterministic=deterministic)
    iterator = iter(tuned(ds.prefetch(fp.AUTOTUNE), ram_budget))
    with turning(iterator):
        got = [(int(x[0]), len(x)) for x in iterator]
    inners = [range(100 * x, 100 * x + 100) for x in range(10)]
    expected = [(y + 1, y % 7 * 5000 + 1) for y in reference.interleave(inners, 4)]
    assert (got if deterministic else sorted(got)) == (
        expected if deterministic else sorted(expected)
    )


@pytest.mark.parametrize("cycle", [1, 2, 8])
@pytest.mark.parametrize("ram_budget", [1, 1000])
def test_the_last_inners_in_free_order_need_no_memory_to_go_on(cycle, ram_budget):
    ds = fp.Dataset.range(5).interleave(
        lambda x: fp.Dataset.range(200).map(lambda y: fp.fill([1000], y)),
        cycle_length=cycle,
        num_parallel_calls=fp.AUTOTUNE,
        deterministic=False,
    )
    got = collections.Counter(int(x[0]) for x in tuned(ds, ram_budget))
    assert got == collections.Counter(dict.fromkeys(range(200), 5))


def endless() -> Any:
    ds = fp.Dataset.range(10**9).interleave(
        lambda x: fp.Dataset.range(x, x + 9).map(uneven, num_parallel_calls=fp.AUTOTUNE),
        cycle_length=4,
        num_parallel_calls=fp.AUTOTUNE,
    )
    return tuned(ds.map(uneven, num_parallel_calls=fp.AUTOTUNE).prefetch(fp.AUTOTUNE))


@pytest.mark.parametrize("taken", [0, 1, 100, 1000])
def test_close_returns_and_leaves_no_thread(taken):
    before = _core.running_threads()
    iterator = iter(endless())
    with turning(iterator):
        for _ in range(taken):
            next(iterator)
        iterator.close()
        assert _core.running_threads() == before


def test_close_by_another_thread_ends_the_pass():
    before = _core.running_threads()
    for pause in (0, 0.001, 0.02):
        iterator = iter(endless())
        closer = threading.Timer(pause, iterator.close)
        with turning(iterator):
            closer.start()
            with pytest.raises(fp.errors.CancelledError):
                for _ in iterator:
                    pass
            closer.join()
            assert _core.running_threads() == before
