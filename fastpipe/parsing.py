"""`tf.train.Example` and `tf.train.SequenceExample`: serialized messages to tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fastpipe.composed_features import composed
from fastpipe.errors import InvalidArgumentError
from fastpipe.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    index_keys,
)
from fastpipe.ragged import RaggedTensor
from fastpipe.sparse import SparseTensor
from fastpipe.spec import as_tensor, dtype_name
from fastpipe.tracing import call, convert

__all__ = [
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
]

_EXAMPLE = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)
_CONTEXT = (VarLenFeature, FixedLenFeature, RaggedFeature)
_LISTS = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)
Features = Mapping[str, Any]


def parse_single_example(
    serialized: object, features: Features, example_names: object = None, name: str | None = None
) -> dict[str, Any]:
    r"""Parses one serialized `tf.train.Example`.

    Args:
        serialized: A scalar string.
        features: What to read, by name: `FixedLenFeature`, `FixedLenSequenceFeature`,
            `VarLenFeature`, `SparseFeature` or `RaggedFeature`. Features of the example that are
            not named are ignored.
        example_names: Not used: messages name the file and the record.

    Returns:
        A dict with, for each feature, a tensor of its dtype and shape; a SparseTensor for
        `VarLenFeature` and `SparseFeature`; for a `RaggedFeature` a vector, or with partitions a
        RaggedTensor.

    Raises:
        InvalidArgumentError: The string is not an Example, or a feature is missing without a
            default or holds values of another dtype or number; the message names the feature.

    >>> example = b"\n\x0e\n\x0c\n\x01a\x12\x07\x1a\x05\n\x03\x01\x02\x03"
    >>> parse_single_example(example, {"a": FixedLenFeature([3], "int64")})["a"].tolist()
    [1, 2, 3]
    >>> parse_single_example(example, {"a": VarLenFeature("int64")})["a"].indices.tolist()
    [[0], [1], [2]]
    """
    return _parse_examples("parse_single_example", serialized, features, batched=False)


def parse_example(
    serialized: object, features: Features, example_names: object = None, name: str | None = None
) -> dict[str, Any]:
    r"""Parses a batch of serialized `tf.train.Example`s.

    Args:
        serialized: A string tensor of shape [batch], or a scalar.
        features: What to read, by name, as in `parse_single_example`.
        example_names: Not used: messages say which example of the batch it is.

    Returns:
        A dict as of `parse_single_example`, with [batch] before every shape: a
        `FixedLenSequenceFeature` is padded to the longest of the batch, and a `RaggedFeature` is a
        RaggedTensor.

    Raises:
        InvalidArgumentError: As `parse_single_example`; the message also names the example.

    >>> example = b"\n\x0c\n\n\n\x01a\x12\x05\x1a\x03\n\x01\x07"
    >>> parse_example([example, example], {"a": FixedLenFeature([], "int64")})["a"].tolist()
    [7, 7]
    >>> parse_example([example, b""], {"a": RaggedFeature("int64")})["a"].to_list()
    [[7], []]
    """
    serialized = convert(serialized)
    return _parse_examples("parse_example", serialized, features, batched=_is_batch(serialized))


def parse_single_sequence_example(
    serialized: object,
    context_features: Features | None = None,
    sequence_features: Features | None = None,
    example_name: object = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    r"""Parses one serialized `tf.train.SequenceExample`.

    Args:
        serialized: A scalar string.
        context_features: What to read of the context: `FixedLenFeature`, `VarLenFeature` or
            `RaggedFeature` by name.
        sequence_features: What to read of the feature lists: `FixedLenSequenceFeature`,
            `VarLenFeature` or `RaggedFeature` by name.
        example_name: Not used.

    Returns:
        Two dicts: the context, as of `parse_single_example`, and the feature lists with the steps
        as their first dimension.

    Raises:
        InvalidArgumentError: As `parse_single_example`; the message names the feature and the step.

    >>> lists = b"\x12\x14\n\x12\n\x01x\x12\r\n\x05\x1a\x03\n\x01\x05\n\x04\x1a\x02\n\x00"
    >>> parse_single_sequence_example(lists, None, {"x": RaggedFeature("int64")})[1]["x"].to_list()
    [[5], []]
    """
    kernel = "parse_single_sequence_example"
    parsed = _parse_sequences(kernel, serialized, context_features, sequence_features, False)
    return parsed[:2]


def parse_sequence_example(
    serialized: object,
    context_features: Features | None = None,
    sequence_features: Features | None = None,
    example_names: object = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    r"""Parses a batch of serialized `tf.train.SequenceExample`s.

    Args:
        serialized: A string tensor of shape [batch].
        context_features, sequence_features: As in `parse_single_sequence_example`.
        example_names: Not used.

    Returns:
        Three dicts: the context, as of `parse_example`; the feature lists, with batch and steps as
        their first dimensions, dense ones padded to the longest; and how many steps each example
        has, int64 [batch] for each dense feature list.

    Raises:
        InvalidArgumentError: As `parse_single_sequence_example`; the message names the example.

    >>> lists = b"\x12\x0e\n\x0c\n\x01x\x12\x07\n\x05\x1a\x03\n\x01\x05"
    >>> step = FixedLenSequenceFeature([], "int64", allow_missing=True)
    >>> _, values, lengths = parse_sequence_example([lists, b""], None, {"x": step})
    >>> values["x"].tolist(), lengths["x"].tolist()
    ([[5], [0]], [1, 0])
    """
    serialized = convert(serialized)
    return _parse_sequences(
        "parse_sequence_example",
        serialized,
        context_features,
        sequence_features,
        _is_batch(serialized),
    )


def _is_batch(serialized: Any) -> bool:
    if isinstance(serialized, bytes):
        return False
    dims = serialized.shape
    return dims is None or len(dims) != 0


# ---- what the kernels take and give ----


class _Plan:
    """The features of one map, as the kernel reads them.

    Attributes:
        entries: what it takes for each name.
        makers: for each name how many of its results belong to it, and what is made of them.
    """

    def __init__(self, features: Features, allowed: tuple[type, ...], nested: bool, batched: bool):
        self.features = features
        self.nested, self.batched = nested, batched
        self.entries: dict[str, list[Any]] = {}
        self.makers: dict[str, tuple[int, Callable[..., Any]]] = {}
        for key in sorted(features):
            feature = features[key]
            if not isinstance(feature, allowed):
                names = ", ".join(kind.__name__ for kind in allowed)
                raise InvalidArgumentError(
                    f"feature {key!r} must be one of {names}, got {type(feature).__name__}"
                )
            _ADDERS[type(feature)](self, key, feature)

    def add(
        self,
        key: str,
        kind: str,
        dtype: object,
        results: int,
        make: Callable[..., Any],
        shape: Any = (),
        default: Any = None,
        splits: object = "int64",
        optional: bool = False,
    ) -> None:
        """Asks for one feature; for the same again if it is asked for in the same way."""
        if dtype is None:
            raise InvalidArgumentError(f"feature {key!r} must have a dtype, got None")
        entry = [key, kind, dtype_name(dtype), shape, default, dtype_name(splits), optional]
        known = self.entries.get(key)
        if known is not None and [known[1], known[2], known[5]] != [entry[1], entry[2], entry[5]]:
            raise InvalidArgumentError(
                f"feature {key!r} is asked for in two ways: as {known[1]} {known[2]} and as {kind} "
                f"{entry[2]}, with row splits {known[5]} and {entry[5]}"
            )
        self.entries[key] = entry
        self.makers[key] = (results, make)

    def take(self, outputs: list[Any]) -> dict[str, Any]:
        """The features of the first of `outputs`, which are dropped."""
        found = {}
        for key, (results, make) in self.makers.items():
            found[key] = make(*outputs[:results])
            del outputs[:results]
        return found


def _add_fixed(plan: _Plan, key: str, feature: FixedLenFeature) -> None:
    shape = _shape(key, feature.shape)
    dtype = _dtype(key, feature.dtype)
    default = _default(key, dtype, shape, feature.default_value)
    plan.add(key, "fixed", dtype, 1, _itself, shape, default)


def _add_sequence(plan: _Plan, key: str, feature: FixedLenSequenceFeature) -> None:
    if not plan.nested and not feature.allow_missing:
        raise InvalidArgumentError(
            f"feature {key!r} of an Example must have allow_missing=True to be a "
            f"FixedLenSequenceFeature"
        )
    if plan.nested and feature.default_value is not None:
        raise InvalidArgumentError(
            f"feature list {key!r} is padded with zeros: default_value must be None, got "
            f"{feature.default_value!r}"
        )
    dtype = _dtype(key, feature.dtype)
    padding = feature.default_value
    if padding is None:
        padding = "" if dtype == "string" else 0
    shape = _shape(key, feature.shape)
    default = _default(key, dtype, [], padding)
    make = _with_length if plan.nested and plan.batched else _itself
    results = 2 if plan.nested and plan.batched else 1
    allowed = bool(feature.allow_missing)
    plan.add(key, "sequence", dtype, results, make, shape, default, optional=allowed)


def _add_variable(plan: _Plan, key: str, feature: VarLenFeature) -> None:
    plan.add(key, "sparse", feature.dtype, 3, _sparse)


def _add_sparse(plan: _Plan, key: str, feature: SparseFeature) -> None:
    if not feature.index_key or not feature.value_key:
        raise InvalidArgumentError(
            f"feature {key!r} must have an index_key and a value_key, got {feature!r}"
        )
    for index_key in index_keys(feature):
        plan.add(index_key, "sparse", "int64", 3, _sparse)
    plan.add(feature.value_key, "sparse", feature.dtype, 3, _sparse)


def _add_ragged(plan: _Plan, key: str, feature: RaggedFeature) -> None:
    partitions: tuple[Any, ...] = feature.partitions
    results = 1 + int(plan.batched) + int(plan.nested)
    splits = feature.row_splits_dtype
    value_key = key if feature.value_key is None else feature.value_key
    plan.add(value_key, "ragged", feature.dtype, results, _ragged, splits=splits)
    for partition in partitions:
        if not isinstance(partition, RaggedFeature.UniformRowLength):
            plan.add(partition.key, "ragged", "int64", results, _ragged, splits=splits)


_ADDERS: dict[type, Callable[..., None]] = {
    FixedLenFeature: _add_fixed,
    FixedLenSequenceFeature: _add_sequence,
    VarLenFeature: _add_variable,
    SparseFeature: _add_sparse,
    RaggedFeature: _add_ragged,
}


def _itself(value: Any) -> Any:
    return value


def _with_length(value: Any, length: Any) -> Any:
    return value, length


def _sparse(*parts: Any) -> Any:
    return SparseTensor.from_leaves(list(parts))


def _ragged(*parts: Any) -> Any:
    return RaggedTensor.from_leaves(list(parts))


def _dtype(key: str, dtype: object) -> str:
    if dtype is None:
        raise InvalidArgumentError(f"feature {key!r} must have a dtype, got None")
    return dtype_name(dtype)


def _shape(key: str, shape: Any) -> list[Any]:
    if shape is None:
        raise InvalidArgumentError(f"feature {key!r} must have a known shape, got None")
    if isinstance(shape, (int, np.integer)):
        return [int(shape)]
    return [None if dim is None else int(dim) for dim in shape]


def _default(key: str, dtype: str, shape: list[int | None], value: object) -> Any:
    """`value` as an array of the feature's dtype, in one dimension."""
    if value is None:
        return None
    tensor = as_tensor(value)
    if isinstance(tensor, bytes):
        array = np.empty(1, dtype=object)
        array[0] = tensor
    else:
        array = np.reshape(np.asarray(tensor), -1)
    if dtype == "string":
        if array.dtype == object:
            return array
    # An int serves a float feature; nothing else changes its kind.
    elif array.dtype.kind in "iuf" and np.can_cast(array.dtype, dtype, "same_kind"):
        return array.astype(dtype, copy=False)
    raise InvalidArgumentError(
        f"feature {key!r} must hold {dtype} values (shape {shape}), got the default {value!r}"
    )


