import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("img_01.jpg", ".*jpg", True),
        ("x.png", ".*jpg", False),
        ("abc", "b", False),
        ("", "", True),
        ("a\nb", "a.b", False),
        ("a\nb", "(?s)a.b", True),
        ("é", ".", True),
        (b"\xff", ".", False),
        ("ABC", "(?i)abc", True),
    ],
)
def test_full_match(text, pattern, expected):
    assert strings.regex_full_match(text, pattern) == expected


def test_full_match_shape():
    assert strings.regex_full_match([["a"], ["b"]], "a").tolist() == [[True], [False]]


@pytest.mark.parametrize(
    ("text", "pattern", "rewrite", "expected"),
    [
        ("a1b22", "[0-9]+", "#", b"a#b#"),
        ("abc", "b(.)", r"<\1\0>", b"a<cbc>"),
        ("abc", "", "-", b"-a-b-c-"),
        ("abc", "x", "-", b"abc"),
        ("abc", "b", r"\\", b"a\\c"),
        (b"a\xffb", ".", "-", b"-\xff-"),
        (b"a\x00b", r"\x00", "0", b"a0b"),
    ],
)
def test_replace(text, pattern, rewrite, expected):
    assert strings.regex_replace(text, pattern, rewrite) == expected
    assert strings.regex_replace([text], pattern, rewrite).tolist() == [expected]


def test_replace_the_first_only():
    assert strings.regex_replace("aXbX", "X", "-", replace_global=False) == b"a-bX"


def test_bad_pattern():
    with pytest.raises(InvalidArgumentError, match=r"RE2 syntax, got '\(': missing \)"):
        strings.regex_full_match("a", "(")
    with pytest.raises(InvalidArgumentError, match=r"RE2 syntax, got '\(\?=a\)'"):
        strings.regex_replace("a", "(?=a)", "b")


@pytest.mark.parametrize("rewrite", [r"\1", r"\x", "\\"])
def test_bad_rewrite(rewrite):
    with pytest.raises(InvalidArgumentError, match="rewrite must fit pattern 'b', got"):
        strings.regex_replace("abc", "b", rewrite)
