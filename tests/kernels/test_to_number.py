import math

import numpy as np
import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1), (" 2", 2), ("-3\n", -3), ("+4", 4), ("\t\v\f\r 5", 5), ("00012", 12), ("-0", 0),
        ("2147483647", 2**31 - 1), ("-2147483648", -(2**31)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers(text, expected, dtype):
    number = strings.to_number(text, dtype)
    assert number.dtype == dtype
    assert number == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.5", 1.5), ("2e3", 2000.0), ("-0.25", -0.25), ("1.", 1.0), (".5", 0.5), ("+1E2", 100.0),
        ("0x1A", 26.0), ("-0X.8p1", -1.0), ("inf", math.inf), ("-Infinity", -math.inf),
        ("1e400", math.inf), ("-1e400", -math.inf), ("1e-400", 0.0), ("0." + "0" * 400 + "1", 0.0),
        ("1" + "0" * 400, math.inf), ("1" + " " * 40, 1.0), ("0xfP-3", 1.875), ("0x.Ap4", 10.0),
        ("0x1p99999", math.inf), ("-0x1p+99999", -math.inf), ("0x1p-99999", 0.0),
        ("0x" + "0" * 400 + "1", 1.0), ("0x1" + "0" * 400, math.inf), ("1e+400", math.inf),
        ("1e99999999999999999999", math.inf), ("1e-99999999999999999999", 0.0),
        ("0x.8p-99999999999999999999", 0.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats(text, expected, dtype):
    number = strings.to_number(text, dtype)
    assert number.dtype == dtype
    assert number == expected


def test_limits_depend_on_the_type():
    assert strings.to_number("1e39") == math.inf
    assert strings.to_number("1e39", "float64") == 1e39
    assert strings.to_number("1e-45") == np.float32(1e-45)
    assert strings.to_number("9223372036854775807", "int64") == 2**63 - 1
    assert math.isnan(strings.to_number("NaN"))
    assert math.copysign(1, strings.to_number("-0.0")) == -1


def test_shape():
    assert strings.to_number([["1"], ["2"]], "int32").tolist() == [[1], [2]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "x",
        "1 2",
        ".",
        "e5",
        "1e",
        "1f",
        "- 1",
        "--1",
        "+-1",
        "1,000",
        "1_0",
        "0x",
        "0xg",
        "0x.",
        "1\x00",
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_not_a_number(text, dtype):
    with pytest.raises(InvalidArgumentError, match=f"expected text that is a {dtype}, got '"):
        strings.to_number(text, dtype)


@pytest.mark.parametrize(
    ("text", "dtype"),
    [("1.5", "int32"), ("0x1", "int32"), ("2147483648", "int32"), ("9223372036854775808", "int64")],
)
def test_not_an_integer(text, dtype):
    with pytest.raises(InvalidArgumentError, match=f"got '{text}'"):
        strings.to_number(text, dtype)


def test_the_message_says_which():
    with pytest.raises(InvalidArgumentError, match="got 'no' at index 1"):
        strings.to_number(["1", "no"])


def test_out_type():
    with pytest.raises(InvalidArgumentError, match="out_type must be float32, .* got uint8"):
        strings.to_number("1", "uint8")
