"""The same work for tf.data's AUTOTUNE, in processes that take turns."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.autotune import inputs
from benchmarks.contenders import BUILD, Contender, run_rounds
from benchmarks.environments import Unavailable, python_of
from benchmarks.inputs import file_list, list_of
from benchmarks.report import Report

_SOURCE = Path(__file__).with_name("slow_disk.c")
_MOST_ROUNDS = 3


def tensorflow_photographs(arguments: argparse.Namespace) -> Report:
    """The photographs, both with AUTOTUNE in map and prefetch, from the disk."""
    return _versus(arguments, "photographs", lambda: file_list(arguments.images, 1000), [])


def tensorflow_interleave(arguments: argparse.Namespace) -> Report:
    """64 text files of 1 MB, cycle_length 64: a preloaded library slows open and pread for both."""

    def listed() -> Path:
        return list_of("text", inputs.text_files(256))

    delays = {
        "LD_PRELOAD": str(_slow_disk()),
        "SLOW_DISK_FOLDER": str(BUILD / "text-"),
        "SLOW_DISK_OPEN": str(int(inputs.SLOW.open_delay * 1e6)),
        "SLOW_DISK_READ": str(int(inputs.SLOW.read_delay * 1e6)),
    }
    command = ["env", *(f"{name}={value}" for name, value in delays.items())]
    return _versus(arguments, "interleave", listed, command)


def _slow_disk() -> Path:
    library = BUILD / "slow_disk.so"
    if not library.exists() or library.stat().st_mtime < _SOURCE.stat().st_mtime:
        BUILD.mkdir(parents=True, exist_ok=True)
        command = ["gcc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", _SOURCE, "-ldl"]
        subprocess.run([*map(str, command), "-o", str(library)], check=True)
    return library


def _versus(
    arguments: argparse.Namespace, work: str, listed: Callable[[], Path], prefix: list[str]
) -> Report:
    report = Report(["contender", "elements/s", "min", "max", "of tf.data"])
    try:
        python = python_of("tensorflow")
    except Unavailable as error:
        report.rows.append([f"left out: {error}", "", "", "", ""])
        return report
    files = str(listed())
    contenders = []
    for name, program, interpreter in (
        ("tf.data, AUTOTUNE", "run_tensorflow", str(python)),
        ("fastpipe, AUTOTUNE", "run_fastpipe", sys.executable),
    ):
        module = f"benchmarks.autotune.{program}"
        command = [*prefix, interpreter, "-m", module, work, files]
        contenders.append(Contender(name, command))
    run_rounds(contenders, min(arguments.rounds, _MOST_ROUNDS))
    if failed := [f"{each.name}: {each.failure}" for each in contenders if each.failure]:
        report.notes += failed
        return report
    # They say elements a second themselves: a pass begins with a warm-up.
    rates = [[reading.elements for reading in each.readings] for each in contenders]
    medians = [statistics.median(each) for each in rates]
    for contender, middle, each in zip(contenders, medians, rates):
        numbers = [f"{rate:,.0f}" for rate in (middle, min(each), max(each))]
        report.rows.append([contender.name, *numbers, f"{middle / medians[0]:.2f}"])
    report.at_least(f"fastpipe to tf.data, {work}", medians[1] / medians[0], 1)
    return report
