"""The files and the functions that several scenarios share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fastpipe as fp
from benchmarks.contenders import BUILD
from benchmarks.inputs import jpegs

BATCH = 64
SLOW = fp.SimulatedStorage(open_delay=0.020, read_delay=0.005)
FILES = 64  # of text
_LINE = 4096  # long: what is measured is the storage, not the cost of a line
_SMALL_WIDTH = 64


def cores() -> int:
    return len(os.sched_getaffinity(0))


def repeated(paths: Sequence[str], storage: fp.SimulatedStorage | None = None) -> Any:
    """The paths, endlessly."""
    dataset = fp.Dataset.from_tensor_slices(list(paths)).repeat()
    return dataset.with_options(fp.Options(storage=storage))


def decode(content: Any) -> Any:
    image = fp.io.decode_jpeg(content, channels=3)
    return fp.image.resize(image, [224, 224], antialias=True)


def load(path: Any) -> Any:
    return decode(fp.io.read_file(path))


def batches_of_photographs(paths: Sequence[str], calls: int) -> Any:
    """Read, decode and resize in one map; in batches of BATCH."""
    ahead = fp.AUTOTUNE if calls == fp.AUTOTUNE else 2
    return repeated(paths).map(load, num_parallel_calls=calls).batch(BATCH).prefetch(ahead)


def some_photographs(arguments: argparse.Namespace, count: int) -> list[str]:
    """So many paths; a file occurs more than once if there are not as many."""
    files = jpegs(arguments.images)
    return [files[index % len(files)] for index in range(count)]


def small_photographs(arguments: argparse.Namespace) -> list[str]:
    """Those of the benchmark, shrunk to thumbnails; made once."""
    folder = BUILD / "thumbnails"
    folder.mkdir(parents=True, exist_ok=True)
    files = some_photographs(arguments, 64)
    made = [folder / f"{index:03}.jpg" for index in range(len(files))]
    if not made[-1].exists():
        for path, content in zip(made, fp.Dataset.from_tensor_slices(files).map(_shrunk)):
            path.write_bytes(content)
    return [str(path) for path in made]


def _shrunk(path: Any) -> Any:
    image = fp.io.decode_jpeg(fp.io.read_file(path), channels=3)
    image = fp.image.resize(image, [_SMALL_WIDTH, _SMALL_WIDTH], antialias=True)
    return fp.io.encode_jpeg(fp.cast(fp.clip_by_value(image, 0.0, 255.0), fp.uint8))


def text_files(lines: int) -> list[str]:
    """FILES files of so many lines of 4 KiB, made once."""
    folder = BUILD / f"text-{lines}"
    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / f"{index:02}.txt" for index in range(FILES)]
    if not made[-1].exists():
        for index, path in enumerate(made):
            _write_lines(path, index, lines)
    return [str(path) for path in made]


def _write_lines(path: Path, index: int, lines: int) -> None:
    with path.open("w") as file:
        for line in range(lines):
            file.write(f"{index} {line} ".ljust(_LINE - 1, "x") + "\n")
