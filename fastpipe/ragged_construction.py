"""How ragged tensors are made: of values and row partitions, dense and sparse tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fastpipe.errors import InvalidArgumentError
from fastpipe.spec import as_tensor, int64
from fastpipe.tracing import Symbol, call, convert

if TYPE_CHECKING:
    from typing_extensions import Self


def _size(value: Any) -> Any:
    """Number of rows of a tensor, as an int if it is known."""
    if hasattr(type(value), "to_leaves"):
        return value.nrows()
    shape = value.shape
    if shape and shape[0] is not None:
        return np.int64(shape[0])
    return call("strided_slice", [call("shape", [value], out_type="int64")], items=[0])


def _partition(value: Any) -> Any:
    """A row partition as an int32 or int64 tensor; a list of numbers is int64."""
    if not isinstance(value, Symbol):
        if not hasattr(value, "dtype"):
            return as_tensor(value, int64)
        value = np.asarray(value)
    if value.dtype not in ("int32", "int64"):
        raise InvalidArgumentError(f"a row partition must be int32 or int64, got {value.dtype}")
    return value


class RaggedConstruction:
    """Mixed into RaggedTensor."""

    def __init__(self, values: Any, row_splits: Any) -> None:
        self.values = values
        self.row_splits = row_splits

    @classmethod
    def _of(cls, values: Any, kind: str, *inputs: Any, **attrs: Any) -> Self:
        values = convert(values)
        splits = call("row_splits", [*inputs, _size(values)], kind=kind, **attrs)
        return cls(values, splits)

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows values[row_splits[i]:row_splits[i + 1]].

        Raises:
            InvalidArgumentError: The splits do not rise from 0 to the number of values.

        >>> import fastpipe as fp
        >>> fp.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3]).to_list()
        [[1, 2], [], [3]]
        """
        return cls._of(values, "splits", _partition(row_splits))

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows of the given lengths.

        Raises:
            InvalidArgumentError: They do not sum up to the number of values.

        >>> import fastpipe as fp
        >>> fp.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]).to_list()
        [[1, 2], [], [3]]
        """
        return cls._of(values, "lengths", _partition(row_lengths))

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows that begin at the given values, the first at 0.

        >>> import fastpipe as fp
        >>> fp.RaggedTensor.from_row_starts([1, 2, 3], [0, 2, 2]).to_list()
        [[1, 2], [], [3]]
        """
        return cls._of(values, "starts", _partition(row_starts))

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows that end before the given values.

        >>> import fastpipe as fp
        >>> fp.RaggedTensor.from_row_limits([1, 2, 3], [2, 2, 3]).to_list()
        [[1, 2], [], [3]]
        """
        return cls._of(values, "limits", _partition(row_limits))

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Each value lies in the row that `value_rowids`, ascending, names.

        >>> import fastpipe as fp
        >>> fp.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=4).to_list()
        [[1, 2], [], [3], []]
        """
        rows = [] if nrows is None else [nrows]
        return cls._of(values, "rowids", _partition(value_rowids), *rows)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Rows of one length; `nrows` says how many if that length is 0.

        >>> import fastpipe as fp
        >>> fp.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2).to_list()
        [[1, 2], [3, 4]]
        """
        rows = [] if nrows is None else [nrows]
        return cls._of(values, "uniform", _partition(uniform_row_length), *rows)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Splits for several ragged axes, outermost first.

        >>> import fastpipe as fp
        >>> fp.RaggedTensor.from_nested_row_splits([1, 2], [[0, 1], [0, 2]]).to_list()
        [[[1, 2]]]
        """
        for splits in reversed(list(nested_row_splits)):
            flat_values = cls.from_row_splits(flat_values, splits)
        return flat_values

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Lengths for several ragged axes, outermost first."""
        for lengths in reversed(list(nested_row_lengths)):
            flat_values = cls.from_row_lengths(flat_values, lengths)
        return flat_values

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = int64,
    ) -> Self:
        """The rows of a dense tensor, cut to `lengths` or without trailing `padding`.

        Raises:
            InvalidArgumentError: The tensor has rank 1 or less, `ragged_rank` does not fit it, or
                both lengths and padding are given.

        >>> import fastpipe as fp
        >>> fp.RaggedTensor.from_tensor([[1, 0], [2, 3]], padding=0).to_list()
        [[1], [2, 3]]
        """
        from fastpipe import dense_rows

        made: Self = dense_rows.from_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype)
        return made

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = int64
    ) -> Self:
        """The rows of a SparseTensor of rank 2 whose rows have no gaps.

        Raises:
            InvalidArgumentError: another rank, or a value with a gap before it.

        >>> import fastpipe as fp
        >>> x = fp.SparseTensor([[0, 0], [2, 0], [2, 1]], [1, 2, 3], [3, 9])
        >>> fp.RaggedTensor.from_sparse(x).to_list()
        [[1], [], [2, 3]]
        """
        from fastpipe import dense_rows

        made: Any = dense_rows.from_sparse(st_input, row_splits_dtype)
        rows: Self = made
        return rows

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """The axes from `outer_axis` to `inner_axis` as one.

        >>> import fastpipe as fp
        >>> x = fp.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]])
        >>> x.merge_dims(0, 1).to_list(), x.merge_dims(1, 2).to_list()
        ([[1, 2], [3]], [[1, 2], [3]])
        """
        from fastpipe import dense_rows

        ragged: Any = self
        return dense_rows.merge_dims(ragged, outer_axis, inner_axis)
