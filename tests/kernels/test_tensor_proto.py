import numpy as np
import open_shapes
import pytest
from wire import message, varint

import fastpipe as fp
from fastpipe import io
from fastpipe.errors import InvalidArgumentError

# What TensorFlow writes.
WRITTEN = [
    (np.int32(5), b'\x08\x03\x12\x00"\x04\x05\x00\x00\x00'),
    (np.int32([1, 2]), b'\x08\x03\x12\x04\x12\x02\x08\x02"\x08\x01\x00\x00\x00\x02\x00\x00\x00'),
    (
        np.float32([[1.5, 2]]),
        b'\x08\x01\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x08\x00\x00\xc0?\x00\x00\x00@',
    ),
    (np.array([b"a", b""], object), b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x00"),
    (b"x", b"\x08\x07\x12\x00B\x01x"),
    (np.array([True, False]), b'\x08\n\x12\x04\x12\x02\x08\x02"\x02\x01\x00'),
    (np.float16([1.5]), b'\x08\x13\x12\x04\x12\x02\x08\x01"\x02\x00>'),
    (np.uint8([7, 8]), b'\x08\x04\x12\x04\x12\x02\x08\x02"\x02\x07\x08'),
    (np.zeros([0, 3], np.int64), b"\x08\t\x12\x06\x12\x00\x12\x02\x08\x03"),
    (np.int64(-1), b'\x08\t\x12\x00"\x08\xff\xff\xff\xff\xff\xff\xff\xff'),
    (np.uint64([2**63]), b'\x08\x17\x12\x04\x12\x02\x08\x01"\x08\x00\x00\x00\x00\x00\x00\x00\x80'),
    (np.int8([-1]), b'\x08\x06\x12\x04\x12\x02\x08\x01"\x01\xff'),
    (np.uint16([7]), b'\x08\x11\x12\x04\x12\x02\x08\x01"\x02\x07\x00'),
    (np.uint32([7]), b'\x08\x16\x12\x04\x12\x02\x08\x01"\x04\x07\x00\x00\x00'),
    (np.int16([-3]), b'\x08\x05\x12\x04\x12\x02\x08\x01"\x02\xfd\xff'),
    (np.float64([-0.0]), b'\x08\x02\x12\x04\x12\x02\x08\x01"\x08\x00\x00\x00\x00\x00\x00\x00\x80'),
]


def dtype_of(value):
    return "string" if isinstance(value, bytes) else value.dtype


@pytest.mark.parametrize(("value", "serialized"), WRITTEN)
def test_bytes_are_those_of_tensorflow(value, serialized):
    open_shapes.check(io.serialize_tensor, [value], serialized)
    open_shapes.check(lambda text: io.parse_tensor(text, dtype_of(value)), [serialized], value)


def proto(dtype, shape, *fields):
    dims = b"".join(message(2, b"\x08" + varint(size)) for size in shape)
    return b"\x08" + varint(dtype) + message(2, dims) + b"".join(fields)


def listed(field, values):
    return message(field, b"".join(map(varint, values)))


@pytest.mark.parametrize(
    ("serialized", "dtype", "expected"),
    [
        (proto(3, [3], listed(7, [1, 2, 3])), "int32", [1, 2, 3]),
        (proto(3, [], listed(7, [-5])), "int32", -5),
        (proto(3, [4], listed(7, [1, 2])), "int32", [1, 2, 2, 2]),
        (proto(3, [2], listed(7, [1, 2, 3])), "int32", [1, 2]),
        (proto(3, [2]), "int32", [0, 0]),
        (proto(3, [2], b"\x38\x01", b"\x38\x02"), "int32", [1, 2]),
        (proto(9, [2], listed(10, [1, 2**62])), "int64", [1, 2**62]),
        (proto(23, [1], listed(17, [2**63])), "uint64", [2**63]),
        (proto(22, [1], listed(16, [7])), "uint32", [7]),
        (proto(6, [2], listed(7, [-1, 5])), "int8", [-1, 5]),
        (proto(10, [3], listed(11, [1, 0, 2])), "bool", [True, False, True]),
        (proto(10, [2], message(4, b"\x07\x00")), "bool", [True, False]),
        (proto(19, [1], listed(13, [15872])), "float16", [1.5]),
        (proto(1, [2], message(5, np.float32([1.5, 2]).tobytes())), "float32", [1.5, 2]),
        (proto(1, [2], b"\x2d" + np.float32(1.5).tobytes()), "float32", [1.5, 1.5]),
        (proto(2, [1], message(6, np.float64([0.1]).tobytes())), "float64", [0.1]),
        (proto(7, [3], message(8, b"a")), "string", [b"a"] * 3),
        (proto(7, [2]), "string", [b"", b""]),
        (proto(7, [1, 2], message(8, b"a"), message(8, b"b")), "string", [[b"a", b"b"]]),
        (proto(3, [0], message(9, b"?")), "int32", []),
        # Numbers of another kind than the field has are passed over.
        (proto(3, [1], b"\x3d\x05\x00\x00\x00", listed(7, [2])), "int32", [2]),
        (proto(1, [1], b"\x28\x05", message(5, np.float32(2).tobytes())), "float32", [2]),
        (proto(2, [2], b"\x31" + np.float64(0.5).tobytes()), "float64", [0.5, 0.5]),
        # A dimension may have a name.
        (b"\x08\x03" + message(2, message(2, b"\x08\x02" + message(2, b"x"))), "int32", [0, 0]),
    ],
)
def test_listed_values(serialized, dtype, expected):
    tensor = io.parse_tensor(serialized, dtype)
    assert tensor.tolist() == expected
    assert fp.TensorSpec(None, dtype).dtype == (tensor.dtype if dtype != "string" else "string")


@pytest.mark.parametrize(
    ("serialized", "text"),
    [
        (b"garbage", "must be a TensorProto, got 'garbage': there is no such type"),
        (b"", "there is no dtype number 0"),
        (proto(8, [1]), "there is no dtype number 8"),
        (proto(1, [1]), r"must hold int32, got float32 \[1\]"),
        (proto(3, [2], message(4, b"abcd")), r"holds 4 bytes for int32 \[2\]"),
        (proto(3, [1], message(4, b"abcdefgh")), r"holds 8 bytes for int32 \[1\]"),
        (proto(3, [2**62, 2**62]), "its shape, .* cannot be"),
        (proto(7, [2**28]), "its shape, .* cannot be"),  # each string takes an offset at least
        (proto(3, [1] * 65), "its shape, .* cannot be"),  # NumPy has 64 dimensions
        (proto(3, [2**64 - 1]), r"its shape, \[.*\], cannot be"),
        (proto(3, [2**40]), "cannot be"),
        (proto(3, [1], message(7, b"\xff")), "ends within a number"),
        (proto(1, [1], message(5, b"abc")), None),
    ],
)
def test_damaged(serialized, text):
    dtype = "int32" if text is not None else "float32"
    with pytest.raises(InvalidArgumentError, match=text or "ends within a number"):
        io.parse_tensor(serialized, dtype)


def test_damaged_bytes_give_a_value_or_an_error():
    for value, whole in WRITTEN:
        damaged = [whole[:end] for end in range(len(whole))]
        damaged += [
            whole[:place] + bytes([whole[place] ^ flip]) + whole[place + 1 :]
            for place in range(len(whole))
            for flip in (1, 0x80, 0xFF)
        ]
        for serialized in damaged:
            try:
                io.parse_tensor(serialized, dtype_of(value))
            except InvalidArgumentError:
                pass


def test_bad_arguments():
    with pytest.raises(InvalidArgumentError, match=r"must be a scalar, got string \[1\]"):
        io.parse_tensor([b""], "int32")
    with pytest.raises(InvalidArgumentError, match="must be string, got int32"):
        io.parse_tensor(1, "int32")
    ds = fp.Dataset.from_tensors([1, 2]).map(io.serialize_tensor)
    assert ds.map(lambda x: io.parse_tensor(x, "int32")).element_spec.shape is None
