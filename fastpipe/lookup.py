"""Constant tables: `tf.lookup`. The table becomes part of the traced function."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastpipe.errors import InvalidArgumentError
from fastpipe.literals import adapted
from fastpipe.shapes import dtype_of
from fastpipe.spec import DType, as_dtype, as_tensor
from fastpipe.tracing import call, convert, unified

__all__ = [
    "KeyValueTensorInitializer", "StaticHashTable", "StaticVocabularyTable",
    "TextFileIndex", "TextFileInitializer",
]  # fmt: skip


class KeyValueTensorInitializer:
    """Keys and values given as such.

    Args:
        keys: a vector of strings or integers.
        values: as many values of any dtype.
        key_dtype, value_dtype: other dtypes for them.
        name: has no meaning here.

    >>> KeyValueTensorInitializer(["a", "b"], [1, 2]).values.tolist()
    [1, 2]
    """

    def __init__(
        self,
        keys: object,
        values: object,
        key_dtype: object = None,
        value_dtype: object = None,
        name: str | None = None,
    ) -> None:
        self.keys = np.atleast_1d(np.asarray(as_tensor(keys, key_dtype)))
        self.values = np.atleast_1d(np.asarray(as_tensor(values, value_dtype)))
        if self.keys.shape != self.values.shape:
            raise InvalidArgumentError(
                f"a table takes one value for each key, got {self.keys.shape} keys and "
                f"{self.values.shape} values"
            )

    @property
    def key_dtype(self) -> DType:
        """dtype of the keys."""
        return as_dtype(dtype_of(self.keys))

    @property
    def value_dtype(self) -> DType:
        """dtype of the values."""
        return as_dtype(dtype_of(self.values))


class TextFileIndex:
    """What a key or value is, besides the number of a column of the line."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(KeyValueTensorInitializer):
    """One key and value a line of a text file, which is read at once.

    Args:
        filename: a path.
        key_dtype, value_dtype: their dtypes.
        key_index, value_index: a column, TextFileIndex.WHOLE_LINE or TextFileIndex.LINE_NUMBER.
        vocab_size: how many lines the file must have at least, and how many are read.
        delimiter: between columns.
        name: has no meaning here.

    Raises:
        InvalidArgumentError: the file has fewer lines than `vocab_size`, or a line fewer columns.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: object,
        key_index: int,
        value_dtype: object,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
    ) -> None:
        content: bytes = call("read_file", [filename])
        lines = content.split(b"\n")
        if lines and not lines[-1]:
            lines.pop()
        if vocab_size is not None:
            if len(lines) < vocab_size:
                raise InvalidArgumentError(
                    f"{filename!r} has {len(lines)} lines, vocab_size is {vocab_size}"
                )
            lines = lines[:vocab_size]
        columns = [line.split(delimiter.encode()) for line in lines]

        def read(index: int, dtype: object) -> Any:
            if index == TextFileIndex.LINE_NUMBER:
                return np.arange(len(lines), dtype=as_dtype(dtype).as_numpy_dtype)
            whole = index == TextFileIndex.WHOLE_LINE
            for number, row in enumerate(columns):
                if not whole and index >= len(row):
                    raise InvalidArgumentError(
                        f"{filename!r}: line {number} has {len(row)} columns, needed {index}"
                    )
            texts = np.empty(len(lines), object)
            texts[:] = lines if whole else [row[index] for row in columns]
            if as_dtype(dtype) == "string":
                return texts
            return call("string_to_number", [texts], out_type=as_dtype(dtype).name)

        super().__init__(read(key_index, key_dtype), read(value_index, value_dtype))


class StaticHashTable:
    """Finds values by keys.

    Args:
        initializer: the keys and values.
        default_value: for keys that the table lacks; it takes the dtype of the values.
        name, experimental_is_anonymous: have no meaning here.

    Raises:
        InvalidArgumentError: a key stands twice with different values.

    >>> table = StaticHashTable(KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    >>> table.lookup(["b", "x"]).tolist(), int(table.size())
    ([2, -1], 2)
    """

    def __init__(
        self,
        initializer: KeyValueTensorInitializer,
        default_value: object,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        self.initializer = initializer
        self.default_value = adapted(default_value, initializer.value_dtype)
        call_now = [np.asarray(initializer.keys[:0]), self.default_value]
        self._lookup(call_now)  # finds mistakes before the first key

    def _lookup(self, inputs: list[Any]) -> Any:
        return call(
            "lookup",
            inputs,
            table_keys=self.initializer.keys,
            table_values=self.initializer.values,
        )

    @property
    def key_dtype(self) -> DType:
        """dtype of the keys."""
        return self.initializer.key_dtype

    @property
    def value_dtype(self) -> DType:
        """dtype of the values."""
        return self.initializer.value_dtype

    def size(self) -> Any:
        """How many keys there are, as int64."""
        return np.int64(len(set(self.initializer.keys.tolist())))

    def lookup(self, keys: object) -> Any:
        """The value for each key, in the shape of `keys`."""
        if not hasattr(keys, "dtype"):
            keys = adapted(keys, self.key_dtype)
        return self._lookup([keys, self.default_value])

    def __getitem__(self, keys: object) -> Any:
        return self.lookup(keys)

    def export(self) -> tuple[Any, Any]:
        """The keys and the values."""
        return self.initializer.keys, self.initializer.values


class StaticVocabularyTable:
    """Numbers for keys: those of a table, and buckets by hash for keys that it lacks.

    Args:
        initializer: keys, and int64 values; None leaves all keys to the buckets.
        num_oov_buckets: how many buckets follow the numbers of the table.
        lookup_key_dtype: has no meaning here.
        name: has no meaning here.

    >>> table = StaticVocabularyTable(
    ...     KeyValueTensorInitializer(["a", "b"], [0, 1], value_dtype="int64"), 1)
    >>> table.lookup(["b", "x"]).tolist()
    [1, 2]
    """

    def __init__(
        self,
        initializer: KeyValueTensorInitializer | None,
        num_oov_buckets: int,
        lookup_key_dtype: object = None,
        name: str | None = None,
    ) -> None:
        if num_oov_buckets < 1:
            raise ValueError(f"num_oov_buckets must be >= 1, got {num_oov_buckets}")
        if initializer is not None and initializer.value_dtype != "int64":
            raise TypeError(f"the values must be int64, got {initializer.value_dtype.name}")
        self._buckets = int(num_oov_buckets)
        self._table = None if initializer is None else StaticHashTable(initializer, -1)
        self._known = 0 if self._table is None else int(self._table.size())

    def size(self) -> Any:
        """How many numbers there are, buckets among them, as int64."""
        return np.int64(self._known + self._buckets)

    def lookup(self, keys: object) -> Any:
        """The int64 number for each key, in the shape of `keys`."""
        keys = convert(keys)
        text = keys if dtype_of(keys) == "string" else call("as_string", [keys])
        buckets = call("string_to_hash_bucket_fast", [text], num_buckets=self._buckets)
        buckets = call("add", unified(buckets, self._known))
        if self._table is None:
            return buckets
        found = self._table.lookup(keys)
        return call("where", [call("less", unified(found, 0)), buckets, found])

    def __getitem__(self, keys: object) -> Any:
        return self.lookup(keys)
