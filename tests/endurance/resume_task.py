"""Random pipelines, saved at random places and killed, go on in a new process.

A process takes some elements of a pipeline, saves its position to a file, takes the rest and is
killed (SIGKILL) where it stands. A new process, with another parallelism, takes the rest from that
file: it must be the same, value for value and dtype for dtype, and with what came before it must be
what the plain-Python model says.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import random_pipelines
from laws import as_multiset, plain
from verdict import Verdict, all_of

ROUNDS = 300
CALLS = (1, 2, 8, -1)

_PROGRAM = """
import json, os, signal, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import fastpipe as fp
import fastpipe.compat.tf as tf
from laws import plain

def shown(element):
    dtypes = [str(getattr(part, "dtype", type(part))) for part in fp.nest.flatten(element)]
    return json.dumps([plain(element), dtypes], default=repr)

folder, passed = sys.argv[2], int(sys.argv[3])
dataset = eval(sys.argv[4], {"tf": tf, "np": np})
"""
_SAVE = """
iterator = iter(dataset)
begun = [shown(next(iterator)) for _ in range(passed)]
with open(folder + "/begun", "w") as file:
    file.write("\\n".join(begun))
with open(folder + "/state", "wb") as file:
    file.write(iterator.save())
with open(folder + "/rest", "w") as file:
    for element in iterator:
        file.write(shown(element) + "\\n")
os.kill(os.getpid(), signal.SIGKILL)
"""
_GO_ON = """
with open(folder + "/state", "rb") as file:
    iterator = dataset.iterator(file.read())
for element in iterator:
    print(shown(element))
"""


_WITHOUT_SEED = (
    "tf.data.Dataset.range(9).shuffle(4).repeat(3).window(2)"
    ".flat_map(lambda w: w.batch(2)).unbatch()"
)
# What random pipelines have none of; the model is an uninterrupted pass.
_OTHERS = (
    "tf.data.TextLineDataset([PATH] * 3, 'GZIP').shuffle(20, seed=3).batch(4)",
    "tf.data.Dataset.from_tensor_slices([PATH] * 3).interleave(lambda path: "
    "tf.data.TextLineDataset(path, 'GZIP'), cycle_length=2, num_parallel_calls=min(CALLS, 2))"
    ".map(lambda text: tf.strings.length(text), CALLS).prefetch(2)",
    "tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(30), "
    "tf.data.Dataset.range(50, 70)], seed=5).map(lambda x: x + 1, CALLS).repeat(2)",
    _WITHOUT_SEED,
    "tf.data.Dataset.range(40).map(lambda x: (x, tf.random.uniform((), seed=3)), CALLS).batch(3)",
)


def run(rounds: int) -> list[Verdict]:
    failures = []
    seed = -1
    for number in range(rounds):
        pipeline = None
        while pipeline is None or not pipeline.savable:
            seed += 1
            pipeline = random_pipelines.make(seed)
        with tempfile.TemporaryDirectory() as folder:
            if number % 4 == 3:
                pipeline = _other(number // 4 % len(_OTHERS), Path(folder))
            wrong = kill_and_resume(pipeline, random.Random(seed), Path(folder))
        if wrong:
            failures.append(f"pipeline {seed}: {wrong}")
    return [all_of("the rest after SIGKILL is identical", rounds, failures)]


def _other(index: int, folder: Path) -> random_pipelines.Pipeline:
    path = folder / "lines.gz"
    path.write_bytes(gzip.compress(b"".join(b"line %d\n" % (i * i) for i in range(30))))
    text = _OTHERS[index].replace("PATH", repr(str(path)))
    pipeline = random_pipelines.Pipeline(index, text)
    pipeline.expected = [plain(element) for element in pipeline.build(1)]
    pipeline.ordered = _OTHERS[index] != _WITHOUT_SEED
    return pipeline


def kill_and_resume(
    pipeline: random_pipelines.Pipeline, rng: random.Random, folder: Path
) -> str | None:
    """What went wrong, if something did."""
    passed = rng.randrange(len(pipeline.expected) + 1)
    killed = _start(_SAVE, pipeline, rng.choice(CALLS), passed, folder)
    if killed.returncode != -signal.SIGKILL:
        return f"the first process ended with {killed.returncode}: {killed.stderr}"
    restored = _start(_GO_ON, pipeline, rng.choice(CALLS), passed, folder)
    if restored.returncode != 0:
        return f"the second process ended with {restored.returncode}: {restored.stderr}"
    begun, rest = _lines(folder / "begun"), _lines(folder / "rest")
    if restored.stdout.splitlines() != rest:
        return f"after {passed}: got {restored.stdout.splitlines()}, expected {rest}"
    got = [json.loads(line)[0] for line in begun + rest]
    expected = json.loads(json.dumps(pipeline.expected, default=repr))
    if not pipeline.ordered:
        got, expected = as_multiset(got), as_multiset(expected)
    return None if got == expected else f"got {got}, expected {expected}"


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def _start(
    program: str, pipeline: random_pipelines.Pipeline, calls: int, passed: int, folder: Path
) -> subprocess.CompletedProcess[str]:
    tests = str(Path(__file__).parents[1])
    arguments = [tests, str(folder), str(passed), pipeline.code(calls)]
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM + program, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(tests).parent,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,
    )
