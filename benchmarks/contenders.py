"""Processes that are measured: each waits for its turn, so that rounds can alternate.

`benchmarks.serving` is their side of the talk. CPU time and memory are those of the whole process
tree, so that workers count wherever they run. A contender that cannot be installed, does not start
or fails later is left out of what follows, and says why.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.environments import ROOT, Unavailable, python_of, versions_of

BUILD = ROOT / "build" / "benchmarks"
OURS = "fastpipe"  # the environment of contenders that run in the project's own
_TICK = os.sysconf("SC_CLK_TCK")
_PATIENCE = 300.0  # seconds that an answer may take


class Failure(Exception):
    """Why a contender is left out, in one line."""


class Reading(NamedTuple):
    """One round of one contender."""

    elements: int
    seconds: float
    cpu_seconds: float


class Contender:
    """A process that serves epochs.

    Attributes:
        name: in the report.
        command: what to run; for a module, see `module`.
        environment: OURS, or that of a rival, whose interpreter runs the command.
        group: contenders of one group are compared with each other.
        has_images: it answers with the pixels of its first images.
        readings: one each round.
        peak_bytes: the most memory of its processes, added up.
        failure: why it is left out, or "".
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        environment: str = OURS,
        group: str = "",
        has_images: bool = False,
    ) -> None:
        self.name = name
        self.command = [str(part) for part in command]
        self.environment = environment
        self.group = group
        self.has_images = has_images
        self.readings: list[Reading] = []
        self.peak_bytes = 0
        self.failure = ""
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        BUILD.mkdir(parents=True, exist_ok=True)
        command = self.command
        if self.environment != OURS:
            command = [str(python_of(self.environment)), *command]
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=ROOT,
                env={**os.environ, **quiet, "PYTHONPATH": str(ROOT)},
            )
        while self._answer() != "ready":
            pass  # libraries greet on stdout

    @property
    def _log(self) -> Path:
        name = "".join(each if each.isalnum() else "-" for each in f"{self.group} {self.name}")
        return BUILD / f"stderr-{name}.txt"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def _answer(self) -> str:
        assert self._process is not None and self._process.stdout is not None
        timer = threading.Timer(_PATIENCE, self._process.kill)
        timer.start()
        line = self._process.stdout.readline().strip()
        if line:
            timer.cancel()
            return line
        status = self._process.wait()
        late = timer.finished.is_set()
        timer.cancel()
        said = [each.strip() for each in self._log.read_text().splitlines() if each.strip()]
        reason = said[-1] if said else f"it ended with status {status}"
        raise Failure(f"no answer within {_PATIENCE:g} s" if late else reason)

    def ask(self, line: str) -> int:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer, which does not come, says why
        return int(self._answer())

    def run_once(self) -> Reading:
        cpu = cpu_seconds_of_tree(self.pid)
        start = time.perf_counter()
        elements = self.ask("go")
        seconds = time.perf_counter() - start
        reading = Reading(elements, seconds, cpu_seconds_of_tree(self.pid) - cpu)
        if not elements:
            raise Failure("it delivered nothing")
        self.peak_bytes = max(self.peak_bytes, bytes_of_tree(self.pid, "VmHWM"))
        return reading

    def close(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

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

    @property
    def images_path(self) -> Path:
        return self._log.with_name(self._log.stem.replace("stderr-", "images-") + ".npy")


def module(
    name: str,
    path: str,
    arguments: Sequence[object],
    environment: str = OURS,
    group: str = "",
    has_images: bool = False,
) -> Contender:
    """A contender that is a module of this package, "photographs.run_torch"."""
    command = ["-m", f"benchmarks.{path}", *map(str, arguments)]
    if environment == OURS:
        command.insert(0, sys.executable)
    return Contender(name, command, environment, group, has_images)


def measure(contenders: Sequence[Contender], arguments: argparse.Namespace) -> list[Contender]:
    """Runs those that are asked for, in turn; returns these, failed ones too."""
    chosen = [each for each in contenders if is_wanted(each.name, arguments)]
    run_rounds(chosen, arguments.rounds)
    return chosen


def is_wanted(name: str, arguments: argparse.Namespace) -> bool:
    """Whether --contender asks for it, or is not there."""
    parts = arguments.contender or [""]
    return any(part.lower() in name.lower() for part in parts)


def run_rounds(contenders: Sequence[Contender], rounds: int) -> None:
    """One round to warm up, then `rounds`, in each of which every contender runs once."""
    try:
        for contender in contenders:
            attempt(contender, _start)
        for number in range(rounds):
            # Turned around every other time: nobody always follows the same one.
            for contender in contenders if number % 2 == 0 else reversed(contenders):
                attempt(contender, lambda each: each.readings.append(each.run_once()))
            print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for contender in contenders:
            if contender.has_images:
                contender.images_path.unlink(missing_ok=True)
                attempt(contender, lambda each: each.ask(f"images {each.images_path}"))
    finally:
        for contender in contenders:
            contender.close()


def _start(contender: Contender) -> None:
    contender.start()
    contender.run_once()


def attempt(contender: Contender, step: Callable[[Contender], object]) -> None:
    """Leaves a contender out when a step fails: the others go on."""
    if contender.failure:
        return
    try:
        step(contender)
    except (Failure, Unavailable, OSError, ValueError, subprocess.SubprocessError) as error:
        contender.failure = " ".join(str(error).split()) or type(error).__name__
        print(f"{contender.name}: {contender.failure}", file=sys.stderr, flush=True)


def fastest(contenders: Sequence[Contender]) -> Contender:
    """The one with the highest rate; the first if none was measured."""
    return max(contenders, key=lambda each: each.rate if each.readings else 0.0)


def versions(contenders: Sequence[Contender]) -> list[str]:
    """What the environments of the rivals hold."""
    names = sorted({each.environment for each in contenders} - {OURS})
    found = []
    for name in names:
        try:
            found += [each for each in versions_of(name) if each not in found]
        except (Unavailable, subprocess.SubprocessError):
            pass  # its contenders say why
    return found


def _processes_of_tree(pid: int) -> list[tuple[int, list[str]]]:
    """A process and its descendants: number, and the fields of `stat` behind the name."""
    children: dict[int, list[int]] = {}
    found: dict[int, list[str]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            found[int(entry)] = fields
            children.setdefault(int(fields[1]), []).append(int(entry))
    tree, waiting = [], [pid]
    while waiting:
        number = waiting.pop()
        if number in found:
            tree.append((number, found[number]))
            waiting += children.get(number, [])
    return tree


def cpu_seconds_of_tree(pid: int) -> float:
    """CPU time of a process, its descendants, and those that have ended."""
    ticks = sum(int(fields[11 + n]) for _, fields in _processes_of_tree(pid) for n in range(4))
    return ticks / _TICK


def bytes_of_tree(pid: int, field: str) -> int:
    """VmRSS or VmHWM of a process and its descendants, added up; shared pages count in each."""
    total = 0
    for number, _ in _processes_of_tree(pid):
        try:
            lines = Path("/proc", str(number), "status").read_text().splitlines()
        except OSError:
            continue
        total += sum(1024 * int(line.split()[1]) for line in lines if line.startswith(field))
    return total