def _parse_examples(
    kernel: str, serialized: object, features: Features, batched: bool
) -> dict[str, Any]:
    if not features:
        raise InvalidArgumentError("features must name at least one feature, got none")
    plan = _Plan(features, _EXAMPLE, False, batched)
    outputs = _listed(call(kernel, [serialized], features=list(plan.entries.values())))
    return composed(features, plan.take(outputs), batched)


def _parse_sequences(
    kernel: str,
    serialized: object,
    context_features: Features | None,
    sequence_features: Features | None,
    batched: bool,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    if not context_features and not sequence_features:
        raise InvalidArgumentError(
            "context_features or sequence_features must name at least one feature, got none"
        )
    context = _Plan(context_features or {}, _CONTEXT, False, batched)
    lists = _Plan(sequence_features or {}, _LISTS, True, batched)
    entries = [list(plan.entries.values()) for plan in (context, lists)]
    outputs = _listed(call(kernel, [serialized], context=entries[0], lists=entries[1]))
    of_context, of_lists = context.take(outputs), lists.take(outputs)
    lengths = {key: value[1] for key, value in of_lists.items() if isinstance(value, tuple)}
    of_lists = {
        key: value[0] if isinstance(value, tuple) else value for key, value in of_lists.items()
    }
    return (
        composed(context.features, of_context, batched),
        composed(lists.features, of_lists, True),
        lengths,
    )


def _listed(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, tuple) else [outputs]
