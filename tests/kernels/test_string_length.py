import numpy as np
import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("text", "in_bytes", "in_characters"),
    [
        ("", 0, 0),
        ("abc", 3, 3),
        ("añ€😀", 10, 4),
        (b"\x80\x80a", 3, 1),
        (b"a\x00b", 3, 3),
        ("x" * 70_000, 70_000, 70_000),
    ],
)
def test_length(text, in_bytes, in_characters):
    assert strings.length(text) == in_bytes
    assert strings.length(text, unit="UTF8_CHAR") == in_characters


def test_length_is_int32_of_the_same_shape():
    lengths = strings.length([["a", "bc"], ["", "é"]])
    assert lengths.dtype == np.int32
    assert lengths.tolist() == [[1, 2], [0, 2]]


def test_unknown_unit():
    with pytest.raises(InvalidArgumentError, match="unit must be 'BYTE' or 'UTF8_CHAR', got 'X'"):
        strings.length("a", unit="X")
