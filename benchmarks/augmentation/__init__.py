"""Training augmentation: decode, random-resized-crop to 224, flip, normalise to float32, batch 64.

The crop takes 8 to 100 % of the area at a ratio of 3/4 to 4/3; resizing is bilinear, antialiased
only in Pillow and mlx-data, which know no other. fastpipe decodes what the crop needs, as DALI and
tf.data do with an operation of their own for this; "unfused" is the same program with
`Options.fusion` off, of which every pixel must be the same. What is random differs between
libraries, so that their pixels are not compared.
"""

import argparse

import numpy as np

from benchmarks.contenders import Contender, measure, module, versions
from benchmarks.inputs import file_list
from benchmarks.limit import DecodeLoop
from benchmarks.report import Report, report_on


def run(arguments: argparse.Namespace) -> Report:
    threads = arguments.threads
    files = file_list(arguments.images, arguments.elements)

    def ours(name: str, how: str) -> Contender:
        program = "augmentation.run_fastpipe"
        return module(name, program, [files, threads, how], has_images=True)

    def rival(name: str, program: str, environment: str) -> Contender:
        return module(name, f"augmentation.{program}", [files, threads], environment)

    bare = DecodeLoop(threads, files)
    fused, unfused = ours("fastpipe", "fused"), ours("fastpipe, unfused", "unfused")
    rivals = [
        rival("mlx-data", "run_mlx", "mlx"),
        rival("PyTorch DataLoader, pillow-simd", "run_torch", "torch"),
        rival("tf.data", "run_tensorflow", "tensorflow"),
        rival("DALI, CPU", "run_dali", "dali"),
    ]
    measured = measure([bare, fused, unfused, *rivals], arguments)
    report = report_on(measured, "photographs", [bare, fused])
    report.ratio_at_least(fused, [unfused], 1.5)
    report.ratio_at_least(fused, [bare], 1, ", which decodes all")
    report.ratio_at_least(fused, rivals, 1, ", the best rival")
    if all(each in measured and not each.failure for each in (fused, unfused)):
        images = [np.load(each.images_path) for each in (fused, unfused)]
        differing = int((images[0] != images[1]).sum())
        report.at_most(f"values of {images[0].size:,} that fusion changes", differing, 0)
    report.versions = versions(measured)
    return report
