"""One pass over a pipeline, second by second; and a grid of fixed settings beside AUTOTUNE."""

from __future__ import annotations

import itertools
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import fastpipe as fp
from benchmarks.report import Report

WARM_UP = 1.0  # seconds that AUTOTUNE may need
FIXED_WARM_UP = 0.4
MEASURED = 1.2
COARSE = 0.7  # measured of each setting when the grid is searched
WINDOW = 0.25  # the rate at one moment is that of so long a window
NOTICED_WAIT = 0.001  # a shorter wait is that of any queue
FINALISTS = 3

Setting = tuple[int, ...]


@dataclass
class Pass:
    """When the elements of one pass arrived.

    Attributes:
        warm_up: seconds from the start that are left out of `rate` and `cpu_share`.
        seconds: those that follow.
        times: seconds from the start to each arrival.
        counts: elements that had arrived by then.
        waited: seconds that the consumer waited for each.
        starved: of those, what it waited for a stage, after long waits only: the rest it had no
            core, or the elements were handed to Python.
        cpu_share: CPU seconds of the process in a second.
    """

    warm_up: float
    seconds: float
    times: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    starved: list[float] = field(default_factory=list)
    cpu_share: float = 0.0

    @property
    def rate(self) -> float:
        """Elements a second after the warm-up."""
        return self.rate_between(self.warm_up, self.warm_up + self.seconds)

    def rate_between(self, since: float, until: float) -> float:
        """Elements a second between two moments."""
        return float(self._delivered(until) - self._delivered(since)) / (until - since)

    def _delivered(self, moments: Any) -> Any:
        """Elements until each moment. One that arrives counts little by little from the one before,
        or else a window would hold three batches now and two then."""
        return np.interp(moments, [0.0, *self.times], [0, *self.counts])

    @property
    def waits(self) -> int:
        """How often the consumer noticed that it waited for the pipeline, after the warm-up."""
        return sum(wait > NOTICED_WAIT for wait in self.after_warm_up(self.starved))

    def after_warm_up(self, values: Sequence[float]) -> list[float]:
        """Those of the elements that arrived after it."""
        return [value for moment, value in zip(self.times, values) if moment > self.warm_up]

    def seconds_until(self, rate: float, since: float = 0.0) -> float:
        """Seconds from `since` to the end of the first window that has `rate`, or infinity."""
        ends = np.array([moment for moment in self.times if moment >= since + WINDOW])
        gained = self._delivered(ends) - self._delivered(ends - WINDOW)
        fast = ends[gained >= rate * WINDOW]
        return float(fast[0] - since) if len(fast) else float("inf")


def drive(
    dataset: Any,
    each: int = 1,
    seconds: float = MEASURED,
    warm_up: float = WARM_UP,
    pause: float = 0.0,
    changes: Sequence[tuple[float, fp.SimulatedStorage]] = (),
) -> Pass:
    """Iterates a dataset for `warm_up` and `seconds`, or until it ends.

    Args:
        each: what one element of the dataset counts for: the size of a batch.
        pause: seconds that the consumer sleeps after each.
        changes: storages that the pipeline gets at so many seconds from the start.
    """
    made = Pass(warm_up, seconds)
    pending = list(changes)
    warm, delivered = False, 0
    with dataset.iterator() as iterator:
        starvation = _Starvation(iterator)
        start = now = warm_at = time.perf_counter()
        cpu_then = time.process_time()
        while now - start < warm_up + seconds:
            while pending and now - start >= pending[0][0]:
                iterator.set_storage(pending.pop(0)[1])
            asked = time.perf_counter()
            if next(iterator, None) is None:
                break
            now = time.perf_counter()
            delivered += each
            made.times.append(now - start)
            made.counts.append(delivered)
            made.waited.append(now - asked)
            late = now - asked > NOTICED_WAIT
            made.starved.append(starvation.since_last() if late else 0.0)
            if not warm and now - start >= warm_up:
                warm, warm_at, cpu_then = True, now, time.process_time()
            if pause:
                time.sleep(pause)
        made.cpu_share = (time.process_time() - cpu_then) / (time.perf_counter() - warm_at)
    return made


