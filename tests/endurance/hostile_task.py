"""Bad files: an error that says where, or a result, never more; and the good ones beside them.

Each bad file lies between two good ones, and a whole pipeline reads all three, one after another
and with parallel calls. Children do it, many files each, and say what they saw: results, errors,
time and memory.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import hostile_files
import numpy as np
from hostile_files import GOOD, IN_FOLDERS, POSITION, Hostile
from verdict import Verdict, all_of

import fastpipe as fp
from fastpipe import _core, errors

ROUNDS = len(hostile_files.all_files())
MOST_SECONDS = 2.0
MOST_BYTES = 64 << 20
A_CHILD = 100  # files
CHILD_SECONDS = 300.0
RESUMED_AFTER = 13  # elements of a position
MOST_RESULTS = 5_000  # of one pass: who wants more of a bad file has seen that it goes on

_PLACE = re.compile(
    r"offset \d+|record \d+|line \d+|has \d+ bytes|manifest|is no file|cannot open|cannot read"
)


def run(rounds: int) -> list[Verdict]:
    chosen = random.Random(hostile_files.SEED).sample(range(ROUNDS), rounds)
    reports: list[dict[str, Any]] = []
    crashes: list[str] = []
    for start in range(0, rounds, A_CHILD):
        with tempfile.TemporaryDirectory() as folder:
            _run_children(folder, chosen[start : start + A_CHILD], reports, crashes)
    no_crash = all_of("no crash and no hang", rounds, crashes)
    if not reports:
        return [no_crash]
    slowest = max(reports, key=lambda report: report["seconds"])
    largest = max(reports, key=lambda report: report["bytes"])
    return [
        no_crash,
        all_of(
            "an error with its place, or a result, and good neighbours", rounds, _wrong(reports)
        ),
        Verdict(
            f"{slowest['seconds']:.2f} s at most, of {slowest['file']} (<= {MOST_SECONDS:.0f} s)",
            slowest["seconds"] <= MOST_SECONDS,
            tuple(r["file"] for r in reports if r["seconds"] > MOST_SECONDS),
        ),
        Verdict(
            f"{largest['bytes'] >> 20} MiB more at most, of {largest['file']} (<= 64 MiB)",
            largest["bytes"] <= MOST_BYTES,
            tuple(
                f"{r['file']}: {r['bytes'] >> 20} MiB" for r in reports if r["bytes"] > MOST_BYTES
            ),
        ),
    ]


def _wrong(reports: list[dict[str, Any]]) -> list[str]:
    return [
        f"{report['file']}: {'; '.join(report['wrong'])}" for report in reports if report["wrong"]
    ]


def _run_children(
    folder: str, numbers: Sequence[int], reports: list[dict[str, Any]], crashes: list[str]
) -> None:
    """What a child says of these files; who kills it is noted, and another goes on behind it."""
    left = list(numbers)
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    program = f"import sys; sys.path[:0] = {paths}; import hostile_task; hostile_task.child()"
    while left:
        try:
            ended = subprocess.run(
                [sys.executable, "-c", program, folder, *map(str, left)],
                capture_output=True,
                text=True,
                timeout=CHILD_SECONDS,
            )
            out, how = ended.stdout, f"{ended.returncode}: {ended.stderr[-2000:]}"
        except subprocess.TimeoutExpired as error:
            said_before = error.stdout or ""  # bytes in some versions of Python
            out = said_before if isinstance(said_before, str) else said_before.decode()
            how = "a hang"
        said = [json.loads(line) for line in out.splitlines() if line.endswith("}")]
        reports += said
        del left[: len(said)]
        if left:
            crashes.append(f"{hostile_files.all_files()[left.pop(0)]}: ended with {how}")


# ---- in a child ----


def child() -> None:
    files = hostile_files.all_files()
    gc.collect()
    gc.freeze()  # collecting between the passes then costs little
    for number in sys.argv[2:]:
        place = Path(sys.argv[1]) / number
        place.mkdir()
        print(json.dumps(_try(files[int(number)], place)), flush=True)


def _try(bad: Hostile, folder: Path) -> dict[str, Any]:
    wrong: list[str] = []
    seconds = peak = 0.0
    for way, read, good in _ways(bad, folder):
        expected = [read([path]) for path in good[::2]]
        _reset_peak()
        before = _status("VmRSS")
        start = time.perf_counter()
        got = read(good)
        seconds = max(seconds, time.perf_counter() - start)
        peak = max(peak, _status("VmHWM") - before)
        wrong += [f"{way}: {what}" for what in _mistakes(bad, good[1], got, *expected)]
    return {"file": str(bad), "wrong": wrong, "seconds": seconds, "bytes": int(peak)}


def _mistakes(
    bad: Hostile, path: str, got: list[Any], first: list[Any], last: list[Any]
) -> list[str]:
    if any(isinstance(result, Exception) for result in [*first, *last]):
        return [f"the good files alone fail: {_short(first)}, {_short(last)}"]
    if got[: len(first)] != first or got[len(got) - len(last) :] != last:
        return [f"the neighbours suffered: {_short(got)} instead of {_short(first)}"]
    middle = got[len(first) : len(got) - len(last)]
    found = [_error_mistake(bad, path, error) for error in middle if isinstance(error, Exception)]
    wrong = [mistake for mistake in found if mistake]
    if not found and bad.must_fail:
        wrong.append(f"no error, but {_short(middle)}")
    if bad.genuine:
        genuine = _genuine(bad.kind)
        invented = [x for x in middle if not isinstance(x, Exception) and x not in genuine]
        wrong += [f"invented {_short(invented)}"] if invented else []
    return wrong


def _error_mistake(bad: Hostile, path: str, error: Exception) -> str:
    text = str(error)
    if type(error) not in _classes(bad):
        return f"raised {error!r:.300}"
    if bad.kind == POSITION:
        return ""
    if not bad.named:
        return "" if "element" in text else f"does not name an element: {text:.300}"
    if path not in text:
        return f"does not name the file: {text:.300}"
    return "" if "decode_" in text or _PLACE.search(text) else f"does not name a place: {text:.300}"


def _classes(bad: Hostile) -> tuple[type[Exception], ...]:
    """What a bad file may raise; everything else is a mistake of ours."""
    if bad.name == "dangling":
        return (errors.NotFoundError,)
    if bad.name == "directory":
        return (errors.IsADirectoryFailedPreconditionError,)
    if bad.kind in ("gzip", "zlib", "zstd"):
        return (errors.DataLossError, errors.ResourceExhaustedError)
    if bad.kind in DECODERS or bad.kind in ("csv", "csv-gzip", "fixed", "example"):
        kinds = (errors.InvalidArgumentError, errors.ResourceExhaustedError)
        return kinds if bad.kind in DECODERS else (*kinds, errors.DataLossError)
    return (errors.DataLossError, errors.ResourceExhaustedError)


def _short(results: list[Any]) -> str:
    return f"{len(results)} results, {repr(results[:3])[:200]}"


def _outcomes(make: Callable[[list[str]], Any], paths: list[str]) -> list[Any]:
    """The results of a pass: elements in plain values, and the errors in their places."""
    results: list[Any] = []
    try:
        with make(paths).iterator() as iterator:
            while len(results) < MOST_RESULTS:
                try:
                    results.append(_plain(next(iterator)))
                except StopIteration:
                    break
                except errors.FastpipeError as error:
                    results.append(error.with_traceback(None))
    except errors.FastpipeError as error:  # of the pipeline itself
        results.append(error.with_traceback(None))
    return results


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return (value.shape, str(value.dtype), value.tobytes() if value.nbytes < 1 << 20 else b"")
    return value


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) << 10
    raise KeyError(name)


def _reset_peak() -> None:
    """From here VmHWM counts anew, and nothing that is kept for reuse hides what is taken."""
    gc.collect()
    _core.trim_buffers()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")


# ---- how files are read ----

Make = Callable[[list[str]], Any]  # a dataset that reads these files
Read = Callable[[list[str]], list[Any]]  # its outcomes


def _ways(bad: Hostile, folder: Path) -> list[tuple[str, Read, list[str]]]:
    """Ways to read a good, the bad and a good file: their names, how, and the paths."""
    if bad.kind in IN_FOLDERS:
        return _folder_ways(bad, folder)
    if bad.kind == POSITION:
        return _position_ways(bad, folder)
    good = GOOD[bad.kind]
    paths = [folder / name for name in ("first", "bad", "last")]
    for number, path in enumerate(paths):
        if number != 1:
            path.write_bytes(good(number // 2))
    _put(bad, paths[1], good(2) if bad.damage else b"")
    makers = _makers(bad.kind)
    texts = [str(path) for path in paths]
    return [(way, functools.partial(_outcomes, make), texts) for way, make in makers.items()]


def _put(bad: Hostile, path: Path, good: bytes) -> None:
    if bad.damage is not None:
        path.write_bytes(bad.damage(good))
    elif bad.name == "directory":
        path.mkdir()
    else:
        path.symlink_to(path.parent / "nowhere")


def _makers(kind: str) -> dict[str, Make]:
    """Sequential and parallel; images resized, too, which is done while they are decoded."""
    names = fp.Dataset.from_tensor_slices
    if kind in DECODERS:
        decode = DECODERS[kind]

        def read(path: Any) -> Any:
            return decode(fp.io.read_file(path))

        makers = {
            "map": lambda paths: names(paths).map(read),
            "parallel map": lambda paths: names(paths).map(read, num_parallel_calls=2),
            "two maps": lambda paths: names(paths).map(fp.io.read_file).map(decode),
        }
        if kind.startswith(("jpeg", "png")):
            makers["resized"] = lambda paths: names(paths).map(
                lambda path: fp.image.resize(read(path), [8, 8])
            )
        return makers
    reader = READERS[kind]
    return {
        "flat_map": lambda paths: names(paths).flat_map(reader),
        "interleave": lambda paths: names(paths).interleave(
            reader, cycle_length=2, block_length=MOST_RESULTS, num_parallel_calls=2
        ),
    }


def _decompressed(kind: str) -> Callable[[Any], Any]:
    return lambda content: fp.io.decode_compressed(content, kind.upper())


DECODERS: dict[str, Callable[[Any], Any]] = {
    **{kind: fp.image.decode_jpeg for kind in GOOD if kind.startswith("jpeg")},
    **{kind: fp.image.decode_png for kind in GOOD if kind.startswith("png")},
    "png-16": lambda content: fp.image.decode_png(content, dtype=fp.uint16),
    "gif": fp.image.decode_gif,
    "bmp": fp.image.decode_bmp,
    **{kind: fp.image.decode_image for kind in GOOD if kind.startswith("webp")},
    "wav": lambda content: tuple(fp.audio.decode_wav(content)),
    **{kind: _decompressed(kind) for kind in ("gzip", "zlib", "zstd")},
}
_FEATURES = {
    "id": fp.io.FixedLenFeature([], fp.int64),
    "values": fp.io.FixedLenFeature([3], fp.float32),
    "text": fp.io.FixedLenFeature([], fp.string),
}
_COLUMNS = ["int32", "string", "float32"]


def _parsed(path: Any) -> Any:
    records = fp.TFRecordDataset(path)
    return records.map(lambda record: fp.io.parse_single_example(record, _FEATURES))


def _fixed(path: Any, compression: str | None = None) -> Any:
    size = hostile_files.RECORD_BYTES
    return fp.FixedLengthRecordDataset(path, size, compression_type=compression)


READERS: dict[str, Callable[[Any], Any]] = {
    "tf_record": fp.TFRecordDataset,
    "tf_record-gzip": lambda path: fp.TFRecordDataset(path, "GZIP"),
    "tf_record-zlib": lambda path: fp.TFRecordDataset(path, "ZLIB"),
    "tf_record-zstd": lambda path: fp.TFRecordDataset(path, "ZSTD"),
    "example": _parsed,
    "text": fp.TextLineDataset,
    "text-gzip": lambda path: fp.TextLineDataset(path, "GZIP"),
    "text-zlib": lambda path: fp.TextLineDataset(path, "ZLIB"),
    "csv": lambda path: fp.CsvDataset([path], _COLUMNS),
    "csv-gzip": lambda path: fp.CsvDataset([path], _COLUMNS, "GZIP"),
    "fixed": _fixed,
    "fixed-gzip": lambda path: _fixed(path, "GZIP"),
}


def _genuine(kind: str) -> list[Any]:
    if kind in (*IN_FOLDERS, POSITION):
        return list(_stored(2))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "good"
        path.write_bytes(GOOD[kind](2))
        return _outcomes(lambda paths: READERS[kind](paths[0]), [str(path)])


# ---- folders that save and cache write ----


def _stored(seed: int) -> Any:
    return fp.Dataset.from_tensor_slices(hostile_files.texts(seed))


def _folder_ways(bad: Hostile, folder: Path) -> list[tuple[str, Read, list[str]]]:
    kind, file = bad.kind.split("/")
    paths = [str(folder / name) for name in ("first", "bad", "last")]
    seeds = dict(zip(paths, (0, 2, 1)))

    def one(path: str) -> Any:
        if kind == "saved":
            return fp.Dataset.load(path)
        made = _stored(seeds[path])
        return made.cache(path) if kind == "cache" else made.snapshot(path)

    for path in paths:
        if kind == "saved":
            _stored(seeds[path]).save(path)
        else:
            assert len(list(one(path))) == hostile_files.RECORDS
    (found,) = Path(paths[1]).rglob(f"*{file}")
    good = found.read_bytes()
    os.unlink(found)
    _put(bad, found, good)

    def concatenated(wanted: list[str]) -> Any:
        return functools.reduce(lambda a, b: a.concatenate(b), map(one, wanted))

    def apart(wanted: list[str]) -> list[Any]:
        # load says at once that a manifest is bad: there is no pipeline to put in a row.
        return [x for path in wanted for x in _outcomes(concatenated, [path])]

    if file == "manifest":
        return [("apart", apart, paths)]
    return [("concatenate", functools.partial(_outcomes, concatenated), paths)]


# ---- positions of iterators ----


def _position_ways(bad: Hostile, folder: Path) -> list[tuple[str, Read, list[str]]]:
    paths = [str(folder / name) for name in ("first", "bad", "last")]
    seeds = dict(zip(paths, (0, 2, 1)))

    def shuffled(path: str) -> Any:
        return _stored(seeds[path]).shuffle(5, seed=1).repeat(2).prefetch(2)

    for path in paths:
        iterator = iter(shuffled(path))
        for _ in range(RESUMED_AFTER):
            next(iterator)
        Path(path).write_bytes(iterator.save())
    _put(bad, Path(paths[1]), Path(paths[1]).read_bytes())

    def resumed(wanted: list[str]) -> list[Any]:
        return [x for path in wanted for x in _resumed(shuffled(path), Path(path).read_bytes())]

    return [("resume", resumed, paths)]


def _resumed(dataset: Any, state: bytes) -> list[Any]:
    try:
        return [*dataset.iterator(state)]
    except errors.FastpipeError as error:
        return [error.with_traceback(None)]
