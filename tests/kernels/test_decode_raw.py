import numpy as np
import pytest

import fastpipe as fp
from fastpipe import io
from fastpipe.errors import InvalidArgumentError

DTYPES = ["uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES += ["float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("little_endian", [True, False])
def test_decode_raw_is_frombuffer(dtype, little_endian):
    data = bytes(range(48))
    expected = np.frombuffer(data, np.dtype(dtype).newbyteorder("<" if little_endian else ">"))
    decoded = io.decode_raw(data, dtype, little_endian)
    assert decoded.dtype == dtype
    np.testing.assert_array_equal(decoded, expected)


@pytest.mark.parametrize(
    ("data", "dtype", "expected"),
    [
        (["ab", "cd"], "uint8", [[97, 98], [99, 100]]),
        ([[b"\x00\x01"]], "int16", [[[256]]]),
        ("", "int32", []),
        (["", ""], "int64", [[], []]),
        (b"\x00\x01\x02", "bool", [False, True, True]),
    ],
)
def test_shapes(data, dtype, expected):
    assert io.decode_raw(data, dtype).tolist() == expected


@pytest.mark.parametrize(
    ("data", "dtype", "message"),
    [
        ("abc", "int16", "whole int16 values of 2 bytes, got 3 bytes"),
        (["ab", "c"], "uint8", "one length, got 2 bytes at index 0 and 1 at index 1"),
        ("abcd", "string", "out_type must be a number or bool, got string"),
    ],
)
def test_bad_input(data, dtype, message):
    with pytest.raises(InvalidArgumentError, match=message):
        io.decode_raw(data, dtype)


@pytest.mark.parametrize(
    ("strings", "dtype", "length", "expected"),
    [
        ([b"abcd", b"ab"], "uint16", 4, [[25185, 25699], [25185, 0]]),
        ([b"abcdef", b"ab"], "uint8", 3, [[97, 98, 99], [97, 98, 0]]),
        ([b"abc"], "uint16", 4, [[25185, 99]]),
        (b"ab", "uint8", 3, [97, 98, 0]),
        ([], "uint8", 3, []),
    ],
)
def test_a_fixed_length_cuts_and_fills_up(strings, dtype, length, expected):
    strings = strings if isinstance(strings, bytes) else np.array(strings, object)
    decoded = io.decode_raw(strings, dtype, fixed_length=length)
    assert decoded.tolist() == expected
    assert decoded.shape[-1] == length // np.dtype(dtype).itemsize


def test_a_fixed_length_in_the_other_byte_order():
    assert io.decode_raw(b"ab", "uint16", False, 4).tolist() == [0x6162, 0]


@pytest.mark.parametrize("length", [0, -1, 3])
def test_a_fixed_length_must_hold_whole_numbers(length):
    with pytest.raises(InvalidArgumentError, match=f"positive multiple of the 2 .*got {length}"):
        io.decode_raw([b"ab"], "uint16", fixed_length=length)


def test_a_fixed_length_is_known_while_tracing():
    ds = fp.Dataset.from_tensors(b"ab").map(lambda x: io.decode_raw(x, "uint16", fixed_length=4))
    assert ds.element_spec.shape == (2,)
