"""While native code waits or works, Python goes on."""

import os
import threading

import pytest

import fastpipe as fp

WAIT = 30


@pytest.mark.timeout(60)
@pytest.mark.parametrize("stage", ["sequential", "prefetch", "parallel"])
def test_a_python_thread_can_feed_the_file_that_next_waits_for(tmp_path, stage):
    # Were the GIL held during next, the writer could never write, and next would never return.
    path = str(tmp_path / "pipe")
    os.mkfifo(path)

    def feed():
        with open(path, "wb") as pipe:
            for number in range(3):
                pipe.write(b"%d\n" % number)
                pipe.flush()

    ds = fp.TextLineDataset(path)
    if stage == "prefetch":
        ds = ds.prefetch(1)
    elif stage == "parallel":
        ds = ds.map(lambda line: line, num_parallel_calls=2)
    writer = threading.Thread(target=feed)
    writer.start()
    assert list(ds) == [b"0", b"1", b"2"]
    writer.join(WAIT)
    assert not writer.is_alive()


@pytest.mark.parametrize("parallel", [None, 2])
def test_a_python_thread_counts_during_a_blocked_next(write, parallel):
    options = fp.Options(storage=fp.SimulatedStorage(open_delay=0.5))
    paths = [write("a.txt", b"x\n")]
    ds = fp.Dataset.from_tensor_slices(paths).interleave(
        fp.TextLineDataset, cycle_length=2, num_parallel_calls=parallel
    )
    iterator = iter(ds.with_options(options))
    counted = 0
    stop, started = threading.Event(), threading.Event()

    def count():
        nonlocal counted
        while not stop.is_set():
            counted += 1
            started.set()

    thread = threading.Thread(target=count)
    thread.start()
    assert started.wait(WAIT)
    before = counted
    assert next(iterator) == b"x"
    during = counted - before
    stop.set()
    thread.join(WAIT)
    # Ten switches of the GIL at most would be seen if next held it; half a second is far more.
    assert during > 20_000


def test_several_python_threads_can_share_an_iterator():
    iterator = iter(fp.Dataset.range(5000).map(lambda x: x, num_parallel_calls=2))
    results: list[list[int]] = [[] for _ in range(4)]

    def consume(mine):
        for value in iterator:
            mine.append(int(value))

    threads = [threading.Thread(target=consume, args=(mine,)) for mine in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert sorted(x for mine in results for x in mine) == list(range(5000))
    assert all(mine == sorted(mine) for mine in results)


def test_close_from_another_thread_wakes_a_blocked_next(write):
    options = fp.Options(storage=fp.SimulatedStorage(open_delay=3600))
    iterator = iter(fp.TextLineDataset(write("a", b"x\n")).with_options(options))
    caught: list[BaseException] = []
    entering = threading.Event()

    def consume():
        entering.set()
        try:
            next(iterator)
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=consume)
    thread.start()
    assert entering.wait(WAIT)
    iterator.close()
    thread.join(WAIT)
    assert not thread.is_alive()
    assert [type(error) for error in caught] == [fp.errors.CancelledError]


def test_python_functions_of_two_stages_do_not_block_each_other():
    handed = threading.Semaphore(0)

    def give(x):
        handed.release()
        return x

    def receive(x):
        assert handed.acquire(timeout=WAIT)
        return x

    ds = fp.Dataset.range(20)
    ds = ds.map(lambda x: fp.py_function(give, [x], fp.int64), num_parallel_calls=1)
    ds = ds.map(lambda x: fp.py_function(receive, [x], fp.int64), num_parallel_calls=2)
    assert [int(x) for x in ds] == list(range(20))
