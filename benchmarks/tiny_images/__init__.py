"""Tiny images: 3,000 PNGs and JPEGs of 32x32, read and decoded, in batches of 256.

What a file itself costs. Pixels are compared with Pillow's.
"""

import argparse

from benchmarks.contenders import Contender, measure, module, versions
from benchmarks.inputs import list_of, tiny_images
from benchmarks.pixels import from_pillow
from benchmarks.report import Report, report_on

COUNT, PASSES = 3000, 5


def run(arguments: argparse.Namespace) -> Report:
    files = list_of("tiny-images", PASSES * tiny_images(arguments.images, COUNT))

    def contender(name: str, program: str, *environment: str) -> Contender:
        path = f"tiny_images.{program}"
        return module(name, path, [files, arguments.threads], *environment, has_images=True)

    fast = contender("fastpipe", "run_fastpipe")
    rivals = [
        contender("mlx-data", "run_mlx", "mlx"),
        contender("PyTorch DataLoader, pillow-simd", "run_torch", "torch"),
        contender("tf.data", "run_tensorflow", "tensorflow"),
        contender("DALI, CPU", "run_dali", "dali"),
        contender("SPDL", "run_spdl", "spdl"),
    ]
    measured = measure([fast, *rivals], arguments)
    report = report_on(measured, "images", [fast], from_pillow(measured, files))
    report.ratio_at_least(fast, rivals, 2, ", the best rival")
    report.versions = versions(measured)
    return report
