"""RaggedTensor: rows of different lengths, as values and where each row begins."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastpipe.spec import DType, Shape
from fastpipe.tracing import call


class RaggedTensor:
    """Rows of different lengths along axis 1.

    Args:
        values: the rows one after the other.
        row_splits: int64; row i is values[row_splits[i]:row_splits[i + 1]].

    >>> import numpy as np
    >>> rows = RaggedTensor(np.array([1, 2, 3]), np.array([0, 1, 3]))
    >>> rows.to_tensor().tolist(), rows.to_list()
    ([[1, 0], [2, 3]], [[1], [2, 3]])
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        self.values = values
        self.row_splits = row_splits

    @property
    def dtype(self) -> DType:
        """dtype of the values."""
        dtype: DType = self.values.dtype
        return dtype

    @property
    def shape(self) -> Shape:
        """(rows, None, inner sizes ...)."""
        splits, values = self.row_splits.shape, self.values.shape
        rows = None if splits is None or splits[0] is None else splits[0] - 1
        return None if values is None else (rows, None, *values[1:])

    def to_leaves(self) -> list[Any]:
        """Its parts, as structure.flatten wants them."""
        return [self.values, self.row_splits]

    @classmethod
    def from_leaves(cls, leaves: list[Any]) -> RaggedTensor:
        """The reverse of to_leaves."""
        return cls(*leaves)

    def to_tensor(self, default_value: Any = None) -> Any:
        """A dense array, shorter rows filled with `default_value` (0 or b"")."""
        inputs = [self.values, self.row_splits]
        if default_value is not None:
            inputs.append(default_value)
        return call("ragged_to_dense", inputs, unify=default_value is not None)

    def to_list(self) -> list[Any]:
        """Nested lists. Not while tracing."""
        values, splits = np.asarray(self.values), np.asarray(self.row_splits)
        return [values[a:b].tolist() for a, b in zip(splits[:-1], splits[1:], strict=True)]

    def __repr__(self) -> str:
        return f"RaggedTensor(values={self.values!r}, row_splits={self.row_splits!r})"
