"""AUTOTUNE: knobs follow what is measured, the log says why, results stay what they are."""

import re
import time

import pytest
from process import DEADLINE_SECONDS

import fastpipe as fp

SLOW = fp.SimulatedStorage(open_delay=0.004)


@pytest.fixture
def paths(write):
    return [write(f"{number}.txt", b"%d" % number) for number in range(40)]


def threads_of(iterator, op):
    return sum(stage["threads"] for stage in iterator.stats() if stage["label"].startswith(op))


def consume_until(iterator, condition):
    """Takes elements until `condition` holds; False if it does not before the deadline."""
    end = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < end:
        next(iterator)
        if condition():
            return True
    return False


@pytest.mark.parametrize("stage", ["map", "interleave"])
def test_slow_storage_gets_more_threads_than_it_started_with(paths, stage):
    ds = fp.Dataset.from_tensor_slices(paths).repeat()
    if stage == "map":
        ds = ds.map(fp.io.read_file, num_parallel_calls=fp.AUTOTUNE)
    else:
        ds = ds.interleave(fp.TextLineDataset, num_parallel_calls=fp.AUTOTUNE)
    options = fp.Options(storage=SLOW)
    options.autotune.initial_parallelism = 2
    iterator = iter(ds.with_options(options))
    assert consume_until(iterator, lambda: threads_of(iterator, stage) > 2), (
        f"no more threads; {iterator.autotune_log()}"
    )
    # When, which stage, and from what to what.
    first = iterator.autotune_log()[0]
    assert re.fullmatch(r"\d+\.\d{3} s " + stage + r" \(.*\): .*; threads 2 -> \d+", first), first


def test_where_order_is_free_more_files_are_open_than_the_default_cycle(paths):
    options = fp.Options(storage=fp.SimulatedStorage(open_delay=0.02))
    options.deterministic = False
    ds = fp.Dataset.from_tensor_slices(paths).repeat()
    ds = ds.interleave(fp.TextLineDataset, num_parallel_calls=fp.AUTOTUNE)
    iterator = iter(ds.with_options(options))
    assert consume_until(iterator, lambda: threads_of(iterator, "interleave") > 16)
    once = fp.Dataset.from_tensor_slices(paths)
    once = once.interleave(fp.TextLineDataset, num_parallel_calls=fp.AUTOTUNE)
    assert sorted(once.with_options(options)) == sorted(b"%d" % number for number in range(40))


def test_a_maximum_bounds_what_autotune_gives(paths):
    options = fp.Options(storage=fp.SimulatedStorage(open_delay=0.02))
    options.autotune.max_parallelism = 5
    # So many, since on a busy machine it takes longer until there is need of more.
    ds = fp.Dataset.from_tensor_slices(paths).repeat(15)
    ds = ds.map(fp.io.read_file, num_parallel_calls=fp.AUTOTUNE).with_options(options)
    iterator = iter(ds)
    counts = [threads_of(iterator, "map") for _ in iterator]
    assert len(counts) == 600 and 2 < max(counts) <= 5


def test_simulated_storage_can_change_while_it_is_read(paths):
    ds = fp.Dataset.from_tensor_slices(paths).map(fp.io.read_file, num_parallel_calls=2)
    iterator = iter(ds.with_options(fp.Options(storage=fp.SimulatedStorage(open_delay=0.002))))
    next(iterator)
    iterator.set_storage(fp.SimulatedStorage(open_delay=0.002, fail_open=35))
    assert len([next(iterator) for _ in range(30)]) == 30
    with pytest.raises(fp.errors.UnavailableError, match="open 35"):
        [next(iterator) for _ in range(5)]
    with pytest.raises(ValueError, match="real storage"):
        iter(fp.Dataset.range(3)).set_storage(fp.SimulatedStorage())


def test_results_are_those_of_a_sequential_run(paths):
    def make(calls):
        ds = fp.Dataset.from_tensor_slices(paths).repeat(5)
        ds = ds.interleave(
            lambda path: fp.TextLineDataset(path).map(
                lambda line: fp.strings.join([line, path], "-"), num_parallel_calls=calls
            ),
            cycle_length=8,
            num_parallel_calls=calls,
        )
        ds = ds.map(fp.strings.upper, num_parallel_calls=calls).batch(3, num_parallel_calls=calls)
        if calls is not None:
            ds = ds.prefetch(calls)
        return ds.with_options(fp.Options(storage=fp.SimulatedStorage(open_delay=0.001)))

    sequential = [batch.tolist() for batch in make(None)]
    assert [batch.tolist() for batch in make(fp.AUTOTUNE)] == sequential


def test_a_disabled_tuner_leaves_every_knob_alone(paths):
    options = fp.Options(storage=SLOW)
    options.autotune.enabled = False
    ds = fp.Dataset.from_tensor_slices(paths).repeat(3)
    ds = ds.map(fp.io.read_file, num_parallel_calls=fp.AUTOTUNE).with_options(options)
    iterator = iter(ds)
    next(iterator)
    started = threads_of(iterator, "map")
    counts = set()
    for _ in range(100):
        next(iterator)
        counts.add(threads_of(iterator, "map"))
    assert counts == {started}
    assert iterator.autotune_log() == []


