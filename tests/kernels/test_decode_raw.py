import numpy as np
import pytest

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
