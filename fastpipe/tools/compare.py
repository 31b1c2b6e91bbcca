"""`python -m fastpipe compare`: map or interleave? Measured on the user's files."""

from __future__ import annotations

import argparse
import functools
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fastpipe import _core
from fastpipe.node import AUTOTUNE
from fastpipe.options import Options, SimulatedStorage
from fastpipe.tools.advice import DISK, SLOW, Advice, Row, advise, cost_of_python
from fastpipe.tools.contents import KINDS, PHOTOGRAPHS, Contents, ContentsError, contents
from fastpipe.tools.measurement import Cell, Survey, measure_cells, survey
from fastpipe.tools.sample_data import sample_folder
from fastpipe.tools.table import table_lines
from fastpipe.tools.work import Variant, Work, pillow_version, work_on

OPEN_DELAY, READ_DELAY = 0.010, 0.002  # seconds: a busy network file system
SECONDS = 45.0
_ROUNDS = 3
_SURVEY_PART = 0.15  # of the time for one kind of data
_MOST_BATCH = 64
_LOUD = 0.1  # noise that the user should know of


@dataclass(frozen=True)
class Comparison:
    """All that was found out about one kind of data.

    Attributes:
        work: what was done with which files.
        survey: of the pass over the files before.
        rows: the table; storages one after the other.
        rounds: rates of each round, for each row.
        advice: what to use.
    """

    work: Work
    survey: Survey
    rows: Sequence[Row]
    rounds: Sequence[Sequence[float]]
    advice: Advice

    @property
    def notes(self) -> list[str]:
        """What else the user should know, in plain words."""
        notes = list(self.work.contents.notes)
        if self.survey.failed:
            notes.append(
                f"{self.survey.failed:,} of {self.survey.failed + self.survey.elements:,} elements "
                f"failed and were passed over; the first: {self.survey.first_error.splitlines()[0]}"
            )
        if self.work.contents.kind == PHOTOGRAPHS and self.work.python_load is None:
            notes.append("Pillow is not installed: the Python function was not measured")
        noise = statistics.median(row.noise for row in self.rows)
        if noise > _LOUD:
            notes.append(
                f"the rounds differ by +/- {noise:.0%} in the median: other programs are busy, or "
                "the time is short; try again on an idle machine or with more --seconds"
            )
        python = cost_of_python(self.rows)
        return notes + ([python] if python else [])


class Progress:
    """One line on a terminal, else a line now and then; all on stderr."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._shown = ""
        self._last = float("-inf")

    def __call__(self, text: str, done: float | None = None) -> None:
        """Shows what goes on, and the part done, 0 to 1."""
        now = time.monotonic()
        if self._quiet or (not self._terminal and done is not None and now < self._last + 5):
            return
        self._last = now
        line = text if done is None else f"[{min(done, 1):4.0%}] {text}"
        if not self._terminal:
            print(line, file=sys.stderr, flush=True)
            return
        print("\r" + line.ljust(len(self._shown)), end="", file=sys.stderr, flush=True)
        self._shown = line

    def clear(self) -> None:
        """Takes the line away."""
        if self._shown:
            print("\r" + " " * len(self._shown) + "\r", end="", file=sys.stderr, flush=True)
            self._shown = ""


def compare(
    data: Contents,
    *,
    seconds: float = SECONDS,
    elements: int | None = None,
    threads: int | None = None,
    progress: Callable[[str, float | None], None] = lambda text, done: None,
) -> Comparison:
    """Measures every variant on the disk as it is and on simulated slow storage.

    Args:
        data: the files.
        seconds: how long it may take, roughly.
        elements: how many to measure each time, instead of `seconds`.
        threads: the fixed number; default: the number of cores, at least 2.
        progress: called with what goes on and the part done.

    Raises:
        ContentsError: not one element of the files can be read.
    """
    work = work_on(data)
    threads = threads or max(2, _core.cpu_count())
    progress(f"{data.kind}: looking at {len(data.files):,} files", None)
    # Single elements: the pass counts those that fail.
    found = survey(
        work.pipeline(Variant("map", AUTOTUNE), None, endless=False), seconds * _SURVEY_PART
    )
    if not found.elements:
        raise ContentsError(
            f"not one element of the {len(data.files):,} {data.kind} files can be read; the first "
            f"error: {found.first_error or 'they are empty'}"
        )
    batch_size = _batch_size(work, found, seconds, elements)
    keys = [(storage, variant) for storage in (DISK, SLOW) for variant in work.variants(threads)]
    cells = [
        Cell(
            f"{data.kind}, storage {storage}, {variant.name}",
            functools.partial(_pipeline, work, variant, storage, batch_size),
            variant.threads == AUTOTUNE,
        )
        for storage, variant in keys
    ]
    measure_cells(
        cells,
        seconds=None if elements is not None else seconds * (1 - _SURVEY_PART),
        elements=elements,
        rounds=_ROUNDS,
        progress=progress,
    )
    rows = [
        Row(storage, variant, cell.rate, cell.cpu_ms, cell.threads, cell.noise, cell.queued)
        for (storage, variant), cell in zip(keys, cells)
    ]
    return Comparison(work, found, rows, [cell.rates for cell in cells], advise(rows))


def _pipeline(work: Work, variant: Variant, storage: str, batch_size: int) -> Any:
    dataset = work.pipeline(variant, batch_size, endless=True)
    if storage == DISK:
        return dataset
    options = Options()
    options.storage = SimulatedStorage(open_delay=OPEN_DELAY, read_delay=READ_DELAY)
    return dataset.with_options(options)


def _batch_size(work: Work, found: Survey, seconds: float, elements: int | None) -> int:
    """A power of two so that the slowest pipeline delivers several batches in a measurement."""
    if elements is not None:
        return max(1, min(_MOST_BATCH, elements))
    files = len(work.contents.files)
    per_file = max(1.0, found.elements / files) if found.complete or work.read is None else 1e9
    slowest = _core.cpu_count() / found.rate + (OPEN_DELAY + 2 * READ_DELAY) / per_file
    fitting = seconds / 300 / slowest
    size = 1
    while size * 2 <= min(fitting, _MOST_BATCH):
        size *= 2
    return size


# ---- the command ----


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of the command."""
    parser.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help="a folder of images, text files or TFRecords, or one such file; without it, a small "
        "data set of each kind is made and measured",
    )
    parser.add_argument("--kind", choices=KINDS, help="which files of a mixed folder to take")
    parser.add_argument(
        "--threads", type=_positive, help="threads where their number is fixed; default: cores"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--seconds",
        type=_positive_seconds,
        default=SECONDS,
        help="how long it may take, roughly; default: %(default)g",
    )
    length.add_argument(
        "--elements", type=_positive, help="elements to measure each time, however long that takes"
    )


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {value}")
    return value


