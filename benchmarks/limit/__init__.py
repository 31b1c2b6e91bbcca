"""A bare libjpeg-turbo loop in C++ that reads and decodes: what the hardware gives at most."""

import argparse
import subprocess
from pathlib import Path

from benchmarks.contenders import BUILD, Contender, file_list, run_rounds
from benchmarks.report import Report, report_on

SOURCE = Path(__file__).with_name("decode_loop.cc")


def contender(threads: int, files: Path) -> Contender:
    """The loop on so many threads; compiled if it is not up to date."""
    program = BUILD / "decode_loop"
    if not program.exists() or program.stat().st_mtime < SOURCE.stat().st_mtime:
        BUILD.mkdir(parents=True, exist_ok=True)
        command = ["g++", "-std=c++20", "-O3", "-Wall", "-Wextra", "-pthread", SOURCE]
        subprocess.run([*map(str, command), "-o", str(program), "-ljpeg"], check=True)
    name = f"bare decode loop, {threads} thread{'' if threads == 1 else 's'}"
    return Contender(name, [program, str(threads), files])


def run(arguments: argparse.Namespace) -> Report:
    files = file_list(arguments.images, arguments.elements)
    counts = sorted({1, arguments.threads})
    contenders = [contender(threads, files) for threads in counts]
    run_rounds(contenders, arguments.rounds)
    return report_on(contenders, "photographs", contenders[:1])
