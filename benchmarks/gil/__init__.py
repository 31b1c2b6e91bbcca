"""A Python thread that counts, alone and beside a native pipeline that decodes on one worker."""

import argparse
import statistics
import sys
import threading
import time
from collections.abc import Callable

from benchmarks.contenders import jpegs
from benchmarks.report import Report

_SECONDS = 1.5


def _count_during(work: Callable[[threading.Event], int]) -> tuple[float, float]:
    """Counts a second of a Python thread while `work` runs, and elements a second of `work`."""
    stop = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        number = 0
        while not stop.is_set():
            for _ in range(1000):
                number += 1
        counted = number

    counter = threading.Thread(target=count)
    start = time.perf_counter()
    counter.start()
    timer = threading.Timer(_SECONDS, stop.set)
    timer.start()
    delivered = work(stop)
    counter.join()
    seconds = time.perf_counter() - start
    return counted / seconds, delivered / seconds


def _wait(stop: threading.Event) -> int:
    stop.wait()
    return 0


def run(arguments: argparse.Namespace) -> Report:
    import fastpipe.io
    from fastpipe import Dataset

    def load(path):
        return fastpipe.io.decode_jpeg(fastpipe.io.read_file(path), channels=3)

    photographs = (
        Dataset.from_tensor_slices(jpegs(arguments.images)).repeat().map(load, num_parallel_calls=1)
    )

    def decode(stop: threading.Event) -> int:
        delivered = 0
        with photographs.iterator() as iterator:
            while not stop.is_set():
                next(iterator)
                delivered += 1
        return delivered

    alone, beside, decoded = [], [], []
    for number in range(arguments.rounds):
        alone.append(_count_during(_wait)[0])
        counts, rate = _count_during(decode)
        beside.append(counts)
        decoded.append(rate)
        print(f"round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
    report = Report(["counting thread", "million counts/s", "min", "max", "photographs/s"])
    for name, rates, rate in (
        ("alone", alone, ""),
        ("beside the pipeline", beside, f"{statistics.median(decoded):,.0f}"),
    ):
        values = (statistics.median(rates), min(rates), max(rates))
        report.rows.append([name, *(f"{value / 1e6:.1f}" for value in values), rate])
    report.at_least(
        "part of its solo rate that the counting thread keeps",
        statistics.median(beside) / statistics.median(alone),
        0.6,
    )
    return report
