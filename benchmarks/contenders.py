"""Processes that are measured: each waits for its turn, so that rounds can alternate.

A contender reads lines from stdin; for each it runs once and answers with the number of elements
that it delivered. It says "ready" when it has started. CPU time is that of the whole process tree,
so that workers count wherever they run.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "benchmarks"
_TICK = os.sysconf("SC_CLK_TCK")


def serve(epoch: Callable[[], int]) -> None:
    """The contender's side of the talk."""
    print("ready", flush=True)
    for _ in sys.stdin:
        print(epoch(), flush=True)


class Reading(NamedTuple):
    """One round of one contender."""

    elements: int
    seconds: float
    cpu_seconds: float


class Contender:
    """A process that serves epochs."""

    def __init__(self, name: str, command: Sequence[str | Path]) -> None:
        self.name = name
        self.command = [str(part) for part in command]
        self.readings: list[Reading] = []
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        answer = self._answer()
        if answer != "ready":
            raise RuntimeError(f"{self.name} did not start, it said {answer!r}")

    def _answer(self) -> str:
        assert self._process is not None and self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line:
            raise RuntimeError(f"{self.name} ended with status {self._process.wait()}")
        return line

    def run_once(self) -> Reading:
        assert self._process is not None and self._process.stdin is not None
        cpu = cpu_seconds_of_tree(self._process.pid)
        start = time.perf_counter()
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        elements = int(self._answer())
        seconds = time.perf_counter() - start
        return Reading(elements, seconds, cpu_seconds_of_tree(self._process.pid) - cpu)

    def close(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self._process.kill()

    @property
    def rates(self) -> list[float]:
        return [reading.elements / reading.seconds for reading in self.readings]

    @property
    def rate(self) -> float:
        """Elements a second, the median of the rounds."""
        return statistics.median(self.rates)

    @property
    def cpu_ms(self) -> float:
        """CPU time an element, the median of the rounds."""
        return statistics.median(1000 * each.cpu_seconds / each.elements for each in self.readings)


def run_rounds(contenders: Sequence[Contender], rounds: int) -> None:
    """One round to warm up, then `rounds`, in each of which every contender runs once."""
    try:
        for contender in contenders:
            contender.start()
            contender.run_once()
        for number in range(rounds):
            # Turned around every other time: nobody always follows the same one.
            for contender in contenders if number % 2 == 0 else reversed(contenders):
                contender.readings.append(contender.run_once())
            print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
    finally:
        for contender in contenders:
            contender.close()


def cpu_seconds_of_tree(pid: int) -> float:
    """CPU time of a process, its descendants, and those that have ended."""
    ticks = 0
    parents: dict[int, list[tuple[int, int]]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            used = sum(int(stat[field]) for field in (11, 12, 13, 14))
            parents.setdefault(int(stat[1]), []).append((int(entry), used))
            if int(entry) == pid:
                ticks += used
    waiting = [pid]
    while waiting:
        for child, used in parents.get(waiting.pop(), []):
            ticks += used
            waiting.append(child)
    return ticks / _TICK


def jpegs(folder: Path | None) -> list[str]:
    """The JPEGs below a folder, sorted; those of fastpipe's own sample without one."""
    if folder is None:
        from fastpipe.tools.sample_data import sample_folder

        folder = sample_folder("photographs")
    found = [path for path in folder.rglob("*") if path.suffix.lower() in (".jpg", ".jpeg")]
    if not found:
        raise SystemExit(f"there are no JPEGs in '{folder}'")
    return sorted(str(path.resolve()) for path in found)


def file_list(folder: Path | None, count: int) -> Path:
    """A text file with `count` paths of JPEGs, a line each, repeating as necessary."""
    files = jpegs(folder)
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / "photographs.txt"
    path.write_text("".join(f"{files[index % len(files)]}\n" for index in range(count)))
    return path
