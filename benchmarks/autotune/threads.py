"""What the operating system says of the native threads of this process, by their names."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

TUNER = "fp-tuner"
_TASKS = Path("/proc/self/task")
_PREFIX = "fp-"


def _stages() -> list[Path]:
    """The folders of the threads that belong to stages."""
    found = []
    for task in _TASKS.iterdir():
        name = _text(task / "comm").strip()
        if name.startswith(_PREFIX) and name != TUNER:
            found.append(task)
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # the thread has ended
        return ""


def runnable() -> int:
    """Threads of stages that run or would if there were a core."""
    states = [_text(task / "stat").rpartition(")")[2].split() for task in _stages()]
    return sum(state[:1] == ["R"] for state in states)


def tuner_seconds() -> float:
    """CPU time of the tuners that are alive."""
    nanos = 0
    for task in _TASKS.iterdir():
        if _text(task / "comm").strip() == TUNER:
            nanos += int((_text(task / "schedstat").split() or ["0"])[0])
    return nanos / 1e9


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def sampled(sample: Callable[[], float], period: float) -> Iterator[list[float]]:
    """Calls `sample` again and again on a thread of its own; gives the list it fills."""
    values: list[float] = []
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            values.append(sample())
            time.sleep(period)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield values
    finally:
        stop.set()
        watcher.join()
