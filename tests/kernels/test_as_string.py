import numpy as np
import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        (1, {}, b"1"),
        (-5, {"width": 5}, b"   -5"),
        (5, {"width": 5, "fill": "0"}, b"00005"),
        (5, {"width": 5, "fill": "-"}, b"5    "),
        (5, {"fill": "+"}, b"+5"),
        (5, {"width": -3}, b"5"),
        (np.uint8(200), {}, b"200"),
        (np.int8(-3), {}, b"-3"),
        (np.uint64(2**64 - 1), {}, b"18446744073709551615"),
        (np.int64(-(2**63)), {}, b"-9223372036854775808"),
        (1.5, {}, b"1.500000"),
        (1.5, {"precision": 2}, b"1.50"),
        (1.5, {"precision": 0, "fill": "#"}, b"2."),
        (1.5, {"width": 10, "precision": 1, "fill": "0"}, b"00000001.5"),
        (1.5, {"scientific": True}, b"1.500000e+00"),
        (1.5, {"shortest": True}, b"1.5"),
        (np.float32(0.1), {"shortest": True, "precision": 10}, b"0.1000000015"),
        (np.float16(0.1), {}, b"0.099976"),
        (np.float64("nan"), {}, b"nan"),
        (-np.inf, {}, b"-inf"),
        (True, {}, b"true"),
        (False, {"width": 10}, b"false"),
        ("abc", {"width": 6}, b"   abc"),
        ("abc", {"width": 6, "fill": "-"}, b"abc   "),
    ],
)
def test_as_string(value, options, expected):
    assert strings.as_string(value, **options) == expected


def test_longer_than_usual():
    assert strings.as_string(np.float64(1e300)) == b"%f" % 1e300
    assert strings.as_string(7, width=200) == b"%200d" % 7


def test_shape():
    assert strings.as_string([[1, 2], [3, 4]]).tolist() == [[b"1", b"2"], [b"3", b"4"]]


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        (5, {"fill": "x"}, "fill must be .* got 'x'"),
        (5, {"fill": "00"}, "fill must be .* got '00'"),
        (5, {"precision": 3}, "for floating-point values, got int32"),
        (True, {"scientific": True}, "for floating-point values, got bool"),
        (1.5, {"scientific": True, "shortest": True}, "exclude each other"),
    ],
)
def test_bad_options(value, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        strings.as_string(value, **options)
