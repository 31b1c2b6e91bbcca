import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError

SQUARE = [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize(
    ("axis", "keepdims", "expected"),
    [
        (0, False, [b"a.c", b"b.d"]),
        (1, False, [b"a.b", b"c.d"]),
        (-1, True, [[b"a.b"], [b"c.d"]]),
        (None, True, [[b"a.b.c.d"]]),
        ([0, 1], True, [[b"a.c.b.d"]]),
        ([1, 0], True, [[b"a.b.c.d"]]),
        ([], False, [[b"a", b"b"], [b"c", b"d"]]),
    ],
)
def test_axes(axis, keepdims, expected):
    joined = strings.reduce_join(SQUARE, axis=axis, keepdims=keepdims, separator=".")
    assert joined.tolist() == expected


def test_all_axes_give_a_scalar():
    assert strings.reduce_join(SQUARE) == b"abcd"
    assert strings.reduce_join("a", separator=".") == b"a"


def test_three_axes():
    cube = [[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]]
    assert strings.reduce_join(cube, axis=[2, 0]).tolist() == [b"abef", b"cdgh"]
    assert strings.reduce_join(cube, axis=[0, 2]).tolist() == [b"aebf", b"cgdh"]


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        (2, "axis must be between -2 and 1 for a tensor of rank 2, got 2"),
        (-3, "axis must be between -2 and 1"),
        ([0, 0], "axis must name each axis once, got 0"),
        ([1, -1], "axis must name each axis once, got -1"),
    ],
)
def test_bad_axes(axis, message):
    with pytest.raises(InvalidArgumentError, match=message):
        strings.reduce_join(SQUARE, axis=axis)
