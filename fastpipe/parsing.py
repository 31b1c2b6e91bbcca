"""Kernels that parse serialized values: `tf.train.Example`, CSV, raw bytes, base64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fastpipe.errors import InvalidArgumentError
from fastpipe.spec import as_tensor, dtype_name
from fastpipe.tracing import call

__all__ = [
    "FixedLenFeature",
    "decode_base64",
    "decode_csv",
    "decode_raw",
    "encode_base64",
    "parse_example",
    "parse_single_example",
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


def parse_single_example(
    serialized: object, features: Mapping[str, FixedLenFeature]
) -> dict[str, object]:
    r"""Parses one serialized `tf.train.Example`.

    Args:
        serialized: A scalar string.
        features: What to read, by name. Features of the example that are not named are ignored.

    Returns:
        A dict with one tensor a feature, of the feature's dtype and shape.

    Raises:
        InvalidArgumentError: The string is not an Example, or a feature is missing without a
            default or holds values of another dtype or number; the message names the feature.

    >>> example = b"\n\x0e\n\x0c\n\x01a\x12\x07\x1a\x05\n\x03\x01\x02\x03"
    >>> parse_single_example(example, {"a": FixedLenFeature([3], "int64")})["a"].tolist()
    [1, 2, 3]
    """
    return _parse("parse_single_example", serialized, features)


def parse_example(serialized: object, features: Mapping[str, FixedLenFeature]) -> dict[str, object]:
    r"""Parses a batch of serialized `tf.train.Example`s.

    Args:
        serialized: A string tensor of shape [batch], or a scalar.
        features: What to read, by name.

    Returns:
        A dict with one tensor a feature, of the feature's dtype and shape [batch, *shape].

    Raises:
        InvalidArgumentError: As `parse_single_example`; the message also names the example.

    >>> example = b"\n\x0c\n\n\n\x01a\x12\x05\x1a\x03\n\x01\x07"
    >>> parse_example([example, example], {"a": FixedLenFeature([], "int64")})["a"].tolist()
    [7, 7]
    """
    return _parse("parse_example", serialized, features)


def _parse(
    kernel: str, serialized: object, features: Mapping[str, FixedLenFeature]
) -> dict[str, object]:
    shapes = [_shape(name, feature) for name, feature in features.items()]
    dtypes = [dtype_name(feature.dtype) for feature in features.values()]
    defaults = [
        _default(name, dtype, shape, feature.default_value)
        for (name, feature), dtype, shape in zip(features.items(), dtypes, shapes, strict=True)
    ]
    outputs = call(
        kernel,
        [serialized],
        names=list(features),
        kinds=["fixed"] * len(features),
        dtypes=dtypes,
        shapes=shapes,
        defaults=defaults,
    )
    values = outputs if isinstance(outputs, tuple) else (outputs,)
    return dict(zip(features, values, strict=True))


def _shape(name: str, feature: FixedLenFeature) -> list[int | None]:
    if not isinstance(feature, FixedLenFeature):
        raise InvalidArgumentError(
            f"feature {name!r} must be a FixedLenFeature, got {type(feature).__name__}"
        )
    if isinstance(feature.shape, int):
        return [feature.shape]
    if feature.shape is None:
        raise InvalidArgumentError(f"feature {name!r} must have a known shape, got None")
    return list(feature.shape)


def _default(
    name: str, dtype: str, shape: list[int | None], value: object
) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None:
    """`value` as an array of the feature's dtype, in one dimension."""
    if value is None:
        return None
    array = _flat(value)
    if dtype == "string":
        if array.dtype == object:
            return array
    # An int serves a float feature; nothing else changes its kind.
    elif array.dtype.kind in "iuf" and np.can_cast(array.dtype, dtype, "same_kind"):
        return array.astype(dtype, copy=False)
    raise InvalidArgumentError(
        f"feature {name!r} must hold {dtype} values (shape {shape}), got the default {value!r}"
    )


def _flat(value: object) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """`value` as a one-dimensional array; strings as bytes in an object array."""
    tensor = as_tensor(value)
    if isinstance(tensor, bytes):
        array = np.empty(1, dtype=object)
        array[0] = tensor
        return array
    return np.reshape(np.asarray(tensor), -1)


def decode_csv(
    records: object,
    record_defaults: Sequence[object],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> list[object]:
    """Decodes CSV records (RFC 4180), one string each.

    Args:
        records: A string tensor of any shape.
        record_defaults: One entry a column. Its dtype is the column's: int32, int64, float32,
            float64 or string. Its one value stands for an empty field; without a value, as in
            `np.array([], np.float32)`, the field is required.
        field_delim: One byte that separates fields.
        use_quote_delim: Whether `"` encloses fields.
        na_value: Text that counts as an empty field, too.
        select_cols: Which columns to decode, ascending; None decodes all.

    Returns:
        One tensor a column, of the records' shape.

    Raises:
        InvalidArgumentError: A record is malformed or has another number of fields, or a field is
            missing or of another type; the message names the field and quotes it.

    >>> [column.tolist() for column in decode_csv(["1,a", "2,"], [[0], ["none"]])]
    [[1, 2], [b'a', b'none']]
    """
    outputs = call(
        "decode_csv",
        [records],
        record_defaults=[_column_default(value) for value in record_defaults],
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=None if select_cols is None else list(select_cols),
    )
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def _column_default(value: object) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    tensor = as_tensor(value)
    return _flat(tensor) if isinstance(tensor, bytes) else np.asarray(tensor)


def decode_raw(input_bytes: object, out_type: object, little_endian: bool = True) -> object:
    r"""Reads the bytes of strings as numbers.

    Args:
        input_bytes: A string tensor; all strings have one length, a multiple of the number's size.
        out_type: The dtype of the numbers.
        little_endian: The byte order of the input.

    Returns:
        A tensor of shape [*input_bytes.shape, n].

    Raises:
        InvalidArgumentError: The strings differ in length or do not hold whole numbers.

    >>> decode_raw(b"\x01\x00\x02\x00", "int16").tolist()
    [1, 2]
    """
    return call(
        "decode_raw", [input_bytes], out_type=dtype_name(out_type), little_endian=little_endian
    )


def encode_base64(input: object, pad: bool = False) -> object:
    """Encodes strings in web-safe base64: "-" and "_" instead of "+" and "/".

    Args:
        input: A string tensor of any shape.
        pad: Fill up with "=" to a multiple of four characters.

    >>> encode_base64("hello")
    b'aGVsbG8'
    """
    return call("encode_base64", [input], pad=pad)


def decode_base64(input: object) -> object:
    """Decodes web-safe base64, with or without padding.

    Raises:
        InvalidArgumentError: A string is not base64; the message quotes it.

    >>> decode_base64("aGVsbG8")
    b'hello'
    """
    return call("decode_base64", [input])
