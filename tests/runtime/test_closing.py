"""Closing ends in time though storage or Python hangs, and what hangs is joined later."""

import gc
import textwrap
import threading
import time

import pytest
from process import DEADLINE_SECONDS, eventually, os_threads, run

import fastpipe as fp
from fastpipe import _core
from fastpipe.errors import CancelledError
from fastpipe.options import SimulatedStorage

BOUND = 2.0  # that of close(), kCloseBound of csrc/api.h
SLACK = 10.0  # for a busy machine: a watchdog, not a measurement


def stalled(ds):
    options = fp.Options()
    options.storage = SimulatedStorage(stall_read=1)
    return ds.with_options(options)


@pytest.fixture
def paths(tmp_path):
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text(f"{number}\n" * 3)
    return sorted(str(path) for path in tmp_path.iterdir())


PARALLEL = {
    "map": lambda paths: fp.Dataset.from_tensor_slices(paths).map(fp.io.read_file, 2),
    "interleave": lambda paths: fp.Dataset.from_tensor_slices(paths).interleave(
        fp.TextLineDataset, cycle_length=2, num_parallel_calls=2
    ),
    "autotune": lambda paths: (
        fp.Dataset.from_tensor_slices(paths)
        .map(fp.io.read_file, fp.AUTOTUNE)
        .batch(2)
        .prefetch(fp.AUTOTUNE)
    ),
}


class Hanging:
    """A Python function that hangs until released: at every element, or at that of one number."""

    def __init__(self, at=None):
        self.entered = threading.Event()
        self.release = threading.Event()
        self._at = at

    def function(self, x):
        if self._at is None or x == self._at:
            self.entered.set()
            self.release.wait()
        return x


def begin(iterator):
    """Calls next in a thread, where it may hang."""
    thread = threading.Thread(target=_next, args=(iterator,), daemon=True)
    thread.start()
    return thread


def _next(iterator):
    try:
        next(iterator)
    except (CancelledError, StopIteration):
        pass


def closes_in_time(close):
    began = time.monotonic()
    close()
    return time.monotonic() - began < BOUND + SLACK


@pytest.mark.parametrize("make", PARALLEL.values(), ids=PARALLEL.keys())
def test_close_leaves_threads_that_hang_in_storage_and_joins_them_later(make, paths):
    threads = os_threads()
    iterator = iter(stalled(make(paths)))
    caller = begin(iterator)
    assert eventually(lambda: _core.stalled_calls() == 1)
    assert closes_in_time(iterator.close)
    caller.join(DEADLINE_SECONDS)  # its next() ended within the bound as well
    assert _core.abandoned_iterators() == 1
    assert list(fp.Dataset.range(3).map(lambda x: x + 1, 2)) == [1, 2, 3]  # others are well
    with pytest.raises(CancelledError):
        next(iterator)
    iterator.set_storage(SimulatedStorage())
    assert eventually(lambda: _core.abandoned_iterators() == 0)
    assert eventually(lambda: os_threads() <= threads)


def test_close_leaves_a_python_function_that_hangs():
    hang = Hanging()
    ds = fp.Dataset.range(5).map(lambda x: fp.py_function(hang.function, [x], fp.int64), 2)
    iterator = iter(ds)
    caller = begin(iterator)
    assert hang.entered.wait(DEADLINE_SECONDS)
    assert closes_in_time(iterator.close)
    caller.join(DEADLINE_SECONDS)
    assert _core.abandoned_iterators() == 1
    hang.release.set()
    assert eventually(lambda: _core.abandoned_iterators() == 0)


@pytest.mark.parametrize("cycle", [False, True])
def test_an_iterator_that_is_dropped_leaves_what_hangs_alike(cycle):
    hang = Hanging(at=1)
    iterator = iter(
        fp.Dataset.range(5).map(lambda x: fp.py_function(hang.function, [x], fp.int64), 2)
    )
    assert next(iterator) == 0
    assert hang.entered.wait(DEADLINE_SECONDS)
    if cycle:
        holder = [iterator]
        holder.append(holder)
        del holder
    began = time.monotonic()
    del iterator
    gc.collect()
    assert time.monotonic() - began < BOUND + SLACK
    assert _core.abandoned_iterators() == 1
    hang.release.set()
    assert eventually(lambda: _core.abandoned_iterators() == 0)


