"""Memory: the photographs fifty times over (`--passes`); what is resident after each pass.

All processes of a contender are added up; memory that they share counts in each.
"""

import argparse
import sys
from functools import partial

from benchmarks.contenders import Contender, attempt, bytes_of_tree, is_wanted, versions
from benchmarks.inputs import file_list
from benchmarks.photographs import ours, rival
from benchmarks.report import Panel, Report

EARLY = 5  # the pass with which the last one is compared


def run(arguments: argparse.Namespace) -> Report:
    threads, passes = arguments.threads, arguments.passes
    files = file_list(arguments.images, arguments.elements)
    fast = ours(files, threads, "uint8")
    contenders = [
        fast,
        rival("mlx-data", "run_mlx", "mlx", files, threads),
        rival("PyTorch DataLoader, pillow-simd", "run_torch", "torch", files, threads),
        rival("tf.data", "run_tensorflow", "tensorflow", files, threads),
    ]
    contenders = [each for each in contenders if is_wanted(each.name, arguments)]
    early = min(EARLY, passes)
    report = Report(
        ["contender", "peak MB", f"MB after pass {early}", f"MB after pass {passes}", "growth"]
    )
    panel = Panel("resident after each pass", "MB", x="pass")
    for contender in contenders:
        resident: list[float] = []
        attempt(contender, partial(_measure, passes, resident))
        contender.close()
        if contender.failure:
            report.notes.append(f"{contender.name} is left out: {contender.failure}")
            continue
        panel.lines[contender.name] = list(enumerate(resident, 1))
        growth = resident[-1] / resident[early - 1]
        numbers = [contender.peak_bytes / 1e6, resident[early - 1], resident[-1]]
        cells = [f"{number:,.0f}" for number in numbers]
        report.rows.append([contender.name, *cells, f"{growth:.3f}"])
        if contender is fast:
            report.less_than("peak MB of fastpipe", numbers[0], 200)
            what = f"resident after pass {passes} to after pass {early}, fastpipe"
            report.at_most(what, growth, 1.05)
    report.panels.append(panel)
    report.versions = versions(contenders)
    return report


def _measure(passes: int, resident: list[float], contender: Contender) -> None:
    contender.start()
    for number in range(passes):
        contender.run_once()
        resident.append(bytes_of_tree(contender.pid, "VmRSS") / 1e6)
        if (number + 1) % 10 == 0:
            what = f"{contender.name}: pass {number + 1} of {passes}"
            print(what, file=sys.stderr, flush=True)
