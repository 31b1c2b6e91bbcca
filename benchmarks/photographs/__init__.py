"""Photographs: read, decode, resize to 224x224 with antialias, batches of 64.

The pixels of the first 16 are compared with those of Pillow. Not all do the same work: SPDL scales
by swscale; TurboLoader and WebDataset read a tar made before, and TurboLoader decodes with another
DCT and scaling and on all cores; datago crops before it resizes and delivers in any order. FFCV is
not here: it does not read JPEG files, but re-encodes them beforehand.
"""

import argparse
from pathlib import Path

from benchmarks.contenders import OURS, Contender, measure, module, versions
from benchmarks.inputs import file_list
from benchmarks.limit import DecodeLoop
from benchmarks.pixels import from_pillow
from benchmarks.report import Report, report_on


def ours(files: Path, threads: int, output: str, environment: str = OURS) -> Contender:
    return module(
        f"fastpipe, {output}",
        "photographs.run_fastpipe",
        [files, threads, output],
        environment,
        has_images=True,
    )


def rival(name: str, program: str, environment: str, files: Path, threads: int) -> Contender:
    path = f"photographs.{program}"
    return module(name, path, [files, threads], environment, has_images=True)


def run(arguments: argparse.Namespace) -> Report:
    threads = arguments.threads
    files = file_list(arguments.images, arguments.elements)

    def other(name: str, program: str, environment: str) -> Contender:
        return rival(name, program, environment, files, threads)

    bare = [DecodeLoop(each, files) for each in sorted({1, threads})]
    fast, floats = (ours(files, threads, output) for output in ("uint8", "float32"))
    mlx = other("mlx-data", "run_mlx", "mlx")
    torch = other("PyTorch DataLoader, pillow-simd", "run_torch", "torch")
    tensorflow = other("tf.data", "run_tensorflow", "tensorflow")
    dali = other("DALI, CPU", "run_dali", "dali")
    spdl = other("SPDL", "run_spdl", "spdl")
    turboloader = other("TurboLoader", "run_turboloader", "turboloader")
    more = [
        other("Grain, pillow-simd", "run_grain", "grain"),
        other("datago", "run_datago", "datago"),
        other("WebDataset, pillow-simd", "run_webdataset", "webdataset"),
    ]
    rivals = [mlx, torch, tensorflow, dali, spdl, turboloader, *more]
    measured = measure([*bare, fast, floats, *rivals], arguments)
    pixels = from_pillow(measured, files, 224, 224)
    report = report_on(measured, "photographs", [bare[-1], fast], pixels)
    report.ratio_at_least(fast, [bare[-1]], 0.88, ", which does not resize")
    for each, needed in (
        (mlx, 1.15),
        (torch, 1.4),
        (tensorflow, 2.5),
        (dali, 2.5),
        (spdl, 2.5),
        (turboloader, 1.8),
    ):
        report.ratio_at_least(fast, [each], needed)
    if distance := pixels.get(fast.name):
        report.at_most(f"most that a pixel of {fast.name} is from Pillow's", distance.most, 1)
    report.versions = versions(measured)
    return report
