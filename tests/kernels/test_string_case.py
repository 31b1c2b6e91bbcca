import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("text", "lower", "upper"),
    [
        ("AbC", b"abc", b"ABC"),
        ("", b"", b""),
        ("@[`{", b"@[`{", b"@[`{"),
        ("ÀbÉ", "ÀbÉ".encode(), "ÀBÉ".encode()),
        (b"\xff\x00z", b"\xff\x00z", b"\xff\x00Z"),
    ],
)
def test_case(text, lower, upper):
    assert strings.lower(text) == lower
    assert strings.upper(text) == upper


def test_case_keeps_the_shape():
    assert strings.upper([["a", "b"]]).tolist() == [[b"A", b"B"]]


@pytest.mark.parametrize("function", [strings.lower, strings.upper])
def test_case_is_ascii_only(function):
    with pytest.raises(InvalidArgumentError, match="encoding must be '' .* got 'utf-8'"):
        function("a", encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  pad ", b"pad"),
        ("\t\n\v\f\r a b\x1c\t", b"a b\x1c"),
        (" \t\n", b""),
        ("", b""),
        ("\x00 ", b"\x00"),
        (" " * 50 + "x" * 50, b"x" * 50),
    ],
)
def test_strip(text, expected):
    assert strings.strip(text) == expected
    assert strings.strip([text, text]).tolist() == [expected] * 2


def test_input_must_be_strings():
    with pytest.raises(InvalidArgumentError, match="string_strip: input 0 must be string, got int"):
        strings.strip(5)
