"""A million integers through x + 1, to Python one by one and in batches of 1,000.

Slow rivals get fewer than a million; what counts is elements a second.
"""

import argparse

from benchmarks.contenders import OURS, Contender, measure, module, versions
from benchmarks.report import Report, report_on

ALL, FEWER = 1_000_000, 100_000
NEEDED = {1: 1_000_000, 1000: 20_000_000}
TIMES_TENSORFLOW = {1: 40, 1000: 200}


def _contenders(batch: int, threads: int) -> list[Contender]:
    """fastpipe without threads and with, tf.data, and the others."""
    group = "batches of 1,000" if batch > 1 else "one by one"

    def made(name: str, program: str, environment: str, *more: int) -> Contender:
        count = ALL if environment == OURS else FEWER
        path, name = f"small_elements.{program}", f"{name}, {group}"
        return module(name, path, [batch, count, *more], environment, group)

    return [
        made("fastpipe, sequential map", "run_fastpipe", OURS, 0),
        made(f"fastpipe, map on {threads} threads", "run_fastpipe", OURS, threads),
        made("tf.data", "run_tensorflow", "tensorflow"),
        made("Grain", "run_grain", "grain"),
        made("PyTorch DataLoader, no workers", "run_torch", "torch"),
        made("mlx-data", "run_mlx", "mlx"),
    ]


def run(arguments: argparse.Namespace) -> Report:
    threads = arguments.threads
    batches = {batch: _contenders(batch, threads) for batch in NEEDED}
    measured = measure([each for made in batches.values() for each in made], arguments)
    report = report_on(measured, "elements")
    for batch, (sequential, _, tensorflow, *_) in batches.items():
        report.rate_at_least(sequential, NEEDED[batch], "elements")
        report.ratio_at_least(sequential, [tensorflow], TIMES_TENSORFLOW[batch])
    report.versions = versions(measured)
    return report
