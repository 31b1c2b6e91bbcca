"""A fork at full load leaves a child that can make new pipelines, and a parent that goes on.

The child must be refused the parent's iterator, and read a pipeline of its own to the end. A child
must live also if threads of ours were on their way into Python.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable

from verdict import Verdict, all_of

import fastpipe as fp

ROUNDS = 300
MOST_SECONDS = 10.0


def run(rounds: int) -> list[Verdict]:
    return [at_full_load(rounds), while_threads_enter_python(10 * rounds)]


def at_full_load(rounds: int) -> Verdict:
    rng = random.Random(2)
    iterator = iter(pipeline())
    failures = []
    for number in range(rounds):
        for _ in range(rng.randrange(20)):
            next(iterator)
        wrong = fork(lambda: use_anew(iterator))
        if wrong:
            failures.append(f"fork {number}: {wrong}")
        next(iterator)
    return all_of("the child's own pipeline works and the parent's is refused", rounds, failures)


def pipeline() -> fp.Dataset:
    ds = fp.Dataset.range(10**12).map(lambda x: x * 2 + 1, num_parallel_calls=4)
    return ds.shuffle(100).batch(10, num_parallel_calls=2).prefetch(fp.AUTOTUNE)


def while_threads_enter_python(rounds: int) -> Verdict:
    """Thirty-two workers have nothing to do but go into Python and out again."""
    ds = fp.Dataset.range(10**12).map(
        lambda x: fp.py_function(lambda v: v, [x], fp.int64), num_parallel_calls=16
    )
    failures = []
    enough = threading.Event()
    with ds.iterator() as first, ds.iterator() as second:
        consumers = [
            threading.Thread(target=_consume, args=(iterator, enough))
            for iterator in (first, second)
        ]
        for consumer in consumers:
            consumer.start()
        for number in range(rounds):
            wrong = fork(lambda: 0)
            if wrong:
                failures.append(f"fork {number}: {wrong}")
        enough.set()
        for consumer in consumers:
            consumer.join()
    return all_of("a fork while threads enter Python leaves a child that lives", rounds, failures)


def _consume(iterator: fp.Iterator, enough: threading.Event) -> None:
    while not enough.is_set():
        next(iterator)


def fork(of_child: Callable[[], int]) -> str | None:
    """What is wrong with a child that ends with what `of_child` returns, if it is not 0."""
    child = os.fork()
    if child == 0:
        os._exit(of_child())
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return None if code == 0 else f"the child ended with {code}"
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "the child hung"


def use_anew(iterator: fp.Iterator) -> int:
    """What the child does. 0, or which expectation failed."""
    try:
        next(iterator)
        return 1
    except RuntimeError:
        pass
    except BaseException:
        return 2
    try:
        ds = fp.Dataset.range(50).map(lambda x: x + 1, num_parallel_calls=2).batch(10).prefetch(1)
        return 0 if sum(int(batch.sum()) for batch in ds) == 1275 else 3
    except BaseException:
        return 4
