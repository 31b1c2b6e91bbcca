"""The same work on the same files, written in each of the ways that tf.data's vocabulary offers."""

from __future__ import annotations

import gzip
import io as streams
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from fastpipe import image, io, strings
from fastpipe.dataset import Dataset
from fastpipe.functions import py_function
from fastpipe.io import FixedLenFeature, parse_single_example
from fastpipe.node import AUTOTUNE
from fastpipe.readers import TextLineDataset, TFRecordDataset
from fastpipe.spec import TensorSpec
from fastpipe.tools.contents import PHOTOGRAPHS, TEXT, Contents
from fastpipe.tools.tfrecord import Feature, example_features, read_records

CYCLE_LENGTH = 16  # files, or shares of the files, that interleave has open at once
_SIZE = 224
_HASH_BUCKETS = 50_000
_LOOKED_AT = 20  # lines or records that decide what the work is

Load = Callable[[Any], Any]


@dataclass(frozen=True)
class Variant:
    """One way to write the work.

    Attributes:
        method: "sequential", "map", "interleave" or "python map".
        threads: None for the consumer's thread alone, AUTOTUNE, or how many.
    """

    method: str
    threads: int | None = None

    @property
    def parallelism(self) -> str:
        """ "none", "fixed" or "AUTOTUNE"."""
        if self.threads is None:
            return "none"
        return "AUTOTUNE" if self.threads == AUTOTUNE else "fixed"

    @property
    def name(self) -> str:
        """As the table has it.

        >>> Variant("map", 2).name
        'map, 2 threads'
        """
        if self.method == "sequential":
            return "sequential"
        how = {"none": "sequential", "AUTOTUNE": "AUTOTUNE"}.get(self.parallelism)
        if how is None:
            how = f"{self.threads} thread{'' if self.threads == 1 else 's'}"
        return f"{'map of Python (Pillow)' if self.method == 'python map' else self.method}, {how}"


@dataclass(frozen=True)
class Work:
    """What is done with each element of some files.

    Attributes:
        contents: the files.
        description: what is done, in plain words.
        read: a Dataset of raw elements from a path; None if a path is itself the element.
        load: makes the result from one raw element; native.
        python_load: the same as a Python function; None if there is no point, or no Pillow.
        batch: stacks results.
    """

    contents: Contents
    description: str
    read: Callable[[Any], Dataset] | None
    load: Load
    python_load: Load | None
    batch: Callable[[Dataset, int], Dataset]

    def variants(self, threads: int) -> list[Variant]:
        """All ways, with `threads` where the number is fixed."""
        found = [
            Variant("sequential"),
            Variant("map", threads),
            Variant("map", AUTOTUNE),
            Variant("interleave"),
            Variant("interleave", threads),
            Variant("interleave", AUTOTUNE),
        ]
        return found + ([Variant("python map", threads)] if self.python_load else [])

    def pipeline(self, variant: Variant, batch_size: int | None, endless: bool) -> Dataset:
        """The work written that way; once over the files, or over and over again.

        Args:
            variant: how.
            batch_size: None delivers single elements.
            endless: repeat the files without end.
        """
        single = self._elements(variant, endless)
        return single if batch_size is None else self.batch(single, batch_size)

    def _elements(self, variant: Variant, endless: bool) -> Dataset:
        files = Dataset.from_tensor_slices(list(self.contents.files))
        if variant.method == "interleave":
            return self._interleaved(files, variant.threads, endless)
        if endless:
            files = files.repeat()
        raw = files if self.read is None else files.flat_map(self.read)
        load = self.python_load if variant.method == "python map" else self.load
        assert load is not None
        mapped: Dataset = raw.map(load, num_parallel_calls=variant.threads)
        return mapped

    def _interleaved(self, files: Dataset, threads: int | None, endless: bool) -> Dataset:
        cycle = min(CYCLE_LENGTH, len(self.contents.files))

        def of_file(path: Any) -> Dataset:
            assert self.read is not None
            return self.read(path).map(self.load)

        def of_share(index: Any) -> Dataset:
            return files.shard(cycle, index).map(self.load)

        parallelism = threads if threads is None or threads == AUTOTUNE else min(threads, cycle)
        inner: Load = of_share if self.read is None else of_file
        source = Dataset.range(cycle) if self.read is None else files
        if endless:
            # Not the shares themselves: one of broken files alone would never hand over.
            source = source.repeat()
        mixed: Dataset = source.interleave(
            inner, cycle_length=cycle, num_parallel_calls=parallelism
        )
        return mixed


def work_on(contents: Contents) -> Work:
    """What a training job would do with such files."""
    if contents.kind == PHOTOGRAPHS:
        return _photographs(contents)
    return _text(contents) if contents.kind == TEXT else _records(contents)


def _batch(dataset: Dataset, size: int) -> Dataset:
    return dataset.batch(size)


def _resized(encoded: Any) -> Any:
    return image.resize(io.decode_jpeg(encoded, channels=3), [_SIZE, _SIZE], antialias=True)


# ---- photographs ----


