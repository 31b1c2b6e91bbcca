"""Datasets of the lines or records of files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fastpipe.base import DatasetBase
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError
from fastpipe.node import AUTOTUNE
from fastpipe.spec import TensorSpec, as_dtype, string
from fastpipe.structure import LEAF, flatten, unflatten
from fastpipe.tracing import Symbol, convert

_PARALLEL_CYCLE = 16  # files read at once for num_parallel_reads=AUTOTUNE: order must not vary


def _read(
    op: str, filenames: Any, arguments: dict[str, Any], num_parallel_reads: int | None
) -> Dataset:
    def one(names: Any) -> Dataset:
        made: Dataset = Dataset._make(op, {"filenames": names, **arguments}, (), LEAF)
        return made

    if isinstance(filenames, DatasetBase):
        _expect_names(filenames.element_spec)
        return _each(filenames, one, num_parallel_reads)
    names = _names(filenames)
    if num_parallel_reads is None:
        return one(names)
    if isinstance(names, Symbol) and names.shape == ():
        names = [names]
    return _each(Dataset.from_tensor_slices(names), one, num_parallel_reads)


def _names(filenames: Any) -> Any:
    """A vector of names, whatever way they were given; a symbol as it is."""
    if filenames is None:
        raise TypeError("filenames must be paths, got None")
    names = convert(filenames)
    if isinstance(names, Symbol):
        _expect_names(TensorSpec((), names.dtype))
        return names
    if isinstance(names, bytes):
        names = np.array([names], object)
    if names.size > 0:
        _expect_names(TensorSpec((), names.dtype))
    return names.astype(object).reshape(-1)


def _expect_names(spec: Any) -> None:
    if not isinstance(spec, TensorSpec) or spec.dtype != string or spec.shape not in ((), None):
        raise TypeError(f"filenames must be scalar strings, got {spec!r}")


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
        compression_type: None or "", "GZIP", "ZLIB", "ZSTD"; several members or frames may follow
            each other.
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


def SqlDataset(driver_name: str, data_source_name: str, query: str, output_types: Any) -> Dataset:
    """The rows that a query of an SQLite file gives, read through Python's sqlite3.

    Args:
        driver_name: "sqlite".
        data_source_name: the path of the file.
        query: the SQL.
        output_types: a dtype for each column, in a tuple. NULL becomes 0 or b"".

    Raises:
        InvalidArgumentError: another driver; while iterating, another number of columns, or what
            SQLite refuses.
    """
    if driver_name != "sqlite":
        raise InvalidArgumentError(f"SqlDataset: the driver must be 'sqlite', got {driver_name!r}")
    dtypes, structure = flatten(output_types, lambda leaf: LEAF)
    dtypes = [as_dtype(dtype) for dtype in dtypes]

    def rows() -> Iterator[Any]:
        import sqlite3  # few need it, and `import fastpipe` shall stay cheap

        try:
            place = Path(data_source_name).absolute().as_uri() + "?mode=ro"
            connection = sqlite3.connect(place, uri=True, check_same_thread=False)
            try:
                for row in connection.execute(query):
                    if len(row) != len(dtypes):
                        raise InvalidArgumentError(
                            f"SqlDataset: {query!r} gives {len(row)} columns, output_types has "
                            f"{len(dtypes)}"
                        )
                    yield unflatten(structure, [_cell(*pair) for pair in zip(row, dtypes)])
            finally:
                connection.close()
        except sqlite3.Error as error:
            raise InvalidArgumentError(f"SqlDataset: {data_source_name}: {error}") from error

    signature = unflatten(structure, [TensorSpec((), dtype) for dtype in dtypes])
    made: Dataset = Dataset.from_generator(rows, output_signature=signature)
    return made


def _cell(value: Any, dtype: Any) -> Any:
    """A value of SQLite in the dtype asked for, converted as SQLite does."""
    if dtype == "string":
        return b"" if value is None else value if isinstance(value, bytes) else str(value).encode()
    if isinstance(value, (str, bytes)):
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        leading = re.match(r"\s*[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", text)
        value = float(leading[0]) if leading else 0
    number = value or 0
    if dtype.is_floating:
        return dtype.as_numpy_dtype.type(number)
    return np.int64(number).astype(dtype.as_numpy_dtype)
