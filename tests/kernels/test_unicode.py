import numpy as np
import open_shapes
import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError

TEXT = "añ日🎉"
BAD = b"a\xff\xe4\xbdz\xf0\x9f"  # a stray byte, a character cut short, another at the end
CODECS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}


@pytest.mark.parametrize("encoding", CODECS)
def test_code_points_come_from_and_go_to_text(encoding):
    text, points = TEXT.encode(CODECS[encoding]), np.int32([ord(c) for c in TEXT])
    assert strings.unicode_decode(text, encoding).tolist() == points.tolist()
    encoded = open_shapes.traced(lambda x: strings.unicode_encode(x, encoding), [points], [(None,)])
    assert [strings.unicode_encode(points, encoding)] == list(encoded) == [text]


@pytest.mark.parametrize("encoding", CODECS)
def test_characters_and_where_they_start(encoding):
    pieces = [c.encode(CODECS[encoding]) for c in TEXT]
    characters, starts = strings.unicode_split_with_offsets(b"".join(pieces), encoding)
    assert characters.tolist() == pieces
    assert starts.tolist() == np.cumsum([0, *map(len, pieces[:-1])]).tolist()
    _, starts = strings.unicode_decode_with_offsets(b"".join(pieces), encoding)
    assert starts.dtype == np.int64


def test_rows_of_a_vector():
    x = np.array([b"ab", b"", "ñ".encode()], object)
    (traced,) = list(
        open_shapes.traced(lambda t: strings.unicode_decode(t, "UTF-8"), [x], [(None,)])
    )
    for rows in (traced, strings.unicode_decode(x, "UTF-8")):
        assert rows.to_list() == [[97, 98], [], [241]]
    assert strings.unicode_encode(rows, "UTF-8").tolist() == x.tolist()
    assert strings.unicode_encode(np.int32([[97, 98]]), "UTF-8").tolist() == [b"ab"]


def test_malformed_text():
    decode = strings.unicode_decode
    assert decode(BAD, "UTF-8").tolist() == [97, 0xFFFD, 0xFFFD, 122, 0xFFFD]
    assert decode(BAD, "UTF-8", replacement_char=63).tolist() == [97, 63, 63, 122, 63]
    assert decode(BAD, "UTF-8", errors="ignore").tolist() == [97, 122]
    with pytest.raises(InvalidArgumentError, match="malformed"):
        decode(BAD, "UTF-8", errors="strict")
    assert decode(b"\x01a", "UTF-8", replace_control_characters=True).tolist() == [0xFFFD, 97]


@pytest.mark.parametrize("text", [b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80"])
def test_what_is_no_character_in_utf_8(text):
    want = [ord(c) for c in text.decode("utf-8", "replace")]
    assert strings.unicode_decode(text, "UTF-8").tolist() == want


@pytest.mark.parametrize("text", [b"\xd8\x00", b"\xdc\x00\x00a", b"\xd8\x00\x00a", b"a"])
def test_what_is_no_character_in_utf_16(text):
    want = [ord(c) for c in text.decode("utf-16-be", "replace")]
    assert strings.unicode_decode(text, "UTF-16-BE").tolist() == want


def test_numbers_that_are_no_code_points():
    points = np.int32([55296, 97, -1, 0x110000])
    assert strings.unicode_encode(points, "UTF-8", errors="ignore") == b"a"
    assert strings.unicode_encode(points, "UTF-8", replacement_char=63) == b"?a??"
    with pytest.raises(InvalidArgumentError, match="malformed"):
        strings.unicode_encode(points, "UTF-8", errors="strict")


@pytest.mark.parametrize("before", ["UTF-8", "UTF-16-BE", "UTF-32-BE", "UTF-16-LE", "UTF-32-LE"])
@pytest.mark.parametrize("after", CODECS)
def test_other_encodings(before, after):
    x = np.array([TEXT.encode(before.lower()), b""], object)
    want = np.array([TEXT.encode(CODECS[after]), b""], object)
    open_shapes.check(lambda t: strings.unicode_transcode(t, before, after), [x], want)
    assert strings.unicode_transcode(b"\xf1", "ISO-8859-1", "UTF-8") == "ñ".encode()


def test_strings_of_any_shape():
    x = np.array([[b"ab", b""], [b"c", "ñ".encode()]], object)
    (traced,) = list(
        open_shapes.traced(lambda t: strings.unicode_decode(t, "UTF-8"), [x], [(None, None)])
    )
    for rows in (traced, strings.unicode_decode(x, "UTF-8")):
        assert rows.to_list() == [[[97, 98], []], [[99], [241]]]
    nested, starts = strings.unicode_split_with_offsets(strings.split(x[:, 0], "b"))
    assert nested.to_list() == [[[b"a"], []], [[b"c"]]] and starts.to_list() == [[[0], []], [[0]]]


def test_errors():
    with pytest.raises(InvalidArgumentError, match="input_encoding must be UTF-8, .*, got 'X'"):
        strings.unicode_decode("a", "X")
    with pytest.raises(InvalidArgumentError, match="output_encoding must be UTF-8, UTF-16-BE or"):
        strings.unicode_transcode("a", "UTF-8", "latin1")
    with pytest.raises(InvalidArgumentError, match="errors must be one of 'replace'"):
        strings.unicode_decode("a", "UTF-8", errors="raise")
