"""Text: 32 files of 60,000 lines, interleaved, in batches of 1,024 lines as bytes.

Four files at once, 16 lines of each in turn. tf.data may also read them one after the other, which
is less work. mlx-data reads the files one after the other and pads the lines of a batch; PyTorch
reads them in worker processes by Python's own loop over lines.
"""

import argparse

from benchmarks.contenders import OURS, Contender, fastest, measure, module, versions
from benchmarks.inputs import list_of, text_files
from benchmarks.report import Report, report_on


def run(arguments: argparse.Namespace) -> Report:
    files = list_of("text", text_files())

    def contender(name: str, program: str, environment: str, how: str = "") -> Contender:
        path = f"text.{program}"
        return module(name, path, [files, arguments.threads, how], environment)

    parallel = contender("fastpipe, parallel", "run_fastpipe", OURS, "parallel")
    sequential = contender("fastpipe, sequential", "run_fastpipe", OURS, "sequential")
    tensorflow = [
        contender(f"tf.data, {how}", "run_tensorflow", "tensorflow", how)
        for how in ("parallel", "sequential", "one after the other")
    ]
    more = [
        contender("mlx-data", "run_mlx", "mlx"),
        contender("PyTorch DataLoader, lines of Python", "run_torch", "torch"),
    ]
    measured = measure([parallel, sequential, *tensorflow, *more], arguments)
    report = report_on(measured, "lines", [parallel])
    better = fastest([parallel, sequential])
    report.ratio_at_least(better, tensorflow, 4, ", its best")
    report.rate_at_least(better, 6_000_000, "lines")
    report.versions = versions(measured)
    return report