def _positive_seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0, got {text}")
    return value


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns the exit status."""
    progress = Progress()
    try:
        sources = list(_sources(arguments.path, arguments.kind, progress))
        found = []
        for index, data in enumerate(sources):
            part = functools.partial(_part, progress, index, len(sources))
            found.append(
                compare(
                    data,
                    seconds=arguments.seconds / len(sources),
                    elements=arguments.elements,
                    threads=arguments.threads,
                    progress=part,
                )
            )
    except (ContentsError, OSError) as error:
        progress.clear()
        print(f"fastpipe compare: {error}", file=sys.stderr)
        return 2
    progress.clear()
    print(json.dumps(as_json(found), indent=2) if arguments.json else "\n".join(as_text(found)))
    return 0


def _part(progress: Progress, index: int, count: int, text: str, done: float | None) -> None:
    progress(text, None if done is None else (index + done) / count)


def _sources(path: str | None, kind: str | None, progress: Progress) -> Iterator[Contents]:
    if path is not None:
        yield contents(path, kind)
        return
    for each in KINDS if kind is None else (kind,):
        if each == PHOTOGRAPHS and pillow_version() is None:
            progress("no sample photographs: making them needs Pillow or pillow-simd")
            continue
        yield contents(sample_folder(each, progress))


# ---- output ----


def as_text(found: Sequence[Comparison]) -> list[str]:
    """Lines for people: one table, notes, and the advice last."""
    lines = []
    for each in found:
        data = each.work.contents
        folder = os.path.commonpath([os.path.dirname(file) or "." for file in data.files])
        lines.append(
            f"{data.kind}: {len(data.files):,} files, {data.size / 1e6:,.1f} MB in {folder}; "
            f"{each.work.description}"
        )
    lines += [
        f"{_core.cpu_count()} cores; slow storage: {1000 * OPEN_DELAY:g} ms to open a file, "
        f"{1000 * READ_DELAY:g} ms for each read, simulated; interleave has "
        "up to 16 files or shares of files open",
        "",
        *table_lines([(each.work.contents.kind, each.rows) for each in found]),
        "",
    ]
    several = len(found) > 1
    for each in found:
        kind = each.work.contents.kind
        lines += [f"Note{f' on {kind}' if several else ''}: {note}" for note in each.notes]
    for each in found:
        prefix = f"{each.work.contents.kind.capitalize()}: " if several else ""
        lines.append(prefix + each.advice.text)
    return lines


def as_json(found: Sequence[Comparison]) -> dict[str, Any]:
    """The same for machines."""
    return {
        "version": 1,
        "cores": _core.cpu_count(),
        "slow_storage": {"open_seconds": OPEN_DELAY, "read_seconds": READ_DELAY},
        "pillow": pillow_version(),
        "data": [_comparison_as_json(each) for each in found],
    }


def _comparison_as_json(found: Comparison) -> dict[str, Any]:
    data = found.work.contents
    base = {row.storage: row.rate for row in found.rows if row.variant == Variant("sequential")}
    return {
        "kind": data.kind,
        "files": len(data.files),
        "bytes": data.size,
        "compression": data.compression,
        "work": found.work.description,
        "surveyed": found.survey.elements + found.survey.failed,
        "failed": found.survey.failed,
        "first_error": found.survey.first_error,
        "notes": found.notes,
        "rows": [
            {
                "storage": row.storage,
                "method": row.variant.method,
                "parallelism": row.variant.parallelism,
                "variant": row.variant.name,
                "elements_per_second": row.rate,
                "speedup": row.rate / base[row.storage] if base[row.storage] else None,
                "cpu_ms_per_element": row.cpu_ms,
                "threads": row.threads,
                "noise": row.noise,
                "rounds": list(rates),
            }
            for row, rates in zip(found.rows, found.rounds)
        ],
        "advice": {
            "text": found.advice.text,
            "variants": {
                storage: variant.name for storage, variant in found.advice.variants.items()
            },
        },
    }
