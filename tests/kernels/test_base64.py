import base64
import random

import pytest

from fastpipe import io
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize("length", [*range(10), 100])
def test_round_trip(length):
    data = random.Random(length).randbytes(length)
    padded = base64.urlsafe_b64encode(data)
    assert io.encode_base64(data, pad=True) == padded
    assert io.encode_base64(data) == padded.rstrip(b"=")
    assert io.decode_base64(padded) == data
    assert io.decode_base64(padded.rstrip(b"=")) == data


def test_shape():
    encoded = io.encode_base64([["a"], ["b"]])
    assert encoded.tolist() == [[b"YQ"], [b"Yg"]]
    assert io.decode_base64(encoded).tolist() == [[b"a"], [b"b"]]


@pytest.mark.parametrize("text", ["a", "=", "aGVsb", "abcd=", "abcd\n"])
def test_impossible_length(text):
    with pytest.raises(InvalidArgumentError, match="length must not be 1 modulo 4"):
        io.decode_base64(text)


@pytest.mark.parametrize("text", ["a+b/", "ab cd!", "ab=", "ab=c", "====", "ab==abcd", "aGVsbG8=="])
def test_foreign_character(text):
    with pytest.raises(InvalidArgumentError, match="decode_base64: "):
        io.decode_base64(text)
