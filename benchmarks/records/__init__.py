"""Records: a TFRecord file of a million records of 96 bytes, in batches of 1,024.

fastpipe and tf.data check each record's checksum; `tfrecord` and Grain do not.
"""

import argparse

from benchmarks.contenders import measure, module, versions
from benchmarks.inputs import record_file
from benchmarks.report import Report, report_on


def run(arguments: argparse.Namespace) -> Report:
    path = record_file()
    fast = module("fastpipe", "records.run_fastpipe", [path])
    tensorflow = module("tf.data", "records.run_tensorflow", [path], "tensorflow")
    more = [
        module("tfrecord (Python)", "records.run_tfrecord", [path], "tfrecord"),
        module("Grain", "records.run_grain", [path], "grain"),
    ]
    measured = measure([fast, tensorflow, *more], arguments)
    report = report_on(measured, "records", [fast])
    report.ratio_at_least(fast, [tensorflow], 5)
    report.versions = versions(measured)
    return report