def test_close_does_not_wait_for_a_next_that_hangs_on_a_thread_of_its_own(paths):
    iterator = iter(stalled(fp.TextLineDataset(paths)))
    ended = []

    def consume():
        try:
            ended.append(next(iterator))
        except CancelledError as error:
            ended.append(error)

    caller = threading.Thread(target=consume, daemon=True)
    caller.start()
    assert eventually(lambda: _core.stalled_calls() == 1)
    assert closes_in_time(iterator.close)
    assert caller.is_alive()
    iterator.set_storage(SimulatedStorage())
    caller.join(DEADLINE_SECONDS)
    assert len(ended) == 1 and isinstance(ended[0], CancelledError)
    assert _core.abandoned_iterators() == 0


def test_closing_again_does_not_wait_again():
    hang = Hanging()
    iterator = iter(
        fp.Dataset.range(5).map(lambda x: fp.py_function(hang.function, [x], fp.int64), 2)
    )
    caller = begin(iterator)
    assert hang.entered.wait(DEADLINE_SECONDS)
    iterator.close()
    caller.join(DEADLINE_SECONDS)
    began = time.monotonic()
    for _ in range(20):
        iterator.close()
    assert time.monotonic() - began < BOUND + SLACK
    hang.release.set()
    assert eventually(lambda: _core.abandoned_iterators() == 0)


HUNG = {
    "a function that sleeps for an hour": """
        import threading, time
        asleep = threading.Semaphore(0)
        def sleep(v):
            if v == 1:
                asleep.release()
                time.sleep(3600)
            return v
        its = [iter(fp.Dataset.range(9).map(
            lambda x: fp.py_function(sleep, [x], fp.int64), 2)) for _ in range(COUNT)]
        for it in its:
            next(it)
            asleep.acquire()
    """,
    "storage": """
        import os, tempfile, time
        from fastpipe.options import SimulatedStorage
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("line"); file.flush()
            options = fp.Options()
            options.storage = SimulatedStorage(stall_read=2)
            # By one thread: of two, that of the first element may be the one that hangs.
            ds = fp.Dataset.from_tensors(file.name).repeat(5).map(fp.io.read_file).prefetch(2)
            its = [iter(ds.with_options(options)) for _ in range(COUNT)]
            for number, it in enumerate(its, 1):
                next(it)
                while fp._core.stalled_calls() < number:
                    time.sleep(0.001)
    """,
}
ENDS = {
    "open": "",
    "closed before": "for it in its: it.close()\nprint(fp._core.abandoned_iterators())",
    "dropped": "del its, it",
    "in a thread": "import threading\nfor it in its:\n"
    "    threading.Thread(target=lambda: list(it), daemon=True).start()",
}


@pytest.mark.parametrize(
    ("hung", "end"),
    [("storage", "open"), *(("a function that sleeps for an hour", end) for end in ENDS)],
)
def test_a_process_ends_with_its_code_though_something_hangs(hung, end):
    hung, end = HUNG[hung], ENDS[end]
    began = time.monotonic()
    count = 1 if "del" in end or "close" in end else 5
    program = textwrap.dedent(hung).replace("COUNT", str(count)) + end + "\nraise SystemExit(7)\n"
    done = run(program)
    assert (done.returncode, done.stderr) == (7, "")
    assert time.monotonic() - began < BOUND + 2 * SLACK
    assert done.stdout == ("1\n" if "close" in end else "")


def test_a_forked_child_is_free_of_what_hangs_in_its_parent():
    done = run(
        """
        import os, threading, time
        asleep = threading.Event()
        def sleep(v):
            if v == 1:
                asleep.set()
                time.sleep(3600)
            return v
        ds = fp.Dataset.range(9).map(lambda x: fp.py_function(sleep, [x], fp.int64), 2)
        it = iter(ds)
        next(it)
        asleep.wait()
        it.close()
        print(fp._core.abandoned_iterators(), flush=True)
        if os.fork() == 0:
            print(fp._core.abandoned_iterators(), int(next(iter(ds))), flush=True)
            os._exit(0)
        os.wait()
        print(fp._core.abandoned_iterators())
        """
    )
    assert done.stdout.split() == ["1", "0", "0", "1"], done
