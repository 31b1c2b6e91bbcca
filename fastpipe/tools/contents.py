"""What lies in a folder: photographs, text or TFRecords."""

from __future__ import annotations

import gzip
import os
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from fastpipe.tools.tfrecord import starts_with_record

PHOTOGRAPHS, TEXT, RECORDS = "photographs", "text", "records"
KINDS = (PHOTOGRAPHS, TEXT, RECORDS)

_IMAGE_SUFFIXES = {".jpg", ".jpeg", ".png"}
_TEXT_SUFFIXES = {".txt", ".text", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".log", ".md"}
_RECORD_SUFFIXES = {".tfrecord", ".tfrecords", ".tfrec", ".record", ".records"}
_COMPRESSIONS = {".gz": "GZIP", ".gzip": "GZIP", ".zlib": "ZLIB"}


class ContentsError(Exception):
    """The path is not something that can be compared; the message says what it is."""


@dataclass(frozen=True)
class Contents:
    """Files of one kind.

    Attributes:
        kind: one of KINDS.
        files: their paths, sorted.
        compression: "", "GZIP" or "ZLIB"; all files have the same.
        size: bytes of all files.
        notes: what was left out, in plain words.
    """

    kind: str
    files: tuple[str, ...]
    compression: str = ""
    size: int = 0
    notes: tuple[str, ...] = ()


def contents(path: str | os.PathLike[str], kind: str | None = None) -> Contents:
    """Looks at a folder and all below it, or at one file.

    Args:
        path: a folder or a file.
        kind: one of KINDS: take only these files. None: all files must be of one kind.

    Raises:
        ContentsError: there is no such path, nothing usable in it, or several kinds.
    """
    root = Path(path)
    if not root.exists():
        raise ContentsError(f"there is no file or folder '{root}'")
    found = _files_below(root) if root.is_dir() else [root]
    if not found:
        raise ContentsError(f"'{root}' has no files in it")
    kinds: dict[str, list[tuple[Path, str]]] = {}
    others = []
    for file in found:
        what, compression = _classify(file)
        if what is None:
            others.append(file)
        else:
            kinds.setdefault(what, []).append((file, compression))
    chosen = _choose(root, kinds, others, kind)
    return _contents(chosen, kinds.pop(chosen), kinds, others)


def _files_below(root: Path) -> list[Path]:
    found = []
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if not name.startswith(".")]
        found += [Path(folder, name) for name in files if not name.startswith(".")]
    return sorted(found)


def _choose(
    root: Path, kinds: dict[str, list[tuple[Path, str]]], others: list[Path], kind: str | None
) -> str:
    counts = _listed({what: len(files) for what, files in kinds.items()})
    if kind is not None and kind not in kinds:
        raise ContentsError(f"'{root}' has no {kind} in it, but {counts or _named(others)}")
    if not kinds:
        raise ContentsError(
            f"'{root}' has no photographs (.jpg, .jpeg, .png), text files (.txt, .csv, .jsonl, "
            f"...; also .gz) or TFRecords in it, but {_named(others)}"
        )
    if kind is None and len(kinds) > 1:
        options = " or ".join(f"--kind {what}" for what in KINDS if what in kinds)
        raise ContentsError(
            f"'{root}' has files of several kinds in it: {counts}. Give a folder with one kind, or "
            f"say which with {options}"
        )
    return kind if kind is not None else next(iter(kinds))


def _contents(
    kind: str,
    files: list[tuple[Path, str]],
    rest: dict[str, list[tuple[Path, str]]],
    others: list[Path],
) -> Contents:
    notes = []
    left_out = {what: len(items) for what, items in rest.items()}
    if others:
        left_out["other"] = len(others)
    if left_out:
        notes.append(f"left out: {_listed(left_out)}")
    # One pipeline reads one compression: that of most files.
    compression, count = Counter(each for _, each in files).most_common(1)[0]
    if count < len(files):
        notes.append(
            f"left out: {len(files) - count} files that are not {compression or 'uncompressed'}"
        )
    paths = [file for file, each in files if each == compression]
    size = sum(file.stat().st_size for file in paths)
    return Contents(kind, tuple(str(file) for file in paths), compression, size, tuple(notes))


def _listed(counts: dict[str, int]) -> str:
    nouns = {
        PHOTOGRAPHS: "photograph",
        TEXT: "text file",
        RECORDS: "TFRecord file",
        "other": "other file",
    }
    parts = [
        f"{counts[what]:,} {noun}{'' if counts[what] == 1 else 's'}"
        for what, noun in nouns.items()
        if what in counts
    ]
    return ", ".join(parts)


def _named(files: list[Path]) -> str:
    names = ", ".join(f"'{file.name}'" for file in files[:3])
    return names + (f" and {len(files) - 3:,} more" if len(files) > 3 else "")


def _classify(file: Path) -> tuple[str | None, str]:
    """Kind and compression: by the name if that says it, else by the first bytes."""
    suffix = file.suffix.lower()
    if suffix in _IMAGE_SUFFIXES:
        return PHOTOGRAPHS, ""
    compression = _COMPRESSIONS.get(suffix, "")
    if compression:
        suffix = Path(file.stem).suffix.lower()
    if suffix in _TEXT_SUFFIXES:
        return TEXT, compression
    try:
        head, found = _head(file)
    except OSError:
        return None, ""
    if suffix in _RECORD_SUFFIXES or starts_with_record(head):
        return RECORDS, found or compression
    if not found and head.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")):
        return PHOTOGRAPHS, ""
    return (TEXT, found) if _is_text(head) else (None, "")


def _head(file: Path, size: int = 4096) -> tuple[bytes, str]:
    """The first bytes, after decompression, and the compression."""
    with file.open("rb") as stream:
        raw = stream.read(size)
    try:
        if raw.startswith(b"\x1f\x8b"):
            with gzip.open(file) as unzipped:
                return unzipped.read(size), "GZIP"
        if raw[:1] == b"\x78" and int.from_bytes(raw[:2], "big") % 31 == 0:
            return zlib.decompressobj().decompress(raw, size), "ZLIB"
    except (OSError, EOFError, zlib.error):
        pass
    return raw, ""


def _is_text(head: bytes) -> bool:
    """Whether these are UTF-8 letters; the last one may be cut off."""
    if not head or b"\0" in head:
        return False
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 3 and error.reason == "unexpected end of data"
    return True