def test_fixed_numbers_are_never_tuned(paths):
    ds = fp.Dataset.from_tensor_slices(paths).repeat(3).map(fp.io.read_file, num_parallel_calls=3)
    iterator = iter(ds.prefetch(2).with_options(fp.Options(storage=SLOW)))
    for _ in range(100):
        next(iterator)
        counts = {stage["label"].split()[0]: stage["threads"] for stage in iterator.stats()}
        assert counts == {"map": 3, "prefetch": 1}
        assert not any(stage["autotuned"] for stage in iterator.stats())
    assert iterator.autotune_log() == []


def test_compute_gets_no_more_threads_than_the_cpu_budget():
    options = fp.Options()
    options.autotune.cpu_budget = 1
    ds = fp.Dataset.range(10**9).map(
        lambda x: fp.reduce_sum(fp.range(20_000 + 0 * x)), num_parallel_calls=fp.AUTOTUNE
    )
    iterator = iter(ds.with_options(options))
    end = time.monotonic() + 1.5  # enough for a dozen decisions
    most = 0
    while time.monotonic() < end:
        next(iterator)
        most = max(most, threads_of(iterator, "map"))
    assert most <= 2


def test_statistics_count_every_element(paths):
    ds = fp.Dataset.from_tensor_slices(paths).map(fp.io.read_file, num_parallel_calls=2)
    iterator = iter(ds.with_options(fp.Options(storage=SLOW)))
    for taken in range(1, 21):
        next(iterator)
        (stage,) = iterator.stats()
        assert stage["elements"] >= taken >= 1
        assert stage["delivered"] <= stage["elements"]
    assert stage["busy_ns"] > 20 * 4_000_000 * 0.9
    assert stage["cpu_ns"] < stage["busy_ns"]
    assert "map" in stage["label"] and "test_autotune.py" in stage["label"]


def test_elements_that_cost_less_than_handing_over_are_computed_by_the_consumer():
    count = 1_000_000  # some thousands do, but on a busy machine
    ds = fp.Dataset.range(count).map(lambda x: x + 1, num_parallel_calls=fp.AUTOTUNE)
    iterator = iter(ds)
    assert consume_until(
        iterator, lambda: any("its consumer" in x for x in iterator.autotune_log())
    )
    (stage,) = iterator.stats()
    delivered = stage["delivered"]
    assert next(iterator) == delivered + 1
    (stage,) = iterator.stats()
    assert stage["delivered"] == stage["elements"] == delivered + 1
    restored = ds.iterator(iterator.save())
    assert next(restored) == next(iterator) == delivered + 2
    assert [int(x) for x in iterator] == [*range(delivered + 3, count + 1)]


def test_a_function_that_becomes_dear_gets_its_threads_back_and_loses_nothing():
    count, cheap = 40_000, 30_000

    def function(x):
        size = fp.where(x < cheap, fp.constant(1, fp.int64), fp.constant(20_000, fp.int64))
        return x + 0 * fp.reduce_sum(fp.range(size))

    iterator = iter(fp.Dataset.range(count).map(function, num_parallel_calls=fp.AUTOTUNE))
    assert [int(x) for x in iterator] == [*range(count)]
    log = iterator.autotune_log()
    directly = [number for number, line in enumerate(log) if "its consumer computes" in line]
    by_threads = [number for number, line in enumerate(log) if "its threads compute" in line]
    assert not directly or (by_threads and by_threads[-1] > directly[0]), log


def test_fixed_numbers_of_threads_are_used_however_cheap_the_function(paths):
    iterator = iter(fp.Dataset.range(50_000).map(lambda x: x + 1, num_parallel_calls=2))
    assert [int(x) for x in iterator] == [*range(1, 50_001)]
    assert iterator.autotune_log() == []


def test_an_iterator_that_has_ended_takes_no_memory_from_those_that_run():
    def byte_limit():
        ds = fp.Dataset.range(1000).map(lambda x: x * 2, num_parallel_calls=2)
        options = fp.Options()
        options.autotune.ram_budget = 1 << 30
        iterator = iter(ds.with_options(options))
        next(iterator)
        (stage,) = iterator.stats()
        return stage["byte_limit"]

    before = byte_limit()
    ended = [iter(fp.Dataset.range(10).map(lambda x: x, num_parallel_calls=2)) for _ in range(5)]
    for iterator in ended:
        assert len(list(iterator)) == 10
    assert byte_limit() == before


def test_what_limited_a_run_is_said_of_the_run_and_not_of_the_time_since(paths):
    ds = fp.Dataset.from_tensor_slices(paths).map(fp.io.read_file, num_parallel_calls=2)
    iterator = iter(ds.with_options(fp.Options(storage=SLOW)))
    assert len(list(iterator)) == 40
    at_its_end = iterator.bottleneck()
    assert at_its_end.startswith("map ") and "2 at once" in at_its_end
    assert consume_until(iter(fp.Dataset.range(10**9)), Countdown(300_000))
    assert iterator.bottleneck() == at_its_end


class Countdown:
    """True when called for the n-th time."""

    def __init__(self, n):
        self.left = n

    def __call__(self):
        self.left -= 1
        return self.left <= 0
