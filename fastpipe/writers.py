"""Writing TFRecord files."""

from __future__ import annotations

import os
from typing import Any

from fastpipe import _core
from fastpipe.base import DatasetBase
from fastpipe.errors import FailedPreconditionError
from fastpipe.spec import TensorSpec, string

_COMPRESSIONS = ("", "GZIP", "ZLIB", "ZSTD")


class TFRecordOptions:
    """How a TFRecord file is compressed.

    Args:
        compression_type: None or "", "GZIP", "ZLIB", "ZSTD".
        compression_level, window_bits, mem_level, compression_strategy: as zlib takes them; None
            for its defaults. ZSTD takes the level only.
        flush_mode, input_buffer_size, output_buffer_size, compression_method: accepted as
            TensorFlow does, and without effect.

    Raises:
        ValueError: there is no such compression.

    >>> TFRecordOptions("GZIP", compression_level=9).compression_type
    'GZIP'
    """

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The name of the compression that options, or a name, stand for; "" for none."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options in _COMPRESSIONS:
            return str(options)
        known = ", ".join(map(repr, _COMPRESSIONS))
        raise ValueError(f"compression_type must be None or one of {known}, got {options!r}")


class TFRecordWriter:
    """Writes records to a TFRecord file, byte for byte as TensorFlow does.

    The file is made, or emptied, at once. Records reach it in pieces: what was written before a
    flush() can be read after it, also if the process dies later. Until close() the file is one that
    is being written; write to another name and rename it if nobody may see that.

    Args:
        path: of the file.
        options: TFRecordOptions, or the name of a compression.

    Raises:
        NotFoundError: the folder does not exist.
        ValueError: there is no such compression.

    >>> import os, tempfile
    >>> import fastpipe as fp
    >>> path = os.path.join(tempfile.mkdtemp(), "a.tfrecord")
    >>> with fp.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    >>> list(fp.TFRecordDataset(path))
    [b'one']
    """

    _closed = True  # until the file is open

    def __init__(self, path: Any, options: Any = None) -> None:
        compression = TFRecordOptions.get_compression_type_string(options)
        settings = options if isinstance(options, TFRecordOptions) else TFRecordOptions()
        self._path = os.fspath(path)
        self._file = _core.RecordWriter(
            self._path,
            compression,
            _or(settings.compression_level, -1),
            _or(settings.window_bits, 15),
            _or(settings.mem_level, 9),
            _or(settings.compression_strategy, 0),
        )
        self._closed = False

    def write(self, record: Any) -> None:
        """Appends a record: bytes, or text, which becomes UTF-8.

        Raises:
            TypeError: it is neither.
            FailedPreconditionError: the writer is closed.
            ResourceExhaustedError: the disk is full.
        """
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, bytes):
            try:
                record = bytes(memoryview(record))
            except TypeError:
                raise TypeError(f"a record is bytes, got {type(record).__name__}") from None
        self._require_open()
        self._file.write(record)

    def flush(self) -> None:
        """Brings all that has been written into the file."""
        self._require_open()
        self._file.flush()

    def close(self) -> None:
        """Ends the file. Idempotent."""
        if not self._closed:
            self._closed = True
            self._file.close()

    def _require_open(self) -> None:
        if self._closed:
            raise FailedPreconditionError(f"the writer of {self._path!r} is closed")

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class DatasetRecordWriter:
    """Writes a dataset of scalar strings to a TFRecord file: tf.data.experimental.TFRecordWriter.

    >>> import os, tempfile
    >>> import fastpipe as fp
    >>> path = os.path.join(tempfile.mkdtemp(), "a.tfrecord")
    >>> DatasetRecordWriter(path).write(fp.Dataset.from_tensor_slices([b"one", b"two"]))
    >>> list(fp.TFRecordDataset(path))
    [b'one', b'two']
    """

    def __init__(self, filename: Any, compression_type: str | None = None) -> None:
        TFRecordOptions.get_compression_type_string(compression_type)
        self._filename = filename
        self._compression_type = compression_type

    def write(self, dataset: Any) -> None:
        """Writes all elements.

        Raises:
            TypeError: `dataset` is none, or its elements are no scalar strings.
        """
        if not isinstance(dataset, DatasetBase):
            raise TypeError(f"expected a dataset, got {type(dataset).__name__}")
        if dataset.element_spec != TensorSpec((), string):
            raise TypeError(f"elements must be scalar strings, got {dataset.element_spec!r}")
        with TFRecordWriter(self._filename, self._compression_type) as writer:
            for record in dataset:
                writer.write(record)


def _or(value: int | None, default: int) -> int:
    return default if value is None else int(value)
