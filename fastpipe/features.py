"""What to read of a `tf.train.Example`: one description for each feature."""

# Annotations are not postponed: in a NamedTuple they could not be resolved from another module.
from collections.abc import Sequence
from typing import NamedTuple

from fastpipe.errors import InvalidArgumentError
from fastpipe.spec import dtype_name

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "VarLenFeature",
]


class FixedLenFeature(NamedTuple):
    """A feature that has the same number of values in every example.

    Attributes:
        shape: The shape of its values in one example; fully known.
        dtype: float32, int64 or string.
        default_value: What an example without the feature has, as many values as `shape` holds;
            None if the feature is required.

    >>> FixedLenFeature([2], "float32", default_value=[0.0, 1.0]).shape
    [2]
    """

    shape: int | Sequence[int]
    dtype: object
    default_value: object = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of steps, each of the same shape: gives a dense tensor.

    Attributes:
        shape: The shape of one step; fully known.
        dtype: float32, int64 or string.
        allow_missing: Whether the feature may be missing, as if it had no steps. Must be True
            but for the feature lists of a SequenceExample.
        default_value: A scalar that fills up the shorter examples of a batch; default 0 or "".

    >>> FixedLenSequenceFeature([], "int64", allow_missing=True).default_value
    """

    shape: int | Sequence[int]
    dtype: object
    allow_missing: bool = False
    default_value: object = None


class VarLenFeature(NamedTuple):
    """A feature with any number of values: gives a SparseTensor.

    Attributes:
        dtype: float32, int64 or string.

    >>> VarLenFeature("int64")
    VarLenFeature(dtype='int64')
    """

    dtype: object


class SparseFeature(NamedTuple):
    """Values and, in other features, their indices: gives a SparseTensor.

    Attributes:
        index_key: Name of the int64 feature with the indices; a list of names for several
            dimensions.
        value_key: Name of the feature with the values.
        dtype: Of the values: float32, int64 or string.
        size: The dense size; a list of sizes if `index_key` is a list.
        already_sorted: Whether the indices are in row-major order.

    >>> SparseFeature("at", "value", "float32", 10).size
    10
    """

    index_key: str | Sequence[str]
    value_key: str
    dtype: object
    size: int | Sequence[int]
    already_sorted: bool = False


def index_keys(feature: SparseFeature) -> list[str]:
    """Names of the features with the indices, one a dimension."""
    keys = feature.index_key
    return [keys] if isinstance(keys, str) else list(keys)


class _RowSplits(NamedTuple):
    key: str


class _RowLengths(NamedTuple):
    key: str


class _RowStarts(NamedTuple):
    key: str


class _RowLimits(NamedTuple):
    key: str


class _ValueRowIds(NamedTuple):
    key: str


class _UniformRowLength(NamedTuple):
    length: int


_PARTITIONS = (_RowSplits, _RowLengths, _RowStarts, _RowLimits, _ValueRowIds, _UniformRowLength)


class _RaggedFields(NamedTuple):
    dtype: object
    value_key: str | None
    partitions: tuple[object, ...]
    row_splits_dtype: object
    validate: bool


class RaggedFeature(_RaggedFields):
    """A feature with any number of values, in rows of any length: gives a RaggedTensor.

    Without partitions one example gives a vector, and a batch a RaggedTensor of rank 2. Each
    partition splits the values once more.

    Args:
        dtype: float32, int64 or string.
        value_key: Name of the feature with the values; default: the name it is asked for by.
        partitions: Outermost first: RaggedFeature.RowSplits(key), RowLengths(key),
            RowStarts(key), RowLimits(key), ValueRowIds(key), with the name of an int64 feature, or
            UniformRowLength(length).
        row_splits_dtype: int32 or int64.
        validate: Kept for the sake of code that gives it; partitions are always checked.

    Raises:
        ValueError, TypeError: An argument is none of these.

    >>> RaggedFeature("int64", "v", [RaggedFeature.RowLengths("n")]).row_splits_dtype
    'int32'
    """

    __slots__ = ()

    RowSplits = _RowSplits
    RowLengths = _RowLengths
    RowStarts = _RowStarts
    RowLimits = _RowLimits
    ValueRowIds = _ValueRowIds
    UniformRowLength = _UniformRowLength

    def __new__(
        cls,
        dtype: object,
        value_key: str | None = None,
        partitions: Sequence[object] = (),
        row_splits_dtype: object = "int32",
        validate: bool = False,
    ) -> "RaggedFeature":
        if value_key is not None and (not isinstance(value_key, str) or not value_key):
            raise InvalidArgumentError(f"value_key must be a name, got {value_key!r}")
        if dtype_name(dtype) not in ("float32", "int64", "string"):
            raise InvalidArgumentError(f"dtype must be float32, int64 or string, got {dtype!r}")
        if dtype_name(row_splits_dtype) not in ("int32", "int64"):
            raise InvalidArgumentError(
                f"row_splits_dtype must be int32 or int64, got {row_splits_dtype!r}"
            )
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions must be a list or tuple, got {partitions!r}")
        for partition in partitions:
            if not isinstance(partition, _PARTITIONS):
                raise TypeError(
                    f"a partition must be RaggedFeature.RowSplits(key) or another of its kinds, "
                    f"got {partition!r}"
                )
        return super().__new__(
            cls, dtype, value_key, tuple(partitions), row_splits_dtype, bool(validate)
        )
