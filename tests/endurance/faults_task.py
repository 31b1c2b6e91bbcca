"""The k-th open, read, stat, allocation, thread start or decode fails or stalls, whatever k is.

A pipeline over pictures in files and in TFRecords runs once for each k, over a build with fault
points (tests/faults.py), in a process for each kind of fault. Every run raises the right error and
has all other elements, or the right result; none hangs, crashes or leaves a thread or a descriptor.
"""

from __future__ import annotations

import errno
import subprocess
import sys
import tempfile
from pathlib import Path

from faults import build_test_extension
from images import jpeg, photograph
from verdict import Verdict, all_of

ROUNDS = 200
# Each with the errno of such a failure; and whether it may also be slow.
KINDS = {
    "open": (errno.EIO, True),
    "read": (errno.EIO, True),
    "stat": (errno.EIO, True),
    "allocate": (errno.ENOMEM, False),
    "start_thread": (errno.EAGAIN, True),
    "decode": (errno.EINVAL, True),
    "new": (errno.ENOMEM, False),
}
PICTURES = 40
RECORD_FILES = 4
RECORDS = 10
_CHILD = Path(__file__).parent / "faults_child.py"


def run(rounds: int) -> list[Verdict]:
    extension = build_test_extension()
    verdicts = []
    with tempfile.TemporaryDirectory() as folder:
        _make_inputs(Path(folder))
        for kind, (error, stalls) in KINDS.items():
            verdicts.append(_try(extension, folder, kind, error, rounds))
            if stalls:
                verdicts.append(_try(extension, folder, kind, 0, max(rounds // 5, 2)))
    return verdicts


def _make_inputs(folder: Path) -> None:
    import fastpipe as fp

    pictures = [jpeg(photograph(24, 32, seed=seed)) for seed in range(PICTURES)]
    for number, encoded in enumerate(pictures):
        (folder / f"{number:02}.jpg").write_bytes(encoded)
    for number in range(RECORD_FILES):
        with fp.io.TFRecordWriter(str(folder / f"{number}.tfrecord")) as writer:
            for record in range(RECORDS):
                writer.write(jpeg(photograph(24, 32, seed=1000 + number * RECORDS + record)))


def _try(extension: Path, folder: str, kind: str, error: int, rounds: int) -> Verdict:
    what = f"right when the k-th {kind} {'fails' if error else 'is slow'}"
    done = subprocess.run(
        [sys.executable, str(_CHILD), str(extension), folder, kind, str(error), str(rounds)],
        text=True,
        capture_output=True,
    )
    wrong = [line for line in done.stdout.splitlines() if line != "right"]
    right = done.stdout.splitlines().count("right")
    if done.returncode != 0:
        wrong.append(f"ended with {done.returncode} after {right} rounds: {done.stderr[-3000:]}")
    elif right + len(wrong) != rounds:
        wrong.append(f"only {right + len(wrong)} rounds: {done.stderr[-1000:]}")
    return all_of(what, rounds, wrong)
