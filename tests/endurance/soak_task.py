"""Random pipelines for half an hour, while everything around them changes.

A round is a second. Random pipelines run against their plain-Python model: restored in the middle
into another parallelism, their knobs turned while they run, interrupted; now and then a process is
killed and another goes on, or a fork is made at full load. Files are read through storage that
becomes slow, stutters and fails. No element may be wrong; threads, files and memory must not grow,
and a pipeline that is always the same must be as fast at the end as in the beginning.
"""

from __future__ import annotations

import gc
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fork_task
import numpy as np
import random_pipelines
import resume_task
from laws import as_multiset, plain
from process import eventually, open_files, os_threads, resident_bytes
from verdict import Verdict, all_of

import fastpipe as fp
from fastpipe import _core, errors

ROUNDS = 1800
LEAST_RATIO = 0.95
LEAST_SAMPLES = 20  # of the rate, in a tenth: fewer say nothing
MOST_GROWTH = 16 << 20  # bytes, in the second half
FILES = 6
LINES = 300


def run(rounds: int) -> list[Verdict]:
    rng = random.Random(11)
    failures: list[str] = []
    resident: list[int] = []
    rates: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        paths = _write_lines(Path(folder))
        kinds: list[Callable[[random.Random], str | None]] = [
            *[_random_pass] * 40,
            *[lambda rng: _read(rng, paths)] * 8,
            lambda rng: _killed(rng, Path(folder)),
            _forked,
        ]
        for kind in kinds[-3:]:
            kind(rng)
        gc.collect()
        threads, files = os_threads(), len(open_files())
        steps, end = 0, time.monotonic() + rounds
        while time.monotonic() < end:
            if steps % 20 == 0:
                rates.append(_rate())
            wrong = rng.choice(kinds)(rng)
            if wrong:
                failures.append(f"step {steps}: {wrong}")
            steps += 1
            resident.append(resident_bytes())
        gc.collect()
        same = eventually(lambda: os_threads() <= threads and len(open_files()) <= files)
    return [
        all_of("right elements", steps, failures),
        Verdict(f"threads {os_threads()} of {threads}, files {len(open_files())} of {files}", same),
        _memory(resident),
        *_speed(rates),
    ]


def _memory(resident: list[int]) -> Verdict:
    half = np.array(resident[len(resident) // 2 :], float)
    slope = float(np.polyfit(np.arange(len(half)), half, 1)[0]) if len(half) > 2 else 0.0
    growth = slope * len(half)
    text = f"memory grows by {growth / 2**20:.1f} MiB in the second half (<= {MOST_GROWTH >> 20})"
    return Verdict(text, growth <= MOST_GROWTH)


def _speed(rates: list[float]) -> list[Verdict]:
    tenth = len(rates) // 10
    if tenth < LEAST_SAMPLES:
        return []
    # What others do on the machine only makes it slower: the fastest samples tell.
    first, last = (float(np.quantile(part, 0.9)) for part in (rates[:tenth], rates[-tenth:]))
    text = f"the last tenth at {last / first:.3f} of the first tenth's rate (>= {LEAST_RATIO})"
    return [Verdict(text, last >= LEAST_RATIO * first)]


def _rate() -> float:
    """Elements a second of processor time of a pipeline that is always the same."""
    ds = fp.Dataset.range(4000).map(lambda x: x * 2 + 1, num_parallel_calls=2).shuffle(100, seed=1)
    begun = time.process_time()
    count = sum(len(batch) for batch in ds.batch(16).prefetch(2))
    return count / (time.process_time() - begun)


# ---- random pipelines ----


def _random_pass(rng: random.Random) -> str | None:
    pipeline = random_pipelines.make(rng.randrange(10**9))
    got = []
    iterator = pipeline.build(rng.choice((1, 2, 4, -1))).iterator()
    stop = rng.randrange(len(pipeline.expected) + 1) if rng.random() < 0.2 else None
    if rng.random() < 0.3:
        _core.interrupt_at(rng.randrange(1, 60))
    try:
        while stop is None or len(got) < stop:
            if rng.random() < 0.1:
                _turn_knobs(iterator, rng)
            if pipeline.savable and rng.random() < 0.1:
                iterator = _restarted(pipeline, iterator, rng)
            try:
                got.append(plain(next(iterator)))
            except errors.CancelledError:
                continue  # the next call goes on
            except StopIteration:
                break
    finally:
        _core.interrupt_at(0)
    expected: list[Any] = pipeline.expected
    if not pipeline.ordered:
        got, expected = as_multiset(got), as_multiset(expected)
        return None if stop is not None or got == expected else f"{pipeline.seed}: got {got}"
    wanted = expected if stop is None else expected[:stop]
    return None if got == wanted else f"pipeline {pipeline.seed}: got {got}, expected {wanted}"


def _turn_knobs(iterator: fp.Iterator, rng: random.Random) -> None:
    for stage in iterator.stats():
        iterator.set_knobs(stage["op"], rng.randrange(1, 6), rng.randrange(1, 20))


def _restarted(
    pipeline: random_pipelines.Pipeline, iterator: fp.Iterator, rng: random.Random
) -> fp.Iterator:
    try:
        state = iterator.save()
        return pipeline.build(rng.choice((1, 2, 4, -1))).iterator(state)
    except (errors.FailedPreconditionError, errors.CancelledError):
        return iterator  # interrupted: within an element, or just now


def _killed(rng: random.Random, folder: Path) -> str | None:
    while True:
        pipeline = random_pipelines.make(rng.randrange(10**9))
        if pipeline.savable:
            return resume_task.kill_and_resume(pipeline, rng, folder)


def _forked(rng: random.Random) -> str | None:
    iterator = iter(fork_task.pipeline())
    for _ in range(rng.randrange(1, 10)):
        next(iterator)
    return fork_task.fork(lambda: fork_task.use_anew(iterator))


# ---- storage ----


def _write_lines(folder: Path) -> list[str]:
    paths = []
    for number in range(FILES):
        path = folder / f"lines-{number}"
        path.write_text("".join(f"{number} {line}\n" for line in range(LINES)))
        paths.append(str(path))
    return paths


def _storage(rng: random.Random, failing: bool) -> fp.SimulatedStorage:
    return fp.SimulatedStorage(
        open_delay=rng.choice((0.0, 0.001)),
        read_delay=rng.choice((0.0, 0.0, 0.0002)),
        max_read=rng.choice((0, 7, 100)),
        fail_read=rng.randrange(1, 30) if failing else 0,
    )


def _read(rng: random.Random, paths: list[str]) -> str | None:
    failing = rng.random() < 0.5
    ds = fp.Dataset.from_tensor_slices(paths).interleave(
        lambda path: fp.TextLineDataset(path, buffer_size=64),
        cycle_length=3,
        num_parallel_calls=rng.choice((1, 3)),
    )
    options = fp.Options(storage=_storage(rng, failing))
    iterator = iter(ds.ignore_errors().prefetch(2).with_options(options))
    lines: list[list[int]] = [[] for _ in paths]
    for count, text in enumerate(iterator):
        if count % 200 == 0:
            iterator.set_storage(_storage(rng, failing))
        number, line = text.split()
        lines[int(number)].append(int(line))
    lost = iterator.ignored_errors()
    # A file that cannot be read any further ends there; the others are whole.
    if any(found != list(range(len(found))) for found in lines):
        return f"lines are missing in the middle of a file, or double: {lines}"
    short = sum(len(found) < LINES for found in lines)
    if short > lost or (lost and not failing):
        return f"{short} files are short after {lost} errors, failing: {failing}"
    return None