class _Starvation:
    """How long the stage next to the consumer let it wait; asking takes longer than a `next`."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator
        self._known = 0.0

    def since_last(self) -> float:
        """Seconds since the last call."""
        waits = [stage for stage in self._iterator.stats() if stage["feeds_program"]]
        before, self._known = self._known, sum(1e-9 * stage["empty_wait_ns"] for stage in waits)
        return self._known - before


def name_of(setting: Setting) -> str:
    if fp.AUTOTUNE in setting:
        return "AUTOTUNE"
    return " and ".join(map(str, setting))


def grid(*choices: Sequence[int]) -> list[Setting]:
    """All combinations of the choices for each knob."""
    return list(itertools.product(*choices))


def powers_of_two(most: int) -> list[int]:
    return [1 << power for power in range(most.bit_length())]


@dataclass
class Comparison:
    """The best fixed settings and AUTOTUNE, measured in turn.

    Attributes:
        coarse: the pass of each fixed setting in the search.
        passes: those of the finalists, and last those of AUTOTUNE.
    """

    coarse: dict[Setting, Pass]
    passes: dict[Setting, list[Pass]]

    @property
    def autotuned(self) -> list[Pass]:
        return next(made for setting, made in self.passes.items() if fp.AUTOTUNE in setting)

    @property
    def fixed(self) -> dict[Setting, list[Pass]]:
        return {each: made for each, made in self.passes.items() if fp.AUTOTUNE not in each}

    @property
    def rate(self) -> float:
        return median_rate(self.autotuned)

    @property
    def best_rate(self) -> float:
        return max(map(median_rate, self.fixed.values()))

    @property
    def settled(self) -> float:
        """Median seconds until AUTOTUNE first had 0.9 of its final rate."""
        return statistics.median(made.seconds_until(0.9 * made.rate) for made in self.autotuned)

    def report(self, unit: str, knobs: str) -> Report:
        """The table: all of the grid, and the rounds of the finalists."""
        report = Report([knobs, f"{unit}/s", "min", "max", "of the best", "cores", "0.9 after s"])
        for setting, made in self.coarse.items():
            if setting not in self.passes:
                report.rows.append(self._row(f"{name_of(setting)} (searched)", [made]))
        for setting, rounds in self.passes.items():
            report.rows.append(self._row(name_of(setting), rounds))
        return report

    def _row(self, name: str, passes: list[Pass]) -> list[str]:
        rates = [made.rate for made in passes]
        middle = statistics.median(rates)
        settled = statistics.median(made.seconds_until(0.9 * made.rate) for made in passes)
        return [
            name,
            *(f"{rate:,.0f}" for rate in (middle, min(rates), max(rates))),
            f"{middle / self.best_rate:.2f}" if self.best_rate else "",
            f"{statistics.median(made.cpu_share for made in passes):.2f}",
            f"{settled:.2f}",
        ]


def median_rate(passes: Sequence[Pass]) -> float:
    return statistics.median(made.rate for made in passes)


def compare(
    make: Callable[..., Any],
    settings: Sequence[Setting],
    rounds: int,
    each: int = 1,
    pause: float = 0.0,
    better: Callable[[Pass], Any] = lambda made: made.rate,
) -> Comparison:
    """Searches the grid with one short pass each, then measures the best and AUTOTUNE in turn.

    Args:
        make: the endless dataset for a value of each knob.
        better: a key: the finalists are the settings for which it is largest.
    """

    def measure(setting: Setting, seconds: float) -> Pass:
        warm_up = WARM_UP if fp.AUTOTUNE in setting else FIXED_WARM_UP
        return drive(make(*setting), each, seconds, warm_up, pause)

    coarse = {setting: measure(setting, COARSE) for setting in settings}
    finalists = sorted(settings, key=lambda setting: better(coarse[setting]))[-FINALISTS:]
    autotune = (fp.AUTOTUNE,) * len(settings[0])
    passes: dict[Setting, list[Pass]] = {setting: [] for setting in [*sorted(finalists), autotune]}
    for number in range(rounds):
        # Turned around every other time: nobody always follows the same one.
        turns = list(passes) if number % 2 == 0 else list(reversed(passes))
        for setting in turns:
            passes[setting].append(measure(setting, MEASURED))
        say_round(number, rounds)
    return Comparison(coarse, passes)


def say_round(number: int, rounds: int) -> None:
    print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
