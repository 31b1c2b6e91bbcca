"""Faults of the system in a process of their own: its k-th open, read, allocation, ... fails.

The test extension (`python tests/native/build.py --extension`) is fastpipe._core with the fault
points of csrc/core/fault_points.h. A program that calls `use_test_extension()` before it imports
fastpipe has it in place of the normal one, and may then arm faults:

    import faults
    faults.use_test_extension()
    import fastpipe as fp
    faults.arm("read", first=3, error=errno.EIO)
"""

from __future__ import annotations

import ctypes
import importlib.abc
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
# As FaultKind has them.
KINDS = ("open", "read", "stat", "allocate", "start_thread", "decode", "new")
FOREVER = -1.0

_library: ctypes.CDLL | None = None


class _TestExtension(importlib.abc.MetaPathFinder):
    def __init__(self, path: Path) -> None:
        self._path = path

    def find_spec(
        self, fullname: str, path: object = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != "fastpipe._core":
            return None
        return importlib.util.spec_from_file_location(fullname, self._path)


def build_test_extension(sanitize: str | None = None) -> Path:
    """Its path, built if it is not up to date, by default in the variant of the environment's
    FASTPIPE_SANITIZE, of which the normal extension is."""
    if sanitize is None:
        sanitize = os.environ.get("FASTPIPE_SANITIZE", "")
    done = subprocess.run(
        [sys.executable, "tests/native/build.py", "--extension", "--sanitize", sanitize],
        cwd=ROOT,
        text=True,
        capture_output=True,
    )
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return Path(done.stdout.splitlines()[-1])


def use_test_extension(path: Path | None = None) -> None:
    """Makes `import fastpipe` load the test extension, by default as built now."""
    global _library
    if "fastpipe" in sys.modules:
        raise AssertionError("fastpipe is imported already: use the test extension before")
    path = build_test_extension() if path is None else path
    sys.meta_path.insert(0, _TestExtension(path))
    _library = ctypes.CDLL(str(path))
    _library.fastpipe_fault_calls.restype = ctypes.c_int64
    _library.fastpipe_arm_fault.argtypes = [ctypes.c_int, *[ctypes.c_int64] * 2] + [
        ctypes.c_int,
        ctypes.c_int64,
    ]


def _loaded() -> ctypes.CDLL:
    if _library is None:
        raise AssertionError("use_test_extension() comes first")
    return _library


def arm(kind: str, first: int = 1, *, times: int = 1, error: int = 0, stall: float = 0.0) -> None:
    """Counts calls of `kind` anew: from the `first` on so many stall, and fail if `error`.

    Args:
        error: what errno says of those that fail; 0 lets them succeed.
        stall: seconds that they hang first, whoever closes or cancels; FOREVER: until `release`.
    """
    stall_ns = -1 if stall == FOREVER else int(stall * 1e9)
    _loaded().fastpipe_arm_fault(KINDS.index(kind), first, times, error, stall_ns)


def disarm() -> None:
    """No fault strikes any more, and nothing stays stalled."""
    _loaded().fastpipe_disarm_faults()


def release() -> None:
    """Lets what is stalled go on."""
    _loaded().fastpipe_release_stalls()


def calls(kind: str) -> int:
    """Calls of `kind` since it was armed, or since `disarm`."""
    return int(_loaded().fastpipe_fault_calls(KINDS.index(kind)))
