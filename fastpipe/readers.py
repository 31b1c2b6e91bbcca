"""Datasets of the lines or records of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastpipe.base import DatasetBase
from fastpipe.dataset import Dataset
from fastpipe.node import AUTOTUNE
from fastpipe.structure import LEAF
from fastpipe.tracing import convert

_PARALLEL_CYCLE = 16  # files read at once for num_parallel_reads=AUTOTUNE: order must not vary


def _read(
    op: str, filenames: Any, arguments: dict[str, Any], num_parallel_reads: int | None
) -> Dataset:
    def one(names: Any) -> Dataset:
        made: Dataset = Dataset._make(op, {"filenames": names, **arguments}, (), LEAF)
        return made

    if not isinstance(filenames, DatasetBase):
        names = convert(filenames)
        if num_parallel_reads is None:
            return one(names)
        many = isinstance(names, bytes) or getattr(names, "shape", None) == ()
        filenames = Dataset.from_tensor_slices([names] if many else names)
    return _each(filenames, one, num_parallel_reads)


def _each(names: Any, one: Callable[[Any], Dataset], num_parallel_reads: int | None) -> Dataset:
    if num_parallel_reads is None:
        flat: Dataset = names.flat_map(one)
        return flat
    cycle = _PARALLEL_CYCLE if num_parallel_reads == AUTOTUNE else num_parallel_reads
    mixed: Dataset = names.interleave(
        one, cycle_length=cycle, block_length=1, num_parallel_calls=num_parallel_reads
    )
    return mixed


def TextLineDataset(
    filenames: Any,
    compression_type: str | None = None,
    buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    name: str | None = None,
) -> Dataset:
    r"""The lines of text files, as bytes without their newline.

    Only the \r of \r\n is dropped with it.

    Args:
        filenames: a path, a list, a string tensor or a Dataset of paths.
        compression_type: None or "", "GZIP", "ZLIB".
        buffer_size: bytes read at once; default 256 KiB.
        num_parallel_reads: files read at once, one line of each in turn; AUTOTUNE.

    Raises:
        NotFoundError, FailedPreconditionError (a directory), DataLossError: while iterating; the
            next file follows.
    """
    arguments = {"compression_type": compression_type, "buffer_size": buffer_size}
    return _read("text_line", filenames, arguments, num_parallel_reads)


def TFRecordDataset(
    filenames: Any,
    compression_type: str | None = None,
    buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    name: str | None = None,
) -> Dataset:
    """The records of TFRecord files, as bytes.

    Arguments as of TextLineDataset.

    Raises:
        DataLossError: while iterating: a bad checksum costs one record, broken framing the rest of
            the file. The message has file and offset.
    """
    arguments = {"compression_type": compression_type, "buffer_size": buffer_size}
    return _read("tf_record", filenames, arguments, num_parallel_reads)


def FixedLengthRecordDataset(
    filenames: Any,
    record_bytes: int,
    header_bytes: int | None = None,
    footer_bytes: int | None = None,
    buffer_size: int | None = None,
    compression_type: str | None = None,
    num_parallel_reads: int | None = None,
    name: str | None = None,
) -> Dataset:
    """Records of `record_bytes` bytes, between a header and a footer that are left out.

    Other arguments as of TextLineDataset.

    Raises:
        InvalidArgumentError: record_bytes < 1; while iterating, if a file is no whole number of
            records.
    """
    arguments = {
        "record_bytes": record_bytes,
        "header_bytes": header_bytes,
        "footer_bytes": footer_bytes,
        "buffer_size": buffer_size,
        "compression_type": compression_type,
    }
    return _read("fixed_length", filenames, arguments, num_parallel_reads)
