import sys
from unicodedata import ucd_3_2_0

import numpy as np
import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError

CHANGED = ""  # letters that got a partner later


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


def test_every_character_of_utf_8():
    # What Unicode 3.2 knows has the same case in every later version.
    known = [
        chr(c)
        for c in range(sys.maxunicode)
        if ucd_3_2_0.category(chr(c)) not in ("Cn", "Cs") and chr(c) not in CHANGED
    ]
    texts = np.array([c.encode() for c in known], object)
    assert strings.lower(texts, "utf-8").tolist() == [c.lower().encode() for c in known]
    assert strings.upper(texts, "utf-8").tolist() == [c.upper().encode() for c in known]


@pytest.mark.parametrize("text", ["ΟΔΥΣΣΕΥΣ", "ΑΣ ΣΑ Σ", "ΑΣ.", "ΑΣ'Β", "Σ", "AΣ\u0345\u0300Σ", ""])
def test_a_sigma_at_the_end_of_a_word(text):
    assert strings.lower(text, "utf-8") == text.lower().encode()


def test_malformed_utf_8_is_replaced():
    assert strings.upper(b"a\xffb\xe4", "utf-8") == "A\ufffdB\ufffd".encode()


@pytest.mark.parametrize("function", [strings.lower, strings.upper])
def test_other_encodings_have_no_case(function):
    with pytest.raises(InvalidArgumentError, match="encoding must be one of '', 'utf-8', got 'x'"):
        function("a", encoding="x")


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
