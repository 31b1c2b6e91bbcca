"""Scenarios in which what AUTOTUNE spends counts: CPU time of the process, and of the tuner."""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import fastpipe as fp
from benchmarks.autotune import inputs, threads
from benchmarks.autotune.measuring import (
    MEASURED,
    Pass,
    compare,
    grid,
    name_of,
    powers_of_two,
    say_round,
)
from benchmarks.report import Report

_PAUSE = 0.010
_SMALL_BATCH = 16
_NUMBERS = 1_000_000
_REST_SECONDS, _SETTLING_SECONDS = 10.0, 5.0


def slow_consumer(arguments: argparse.Namespace) -> Report:
    """Thumbnails for a consumer that takes 10 ms a batch of 16: it must never wait, at least cost.

    A fixed setting keeps up if the consumer waits no more often than with any other.
    """
    paths = inputs.small_photographs(arguments)

    def make(calls: int, ahead: int) -> Any:
        images = inputs.repeated(paths).map(inputs.load, num_parallel_calls=calls)
        return images.batch(_SMALL_BATCH).prefetch(ahead)

    def better(made: Pass) -> tuple[int, float]:
        return -made.waits, -made.cpu_share

    settings = grid(powers_of_two(2 * inputs.cores()), (1, 2, 8))
    rounds = arguments.rounds
    compared = compare(make, settings, rounds, _SMALL_BATCH, _PAUSE, better)
    report = Report(["map and prefetch", "images/s", "waits > 1 ms", "longest next, ms", "cores"])
    costs = {}
    for setting, passes in compared.passes.items():
        waits = sum(made.waits for made in passes)
        cost = statistics.median(made.cpu_share for made in passes)
        longest = max(max(made.after_warm_up(made.waited)) for made in passes)
        costs[setting] = (waits, cost)
        rate = statistics.median(made.rate for made in passes)
        numbers = [f"{rate:,.0f}", str(waits), f"{1000 * longest:.2f}", f"{cost:.2f}"]
        report.rows.append([name_of(setting), *numbers])
    leanest = min(costs[setting] for setting in compared.fixed)[1]
    waits, cost = next(costs[each] for each in costs if each not in compared.fixed)
    report.at_most(f"waits in {rounds} x {MEASURED:g} s after the first second", waits, 0)
    report.at_most("CPU time to that of the leanest that keeps up", cost / leanest, 1.2)
    return report


def cheap_function(arguments: argparse.Namespace) -> Report:
    """x + 1 over a million integers: threads cannot help, and must not harm."""
    numbers = fp.Dataset.range(_NUMBERS)

    def seconds(calls: int | None, batch: int) -> float:
        made: Any = numbers.map(lambda x: x + 1, num_parallel_calls=calls)
        if batch > 1:
            made = made.batch(batch)
        start = time.perf_counter()
        for _ in made:
            pass
        return time.perf_counter() - start

    report = Report(["map, and what Python takes", "million/s", "min", "max"])
    for batch, how in ((1, "one by one"), (1000, "batches of 1,000")):
        measured: dict[str, list[float]] = {}
        for calls in powers_of_two(2 * inputs.cores()):
            measured[f"{calls} (searched)"] = [_NUMBERS / seconds(calls, batch)]
        for number in range(arguments.rounds):
            for name, knob in (("sequential", None), ("AUTOTUNE", fp.AUTOTUNE)):
                measured.setdefault(name, []).append(_NUMBERS / seconds(knob, batch))
            say_round(number, arguments.rounds)
        medians = {}
        for name, rates in measured.items():
            medians[name] = statistics.median(rates)
            values = (medians[name], min(rates), max(rates))
            report.rows.append([f"{name}, {how}", *(f"{each / 1e6:.2f}" for each in values)])
        share = medians["AUTOTUNE"] / medians["sequential"]
        report.at_least(f"AUTOTUNE to sequential, {how}", share, 0.9)
    return report


def one_core(arguments: argparse.Namespace) -> Report:
    """The photographs with cpu_budget = 1: CPU time and wall time are the same."""
    paths = inputs.some_photographs(arguments, 1000)
    options = fp.Options()
    options.autotune.cpu_budget = 1

    def make(calls: int) -> Any:
        return inputs.batches_of_photographs(paths, calls).with_options(options)

    compared = compare(make, [(1,)], arguments.rounds, inputs.BATCH)
    report = compared.report("photographs", "map")
    share = statistics.median(made.cpu_share for made in compared.autotuned)
    report.at_most("CPU seconds a second, of the process", share, 1.1)
    return report


def at_rest(arguments: argparse.Namespace) -> Report:
    """15 s of a steady pipeline, quick and slow: what the tuner takes, and whether it rests."""
    paths = inputs.some_photographs(arguments, 500)
    pipelines = {
        "photographs": inputs.batches_of_photographs(paths, fp.AUTOTUNE),
        "read_file, slow storage": inputs.repeated(paths, inputs.SLOW)
        .map(fp.io.read_file, num_parallel_calls=fp.AUTOTUNE)
        .batch(inputs.BATCH),
    }
    report = Report(["pipeline", "tuner ms/s", "% of the process", "decisions", "in the last 10 s"])
    for name, pipeline in pipelines.items():
        with pipeline.iterator() as iterator:
            start, cpu = time.perf_counter(), time.process_time()
            tuner_then = threads.tuner_seconds()
            _take_until(iterator, start + _SETTLING_SECONDS)
            early = set(iterator.autotune_log())
            _take_until(iterator, start + _SETTLING_SECONDS + _REST_SECONDS)
            log = iterator.autotune_log()
            tuner = threads.tuner_seconds() - tuner_then
            cost = 100 * tuner / (time.process_time() - cpu)
            elapsed = time.perf_counter() - start
        late = sum(line not in early for line in log)
        numbers = [f"{1000 * tuner / elapsed:.2f}", f"{cost:.2f}", str(len(log)), str(late)]
        report.rows.append([name, *numbers])
        report.less_than(f"tuner, % of the CPU time of the process, {name}", cost, 1)
        report.less_than(f"decisions in the last 10 s, {name}", late, 1)
    return report


def _take_until(iterator: Any, moment: float) -> None:
    while time.perf_counter() < moment:
        next(iterator)
