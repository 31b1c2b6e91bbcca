"""Random pipelines over extensions that a sanitizer watches, which have nothing to report.

AddressSanitizer (with undefined behaviour), UndefinedBehaviorSanitizer alone, ThreadSanitizer: for
each an extension is compiled and the tests of random pipelines run over it, with their positions.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from faults import build_test_extension
from verdict import Verdict

ROUNDS = 1000
# Python's own allocator would hide from them what belongs to whom.
SANITIZERS = {
    "address": ("libasan.so", "ASAN_OPTIONS", "detect_leaks=0"),
    "undefined": ("libubsan.so", "UBSAN_OPTIONS", "print_stacktrace=1"),
    "thread": ("libtsan.so", "TSAN_OPTIONS", "exitcode=66:detect_deadlocks=0"),
}
_TESTS = Path(__file__).parents[1]
_PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import faults
faults.use_test_extension(Path(sys.argv[2]))
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", sys.argv[1] + "/test_random_pipelines.py"]))
"""


def run(rounds: int, sanitizers: Iterable[str] = SANITIZERS) -> list[Verdict]:
    return [_run(name, rounds) for name in sanitizers]


def _run(name: str, rounds: int) -> Verdict:
    runtime, variable, options = SANITIZERS[name]
    extension = build_test_extension(name)
    with tempfile.TemporaryDirectory() as folder:
        # gcc 12's ThreadSanitizer cannot map its shadow under the address randomisation of newer
        # kernels.
        command = ["setarch", platform.machine(), "-R"] if name == "thread" else []
        command += [sys.executable, "-c", _PROGRAM, str(_TESTS), str(extension)]
        environment = {
            **os.environ,
            "FASTPIPE_PIPELINES": str(rounds),
            "PYTHONMALLOC": "malloc",
            # Without libstdc++ beside it the first exception that C++ throws would end the process.
            "LD_PRELOAD": f"{_library(runtime)} {_library('libstdc++.so')}",
            variable: f"{options}:log_path={folder}/report",
        }
        done = subprocess.run(
            command, env=environment, cwd=_TESTS.parent, capture_output=True, text=True, check=False
        )
        reports = [path.read_text() for path in Path(folder).iterdir()]
    if done.returncode != 0 and not reports:
        reports = [f"ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}"]
    text = f"{name}: {len(reports)} reports on {rounds} pipelines"
    return Verdict(text, not reports, tuple(reports))


def _library(name: str) -> str:
    found = subprocess.run(
        ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    )
    return found.stdout.strip()
