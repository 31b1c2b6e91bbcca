"""Runs the pipeline of faults_task.py once for each k, and prints a line each: 'right', or not."""

from __future__ import annotations

import collections
import faulthandler
import gc
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

import faults  # noqa: E402

faults.use_test_extension(Path(sys.argv[1]))

from process import eventually, open_files, os_threads  # noqa: E402

import fastpipe as fp  # noqa: E402

HANG_SECONDS = 10.0
STALL_SECONDS = 0.02
MOST_K = 200
BATCH = 4
RECORDS = 10  # in a file of records
EVERYTHING = 80
# What may be raised, and how many elements one fault may cost.
EXPECTED: dict[str, tuple[type[Exception], int]] = {
    "open": (fp.errors.UnavailableError, RECORDS),
    "read": (fp.errors.UnavailableError, RECORDS),
    "stat": (fp.errors.UnavailableError, RECORDS),
    "allocate": (MemoryError, RECORDS),
    "start_thread": (fp.errors.ResourceExhaustedError, 0),
    "decode": (fp.errors.InvalidArgumentError, 1),
    "new": (MemoryError, RECORDS),
}
NAMES_A_FILE = ("open", "read", "stat")
FOLDER = sys.argv[2]


def pipeline(folder: str) -> fp.Dataset:
    def picture(encoded):
        return fp.cast(fp.image.resize(fp.io.decode_jpeg(encoded), [8, 8]), fp.uint8)

    pictures = fp.Dataset.list_files(f"{folder}/*.jpg", shuffle=False).map(
        lambda path: picture(fp.io.read_file(path)), num_parallel_calls=fp.AUTOTUNE
    )
    records = (
        fp.Dataset.list_files(f"{folder}/*.tfrecord", shuffle=False)
        .interleave(fp.TFRecordDataset, cycle_length=2, num_parallel_calls=fp.AUTOTUNE)
        .map(picture, num_parallel_calls=2)
    )
    both = pictures.concatenate(records).shuffle(16, seed=7)
    return both.batch(BATCH, num_parallel_calls=2).prefetch(fp.AUTOTUNE)


def results(dataset: fp.Dataset, errors: list[Exception]) -> Iterator[bytes]:
    """The pictures of all batches; what is raised goes into `errors`, and iteration goes on."""
    try:
        iterator = iter(dataset)
    except Exception as error:
        errors.append(error)
        return
    while True:
        try:
            batch = next(iterator)
        except StopIteration:
            return
        except Exception as error:
            errors.append(error)
            if len(errors) > 10:
                return
            continue
        yield from (picture.tobytes() for picture in batch)


def once(folder: str, ignore: bool) -> tuple[collections.Counter[bytes], list[Exception]]:
    errors: list[Exception] = []
    try:
        dataset = pipeline(folder)
        dataset = dataset.ignore_errors() if ignore else dataset
    except Exception as error:
        return collections.Counter(), [error]
    return collections.Counter(results(dataset, errors)), errors


def judge(kind: str, struck: bool, ignore: bool, missing: int, errors: list[Exception]) -> str:
    expected, cost = EXPECTED[kind]
    for error in errors:
        if not isinstance(error, expected):
            return f"raised {error!r}"
        named = [*getattr(error, "trail", ()), str(error)]
        if kind in NAMES_A_FILE and not any(FOLDER in s for s in named):
            return f"names no file: {error!r}, {named}"
    if len(errors) > (1 if struck else 0):
        return f"raised {len(errors)} errors: {errors}"
    if missing and not (struck and (errors or ignore)):
        return f"lost {missing} elements without an error"
    if missing > cost and not (errors and missing == EVERYTHING):
        return f"lost {missing} elements by {errors}"
    return "right"


def left_behind(threads: int, descriptors: int) -> str:
    """What a run left; empty if nothing."""
    if eventually(lambda: os_threads() == threads and len(open_files()) == descriptors, 5):
        return ""
    return f"left {os_threads()} of {threads} threads, {len(open_files())} of {descriptors} files"


def main() -> None:
    _, _, folder, kind, error, rounds = sys.argv
    threads = os_threads()  # NumPy has some too
    whole, errors = once(folder, ignore=False)
    assert not errors and whole.total() == EVERYTHING, (errors, whole.total())
    faults.disarm()
    once(folder, ignore=False)
    most = faults.calls(kind) if kind == "new" else min(faults.calls(kind), MOST_K)
    gc.collect()
    descriptors = len(open_files())
    for number in range(int(rounds)):
        first = 1 + number * max(most, 1) // int(rounds)
        ignore = number % 2 == 1
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        faults.arm(kind, first, error=int(error), stall=0.0 if int(error) else STALL_SECONDS)
        found, errors = once(folder, ignore)
        struck = faults.calls(kind) >= first and int(error) != 0
        faults.disarm()
        verdict = judge(kind, struck, ignore, (whole - found).total(), errors)
        if found - whole:
            verdict = f"{(found - whole).total()} elements that are none"
        errors.clear()
        gc.collect()
        faulthandler.cancel_dump_traceback_later()
        verdict = left_behind(threads, descriptors) or verdict
        print(verdict if verdict == "right" else f"{kind} {first}: {verdict}", flush=True)


main()
