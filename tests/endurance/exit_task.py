"""Processes end at any moment as their code says, in time, silently and without a core.

Each has live iterators of several kinds, also in threads; it ends at a random moment: by sys.exit,
an exception, the end of the program, or a signal.
"""

from __future__ import annotations

import random
import subprocess
import time

from process import start
from verdict import Verdict, all_of

ROUNDS = 500
MOST_SECONDS = 2.0

PIPELINES = (
    "fp.Dataset.range(10**9).map(lambda x: x + 1, num_parallel_calls=4)",
    "fp.Dataset.range(10**9).map(lambda x: x, num_parallel_calls=fp.AUTOTUNE)"
    ".prefetch(fp.AUTOTUNE)",
    "fp.Dataset.range(10**9).interleave(lambda x: fp.Dataset.range(x), cycle_length=4, "
    "num_parallel_calls=4)",
    "fp.Dataset.range(10**9).map(lambda x: fp.py_function(lambda v: v, [x], fp.int64), "
    "num_parallel_calls=4)",
    "fp.Dataset.from_generator(lambda: iter(range(10**9)), "
    "output_signature=fp.TensorSpec((), 'int64')).prefetch(4)",
    "fp.Dataset.range(10**9).shuffle(1000).batch(10, num_parallel_calls=2).prefetch(2)",
)
# How it ends, and with which code.
ENDS = (
    ("break", 0),
    ("sys.exit(3)", 3),
    ("raise SystemExit(4)", 4),
    ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)", -15),
)
_PROGRAM = """
import os, signal, sys, threading, time
ds = PIPELINE
its = [iter(ds) for _ in range(3)]
def consume(it):
    for _ in it:
        pass
for it in its[1:]:
    threading.Thread(target=consume, args=(it,), daemon=True).start()
print("ready", flush=True)
end = time.monotonic() + float(sys.argv[1])
for _ in its[0]:
    if time.monotonic() > end:
        END
"""


def run(rounds: int) -> list[Verdict]:
    rng = random.Random(11)
    failures = []
    for number in range(rounds):
        pipeline = PIPELINES[number % len(PIPELINES)]
        end, code = rng.choice(ENDS)
        wrong = _try(pipeline, end, code, rng.uniform(0.0, 0.1))
        if wrong:
            failures.append(f"{pipeline}, {end}: {wrong}")
    return [all_of("the code, within 2 s, silently", rounds, failures)]


def _try(pipeline: str, end: str, code: int, delay: float) -> str | None:
    child = start(_PROGRAM.replace("PIPELINE", pipeline).replace("END", end), str(delay))
    assert child.stdout is not None
    try:
        child.stdout.readline()
        began = time.monotonic()
        _, err = child.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        return "it hung"
    finally:
        child.kill()
    took = time.monotonic() - began - delay
    if child.returncode != code or err:
        return f"ended with {child.returncode}, not {code}: {err}"
    return None if took <= MOST_SECONDS else f"took {took:.1f} s"
