"""Start: a new process from its first import to the first batch of 64 photographs.

Besides, what `import fastpipe` costs beyond NumPy, and how large the wheel is.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.contenders import is_wanted
from benchmarks.environments import ROOT, Unavailable, python_of, versions_of
from benchmarks.inputs import file_list
from benchmarks.report import Panel, Report

_IMPORTS = {
    "import numpy": "import numpy",
    "import numpy, fastpipe": "import numpy, fastpipe",
}
_BATCHES = {"fastpipe": "", "tf.data": "tensorflow", "PyTorch DataLoader, pillow-simd": "torch"}


def _run(*command: object) -> tuple[float, str]:
    """Seconds that a whole process takes, and the last line that it prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    start = time.perf_counter()
    made = subprocess.run(
        [str(each) for each in command],
        env=environment,
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - start
    if made.returncode != 0:
        raise Unavailable((made.stderr.splitlines() or [f"status {made.returncode}"])[-1])
    return seconds, (made.stdout.splitlines() or [""])[-1]


def run(arguments: argparse.Namespace) -> Report:
    report = Report(["until the first batch", "s", "min", "max", "whole process, s"])
    _first_batches(arguments, report)
    _imports(arguments, report)
    wheels = sorted(ROOT.glob("dist/*.whl"), key=lambda path: path.stat().st_mtime)
    if wheels:
        size = wheels[-1].stat().st_size / 1e6
        report.less_than(f"MB of {wheels[-1].name}", size, 5)
    else:
        report.notes.append("no wheel in dist/: `make wheel` first")
    return report


def _first_batches(arguments: argparse.Namespace, report: Report) -> None:
    files = file_list(arguments.images, arguments.elements)
    commands: dict[str, list[object]] = {}
    for name, environment in _BATCHES.items():
        if not is_wanted(name, arguments):
            continue
        # By its path: as a module it would import the package, and that NumPy, before it begins.
        program = Path(__file__).with_name(f"run_{environment or 'fastpipe'}.py")
        try:
            python = python_of(environment) if environment else sys.executable
            commands[name] = [python, program, files, arguments.threads]
            _run(*commands[name])  # compiles what is not compiled yet, reads what is not cached
            report.versions += versions_of(environment) if environment else []
        except (Unavailable, OSError) as error:
            commands.pop(name, None)
            report.notes.append(f"{name} is left out: {error}")
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    whole: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(arguments.rounds):
        for name, command in commands.items():
            process, said = _run(*command)
            seconds[name].append(float(said))
            whole[name].append(process)
        print(f"round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
    panel = Panel("from the first import to the first batch", "s")
    for name, values in seconds.items():
        numbers = (statistics.median(values), min(values), max(values))
        process = statistics.median(whole[name])
        report.rows.append([name, *(f"{value:.3f}" for value in (*numbers, process))])
        panel.bars.append((name, *numbers))
    report.panels.append(panel)
    if "fastpipe" in seconds:
        measured = statistics.median(seconds["fastpipe"])
        report.less_than("s from import fastpipe to the first batch", measured, 0.25)


def _imports(arguments: argparse.Namespace, report: Report) -> None:
    times: dict[str, list[float]] = {name: [] for name in _IMPORTS}
    for number in range(1 + 3 * arguments.rounds):
        for name, program in _IMPORTS.items():
            taken = _run(sys.executable, "-c", program)[0]
            if number > 0:  # the first compiles what is not compiled yet
                times[name].append(taken)
    for name, values in times.items():
        middle = statistics.median(values)
        shown = (f"{value:.3f}" for value in (min(values), max(values)))
        report.rows.append([f"`{name}` alone", f"{middle:.3f}", *shown, f"{middle:.3f}"])
    numpy, both = (1000 * statistics.median(values) for values in times.values())
    report.less_than("ms that import fastpipe costs beyond NumPy", both - numpy, 100)
