"""Kernels that decode text and bytes: CSV, raw numbers, base64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fastpipe.spec import as_tensor, dtype_name
from fastpipe.tracing import call

__all__ = [
    "decode_base64",
    "decode_csv",
    "decode_json_example",
    "decode_raw",
    "encode_base64",
    "parse_tensor",
    "serialize_tensor",
]


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
    return np.array([tensor], object) if isinstance(tensor, bytes) else np.asarray(tensor)


def decode_raw(
    input_bytes: object,
    out_type: object,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> object:
    r"""Reads the bytes of strings as numbers.

    Args:
        input_bytes: A string tensor; without fixed_length all strings have one length, a multiple
            of the number's size.
        out_type: The dtype of the numbers.
        little_endian: The byte order of the input.
        fixed_length: The bytes that every string is cut or filled up to, with zeros.

    Returns:
        A tensor of shape [*input_bytes.shape, n].

    Raises:
        InvalidArgumentError: The strings differ in length or do not hold whole numbers, or
            fixed_length is no positive multiple of the number's size.

    >>> decode_raw(b"\x01\x00\x02\x00", "int16").tolist()
    [1, 2]
    >>> decode_raw([b"\x01\x00\x02", b""], "int16", fixed_length=4).tolist()
    [[1, 2], [0, 0]]
    """
    return call(
        "decode_raw",
        [input_bytes],
        out_type=dtype_name(out_type),
        little_endian=little_endian,
        fixed_length=fixed_length,
    )


def serialize_tensor(tensor: object, name: str | None = None) -> object:
    r"""A tensor with its dtype and shape as bytes, as TensorFlow writes them (a TensorProto).

    >>> import numpy as np
    >>> serialize_tensor(np.int32([1]))
    b'\x08\x03\x12\x04\x12\x02\x08\x01"\x04\x01\x00\x00\x00'
    """
    return call("serialize_tensor", [tensor])


def parse_tensor(serialized: object, out_type: object, name: str | None = None) -> object:
    """The tensor that serialize_tensor, of fastpipe or TensorFlow, made bytes of.

    Args:
        serialized: A scalar string.
        out_type: The dtype of the tensor.

    Raises:
        InvalidArgumentError: The string is damaged, or holds a tensor of another dtype.

    >>> parse_tensor(serialize_tensor([[1, 2]]), "int32").tolist()
    [[1, 2]]
    """
    return call("parse_tensor", [serialized], out_type=dtype_name(out_type))


def decode_json_example(json_examples: object, name: str | None = None) -> object:
    r"""`tf.train.Example`s written as JSON, as serialized messages.

    Args:
        json_examples: A string tensor of any shape.

    Raises:
        InvalidArgumentError: A string is not JSON, or no Example; the message says where.

    >>> decode_json_example('{"features": {"feature": {"a": {"int64List": {"value": ["1"]}}}}}')
    b'\n\x0b\n\t\n\x01a\x12\x04\x1a\x02\x08\x01'
    """
    return call("decode_json_example", [json_examples])


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
