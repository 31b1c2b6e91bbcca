"""Shuffle: range(1,000,000).shuffle(10,000).repeat(2).batch(256).

Slow rivals get fewer than a million. Grain shuffles within windows of 10,000; mlx-data keeps its
numbers in dicts.
"""

import argparse

from benchmarks.contenders import measure, module, versions
from benchmarks.report import Report, report_on

ALL, FEWER = 1_000_000, 100_000


def run(arguments: argparse.Namespace) -> Report:
    fast = module("fastpipe", "shuffle.run_fastpipe", [ALL])
    tensorflow = module("tf.data", "shuffle.run_tensorflow", [ALL], "tensorflow")
    more = [
        module("Grain", "shuffle.run_grain", [FEWER], "grain"),
        module("mlx-data", "shuffle.run_mlx", [FEWER], "mlx"),
    ]
    measured = measure([fast, tensorflow, *more], arguments)
    report = report_on(measured, "elements", [fast])
    report.ratio_at_least(fast, [tensorflow], 20)
    report.versions = versions(measured)
    return report
