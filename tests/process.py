"""What the operating system says of this process, and programs in a process of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEADLINE_SECONDS = 30.0  # for what should take milliseconds: only a failure ever reaches it
CHILD_SECONDS = 60.0


def os_threads() -> int:
    """Threads of this process, as the operating system counts them."""
    return len(os.listdir("/proc/self/task"))


def open_files() -> dict[str, str]:
    """Descriptor -> what it points at."""
    found = {}
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            found[descriptor] = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            continue  # the one that lists the folder
    return found


def resident_bytes() -> int:
    """Memory of this process that is in RAM."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def eventually(condition: Callable[[], bool], seconds: float = DEADLINE_SECONDS) -> bool:
    """Whether `condition` comes true before the deadline."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


# A shell that runs the tests in its background has Ctrl+C ignored, also by whatever they start.
_HEADER = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import fastpipe as fp
"""


# The same with the test extension (tests/faults.py), and faults to arm.
WITH_FAULTS = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import faults
faults.use_test_extension()
{_HEADER}
"""


def start(
    program: str, *arguments: str, talk: bool = False, header: str = _HEADER
) -> subprocess.Popen[str]:
    """Starts a Python program that has fastpipe as `fp`; `talk` gives it a standard input."""
    return subprocess.Popen(
        [sys.executable, "-c", header + textwrap.dedent(program), *arguments],
        stdin=subprocess.PIPE if talk else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,  # with whatever it starts itself
    )


def run(program: str, *arguments: str, header: str = _HEADER) -> subprocess.CompletedProcess[str]:
    """Runs it to its end, which must come in time."""
    process = start(program, *arguments, header=header)
    try:
        out, err = process.communicate(timeout=CHILD_SECONDS)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)  # a child that lived on would keep the pipes open
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        out, err = process.communicate()
        raise AssertionError(f"the program did not end in {CHILD_SECONDS} s: {out}{err}") from None
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
