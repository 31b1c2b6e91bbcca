import numpy as np
import open_shapes
import pytest

from fastpipe import strings


@pytest.mark.parametrize(
    ("text", "sep", "maxsplit", "expected"),
    [
        ("a b  c", None, -1, [b"a", b"b", b"c"]),
        (" \ta\v\fb\r\n", None, -1, [b"a", b"b"]),
        ("", None, -1, []),
        ("  ", None, -1, []),
        (" a b c ", None, 1, [b"a", b"b c "]),
        ("a ", None, 1, [b"a", b""]),
        (" a ", None, 0, [b" a "]),
        ("a b", "", -1, [b"a", b"b"]),
        ("a,b,,c", ",", -1, [b"a", b"b", b"", b"c"]),
        ("a,b,,c", ",", 2, [b"a", b"b", b",c"]),
        ("a,b", ",", 0, [b"a,b"]),
        ("a,b", ",", -5, [b"a", b"b"]),
        ("", ",", -1, [b""]),
        ("a<>b<>", "<>", -1, [b"a", b"b", b""]),
        ("aaa", "aa", -1, [b"", b"a"]),
        ("a\x00b", "\x00", -1, [b"a", b"b"]),
        (b"\xff,\xfe", b",", -1, [b"\xff", b"\xfe"]),
    ],
)
def test_split(text, sep, maxsplit, expected):
    assert strings.split(text, sep, maxsplit).tolist() == expected


@pytest.mark.parametrize("text", ["a/b/c", "/", "//a//", "x" * 100 + "/y"])
def test_split_is_pythons_split(text):
    assert [piece.decode() for piece in strings.split(text, "/")] == text.split("/")


@pytest.mark.parametrize(
    ("texts", "rows"),
    [
        (["a b", "c"], [[b"a", b"b"], [b"c"]]),
        (["", "d e f", " "], [[], [b"d", b"e", b"f"], []]),
        (np.array([], dtype=object), []),
    ],
)
def test_a_vector_gives_a_ragged_tensor(texts, rows):
    ragged = strings.split(texts)
    assert ragged.to_list() == rows
    assert ragged.row_splits.dtype == np.int64


def test_higher_ranks_give_more_ragged_axes():
    rows = [[[b"a", b"b"], [b"c"]], [[], [b"d"]]]
    assert strings.split([["a b", "c"], ["", "d"]]).to_list() == rows
    assert strings.split(strings.split(["a-b c", ""]), "-").to_list() == [
        [[b"a", b"b"], [b"c"]],
        [],
    ]


def test_texts_of_any_shape():
    x = np.array([[b"a b", b""], [b"c", b"d  e"]], object)
    want = [[[b"a", b"b"], []], [[b"c"], [b"d", b"e"]]]
    (traced,) = list(open_shapes.traced(strings.split, [x], [(None, None)]))
    for rows in (traced, strings.split(x)):
        assert rows.to_list() == want
    assert strings.split(strings.split(["a-b c"]), "-").to_list() == [[[b"a", b"b"], [b"c"]]]
