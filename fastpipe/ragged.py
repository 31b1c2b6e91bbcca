"""RaggedTensor: rows of different lengths, as values and where each row begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fastpipe.errors import InvalidArgumentError
from fastpipe.ragged_construction import RaggedConstruction
from fastpipe.spec import DType, Shape, TensorSpec, as_dtype, as_shape, dtype_name, int64
from fastpipe.structure import LEAF, Composite
from fastpipe.tracing import call, convert, install_operators


def _cast(value: Any, dtype: Any) -> Any:
    name = dtype_name(dtype)
    return value if value.dtype == name else call("cast", [value], dtype=name)


class RaggedTensor(RaggedConstruction):
    """Rows of different lengths along axis 1.

    Args:
        values: the rows one after the other: a tensor, or a RaggedTensor if they are ragged too.
        row_splits: int32 or int64; row i is values[row_splits[i]:row_splits[i + 1]].

    >>> import numpy as np
    >>> rows = RaggedTensor(np.array([1, 2, 3]), np.array([0, 1, 3]))
    >>> rows.to_tensor().tolist(), rows.to_list()
    ([[1, 0], [2, 3]], [[1], [2, 3]])
    """

    # ---- parts ----

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

    def get_shape(self) -> Shape:
        """The same as `shape`."""
        return self.shape

    @property
    def ragged_rank(self) -> int:
        """Number of axes that have row splits."""
        inner = self.values
        return 1 + (inner.ragged_rank if isinstance(inner, RaggedTensor) else 0)

    @property
    def flat_values(self) -> Any:
        """The innermost values, a dense tensor."""
        inner = self.values
        return inner.flat_values if isinstance(inner, RaggedTensor) else inner

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of every ragged axis, outermost first."""
        inner = self.values
        rest = inner.nested_row_splits if isinstance(inner, RaggedTensor) else ()
        return (self.row_splits, *rest)

    def row_starts(self, name: str | None = None) -> Any:
        """Where each row begins in the values."""
        return call("strided_slice", [self.row_splits], items=[[None, -1, None]])

    def row_limits(self, name: str | None = None) -> Any:
        """Where each row ends in the values."""
        return call("strided_slice", [self.row_splits], items=[[1, None, None]])

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Length of each row; axis 2 gives the lengths of the rows within them, ragged.

        >>> RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3]).row_lengths().tolist()
        [2, 0, 1]
        """
        if axis == 1:
            return call("subtract", [self.row_limits(), self.row_starts()])
        if 1 < axis <= self.ragged_rank:
            return self.with_values(self.values.row_lengths(axis - 1))
        raise InvalidArgumentError(f"axis must be 1 to {self.ragged_rank}, got {axis}")

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """The row lengths of every ragged axis, outermost first."""
        return tuple(
            call("subtract", [splits[1:], splits[:-1]]) for splits in self.nested_row_splits
        )

    def value_rowids(self, name: str | None = None) -> Any:
        """The row that each value lies in.

        >>> RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3]).value_rowids().tolist()
        [0, 0, 2]
        """
        return call("value_rowids", [self.row_splits])

    def nrows(self, out_type: Any = None, name: str | None = None) -> Any:
        """Number of rows, a scalar of the splits' dtype."""
        dtype = self.row_splits.dtype if out_type is None else out_type
        return _cast(call("size", [self.row_splits], out_type="int64") - 1, dtype)

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Any:
        """The smallest dense shape that holds all rows; or its size along `axis`."""
        shape = call("shape", [self.to_tensor()], out_type="int64")
        shape = _cast(shape, self.row_splits.dtype if out_type is None else out_type)
        return shape if axis is None else shape[axis]

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Other values in the same rows."""
        return RaggedTensor(convert(new_values), self.row_splits)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """Other innermost values in the same rows."""
        inner = self.values
        if isinstance(inner, RaggedTensor):
            return RaggedTensor(inner.with_flat_values(new_values), self.row_splits)
        return RaggedTensor(convert(new_values), self.row_splits)

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """The same rows with splits of another integer dtype."""
        inner = self.values
        values = inner.with_row_splits_dtype(dtype) if isinstance(inner, RaggedTensor) else inner
        return RaggedTensor(values, _cast(self.row_splits, dtype))

    # ---- structure ----

    def to_leaves(self) -> list[Any]:
        """Its parts, as structure.flatten wants them."""
        return [self.flat_values, *self.nested_row_splits]

    @classmethod
    def from_leaves(cls, leaves: list[Any]) -> Any:
        """The reverse of to_leaves. Without splits, one dense row."""
        values, *nested = leaves
        for splits in reversed(nested):
            values = cls(values, splits)
        return values

    @staticmethod
    def part_names(leaves: int) -> list[str]:
        """What each of its tensors is."""
        return ["flat_values", *["row_splits"] * (leaves - 1)]

    @classmethod
    def stacked(cls, leaves: int) -> Any:
        """The structure of a batch of it: one more ragged axis."""
        return Composite(cls, leaves + 1)

    @classmethod
    def unstacked(cls, leaves: int) -> Any:
        """The structure of its rows: one ragged axis less, and in the end dense rows."""
        return Composite(cls, leaves - 1) if leaves > 1 else LEAF

    @staticmethod
    def spec_from_leaves(leaves: list[TensorSpec]) -> RaggedTensorSpec:
        """The spec of what `leaves` are the specs of."""
        values, *nested = leaves
        shape = values.shape
        if nested and shape is not None:
            outer = nested[0].shape
            rows = None if outer is None or outer[0] is None else outer[0] - 1
            shape = (rows, *([None] * len(nested)), *shape[1:])
        splits = nested[0].dtype if nested else int64
        return RaggedTensorSpec(shape, values.dtype, len(nested), splits)

    # ---- operators ----

    @staticmethod
    def apply_kernel(kernel: str, inputs: Any, unify: bool, attrs: dict[str, Any]) -> Any:
        """The kernel on inputs of which some are ragged or sparse."""
        from fastpipe import ragged_ops

        return ragged_ops.apply(kernel, inputs, unify, attrs)

    __array_ufunc__ = None  # NumPy leaves operators to this class

    # ---- values ----

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Any:
        """A dense array, shorter rows filled with `default_value` (0 or b"").

        Args:
            default_value: a scalar of the values' dtype.
            shape: sizes to pad or cut to, None for the longest.

        >>> rows = RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3])
        >>> rows.to_tensor(-1, shape=[None, 3]).tolist()
        [[1, 2, -1], [3, -1, -1]]
        """
        dims = as_shape(shape)
        inner = self.values
        if isinstance(inner, RaggedTensor):
            inner = inner.to_tensor(
                default_value, shape=None if dims is None else (None, *dims[2:])
            )
        inputs = [inner, self.row_splits]
        if default_value is not None:
            inputs.append(default_value)
        sizes = {} if dims is None else {"shape": [-1 if d is None else d for d in dims[:2]]}
        return call("ragged_to_dense", inputs, unify=default_value is not None, **sizes)

    def to_sparse(self, name: str | None = None) -> Any:
        """A SparseTensor of the same values."""
        from fastpipe import dense_rows

        return dense_rows.to_sparse(self)

    def to_list(self) -> list[Any]:
        """Nested lists. Not while tracing."""
        splits = np.asarray(self.row_splits)
        if isinstance(self.values, RaggedTensor):
            values: Any = self.values.to_list()
            return [values[a:b] for a, b in zip(splits[:-1], splits[1:], strict=True)]
        array = np.asarray(self.values)
        return [array[a:b].tolist() for a, b in zip(splits[:-1], splits[1:], strict=True)]

    def numpy(self) -> Any:
        """The rows as arrays in an object array; a plain array if all have one length."""
        splits = np.asarray(self.row_splits)
        inner: Any = self.values
        values = inner.numpy() if isinstance(inner, RaggedTensor) else np.asarray(inner)
        rows = [values[a:b] for a, b in zip(splits[:-1], splits[1:], strict=True)]
        if len({row.shape for row in rows}) == 1 and rows[0].dtype != object:
            return np.stack(rows)
        array = np.empty(len(rows), object)
        for i, row in enumerate(rows):
            array[i] = row
        return array

    def __getitem__(self, key: Any) -> Any:
        """Row `key`, or the rows of a slice without step."""
        from fastpipe import dense_rows

        return dense_rows.rows(self, key)

    def __len__(self) -> int:
        return len(self.row_splits) - 1

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        if isinstance(self.flat_values, np.ndarray):
            return f"<RaggedTensor {self.to_list()}>"
        return f"RaggedTensor(values={self.values!r}, row_splits={self.row_splits!r})"


install_operators(RaggedTensor)


@dataclass(frozen=True, init=False)
class RaggedTensorSpec:
    """Shape and dtypes of a RaggedTensor component.

    Args:
        shape: sizes with None where unknown or ragged.
        dtype: of the values.
        ragged_rank: number of ragged axes; default: all but the first.
        row_splits_dtype: int32 or int64.

    >>> RaggedTensorSpec([2, None], "int32")
    RaggedTensorSpec(shape=(2, None), dtype=fp.int32, ragged_rank=1, row_splits_dtype=fp.int64)
    """

    shape: Shape
    dtype: DType
    ragged_rank: int
    row_splits_dtype: DType

    value_type = RaggedTensor

    def __init__(
        self,
        shape: object = None,
        dtype: object = "float32",
        ragged_rank: int | None = None,
        row_splits_dtype: object = int64,
    ) -> None:
        dims = as_shape(shape)
        if ragged_rank is None:
            if dims is None:
                raise InvalidArgumentError("ragged_rank must be given where the shape is unknown")
            ragged_rank = max(len(dims) - 1, 0)
        if dims is not None and ragged_rank >= max(len(dims), 1):
            raise InvalidArgumentError(
                f"ragged_rank must be less than the rank of the shape {dims}, got {ragged_rank}"
            )
        object.__setattr__(self, "shape", dims)
        object.__setattr__(self, "dtype", as_dtype(dtype))
        object.__setattr__(self, "ragged_rank", ragged_rank)
        object.__setattr__(self, "row_splits_dtype", as_dtype(row_splits_dtype))

    def to_leaves(self) -> list[TensorSpec]:
        """Specs of the parts of a value."""
        if self.shape is None or self.ragged_rank == 0:
            values = TensorSpec(self.shape, self.dtype)
        else:
            values = TensorSpec((None, *self.shape[self.ragged_rank + 1 :]), self.dtype)
        rows = None if not self.shape or self.shape[0] is None else self.shape[0] + 1
        sizes = [rows, *[None] * (self.ragged_rank - 1)][: self.ragged_rank]
        return [values, *[TensorSpec((size,), self.row_splits_dtype) for size in sizes]]
