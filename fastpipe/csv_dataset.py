"""Datasets of CSV files: typed columns, and tables whose column names and types are found out."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError
from fastpipe.gfile import glob
from fastpipe.node import AUTOTUNE
from fastpipe.spec import DType, as_dtype, as_tensor
from fastpipe.structure import LEAF
from fastpipe.tracing import Symbol, convert

_COLUMN_DTYPES = ("int32", "int64", "float32", "float64", "string")  # least permissive first


def CsvDataset(
    filenames: Any,
    record_defaults: Sequence[Any],
    compression_type: str | None = None,
    buffer_size: int | None = None,
    header: bool = False,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    exclude_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> Dataset:
    r"""The records of CSV files (RFC 4180), a tuple of scalars each.

    Args:
        filenames: a path, a list, or a string tensor.
        record_defaults: one entry a column: a dtype (int32, int64, float32, float64 or string) if
            the field is required, else the value that stands for an empty one.
        compression_type: None or "", "GZIP", "ZLIB".
        buffer_size: bytes read at once.
        header: passes over the first record of every file.
        field_delim: one byte that separates fields.
        use_quote_delim: whether `"` encloses fields, which may then hold delimiters and newlines.
        na_value: text that counts as an empty field, too.
        select_cols: which columns to read, ascending.
        exclude_cols: which columns to leave out, ascending.

    Raises:
        InvalidArgumentError: the columns do not fit together; while iterating, a record is
            malformed, has another number of fields, or a field is missing or of another type. That
            record is left out, and the next line follows. The message has file, record and offset.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("id,name\n1,ann\n2,\n")
    ...     records = CsvDataset(path, ["int32", ["none"]], header=True)
    ...     [(int(number), name) for number, name in records]
    [(1, b'ann'), (2, b'none')]
    """
    arguments = {
        "filenames": convert(filenames),
        "record_defaults": [_column_default(item) for item in record_defaults],
        "compression_type": compression_type,
        "buffer_size": buffer_size,
        "header": bool(header),
        "field_delim": field_delim,
        "use_quote_delim": bool(use_quote_delim),
        "na_value": na_value,
        "select_cols": _columns(select_cols),
        "exclude_cols": _columns(exclude_cols),
    }
    structure = tuple([LEAF] * len(record_defaults))
    made: Dataset = Dataset._make("csv", arguments, (), structure)
    return made


def _columns(indices: Sequence[int] | None) -> list[int] | None:
    """An empty list means that nothing is selected or left out, as None."""
    return [int(index) for index in indices] if indices is not None and len(indices) else None


def _column_default(item: Any) -> Any:
    """A required column as an array without values, else its default as an array of one."""
    dtype = _named_dtype(item)
    if dtype is not None:
        return np.empty(0, dtype.as_numpy_dtype)
    if isinstance(item, Symbol):
        return item
    tensor = as_tensor(item)
    return np.array([tensor], object) if isinstance(tensor, bytes) else np.asarray(tensor)


def _named_dtype(item: Any) -> DType | None:
    """The dtype that `item` is, if it is one."""
    if isinstance(item, str) and item not in _COLUMN_DTYPES:
        return None
    if isinstance(item, (str, DType, np.dtype, type)):
        dtype = as_dtype("float32" if item is float else item)
        if dtype.name not in _COLUMN_DTYPES:
            raise InvalidArgumentError(
                f"a column must be {', '.join(_COLUMN_DTYPES)}, got {dtype.name}"
            )
        return dtype
    return None


def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[int | str] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    r"""Batches of CSV rows, as dicts from column name to tensor.

    Args:
        file_pattern: a glob pattern or a list of them.
        batch_size: rows in a batch.
        column_names: one a column; None takes them from the header, which must be the same in all
            files.
        column_defaults: as record_defaults of CsvDataset, for the selected columns in order; None
            finds the types out, and takes 0 or "" for empty fields.
        label_name: a column that becomes the second part of an element: (features, label).
        select_columns: names or indices of the columns to read.
        field_delim, use_quote_delim, na_value: as in CsvDataset.
        header: whether the first record of every file holds names.
        num_epochs: passes over the files; None repeats for ever.
        shuffle, shuffle_buffer_size, shuffle_seed: as in Dataset.shuffle; files are shuffled, too.
        prefetch_buffer_size: batches to work ahead; None for AUTOTUNE.
        num_parallel_reads: files read in turn, one row of each; AUTOTUNE; default 1.
        sloppy: lets rows come in another order if that is faster.
        num_rows_for_inference: rows to look at for the types; None for all.
        compression_type: None or "", "GZIP", "ZLIB".
        ignore_errors: leaves out malformed rows.
        encoding: of the names in the header.

    Raises:
        InvalidArgumentError: no file matches, or names, columns and defaults do not fit together.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("x,y\n1,0.5\n2,1.5\n")
    ...     rows = make_csv_dataset(path, 2, label_name="y", num_epochs=1, shuffle=False)
    ...     [(features["x"].tolist(), label.tolist()) for features, label in rows]
    [([1, 2], [0.5, 1.5])]
    """
    files = _file_names(file_pattern)
    table = _Table(files, field_delim, use_quote_delim, compression_type, encoding)
    if column_names is None:
        if not header:
            raise InvalidArgumentError("give column_names, or files with a header")
        column_names = table.column_names()
    names = list(column_names)
    if len(names) != len(set(names)):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InvalidArgumentError(f"column names must differ, got {twice} more than once")
    selected = None if select_columns is None else _selected_indices(select_columns, names)
    if column_defaults is None:
        column_defaults = table.defaults(
            len(names), na_value, header, num_rows_for_inference, selected
        )
    if selected is not None:
        if len(column_defaults) != len(selected):
            raise InvalidArgumentError(
                f"column_defaults and select_columns must have one length, got "
                f"{len(column_defaults)} and {len(selected)}"
            )
        names = [names[index] for index in selected]
    if label_name is not None and label_name not in names:
        raise InvalidArgumentError(f"label_name must be one of {names}, got {label_name!r}")

    def rows_of(filename: Any) -> Dataset:
        rows = CsvDataset(
            filename,
            column_defaults,
            header=header,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=selected,
            compression_type=compression_type,
        )
        return rows.ignore_errors() if ignore_errors else rows

    def named(*columns: Any) -> Any:
        features = dict(zip(names, columns, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    ds: Any = Dataset.from_tensor_slices(files)
    if shuffle:
        ds = ds.shuffle(len(files), shuffle_seed)
    ds = read_in_turn(ds, rows_of, 1 if num_parallel_reads is None else num_parallel_reads, sloppy)
    ds = shuffled_and_repeated(ds, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    ds = ds.batch(batch_size, drop_remainder=num_epochs is None).map(named)
    made: Dataset = ds.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
    return made


def read_in_turn(
    files: Any, read: Callable[[Any], Any], num_parallel_reads: int, sloppy: bool
) -> Any:
    """The elements of `read(file)`, one of each of `num_parallel_reads` files in turn."""
    if num_parallel_reads == AUTOTUNE:
        return files.interleave(
            read, num_parallel_calls=AUTOTUNE, deterministic=False if sloppy else None
        )
    if num_parallel_reads == 1:
        return files.flat_map(read)
    return files.interleave(
        read,
        cycle_length=num_parallel_reads,
        block_length=1,
        num_parallel_calls=num_parallel_reads,
        deterministic=False if sloppy else None,
    )


def shuffled_and_repeated(
    ds: Any, num_epochs: int | None, shuffle: bool, buffer_size: int, seed: int | None
) -> Any:
    """`ds` as the make_*_dataset functions shuffle and repeat it."""
    if shuffle:
        ds = ds.shuffle(buffer_size, seed)
    return ds if num_epochs == 1 else ds.repeat(num_epochs)


def _file_names(file_pattern: Any) -> list[str]:
    patterns = file_pattern if isinstance(file_pattern, (list, tuple)) else [file_pattern]
    files = sorted(str(path) for pattern in patterns for path in glob(pattern))
    if not files:
        raise InvalidArgumentError(f"no file matches {file_pattern!r}")
    return files


def _selected_indices(columns: Sequence[int | str], names: list[str]) -> list[int]:
    indices = []
    for column in columns:
        if isinstance(column, int):
            if not 0 <= column < len(names):
                raise InvalidArgumentError(
                    f"select_columns must be less than {len(names)}, got {column}"
                )
            indices.append(column)
        elif column in names:
            indices.append(names.index(column))
        else:
            raise InvalidArgumentError(
                f"select_columns must name columns of {names}, got {column!r}"
            )
    if len(set(indices)) != len(indices):
        raise InvalidArgumentError(f"select_columns must differ, got {list(columns)}")
    return sorted(indices)


class _Table:
    """What can be found out about the columns of CSV files by looking at their first rows."""

    def __init__(
        self, files: list[str], delimiter: str, quotes: bool, compression: Any, encoding: str
    ) -> None:
        self.files = files
        self.compression = compression
        self.encoding = encoding
        self.dialect: dict[str, Any] = {
            "delimiter": delimiter,
            "quoting": csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        }

    def _open(self, path: str) -> Any:
        if self.compression == "GZIP":
            return gzip.open(path, "rt", encoding=self.encoding, newline="")
        if self.compression == "ZLIB":
            with open(path, "rb") as file:
                content = zlib.decompress(file.read())
            return io.StringIO(content.decode(self.encoding), newline="")
        return open(path, encoding=self.encoding, newline="")

    def column_names(self) -> list[str]:
        """The first record, the same in all files."""
        names: list[str] | None = None
        for path in self.files:
            with self._open(path) as file:
                row = next(csv.reader(file, **self.dialect), None)
            if row is None:
                raise InvalidArgumentError(f"{path!r} must have a header, but is empty")
            if names is not None and row != names:
                raise InvalidArgumentError(
                    f"all files must have the same header: {self.files[0]!r} has {names}, "
                    f"{path!r} has {row}"
                )
            names = row
        assert names is not None
        return names

    def _rows(self, columns: int, header: bool) -> Iterator[list[str]]:
        for path in self.files:
            with self._open(path) as file:
                for number, row in enumerate(csv.reader(file, **self.dialect)):
                    if header and number == 0:
                        continue
                    if len(row) != columns:
                        raise InvalidArgumentError(
                            f"{path!r}: record {number + 1} has {len(row)} fields, expected "
                            f"{columns}: give column_defaults"
                        )
                    yield row

    def defaults(
        self,
        columns: int,
        na_value: str,
        header: bool,
        limit: int | None,
        selected: list[int] | None,
    ) -> list[Any]:
        """0 or "" of the least permissive dtype that holds the fields of each column."""
        indices = list(range(columns)) if selected is None else selected
        found = [-1] * len(indices)
        for number, row in enumerate(self._rows(columns, header)):
            if limit is not None and number >= limit:
                break
            for place, index in enumerate(indices):
                if row[index] not in ("", na_value):
                    found[place] = max(found[place], _least_permissive(row[index]))
        dtypes = [_COLUMN_DTYPES[place] for place in found]  # nothing seen, -1: a string
        return [as_tensor([""] if name == "string" else [0], name) for name in dtypes]


def _least_permissive(text: str) -> int:
    """The place in _COLUMN_DTYPES of the first dtype that holds `text`."""
    for place, name in enumerate(_COLUMN_DTYPES[:-1]):
        number = as_dtype(name).as_numpy_dtype.type
        try:
            with np.errstate(over="ignore"):
                if number(text) < np.inf and (name != "int32" or number(text) == np.int64(text)):
                    return place
        except (ValueError, OverflowError):
            continue
    return len(_COLUMN_DTYPES) - 1
