import numpy as np
import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("text", "pos", "length", "expected"),
    [
        ("hello", 1, 3, b"ell"),
        ("hello", -3, 2, b"ll"),
        ("hello", 5, 1, b""),
        ("hello", -5, 1, b"h"),
        ("hello", 1, 100, b"ello"),
        ("hello", 1, -1, b"ello"),
        ("hello", 1, 0, b""),
        ("", 0, 1, b""),
        ("x" * 30 + "y" * 30, 20, 20, b"x" * 10 + b"y" * 10),
    ],
)
def test_bytes(text, pos, length, expected):
    assert strings.substr(text, pos, length) == expected
    assert strings.substr(text, np.int64(pos), length) == expected


@pytest.mark.parametrize(
    ("text", "pos", "length", "expected"),
    [
        ("añ€😀z", 1, 2, "ñ€".encode()),
        ("añ€😀z", -2, 1, "😀".encode()),
        ("añ€😀z", 5, 1, b""),
        ("añ€😀z", -5, 9, "añ€😀z".encode()),
        ("añ€", 2, 0, b""),
        (b"\x80\x80a", 1, 1, b"a"),
    ],
)
def test_characters(text, pos, length, expected):
    assert strings.substr(text, pos, length, unit="UTF8_CHAR") == expected


@pytest.mark.parametrize(
    ("text", "pos", "length", "expected"),
    [
        (["ab", "c"], 1, 1, [b"b", b""]),
        (["ab", "cd"], [0, 1], [1, 1], [b"a", b"d"]),
        ("hello", [0, 1], [1, 2], [b"h", b"el"]),
        ([["ab"], ["cd"]], [0, 1], [1, 1], [[b"a", b"b"], [b"c", b"d"]]),
    ],
)
def test_broadcasting(text, pos, length, expected):
    assert strings.substr(text, pos, length).tolist() == expected


@pytest.mark.parametrize("unit", ["BYTE", "UTF8_CHAR"])
@pytest.mark.parametrize(("text", "pos"), [("hello", 6), ("hello", -6), ("", 1), ("", -1)])
def test_pos_out_of_range(text, pos, unit):
    with pytest.raises(InvalidArgumentError, match=f"for '{text}', got {pos} at index 0"):
        strings.substr(text, pos, 1, unit=unit)


@pytest.mark.parametrize(
    ("pos", "length", "message"),
    [
        ([0], 1, "pos and len must have one shape"),
        ([0, 0, 0], [1, 1, 1], "must broadcast"),
        (0.5, 1.0, "pos and len must be int32 or int64"),
    ],
)
def test_bad_arguments(pos, length, message):
    with pytest.raises(InvalidArgumentError, match=message):
        strings.substr(["ab", "cd"], pos, length)
