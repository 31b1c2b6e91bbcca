"""Thread counts mean what they say."""

import threading

import pytest
from process import eventually, os_threads

import fastpipe as fp
from fastpipe import _core

WAIT = 30
COUNTS = [1, 2, 3, 8]


@pytest.mark.parametrize("count", COUNTS)
def test_a_map_runs_on_exactly_its_threads(count):
    base, native = os_threads(), _core.running_threads()
    iterator = iter(fp.Dataset.range(1000).map(lambda x: x, num_parallel_calls=count))
    assert os_threads() == base, "threads started before the first next"
    next(iterator)
    seen = {os_threads() - base}
    assert iterator.thread_count() <= count
    for _ in range(50):
        next(iterator)
        seen.add(os_threads() - base)
    assert max(seen) <= count
    iterator.close()
    assert _core.running_threads() == native and eventually(lambda: os_threads() == base)


@pytest.mark.parametrize("count", COUNTS)
def test_all_threads_of_a_map_work_at_once(count):
    base = os_threads()
    together = threading.Barrier(count)
    most = []

    def meet(x):
        together.wait(WAIT)
        most.append(os_threads() - base)
        return x

    ds = fp.Dataset.range(count).map(
        lambda x: fp.py_function(meet, [x], fp.int64), num_parallel_calls=count
    )
    assert [int(x) for x in ds] == list(range(count))
    assert max(most) == count


@pytest.mark.parametrize("count", COUNTS)
def test_no_more_functions_run_at_once_than_asked_for(count):
    lock, running, most = threading.Lock(), 0, 0

    def work(x):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        for _ in range(50):
            pass
        with lock:
            running -= 1
        return x

    ds = fp.Dataset.range(500).map(
        lambda x: fp.py_function(work, [x], fp.int64), num_parallel_calls=count
    )
    assert sum(1 for _ in ds) == 500
    assert 1 <= most <= count


@pytest.mark.parametrize("count", COUNTS)
def test_an_interleave_runs_on_at_most_its_threads(count, write):
    paths = [write(f"{n}", b"x\n" * 5000) for n in range(12)]
    base = os_threads()
    ds = fp.Dataset.from_tensor_slices(paths).interleave(
        fp.TextLineDataset, cycle_length=8, num_parallel_calls=count
    )
    iterator = iter(ds)
    most = 0
    for _ in range(200):
        next(iterator)
        most = max(most, os_threads() - base)
    assert most <= count
    assert iterator.thread_count() <= count


@pytest.mark.parametrize("count", COUNTS)
def test_all_threads_of_an_interleave_work_at_once(count):
    together = threading.Barrier(count)

    def meet(x):
        together.wait(WAIT)
        return x

    def inner(x):
        return fp.Dataset.from_tensors(x).map(lambda y: fp.py_function(meet, [y], fp.int64))

    ds = fp.Dataset.range(count).interleave(inner, cycle_length=8, num_parallel_calls=count)
    assert sorted(int(x) for x in ds) == list(range(count))


def test_prefetch_runs_on_one_thread():
    base = os_threads()
    iterator = iter(fp.Dataset.range(100).prefetch(10))
    next(iterator)
    assert os_threads() - base <= 1
    assert iterator.thread_count() <= 1


def test_sequential_pipelines_start_no_threads(write):
    base = os_threads()
    path = write("a", b"1\n2\n3\n")
    ds = fp.TextLineDataset([path, path]).map(fp.strings.upper).shuffle(3).batch(2).repeat(2)
    iterator = iter(ds)
    for _ in iterator:
        assert os_threads() == base
    assert iterator.thread_count() == 0


def test_stages_add_up():
    base = os_threads()
    ds = fp.Dataset.range(10**6).map(lambda x: x, num_parallel_calls=3)
    ds = ds.batch(2, num_parallel_calls=2).prefetch(2)
    iterator = iter(ds)
    next(iterator)
    assert eventually(lambda: os_threads() - base == 3 + 2 + 1)
    assert iterator.thread_count() == 6
    labels = {stage["label"].split()[0]: stage["threads"] for stage in iterator.stats()}
    assert labels == {"map": 3, "batch": 2, "prefetch": 1}


def test_the_process_has_a_cap_that_every_stage_obeys():
    native = _core.running_threads()
    _core.set_thread_cap(native + 4)
    try:
        iterators = [
            iter(fp.Dataset.range(1000).map(lambda x: x + 1, num_parallel_calls=8))
            for _ in range(3)
        ]
        for iterator in iterators:
            assert next(iterator) == 1
        # Beyond the cap each stage keeps the one thread it cannot do without.
        assert _core.running_threads() - native <= 4 + 2
        for iterator in iterators:
            assert [int(x) for x in iterator] == list(range(2, 1001))
    finally:
        _core.set_thread_cap(1024)


def test_threads_stop_while_they_wait_for_room():
    native = _core.running_threads()
    for _ in range(20):
        iterator = iter(fp.Dataset.range(10**9).map(lambda x: x, num_parallel_calls=8).prefetch(1))
        next(iterator)
        del iterator
        assert _core.running_threads() == native


def test_a_consumer_that_stops_below_stops_what_is_below():
    native = _core.running_threads()
    iterator = iter(fp.Dataset.range(10**9).prefetch(3).take(1).concatenate(fp.Dataset.range(2)))
    assert [int(next(iterator)) for _ in range(3)] == [0, 0, 1]
    assert _core.running_threads() == native
