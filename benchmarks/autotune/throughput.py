"""Scenarios in which only the rate counts, on quick and on slow storage."""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import fastpipe as fp
from benchmarks.autotune import inputs
from benchmarks.autotune.measuring import (
    WARM_UP,
    Pass,
    compare,
    drive,
    grid,
    median_rate,
    powers_of_two,
    say_round,
)
from benchmarks.report import Report

_THREADS = powers_of_two(64)
_TEXT_BATCH = 64
_READ_BATCH = 20


def photographs(arguments: argparse.Namespace) -> Report:
    """Read, decode, resize to 224x224, batches of 64, from the disk."""
    paths = inputs.some_photographs(arguments, 1000)

    def make(calls: int) -> Any:
        return inputs.batches_of_photographs(paths, calls)

    settings = grid(powers_of_two(8 * inputs.cores()))  # more cannot help: it only computes
    compared = compare(make, settings, arguments.rounds, inputs.BATCH)
    report = compared.report("photographs", "map")
    report.at_least("AUTOTUNE to the best", compared.rate / compared.best_rate, 0.95)
    report.at_most("seconds until 0.9 of the final rate", compared.settled, WARM_UP)
    return report


def _interleave(arguments: argparse.Namespace, lines: int) -> Report:
    paths = inputs.text_files(lines)

    def make(calls: int | None, files: fp.Dataset) -> Any:
        options = fp.Options(storage=inputs.SLOW)
        lines = files.interleave(
            fp.TextLineDataset, cycle_length=inputs.FILES, num_parallel_calls=calls
        )
        return lines.batch(_TEXT_BATCH).with_options(options)

    files = fp.Dataset.from_tensor_slices(paths)
    start = time.perf_counter()
    # Its rate is that of a whole pass: it first waits for every file, and then reads.
    count = sum(len(batch) for batch in make(None, files))
    sequential = count / (time.perf_counter() - start)
    compared = compare(
        lambda calls: make(calls, files.repeat()), grid(_THREADS), arguments.rounds, _TEXT_BATCH
    )
    report = compared.report("lines", "interleave")
    report.rows.append(["sequential", f"{sequential:,.0f}", *[""] * 5])
    first = statistics.median(_seconds_to(made, count) for made in compared.autotuned)
    report.rows.append(["AUTOTUNE, the first pass", f"{count / first:,.0f}", *[""] * 5])
    report.at_least("AUTOTUNE to the best", compared.rate / compared.best_rate, 0.95)
    report.at_least("AUTOTUNE to sequential", compared.rate / sequential, 40)
    return report


def _seconds_to(made: Pass, count: int) -> float:
    for moment, delivered in zip(made.times, made.counts):
        if delivered >= count:
            return moment
    return float("inf")


def interleave(arguments: argparse.Namespace) -> Report:
    """64 text files of 1 MB, all open at once; 20 ms to open, 5 ms to read."""
    return _interleave(arguments, 256)


def interleave_small(arguments: argparse.Namespace) -> Report:
    """64 text files of one read each, all open at once; 20 ms to open, 5 ms to read."""
    return _interleave(arguments, 8)


def read_files(arguments: argparse.Namespace) -> Report:
    """map(read_file) over 500 photographs; 20 ms to open, 5 ms to read."""
    paths = inputs.some_photographs(arguments, 500)

    def make(calls: int) -> Any:
        files = inputs.repeated(paths, inputs.SLOW)
        return files.map(fp.io.read_file, num_parallel_calls=calls).batch(_READ_BATCH)

    compared = compare(make, grid(_THREADS), arguments.rounds, _READ_BATCH)
    report = compared.report("files", "map")
    report.at_least("AUTOTUNE to the best", compared.rate / compared.best_rate, 0.95)
    return report


def mixed(arguments: argparse.Namespace) -> Report:
    """Photographs read in one map, from slow storage, then decoded in another, which computes."""
    paths = inputs.some_photographs(arguments, 500)

    def make(reads: int, decodes: int) -> Any:
        contents = inputs.repeated(paths, inputs.SLOW)
        contents = contents.map(fp.io.read_file, num_parallel_calls=reads)
        images = contents.map(inputs.decode, num_parallel_calls=decodes)
        return images.batch(_READ_BATCH).prefetch(fp.AUTOTUNE if reads == fp.AUTOTUNE else 2)

    settings = grid((4, 16, 32, 64), powers_of_two(2 * inputs.cores()))
    compared = compare(make, settings, arguments.rounds, _READ_BATCH)
    report = compared.report("photographs", "read and decode")
    report.at_least("AUTOTUNE to the best", compared.rate / compared.best_rate, 0.9)
    return report


def storage_changes(arguments: argparse.Namespace) -> Report:
    """map(read_file) while the storage becomes ten times slower, and recovers."""
    paths = inputs.some_photographs(arguments, 500)
    quick = fp.SimulatedStorage(open_delay=0.002, read_delay=0.0005)
    phase, patience = 4.5, 3.0

    def make(calls: int, storage: fp.SimulatedStorage) -> Any:
        files = inputs.repeated(paths, storage)
        return files.map(fp.io.read_file, num_parallel_calls=calls).batch(_READ_BATCH)

    rounds = max(1, arguments.rounds // 2)  # a pass is long
    storages = {"quick": quick, "slow": inputs.SLOW}
    fixed: dict[tuple[str, int], list[Pass]] = {}
    for name, storage in storages.items():
        coarse = {each: drive(make(each, storage), _READ_BATCH, 0.4, 0.3) for each in _THREADS}
        for calls in sorted(_THREADS, key=lambda each: coarse[each].rate)[-2:]:
            fixed[name, calls] = []
    tuned = []
    for number in range(rounds):
        for (name, calls), passes in fixed.items():
            passes.append(drive(make(calls, storages[name]), _READ_BATCH, 0.8, 0.3))
        changes = [(phase, inputs.SLOW), (2 * phase, quick)]
        dataset = make(fp.AUTOTUNE, quick)
        tuned.append(drive(dataset, _READ_BATCH, 3 * phase, 0.0, changes=changes))
        say_round(number, rounds)
    best = {
        name: max((median_rate(made), calls) for (of, calls), made in fixed.items() if of == name)
        for name in storages
    }
    report = Report(["phase", "files/s", "best fixed", "of it", "threads of it", "0.9 after s"])
    for index, (name, speed) in enumerate(
        (("quick", "quick"), ("ten times slower", "slow"), ("quick again", "quick"))
    ):
        start = index * phase
        rates = [made.rate_between(start + patience, start + phase) for made in tuned]
        rate, (wanted, calls) = statistics.median(rates), best[speed]
        settled = statistics.median(made.seconds_until(0.9 * wanted, start) for made in tuned)
        share = rate / wanted
        numbers = [f"{rate:,.0f}", f"{wanted:,.0f}", f"{share:.2f}", str(calls), f"{settled:.2f}"]
        report.rows.append([name, *numbers])
        report.at_least(f"AUTOTUNE to the best, {name}, after {patience:g} s", share, 0.9)
    return report
