"""SparseTensor: the values that are there, and where; `tf.sparse`, on symbols and real values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastpipe.array import concat as _concat
from fastpipe.array import gather
from fastpipe.errors import InvalidArgumentError
from fastpipe.reductions import reduce_sum as _reduce_sum
from fastpipe.spec import DType, Shape, TensorSpec, as_dtype, as_shape, as_tensor, int64
from fastpipe.structure import Composite
from fastpipe.tracing import Symbol, call, convert

__all__ = [
    "SparseTensor",
    "SparseTensorSpec",
    "concat",
    "expand_dims",
    "from_dense",
    "map_values",
    "reduce_sum",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "slice",
    "to_dense",
    "to_indicator",
    "transpose",
]


def _int64(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and any(isinstance(item, Symbol) for item in value):
        value = [call("cast", [item], dtype="int64") for item in value]
    if not isinstance(value, Symbol):
        return (
            as_tensor(convert(value), int64)
            if not isinstance(value, list)
            else convert(value, int64)
        )
    return value if value.dtype == "int64" else call("cast", [value], dtype="int64")


class SparseTensor:
    """A tensor of which only some values are there.

    Args:
        indices: int64 [n, rank]; where each value stands, in row-major order for most uses.
        values: [n].
        dense_shape: int64 [rank].

    Raises:
        InvalidArgumentError: the shapes of the three do not fit together.

    >>> to_dense(SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])).tolist()
    [[0, 5], [6, 0]]
    """

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self.indices = _int64(indices)
        self.values = convert(values)
        self.dense_shape = _int64(dense_shape)
        parts = [self.indices.shape, np.shape(self.values) if isinstance(self.values, bytes) else
                 self.values.shape, self.dense_shape.shape]  # fmt: skip
        for part, rank, name in zip(
            parts, (2, 1, 1), ("indices", "values", "dense_shape"), strict=True
        ):
            if part is not None and len(part) != rank:
                raise InvalidArgumentError(
                    f"{name} of a SparseTensor must have rank {rank}, got the shape {part}"
                )
        self._expect_equal(parts, (0, 0), (1, 0), "as many indices as values")
        self._expect_equal(parts, (0, 1), (2, 0), "a size for each number of an index")

    @staticmethod
    def _expect_equal(parts: Any, a: tuple[int, int], b: tuple[int, int], what: str) -> None:
        first, second = (None if parts[i] is None else parts[i][axis] for i, axis in (a, b))
        if first is not None and second is not None and first != second:
            raise InvalidArgumentError(f"a SparseTensor has {what}, got {first} and {second}")

    @property
    def dtype(self) -> DType:
        """dtype of the values."""
        dtype: DType = self.values.dtype
        return dtype

    @property
    def shape(self) -> Shape:
        """The dense shape, with None where a traced function does not know it."""
        if not isinstance(self.dense_shape, (Symbol, TensorSpec)):
            return tuple(int(size) for size in self.dense_shape)
        for shape, axis in ((self.indices.shape, 1), (self.dense_shape.shape, 0)):
            rank = None if shape is None else shape[axis]
            if rank is not None:
                return (None,) * int(rank)
        return None

    def get_shape(self) -> Shape:
        """The same as `shape`."""
        return self.shape

    def with_values(self, new_values: Any) -> SparseTensor:
        """Other values at the same places."""
        return SparseTensor.from_leaves([self.indices, convert(new_values), self.dense_shape])

    def to_leaves(self) -> list[Any]:
        """Its parts, as structure.flatten wants them."""
        return [self.indices, self.values, self.dense_shape]

    @classmethod
    def from_leaves(cls, leaves: list[Any]) -> SparseTensor:
        """The reverse of to_leaves."""
        tensor = cls.__new__(cls)
        tensor.indices, tensor.values, tensor.dense_shape = leaves
        return tensor

    @staticmethod
    def part_names(leaves: int) -> list[str]:
        """What each of its tensors is."""
        return ["indices", "values", "dense_shape"]

    @classmethod
    def stacked(cls, leaves: int) -> Any:
        """The structure of a batch of it."""
        return Composite(cls, leaves)

    unstacked = stacked  # of its rows

    @staticmethod
    def spec_from_leaves(leaves: list[TensorSpec]) -> SparseTensorSpec:
        """The spec of what `leaves` are the specs of."""
        return SparseTensorSpec(SparseTensor.from_leaves(leaves).shape, leaves[1].dtype)

    @staticmethod
    def apply_kernel(kernel: str, inputs: Any, unify: bool, attrs: dict[str, Any]) -> Any:
        """The kernel on inputs of which some are sparse."""
        from fastpipe import ragged_ops

        return ragged_ops.apply(kernel, inputs, unify, attrs)

    __array_ufunc__ = None  # NumPy leaves operators to this class

    def __mul__(self, other: Any) -> SparseTensor:
        product: SparseTensor = call("multiply", [self, other], unify=True)
        return product

    def __truediv__(self, other: Any) -> SparseTensor:
        quotient: SparseTensor = call("divide", [self, other], unify=True)
        return quotient

    def to_list(self) -> list[Any]:
        """[indices, values, dense shape] as lists. Not while tracing."""
        return [part.tolist() for part in self.to_leaves()]

    def numpy(self) -> SparseTensor:
        """Itself: its parts are NumPy arrays."""
        return self

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self.indices!r}, values={self.values!r}, "
            f"dense_shape={self.dense_shape!r})"
        )


@dataclass(frozen=True, init=False)
class SparseTensorSpec:
    """Shape and dtype of a SparseTensor component.

    >>> SparseTensorSpec([None, 3], "int64")
    SparseTensorSpec(shape=(None, 3), dtype=fp.int64)
    """

    shape: Shape
    dtype: DType

    value_type = SparseTensor

    def __init__(self, shape: object = None, dtype: object = "float32") -> None:
        object.__setattr__(self, "shape", as_shape(shape))
        object.__setattr__(self, "dtype", as_dtype(dtype))

    @property
    def rank(self) -> int | None:
        """Number of dimensions, None if unknown."""
        return None if self.shape is None else len(self.shape)

    def to_leaves(self) -> list[TensorSpec]:
        """Specs of the parts of a value."""
        return [
            TensorSpec((None, self.rank), int64),
            TensorSpec((None,), self.dtype),
            TensorSpec((self.rank,), int64),
        ]


def _expect_sparse(value: Any) -> SparseTensor:
    if not isinstance(value, SparseTensor):
        raise TypeError(f"expected a SparseTensor, got {type(value).__name__}")
    return value


def _made(kernel: str, sparse: Any, *more: Any, **attrs: Any) -> SparseTensor:
    parts = _expect_sparse(sparse).to_leaves()
    return SparseTensor.from_leaves(list(call(kernel, [*parts, *more], **attrs)))


def to_dense(
    sp_input: SparseTensor,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """The dense tensor, `default_value` (0, False or b"") where there is no value.

    Raises:
        InvalidArgumentError: an index lies outside, or, with validate_indices, is there twice or
            out of order.

    >>> to_dense(SparseTensor([[1]], [5], [3]), default_value=-1).tolist()
    [-1, 5, -1]
    """
    parts = _expect_sparse(sp_input).to_leaves()
    dtype = as_dtype(parts[1].dtype)
    if default_value is None:
        default_value = b"" if dtype == "string" else False if dtype == "bool" else 0
    if not isinstance(default_value, Symbol):
        default_value = as_tensor(default_value, None if dtype == "string" else dtype)
    return call("sparse_to_dense", [*parts, default_value], validate=bool(validate_indices))


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The values of a dense tensor that are not 0, False or b"".

    >>> from_dense([[0, 5], [6, 0]]).indices.tolist()
    [[0, 1], [1, 0]]
    """
    return SparseTensor.from_leaves(list(call("sparse_from_dense", [tensor])))


def reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The same tensor with its values in row-major order.

    >>> reorder(SparseTensor([[1], [0]], [5, 6], [2])).values.tolist()
    [6, 5]
    """
    return _made("sparse_reorder", sp_input)


def reshape(sp_input: SparseTensor, shape: Any, name: str | None = None) -> SparseTensor:
    """The same values in another dense shape, of which one size may be -1.

    >>> reshape(SparseTensor([[1, 0]], [5], [2, 2]), [-1]).indices.tolist()
    [[2]]
    """
    return _made("sparse_reshape", sp_input, _int64(shape))


def slice(sp_input: SparseTensor, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The part of the given size that begins at `start`, smaller at the ends.

    >>> slice(SparseTensor([[0], [2]], [5, 6], [3]), [1], [2]).indices.tolist()
    [[1]]
    """
    return _made("sparse_slice", sp_input, _int64(start), _int64(size))


def concat(
    axis: int,
    sp_inputs: Sequence[SparseTensor],
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Several sparse tensors one after the other along `axis`.

    Raises:
        InvalidArgumentError: other sizes differ, unless expand_nonconcat_dims.

    >>> x = SparseTensor([[0]], [5], [2])
    >>> concat(0, [x, x]).indices.tolist()
    [[0], [2]]
    """
    first, *rest = [sp_inputs] if isinstance(sp_inputs, SparseTensor) else list(sp_inputs)
    more = [part for item in rest for part in _expect_sparse(item).to_leaves()]
    return _made("sparse_concat", first, *more, axis=int(axis), expand=bool(expand_nonconcat_dims))


def expand_dims(sp_input: SparseTensor, axis: int = -1, name: str | None = None) -> SparseTensor:
    """The same tensor with a new dimension of size 1 at `axis`.

    >>> expand_dims(SparseTensor([[1]], [5], [2]), 0).dense_shape.tolist()
    [1, 2]
    """
    rank = _rank(sp_input)
    if not -rank - 1 <= axis <= rank:
        raise InvalidArgumentError(f"axis must be {-rank - 1} to {rank}, got {axis}")
    axis %= rank + 1
    indices, values, shape = sp_input.to_leaves()
    zeros = call("multiply", [indices[:, :1], np.int64(0)]) if rank else indices
    return SparseTensor.from_leaves([
        _concat([indices[:, :axis], zeros, indices[:, axis:]], axis=1),
        values,
        _concat([shape[:axis], np.ones(1, np.int64), shape[axis:]], axis=0),
    ])  # fmt: skip


def transpose(
    sp_input: SparseTensor, perm: Sequence[int] | None = None, name: str | None = None
) -> SparseTensor:
    """The tensor with its axes in the order `perm`, default reversed.

    >>> transpose(SparseTensor([[0, 1]], [5], [1, 2])).indices.tolist()
    [[1, 0]]
    """
    order = list(range(_rank(sp_input)))[::-1] if perm is None else [int(axis) for axis in perm]
    indices, values, shape = sp_input.to_leaves()
    moved = [gather(indices, order, axis=1), values, gather(shape, order)]
    return reorder(SparseTensor.from_leaves(moved))


def retain(sp_input: SparseTensor, to_retain: Any) -> SparseTensor:
    """The values for which the bool vector `to_retain` is True.

    >>> retain(SparseTensor([[0], [2]], [5, 6], [3]), [False, True]).values.tolist()
    [6]
    """
    indices, values, shape = _expect_sparse(sp_input).to_leaves()
    kept = [call("boolean_mask", [part, to_retain], axis=0) for part in (indices, values)]
    return SparseTensor.from_leaves([*kept, shape])


def to_indicator(sp_input: SparseTensor, vocab_size: int, name: str | None = None) -> Any:
    """A dense bool tensor: the integer values in place of the last axis, as places that are True.

    >>> to_indicator(SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1]), 3).tolist()
    [[False, False, True], [True, False, False]]
    """
    indices, values, shape = _expect_sparse(sp_input).to_leaves()
    places = call("expand_dims", [_int64(values)], axis=1)
    true = call("equal", [values, values])
    marks = [
        _concat([indices[:, :-1], places], axis=1),
        true,
        _concat([shape[:-1], np.array([vocab_size], np.int64)], axis=0),
    ]
    return to_dense(SparseTensor.from_leaves(marks), False, validate_indices=False)


def reduce_sum(
    sp_input: SparseTensor, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The sum of the values along axes, all if None: a dense tensor.

    >>> reduce_sum(SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2]), axis=1).tolist()
    [5, 6]
    """
    return _reduce_sum(to_dense(sp_input), axis, keepdims)


