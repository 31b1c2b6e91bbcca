"""A bare libjpeg-turbo loop in C++ that reads and decodes: what the hardware gives at most."""

import argparse
import subprocess
from pathlib import Path

from benchmarks.contenders import BUILD, Contender, measure
from benchmarks.inputs import file_list
from benchmarks.report import Report, report_on

SOURCE = Path(__file__).with_name("decode_loop.cc")


class DecodeLoop(Contender):
    """The loop on so many threads; compiled at the start if it is not up to date."""

    def __init__(self, threads: int, files: Path) -> None:
        name = f"bare decode loop, {threads} thread{'' if threads == 1 else 's'}"
        super().__init__(name, [BUILD / "decode_loop", str(threads), files])

    def start(self) -> None:
        program = Path(self.command[0])
        if not program.exists() or program.stat().st_mtime < SOURCE.stat().st_mtime:
            BUILD.mkdir(parents=True, exist_ok=True)
            command = ["g++", "-std=c++20", "-O3", "-Wall", "-Wextra", "-pthread", SOURCE]
            subprocess.run([*map(str, command), "-o", str(program), "-ljpeg"], check=True)
        super().start()


def run(arguments: argparse.Namespace) -> Report:
    files = file_list(arguments.images, arguments.elements)
    contenders = [DecodeLoop(threads, files) for threads in sorted({1, arguments.threads})]
    return report_on(measure(contenders, arguments), "photographs", contenders[:1])
