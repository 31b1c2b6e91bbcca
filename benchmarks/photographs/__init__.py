"""Photographs: read, decode, resize to 224x224 with antialias, batches of 64."""

import argparse
import sys

from benchmarks import limit
from benchmarks.contenders import Contender, file_list, run_rounds
from benchmarks.environments import python_with
from benchmarks.report import Report, report_on

TORCH = ["torch==2.13.0", "pillow-simd", "numpy"]


def run(arguments: argparse.Namespace) -> Report:
    threads = arguments.threads
    files = file_list(arguments.images, arguments.elements)
    torch_python = python_with("torch", TORCH)

    def module(python: object, name: str) -> list[str]:
        return [str(python), "-m", f"benchmarks.photographs.{name}", str(files), str(threads)]

    fast = Contender(f"fastpipe, {threads} threads", module(sys.executable, "native_map"))
    torch = Contender(
        f"torch DataLoader, pillow-simd, {threads} workers",
        module(torch_python, "torch_dataloader"),
    )
    bare = [limit.contender(each, files) for each in sorted({1, threads})]
    run_rounds([*bare, fast, torch], arguments.rounds)
    report = report_on([*bare, fast, torch], "photographs", [bare[-1], torch])
    report.at_least(
        "fastpipe to the bare loop on as many threads, which does not resize",
        fast.rate / bare[-1].rate,
        0.6,
    )
    report.at_least("fastpipe to torch", fast.rate / torch.rate, 1)
    return report
