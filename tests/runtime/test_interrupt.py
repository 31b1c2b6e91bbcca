"""Ctrl+C while native code waits raises KeyboardInterrupt, and the process ends."""

import os
import signal

import pytest
from process import CHILD_SECONDS, eventually, run, start

HEADER = """
import sys, threading
slow = fp.Options(storage=fp.SimulatedStorage(open_delay=3600.0))
text = fp.TextLineDataset(sys.argv[1]).with_options(slow)
"""

BLOCKED = {
    "a sequential reader": "ds = text",
    "prefetch": "ds = text.prefetch(1)",
    "a parallel map": "ds = text.map(lambda line: line, num_parallel_calls=4)",
    "a parallel interleave": """
ds = fp.Dataset.from_tensor_slices([sys.argv[1]] * 4).interleave(
    fp.TextLineDataset, cycle_length=4, num_parallel_calls=4).with_options(slow)""",
    "storage that hangs, with a time limit": """
ds = fp.TextLineDataset(sys.argv[1]).with_options(
    fp.Options(storage=fp.SimulatedStorage(stall_read=1), read_timeout=3600.0))""",
    "an autotuned pipeline": """
ds = text.map(lambda line: line, num_parallel_calls=fp.AUTOTUNE).prefetch(fp.AUTOTUNE)""",
    "a filter that finds nothing": "ds = fp.Dataset.counter().filter(lambda x: x < 0)",
    "skipping for ever": "ds = fp.Dataset.counter().filter(lambda x: x >= 0).skip(2**62)",
}

WAIT = """
print("ready", flush=True)
try:
    next(iterator)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def is_blocked(pid, ticks):
    """Whether the main thread of the child sleeps, or has worked for long since `ticks`.

    It has printed its last line before: if it sleeps or works, it does so in next.
    """
    state, now = main_thread(pid)
    return state == "S" or now > ticks + 20


def main_thread(pid):
    """State of the main thread, and its processor time in ticks."""
    with open(f"/proc/{pid}/task/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return fields[0], int(fields[11])


def interrupt_when_blocked(child):
    assert child.stdout.readline() == "ready\n"
    _, ticks = main_thread(child.pid)
    assert eventually(lambda: is_blocked(child.pid, ticks))
    os.kill(child.pid, signal.SIGINT)
    return child.communicate(timeout=CHILD_SECONDS)


@pytest.mark.parametrize("program", BLOCKED.values(), ids=BLOCKED.keys())
def test_control_c_interrupts(program, write):
    child = start(HEADER + program + "\niterator = iter(ds)" + WAIT, write("a.txt", b"x\n"))
    try:
        out, err = interrupt_when_blocked(child)
    finally:
        child.kill()
    assert out == "interrupted\n", err
    assert child.returncode == 0 and err == ""


def test_an_uncaught_interrupt_ends_the_process_with_a_traceback(write):
    program = HEADER + BLOCKED["prefetch"] + "\nprint('ready', flush=True)\nnext(iter(ds))"
    child = start(program, write("a.txt", b"x\n"))
    try:
        _, err = interrupt_when_blocked(child)
    finally:
        child.kill()
    assert "KeyboardInterrupt" in err
    assert child.returncode in (130, -signal.SIGINT)


def test_the_iterator_goes_on_after_an_interrupt():
    program = """
    import os, signal, threading
    noted = threading.Event()
    def once(x):
        if x == 3 and not noted.is_set():
            os.kill(os.getpid(), signal.SIGINT)
            noted.wait(30)  # so that the interrupt finds next waiting for this element
        return x
    ds = fp.Dataset.range(6).map(lambda x: fp.py_function(once, [x], fp.int64)).prefetch(1)
    iterator, got = iter(ds), []
    while True:
        try:
            got.append(int(next(iterator)))
        except KeyboardInterrupt:
            noted.set()
        except StopIteration:
            break
    print(got, noted.is_set())
    """
    done = run(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[0, 1, 2, 3, 4, 5] True\n", "")
