"""Making pipelines, reading a little and dropping them leaves nothing behind.

Threads and descriptors come back to what they were; resident memory grows by no more than 1 kB a
round, as a line through the second half of the rounds says.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from process import eventually, open_files, os_threads, resident_bytes
from verdict import Verdict

import fastpipe as fp

ROUNDS = 1000
MOST = 1000.0  # bytes a round


def run(rounds: int) -> list[Verdict]:
    """In a process of its own: what else a process did would show in its memory."""
    program = f"""
import json, sys
sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]}
import leaks_task
print(json.dumps(leaks_task.measure({rounds})))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        return [Verdict(f"the process ended with {done.returncode}", False, (done.stderr,))]
    seen = json.loads(done.stdout)
    threads, files, slope = seen["threads"], seen["files"], seen["slope"]
    return [
        Verdict(f"threads {threads[1]} of {threads[0]}", threads[1] <= threads[0]),
        Verdict(f"files {files[1]} of {files[0]}", files[1] <= files[0]),
        Verdict(f"memory grows by {slope:.0f} bytes a round (<= {MOST:.0f})", slope <= MOST),
    ]


def measure(rounds: int) -> dict[str, Any]:
    """Threads and files before and after, and the slope of the second half of the rounds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.txt"
        path.write_text("line\n" * 1000)
        for number in range(20):
            _round(str(path), number)
        gc.collect()
        threads, files = os_threads(), len(open_files())
        resident = []
        for number in range(rounds):
            _round(str(path), number)
            if number % 20 == 19:
                gc.collect()
            resident.append(resident_bytes())
        gc.collect()
        eventually(lambda: os_threads() <= threads and len(open_files()) <= files)
    half = np.array(resident[rounds // 2 :], float)
    slope = float(np.polyfit(np.arange(len(half)), half, 1)[0]) if len(half) > 2 else 0.0
    return {
        "threads": (threads, os_threads()),
        "files": (files, len(open_files())),
        "slope": slope,
    }


def _round(path: str, number: int) -> None:
    kind = number % 4
    if kind == 0:
        ds = fp.Dataset.range(1000).map(lambda x: x + 1, num_parallel_calls=2).batch(10)
    elif kind == 1:
        ds = fp.Dataset.from_tensor_slices([path] * 4).interleave(
            fp.TextLineDataset, cycle_length=2, num_parallel_calls=2
        )
    elif kind == 2:
        ds = fp.TextLineDataset(path).shuffle(50).cache().repeat(2).prefetch(fp.AUTOTUNE)
    else:
        ds = fp.Dataset.range(100).map(lambda x: fp.py_function(lambda v: v, [x], fp.int64), 2)
    iterator = iter(ds)
    for _ in range(3):
        next(iterator)
    if number % 3 == 0:
        iterator.save()
