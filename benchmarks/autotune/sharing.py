"""Two pipelines at once: they share what one may use."""

from __future__ import annotations

import argparse
import statistics
import threading
from typing import Any

import fastpipe as fp
from benchmarks.autotune import inputs, threads
from benchmarks.autotune.measuring import Pass, drive, say_round
from benchmarks.report import Report

_CAP = 2
_WARM_UP, _SECONDS, _PERIOD = 1.0, 3.0, 0.020  # looking takes some CPU time itself
# A thread that is about to sleep, or has just been woken to take its turn, counts as runnable.
_TOLERANCE = 1.05


def two_pipelines(arguments: argparse.Namespace) -> Report:
    """Photographs in two Python threads, cpu_budget = 2: no more than two native threads run."""
    options = fp.Options()
    options.autotune.cpu_budget = _CAP
    paths = inputs.some_photographs(arguments, 1000)

    def make(calls: int) -> Any:
        return inputs.batches_of_photographs(paths, calls).with_options(options)

    cases = [("AUTOTUNE", fp.AUTOTUNE, arguments.rounds), ("1 thread each", 1, 1)]
    report = Report(["", "alone", "first", "second", "runnable", "% of samples above"])
    for name, calls, rounds in cases:
        alone, together, samples = [], [], []
        for number in range(rounds):
            alone.append(drive(make(calls), inputs.BATCH, _SECONDS / 2, _WARM_UP).rate)
            passes, runnable = _together([make(calls), make(calls)])
            together.append([made.rate for made in passes])
            samples += runnable
            say_round(number, rounds)
        solo = statistics.median(alone)
        rates = [statistics.median(each) for each in zip(*together)]
        mean = statistics.fmean(samples)
        above = 100 * sum(count > _CAP for count in samples) / len(samples)
        numbers = [*(f"{rate:,.0f}" for rate in (solo, *rates)), f"{mean:.2f}", f"{above:.1f}"]
        report.rows.append([name, *numbers])
        if calls == fp.AUTOTUNE:
            report.at_most("native threads that run, on average", mean, _CAP * _TOLERANCE)
            report.at_least("the slower pipeline to one alone", min(rates) / solo, 0.35)
    return report


def _together(datasets: list[Any]) -> tuple[list[Pass], list[float]]:
    """A pass of each at the same time, and how many threads were runnable after the warm-up."""
    passes: dict[int, Pass] = {}

    def consume(index: int) -> None:
        passes[index] = drive(datasets[index], inputs.BATCH, _SECONDS, _WARM_UP)

    consumers = [threading.Thread(target=consume, args=[index]) for index in range(len(datasets))]
    for consumer in consumers:
        consumer.start()
    # Not until a consumer ends: then there is only one left.
    timer = threading.Event()
    timer.wait(_WARM_UP)
    with threads.sampled(threads.runnable, _PERIOD) as samples:
        timer.wait(_SECONDS - 0.2)
    for consumer in consumers:
        consumer.join()
    return [passes[index] for index in sorted(passes)], samples