def _photographs(contents: Contents) -> Work:
    def load(path: Any) -> Any:
        return _resized(io.read_file(path))

    description = f"read, decode, resize to {_SIZE}x{_SIZE} with antialias, batch"
    return Work(contents, description, None, load, _pillow_load(), _batch)


def pillow_version() -> str | None:
    """The version of Pillow or pillow-simd; None if neither is installed."""
    try:
        import PIL
    except ImportError:
        return None
    return str(PIL.__version__)


def _pillow_load() -> Load | None:
    if pillow_version() is None:
        return None
    from PIL import Image

    def decode(encoded: bytes) -> Any:
        with Image.open(streams.BytesIO(encoded)) as opened:
            picture = opened.convert("RGB").resize((_SIZE, _SIZE), Image.Resampling.BILINEAR)
        return np.asarray(picture, np.float32)

    def load(path: Any) -> Any:
        # Read natively, so that simulated storage holds for it, too.
        signature = TensorSpec((_SIZE, _SIZE, 3), "float32")
        return py_function(decode, [io.read_file(path)], signature)

    return load


# ---- text ----


def _text(contents: Contents) -> Work:
    delimiter, header = _columns(contents)

    def read(path: Any) -> Dataset:
        lines = TextLineDataset(path, compression_type=contents.compression)
        return lines.skip(1) if header else lines

    def numbers(line: Any) -> Any:
        return strings.to_number(strings.split(line, delimiter))

    def words(line: Any) -> Any:
        return strings.to_hash_bucket_fast(strings.split(strings.lower(line)), _HASH_BUCKETS)

    what = "parse the numbers" if delimiter else "hash the words"
    return Work(
        contents,
        f"read lines, {what}, batch padded",
        read,
        numbers if delimiter else words,
        None,
        lambda dataset, size: dataset.padded_batch(size),
    )


def _columns(contents: Contents) -> tuple[str | None, bool]:
    """What separates numbers (None: the text is no table of numbers), and if a header is first."""
    lines = _first_lines(contents)
    for delimiter in (",", "\t", ";"):
        numeric = [delimiter in line and _all_numbers(line.split(delimiter)) for line in lines]
        if numeric and all(numeric):
            return delimiter, False
        if len(numeric) > 1 and all(numeric[1:]):
            return delimiter, True
    return None, False


def _all_numbers(fields: list[str]) -> bool:
    try:
        for field in fields:
            float(field)
    except ValueError:
        return False
    return True


def _first_lines(contents: Contents) -> list[str]:
    for file in contents.files:
        try:
            with _opened(file, contents.compression) as stream:
                lines = [stream.readline(1 << 20) for _ in range(_LOOKED_AT)]
        except (OSError, EOFError, zlib.error):
            continue
        found = [line.decode(errors="replace").rstrip("\r\n") for line in lines if line]
        if found:
            return found
    return []


def _opened(file: str, compression: str) -> BinaryIO:
    if compression == "GZIP":
        return gzip.open(file)  # type: ignore[return-value]
    if compression == "ZLIB":
        with open(file, "rb") as stream:
            return streams.BytesIO(zlib.decompressobj().decompress(stream.read(1 << 22)))
    return open(file, "rb")


# ---- TFRecords ----


def _records(contents: Contents) -> Work:
    features = _common_features(contents)
    pictures = [name for name, feature in features.items() if _is_picture(feature)]
    wanted = {
        name: FixedLenFeature([] if feature.size == 1 else [feature.size], feature.dtype)
        for name, feature in features.items()
    }

    def read(path: Any) -> Dataset:
        return TFRecordDataset(path, compression_type=contents.compression)

    def parse(record: Any) -> Any:
        parsed = parse_single_example(record, wanted)
        return {**parsed, **{name: _resized(parsed[name]) for name in pictures}}

    what = "take their lengths"
    if wanted:
        what = f"parse {len(wanted)} feature{'' if len(wanted) == 1 else 's'} of Examples"
    if pictures:
        what += f", decode {' and '.join(pictures)} and resize to {_SIZE}x{_SIZE}"
    load: Load = parse if wanted else strings.length
    return Work(contents, f"read records, {what}, batch", read, load, None, _batch)


def _is_picture(feature: Feature) -> bool:
    starts = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")
    return feature.dtype == "string" and feature.size == 1 and feature.start.startswith(starts)


def _common_features(contents: Contents) -> dict[str, Feature]:
    """The features that the first records of the first and the last file have alike."""
    common: dict[str, Feature] | None = None
    for file in {contents.files[0], contents.files[-1]}:
        try:
            with _opened(file, contents.compression) as stream:
                records = list(read_records(stream, _LOOKED_AT))
        except (OSError, EOFError, zlib.error):
            continue
        for record in records:
            found = example_features(record)
            if found is None:
                return {}
            if common is None:
                common = found
            common = {
                name: feature
                for name, feature in common.items()
                if name in found
                and found[name][:2] == feature[:2]
                and _is_picture(found[name]) == _is_picture(feature)
            }
    return {name: each for name, each in (common or {}).items() if each.dtype and each.size}
