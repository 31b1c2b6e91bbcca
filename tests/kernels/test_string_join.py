import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("inputs", "separator", "expected"),
    [
        (["a"], "-", b"a"),
        (["a", "b", "c"], "", b"abc"),
        (["a", "", "c"], ", ", b"a, , c"),
        ([b"\xff", b"\x00"], b"\xfe", b"\xff\xfe\x00"),
    ],
)
def test_scalars(inputs, separator, expected):
    assert strings.join(inputs, separator) == expected


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ([["a", "b"], "x"], [b"a-x", b"b-x"]),
        (["x", ["a", "b"], "y"], [b"x-a-y", b"x-b-y"]),
        ([[["a"], ["b"]], [["c"], ["d"]]], [[b"a-c"], [b"b-d"]]),
    ],
)
def test_scalars_serve_every_element(inputs, expected):
    assert strings.join(inputs, "-").tolist() == expected


def test_nothing_joined_is_empty():
    assert strings.join([]) == b""


@pytest.mark.parametrize("inputs", [[["a", "b"], ["c"]], [["a", "b"], [["c", "d"]]]])
def test_shapes_must_agree(inputs):
    with pytest.raises(
        InvalidArgumentError, match="scalars or have one shape, got string .* part 1"
    ):
        strings.join(inputs)
