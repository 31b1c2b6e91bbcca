"""How fast pipelines deliver, measured in rounds that take turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fastpipe.dataset import Dataset

_WARM_UP = 0.25  # part of the measured time that passes before
_AUTOTUNE_WARM_UP = 1.5  # the tuner needs to find its threads
_POLL_SECONDS = 0.01
_LONGEST = 1.0  # seconds measured in one go
_MOST_ROUNDS = 7
_MOST_ERRORS = 1000  # of one measurement: files that are gone by now never come back


@dataclass(frozen=True)
class Reading:
    """One measurement: elements delivered in so many seconds of time and of CPU time.

    Attributes:
        queued_seconds: time that the consumer's thread was ready to run and other processes had the
            cores; 0 where the system does not tell.
        threads: the most worker threads seen; 1 if the consumer's thread does all.
        errors: elements that failed.
    """

    elements: int
    seconds: float
    cpu_seconds: float
    queued_seconds: float
    threads: int
    errors: int

    @property
    def rate(self) -> float:
        return self.elements / self.seconds if self.seconds > 0 else 0.0


@dataclass
class Cell:
    """A pipeline and its readings, one a round.

    Attributes:
        label: for the progress line.
        build: makes the pipeline: endless batches.
        tuned: whether AUTOTUNE has something to find.
        readings: from the first round on.
    """

    label: str
    build: Callable[[], Dataset]
    tuned: bool
    readings: list[Reading] = field(default_factory=list)

    @property
    def rates(self) -> list[float]:
        return [reading.rate for reading in self.readings]

    @property
    def rate(self) -> float:
        """Elements a second, the median of the rounds."""
        return statistics.median(self.rates)

    @property
    def cpu_ms(self) -> float:
        """CPU time of this process for an element, the median of the rounds."""
        return statistics.median(
            1000 * reading.cpu_seconds / reading.elements if reading.elements else 0.0
            for reading in self.readings
        )

    @property
    def noise(self) -> float:
        """How far the rounds lie apart: half their range, as a part of the median."""
        rates = self.rates
        return (max(rates) - min(rates)) / 2 / self.rate if self.rate else 0.0

    @property
    def queued(self) -> float:
        """The part of the time that other processes kept the consumer's thread from running."""
        return statistics.median(
            reading.queued_seconds / reading.seconds for reading in self.readings
        )

    @property
    def threads(self) -> int:
        """The most worker threads seen in any round."""
        return max(reading.threads for reading in self.readings)


def measure_cells(
    cells: Sequence[Cell],
    *,
    seconds: float | None,
    elements: int | None,
    rounds: int,
    progress: Callable[[str, float | None], None],
) -> None:
    """Fills in the readings: each round measures every cell once.

    Args:
        cells: what to measure.
        seconds: how long all may take, roughly; further rounds follow while time is left.
        elements: measure as many elements each time, whatever time that takes, and no further
            rounds.
        rounds: how many to make.
        progress: called before each measurement with its label and the part done, 0 to 1.
    """
    start = time.perf_counter()
    window = _window(cells, seconds or 0.0, rounds)
    done = 0
    for number in range(_MOST_ROUNDS):
        spent = time.perf_counter() - start
        if elements is not None:
            if number >= rounds:
                break
        elif number and seconds is not None and spent * (number + 0.9) / number > seconds:
            break
        for cell in cells:
            share = done / (len(cells) * max(rounds, number + 1))
            progress(f"round {number + 1}: {cell.label}", share)
            cell.readings.append(_measure(cell, window, elements))
            done += 1


def _window(cells: Sequence[Cell], seconds: float, rounds: int) -> float:
    """Seconds measured in one go so that all rounds fit."""
    weights = [1 + (_AUTOTUNE_WARM_UP if cell.tuned else _WARM_UP) for cell in cells]
    return min(_LONGEST, 0.85 * seconds / rounds / sum(weights))  # starting costs time, too


def _measure(cell: Cell, window: float, elements: int | None) -> Reading:
    warm_up = _AUTOTUNE_WARM_UP if cell.tuned else _WARM_UP
    with cell.build().iterator() as iterator:
        if elements is None:
            _pull(iterator, window * warm_up, None)
            return _pull(iterator, window, None)
        _pull(iterator, None, max(1, int(elements * warm_up)))
        return _pull(iterator, None, elements)


def _pull(iterator: Any, seconds: float | None, elements: int | None) -> Reading:
    """Takes batches until the time is over or enough elements came; at least one."""
    count, errors, threads = 0, 0, 1
    start, cpu_start, queued_start = time.perf_counter(), time.process_time(), _queued_seconds()
    deadline = start + seconds if seconds is not None else float("inf")
    enough = elements if elements is not None else float("inf")
    poll, now = start, start
    while (count == 0 or now < deadline) and count < enough and errors < _MOST_ERRORS:
        try:
            count += batch_length(next(iterator))
        except StopIteration:
            break
        except Exception:  # an element that fails; the next one follows
            errors += 1
        now = time.perf_counter()
        if now >= poll:
            threads = max(threads, sum(stage["threads"] for stage in iterator.stats()))
            poll = now + _POLL_SECONDS
    elapsed = time.perf_counter() - start
    cpu, queued = time.process_time() - cpu_start, _queued_seconds() - queued_start
    return Reading(count, elapsed, cpu, queued, threads, errors)


def _queued_seconds() -> float:
    """How long this thread has waited for a core so far."""
    try:
        with open("/proc/thread-self/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def batch_length(batch: Any) -> int:
    """How many elements are in a batch."""
    first = batch
    while isinstance(first, (tuple, dict)):
        first = next(iter(first.values() if isinstance(first, dict) else first))
    return int(np.shape(first)[0])


@dataclass(frozen=True)
class Survey:
    """One pass over the files before anything is measured.

    Attributes:
        elements: how many came.
        failed: how many failed.
        first_error: the message of the first that failed, or "".
        complete: False if time ran out before the pass ended.
        rate: elements a second.
    """

    elements: int
    failed: int
    first_error: str
    complete: bool
    rate: float


def survey(dataset: Dataset, seconds: float) -> Survey:
    """Pulls single elements; also brings the files into the page cache."""
    elements, failed, message, complete = 0, 0, "", False
    start = now = time.perf_counter()
    with dataset.iterator() as iterator:
        while now < start + seconds or elements == 0:
            try:
                next(iterator)
                elements += 1
            except StopIteration:
                complete = True
                break
            except Exception as error:
                failed += 1
                message = message or str(error)
            now = time.perf_counter()
    elapsed = max(time.perf_counter() - start, 1e-9)
    return Survey(elements, failed, message, complete, elements / elapsed)
