"""Ctrl+C while blocked raises KeyboardInterrupt at once, and the process ends.

Children block in next: in slow storage, behind an empty queue, in a filter that finds nothing, in a
skip without end. They are interrupted at random moments, and say when they noticed, by the clock
that all processes share.
"""

from __future__ import annotations

import os
import random
import signal
import statistics
import tempfile
import time
from pathlib import Path

from process import start
from verdict import Verdict

ROUNDS = 200
MOST_SECONDS = 0.25
P99_SECONDS = 0.1
EXIT_SECONDS = 1.0

_SLOW = "fp.TextLineDataset(sys.argv[1]).with_options(slow)"
BLOCKED = (
    _SLOW,
    f"{_SLOW}.prefetch(1)",
    f"{_SLOW}.map(lambda line: line, num_parallel_calls=4)",
    "fp.Dataset.from_tensor_slices([sys.argv[1]] * 4).interleave(fp.TextLineDataset, "
    "cycle_length=4, num_parallel_calls=4).with_options(slow)",
    f"{_SLOW}.map(lambda line: line, num_parallel_calls=fp.AUTOTUNE).batch(3)"
    ".prefetch(fp.AUTOTUNE)",
    "fp.Dataset.counter().filter(lambda x: x < 0)",
    "fp.Dataset.counter().filter(lambda x: x >= 0).skip(2**62)",
    "fp.Dataset.counter().filter(lambda x: x < 0).shuffle(10).batch(4).prefetch(2)",
)
_PROGRAM = """
import sys, time
slow = fp.Options(storage=fp.SimulatedStorage(open_delay=3600.0))
iterator = iter(PIPELINE)
print("ready", flush=True)
try:
    next(iterator)
except KeyboardInterrupt:
    print(time.monotonic(), flush=True)
"""


def run(rounds: int) -> list[Verdict]:
    rng = random.Random(5)
    noticed, ended, failures = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.txt"
        path.write_text("a line\n")
        for number in range(rounds):
            pipeline = BLOCKED[number % len(BLOCKED)]
            child = start(_PROGRAM.replace("PIPELINE", pipeline), str(path))
            assert child.stdout is not None
            try:
                assert child.stdout.readline() == "ready\n"
                time.sleep(rng.uniform(0.0, 0.2))  # the moment is what varies
                sent = time.monotonic()
                os.kill(child.pid, signal.SIGINT)
                out, err = child.communicate(timeout=20)
            finally:
                child.kill()
            ended.append(time.monotonic() - sent)
            if child.returncode != 0 or err:
                failures.append(f"{pipeline}: ended with {child.returncode}: {err}")
            else:
                noticed.append(float(out) - sent)
    p99 = statistics.quantiles(noticed, n=100)[-1] if len(noticed) > 1 else max(noticed)
    return [
        Verdict(
            f"KeyboardInterrupt within {max(noticed) * 1e3:.0f} ms, p99 {p99 * 1e3:.0f} ms, in "
            f"{len(noticed)} of {rounds} (needed: 250 ms, 100 ms)",
            not failures and max(noticed) <= MOST_SECONDS and p99 <= P99_SECONDS,
            tuple(failures),
        ),
        Verdict(
            f"the process ended within {max(ended):.2f} s (needed: {EXIT_SECONDS} s)",
            max(ended) <= EXIT_SECONDS,
        ),
    ]