def reset_shape(
    sp_input: SparseTensor, new_shape: Any = None, name: str | None = None
) -> SparseTensor:
    """The same values in another dense shape of the same rank; None: the smallest for them.

    >>> reset_shape(SparseTensor([[0, 1]], [5], [9, 9])).dense_shape.tolist()
    [1, 2]
    """
    indices, values, shape = _expect_sparse(sp_input).to_leaves()
    if new_shape is None:
        least = call("multiply", [call("expand_dims", [shape], axis=0), np.int64(0)])
        new_shape = call(
            "reduce_max",
            [_concat([call("add", [indices, np.int64(1)]), least], axis=0)],
            axis=[0],
            keepdims=False,
        )
    return SparseTensor.from_leaves([indices, values, _int64(new_shape)])


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """`op` applied to the values of the sparse tensors among its arguments.

    >>> map_values(np.negative, SparseTensor([[1]], [5], [2])).values.tolist()
    [-5]
    """
    sparse = [arg for arg in [*args, *kwargs.values()] if isinstance(arg, SparseTensor)]
    if not sparse:
        raise InvalidArgumentError("map_values needs a SparseTensor among the arguments")

    def part(value: Any) -> Any:
        return value.values if isinstance(value, SparseTensor) else value

    values = op(*map(part, args), **{name: part(value) for name, value in kwargs.items()})
    return sparse[0].with_values(values)


def _rank(sp_input: SparseTensor) -> int:
    shape = _expect_sparse(sp_input).shape
    if shape is None:
        raise InvalidArgumentError("the rank of the SparseTensor must be known")
    return len(shape)
