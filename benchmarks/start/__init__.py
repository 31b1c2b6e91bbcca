"""What `import fastpipe` costs beyond NumPy, and how large the wheel is."""

import argparse
import os
import statistics
import subprocess
import sys
import time

from benchmarks.contenders import ROOT
from benchmarks.report import Report

_PROGRAMS = {
    "import numpy": "import numpy",
    "import numpy, fastpipe": "import numpy, fastpipe",
}


def _milliseconds(program: str) -> float:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    return 1000 * (time.perf_counter() - start)


def run(arguments: argparse.Namespace) -> Report:
    times: dict[str, list[float]] = {name: [] for name in _PROGRAMS}
    for program in _PROGRAMS.values():
        _milliseconds(program)  # compiles what is not compiled yet
    for _ in range(3 * arguments.rounds):
        for name, program in _PROGRAMS.items():
            times[name].append(_milliseconds(program))
    report = Report(["whole process", "ms", "min", "max"])
    for name, values in times.items():
        numbers = (statistics.median(values), min(values), max(values))
        report.rows.append([name, *(f"{value:.0f}" for value in numbers)])
    numpy, both = (statistics.median(values) for values in times.values())
    report.less_than("ms that import fastpipe costs beyond NumPy", both - numpy, 100)
    wheels = sorted(ROOT.glob("dist/*.whl"), key=lambda path: path.stat().st_mtime)
    if wheels:
        size = wheels[-1].stat().st_size / 1e6
        report.less_than(f"MB of {wheels[-1].name}", size, 5)
    else:
        report.rows.append(["no wheel in dist/: `make wheel` first", "", "", ""])
    return report
