"""A Python thread that counts, alone and beside a native pipeline that decodes on one worker."""

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from benchmarks.environments import ROOT
from benchmarks.inputs import jpegs
from benchmarks.report import Report

_SECONDS = 1.5


def photographs(files: list[str]) -> Any:
    """Decoded photographs without end, one worker."""
    import fastpipe.io
    from fastpipe import Dataset

    def load(path: Any) -> Any:
        return fastpipe.io.decode_jpeg(fastpipe.io.read_file(path), channels=3)

    return Dataset.from_tensor_slices(files).repeat().map(load, num_parallel_calls=1)


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
    files = jpegs(arguments.images)
    pipeline = photographs(files)
    folder = os.path.commonpath([os.path.dirname(file) for file in files])

    def decode(stop: threading.Event) -> int:
        delivered = 0
        with pipeline.iterator() as iterator:
            while not stop.is_set():
                next(iterator)
                delivered += 1
        return delivered

    def wait_beside_process() -> tuple[float, float]:
        module = "benchmarks.gil.decode_forever"
        command = [sys.executable, "-m", module, folder]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            try:
                process.stdout.readline()
                return _count_during(_wait)
            finally:
                process.kill()

    measured: dict[str, list[tuple[float, float]]] = {}
    for number in range(arguments.rounds):
        for name, measure in (
            ("alone", lambda: _count_during(_wait)),
            ("beside the pipeline", lambda: _count_during(decode)),
            ("beside it in another process", wait_beside_process),
        ):
            measured.setdefault(name, []).append(measure())
        print(f"round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
    report = Report(["counting thread", "million counts/s", "min", "max", "kept", "photographs/s"])
    medians = {}
    for name, readings in measured.items():
        counts = [count for count, _ in readings]
        medians[name] = statistics.median(counts)
        rate = statistics.median(rate for _, rate in readings)
        values = (medians[name], min(counts), max(counts))
        report.rows.append(
            [
                name,
                *(f"{value / 1e6:.1f}" for value in values),
                f"{medians[name] / medians['alone']:.2f}",
                f"{rate:,.0f}" if rate else "",
            ]
        )
    report.at_least(
        "part of its solo rate that the counting thread keeps",
        medians["beside the pipeline"] / medians["alone"],
        0.6,
    )
    return report
