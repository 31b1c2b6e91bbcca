"""tf.train.Example and SequenceExample as bytes, written by hand."""

from __future__ import annotations

import struct


def varint(value):
    value &= 2**64 - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def message(field, payload):
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def ints(*values):
    return message(3, message(1, b"".join(map(varint, values))))


def floats(*values):
    return message(2, message(1, struct.pack(f"<{len(values)}f", *values)))


def texts(*values):
    return message(1, b"".join(message(1, value) for value in values))


def example(*features):
    entries = (message(1, message(1, name) + message(2, value)) for name, value in features)
    return message(1, b"".join(entries))


def sequence_example(context=(), lists=()):
    """`lists` holds (name, features of the steps)."""
    entries = [message(1, message(1, name) + message(2, value)) for name, value in context]
    steps = [
        message(1, message(1, name) + message(2, b"".join(message(1, step) for step in values)))
        for name, values in lists
    ]
    return message(1, b"".join(entries)) + message(2, b"".join(steps))
