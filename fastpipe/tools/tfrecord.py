"""TFRecord files and the Examples in them, in plain Python: to make samples and to recognise files.

Pipelines read records natively; this is for the few records that a tool writes or looks at.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO, NamedTuple


def _crc_table() -> tuple[int, ...]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return tuple(table)


_CRC_TABLE = _crc_table()


def masked_crc32c(data: bytes) -> int:
    """The checksum that stands in TFRecord files.

    >>> hex(masked_crc32c(b"123456789"))
    '0xc78ab0e5'
    """
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC_TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def write_record(file: BinaryIO, data: bytes) -> None:
    """Appends one record."""
    size = struct.pack("<Q", len(data))
    file.write(size + struct.pack("<I", masked_crc32c(size)))
    file.write(data + struct.pack("<I", masked_crc32c(data)))


def starts_with_record(head: bytes) -> bool:
    """Whether the first bytes of a file are the header of a record."""
    return len(head) >= 12 and struct.unpack("<I", head[8:12])[0] == masked_crc32c(head[:8])


def read_records(file: BinaryIO, limit: int) -> Iterator[bytes]:
    """The first whole records, at most `limit`; their data are not checked."""
    for _ in range(limit):
        head = file.read(12)
        if not starts_with_record(head):
            return
        size = struct.unpack("<Q", head[:8])[0]
        data = file.read(size)
        if len(data) < size or len(file.read(4)) < 4:
            return
        yield data


class Feature(NamedTuple):
    """A feature of an Example.

    Attributes:
        dtype: "string", "float32" or "int64"; None if it has no values.
        size: how many values it has.
        start: the first bytes of its first value, if strings.
    """

    dtype: str | None
    size: int
    start: bytes = b""


def example_features(data: bytes) -> dict[str, Feature] | None:
    """The features of a serialized Example; None if `data` are something else."""
    try:
        features: dict[str, Feature] = {}
        for number, content in _fields(data):
            if number != 1 or not isinstance(content, bytes):
                return None
            for _, entry in _fields(content):
                if not isinstance(entry, bytes):
                    return None
                pair = dict(_fields(entry))
                name, value = pair[1], pair.get(2, b"")
                if not isinstance(name, bytes) or not isinstance(value, bytes):
                    return None
                features[name.decode()] = _feature(value)
        return features or None
    except (ValueError, KeyError, IndexError, struct.error):
        return None


def _feature(data: bytes) -> Feature:
    for number, content in _fields(data):
        if not isinstance(content, bytes):
            raise ValueError("a feature holds a list")
        values = list(_fields(content))
        if number == 1:
            strings = [value for _, value in values if isinstance(value, bytes)]
            return Feature("string", len(strings), strings[0][:16] if strings else b"")
        packed = [value for _, value in values if isinstance(value, bytes)]
        single = len(values) - len(packed)
        if number == 2:
            return Feature("float32", single + sum(len(value) // 4 for value in packed))
        if number == 3:
            # Every varint has one byte without its high bit.
            return Feature("int64", single + sum(sum(b < 128 for b in value) for value in packed))
        raise ValueError(f"a feature has no field {number}")
    return Feature(None, 0)


def _fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """(field number, content) of a protocol buffer; content is bytes or, if a varint, its value."""
    position = 0
    while position < len(data):
        key, position = _varint(data, position)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, position = _varint(data, position)
            yield number, value
            continue
        if wire == 2:
            size, position = _varint(data, position)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ValueError(f"no wire type {wire}")
        if position + size > len(data):
            raise ValueError("a field ends after its message")
        content = data[position : position + size]
        position += size
        yield number, content if wire == 2 else int.from_bytes(content, "little")


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
    raise ValueError("a varint is too long")


def encode_example(features: Mapping[str, bytes | Iterable[float]]) -> bytes:
    """Serializes an Example: bytes as one string, ints as int64s, floats as float32s.

    >>> example_features(encode_example({"label": [7], "name": b"a"}))["label"]
    Feature(dtype='int64', size=1, start=b'')
    """
    entries = b""
    for name, value in features.items():
        entry = _field(1, name.encode()) + _field(2, _encode_feature(value))
        entries += _field(1, entry)
    return _field(1, entries)


def _encode_feature(value: bytes | Iterable[float]) -> bytes:
    if isinstance(value, bytes):
        return _field(1, _field(1, value))
    numbers = list(value)
    if all(isinstance(number, int) for number in numbers):
        packed = b"".join(_encode_varint(int(number)) for number in numbers)
        return _field(3, _field(1, packed))
    return _field(2, _field(1, struct.pack(f"<{len(numbers)}f", *numbers)))


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _encode_varint(len(content)) + content


def _encode_varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers in two's complement
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
