"""A fork at full load leaves a child that can make new pipelines, and a parent that goes on.

The child must be refused the parent's iterator, and read a pipeline of its own to the end.
"""

from __future__ import annotations

import os
import random
import signal
import time

from verdict import Verdict, all_of

import fastpipe as fp

ROUNDS = 300
MOST_SECONDS = 10.0


def run(rounds: int) -> list[Verdict]:
    rng = random.Random(2)
    iterator = iter(pipeline())
    failures = []
    for number in range(rounds):
        for _ in range(rng.randrange(20)):
            next(iterator)
        wrong = fork(iterator)
        if wrong:
            failures.append(f"fork {number}: {wrong}")
        next(iterator)
    return [all_of("the child's own pipeline works and the parent's is refused", rounds, failures)]


def pipeline() -> fp.Dataset:
    ds = fp.Dataset.range(10**12).map(lambda x: x * 2 + 1, num_parallel_calls=4)
    return ds.shuffle(100).batch(10, num_parallel_calls=2).prefetch(fp.AUTOTUNE)


def fork(iterator: fp.Iterator) -> str | None:
    child = os.fork()
    if child == 0:
        os._exit(_child(iterator))
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return None if code == 0 else f"the child ended with {code}"
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "the child hung"


def _child(iterator: fp.Iterator) -> int:
    """0, or which expectation failed."""
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
