"""A million integers through one cheap function, to Python one by one and in batches of 1,000."""

import argparse
import sys

from benchmarks.contenders import Contender, run_rounds
from benchmarks.report import Report, report_on

NEEDED = {1: 500_000, 1000: 8_000_000}


def run(arguments: argparse.Namespace) -> Report:
    contenders = []
    needed = []
    for batch in (1, 1000):
        for threads in (0, arguments.threads):
            how = f"map on {threads} threads" if threads else "sequential map"
            name = how + (f", batches of {batch:,}" if batch > 1 else ", one by one")
            module = "benchmarks.small_elements.add_one"
            command = [sys.executable, "-m", module, str(threads), str(batch)]
            contenders.append(Contender(name, command))
            needed.append(NEEDED[batch] if threads == 0 else None)
    run_rounds(contenders, arguments.rounds)
    report = report_on(contenders, "elements", [])
    for contender, rate in zip(contenders, needed):
        if rate is not None:
            report.at_least(f"elements/s, {contender.name}", contender.rate, rate)
    return report
