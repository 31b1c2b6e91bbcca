"""The files that contenders read: made once under build/benchmarks, always the same."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.contenders import BUILD
from benchmarks.environments import ROOT, python_of

TEXT_FILES, TEXT_LINES = 32, 60_000
RECORDS, RECORD_BYTES = 1_000_000, 96
RECORD_FILES = 10  # of photographs


def jpegs(folder: Path | None) -> list[str]:
    """The JPEGs below a folder, sorted; those of fastpipe's own sample without one."""
    if folder is None:
        from fastpipe.tools.sample_data import sample_folder

        folder = sample_folder("photographs")
    found = [path for path in folder.rglob("*") if path.suffix.lower() in (".jpg", ".jpeg")]
    if not found:
        raise SystemExit(f"there are no JPEGs in '{folder}'")
    return sorted(str(path.resolve()) for path in found)


def file_list(folder: Path | None, count: int) -> Path:
    """A text file with `count` paths of JPEGs, a line each, repeating as necessary."""
    return list_of("photographs", _repeated(jpegs(folder), count))


def _repeated(files: Sequence[str], count: int) -> list[str]:
    return [files[index % len(files)] for index in range(count)]


def list_of(name: str, paths: Iterable[object]) -> Path:
    """A text file with these paths, a line each."""
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / f"{name}.txt"
    path.write_text("".join(f"{each}\n" for each in paths))
    return path


def _made(name: str, key: object, make: Callable[[Path], None]) -> Path:
    """A folder that `make` has filled, now or earlier; `key` is what its contents depend on."""
    digest = hashlib.sha256(repr(key).encode()).hexdigest()[:8]
    folder = BUILD / f"{name}-{digest}"
    if not folder.exists():
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        make(unfinished)
        unfinished.rename(folder)
    return folder


def _made_with_pillow(what: str, images: Path | None, count: int, *more: int) -> list[str]:
    files = jpegs(images)
    photographs = list_of("all-photographs", files)

    def make(folder: Path) -> None:
        run_pillow(what, photographs, folder, count, *more)

    folder = _made("-".join(map(str, (what, *more))), (files, count, more), make)
    return sorted(str(path) for path in folder.iterdir())


def run_pillow(*arguments: object) -> None:
    """Runs `benchmarks.pillow_images`, which says what it does."""
    command = [python_of("pillow"), "-m", "benchmarks.pillow_images", *arguments]
    subprocess.run([str(each) for each in command], check=True, cwd=ROOT)


def tiny_images(images: Path | None, count: int) -> list[str]:
    """So many images of 32x32, PNGs and JPEGs."""
    return _made_with_pillow("tiny", images, count)


def large_photographs(images: Path | None, count: int) -> list[str]:
    """So many JPEGs of 12 megapixels."""
    return _made_with_pillow("large", images, count)


def sized_photographs(images: Path | None, count: int, width: int) -> list[str]:
    """So many JPEGs of one width, in the ratio of 4 to 3."""
    return _made_with_pillow("sized", images, count, width)


def text_files() -> list[str]:
    """TEXT_FILES files of TEXT_LINES lines of 20 to 100 characters."""

    def make(folder: Path) -> None:
        for number in range(TEXT_FILES):
            with (folder / f"{number:02}.txt").open("w") as file:
                for line in range(TEXT_LINES):
                    start = f"file {number} line {line} "
                    file.write(start.ljust(20 + (number + 31 * line) % 81, "x") + "\n")

    folder = _made("text", (TEXT_FILES, TEXT_LINES), make)
    return sorted(str(path) for path in folder.iterdir())


def record_file() -> str:
    """A TFRecord file of RECORDS records of RECORD_BYTES bytes."""

    def make(folder: Path) -> None:
        from fastpipe.io import TFRecordWriter

        with TFRecordWriter(str(folder / "small.tfrecord")) as writer:
            for number in range(RECORDS):
                writer.write(b"%012d" % number * (RECORD_BYTES // 12))

    return str(_made("records", (RECORDS, RECORD_BYTES), make) / "small.tfrecord")


def record_photographs(images: Path | None, count: int) -> list[str]:
    """RECORD_FILES TFRecord files with so many Examples, {"image": a JPEG, "label": an int64}.

    Photograph n is in file n % RECORD_FILES.
    """
    files = _repeated(jpegs(images), count)

    def make(folder: Path) -> None:
        from fastpipe.io import TFRecordWriter

        for number in range(RECORD_FILES):
            with TFRecordWriter(str(folder / f"{number:02}.tfrecord")) as writer:
                for path in files[number::RECORD_FILES]:
                    writer.write(_example(Path(path).read_bytes(), number))

    folder = _made("record-photographs", files, make)
    return sorted(str(path) for path in folder.iterdir())


def _example(image: bytes, label: int) -> bytes:
    """A tf.train.Example, field by field: a rival must not be needed to write it."""
    features = {
        b"image": _field(1, _field(1, image)),
        b"label": _field(3, b"\x08" + _varint(label)),
    }
    entries = (_field(1, _field(1, name) + _field(2, value)) for name, value in features.items())
    return _field(1, b"".join(entries))


def _field(number: int, payload: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(payload)) + payload


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def empty_files(count: int) -> str:
    """A pattern that finds so many empty files, a hundred in a folder."""

    def make(folder: Path) -> None:
        for number in range(count):
            if number % 100 == 0:
                (folder / f"{number // 100:04}").mkdir()
            (folder / f"{number // 100:04}" / f"{number:08}.jpg").touch()

    return str(_made(f"files-{count}", count, make) / "*" / "*.jpg")
