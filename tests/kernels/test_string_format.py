"""csrc/kernels/string_format.cc: tensors as text, printed, and in assertions."""

import sys

import numpy as np
import open_shapes
import process
import pytest

import fastpipe as fp
from fastpipe import debugging, strings
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.int32(7), b"7"),
        (np.arange(10), b"[0 1 ... 8 9]"),
        (np.arange(4), b"[0 1 2 3]"),
        (np.arange(8).reshape(2, 2, 2), b"[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"),
        (np.float32([0.1, 1 / 3, 1e10, 1e-10]), b"[0.1 0.333333343 1e+10 1e-10]"),
        (np.float64([0.1, 1 / 3]), b"[0.1 0.33333333333333331]"),
        (np.float16([0.5, np.nan, -np.inf]), b"[0.5 nan -inf]"),
        (np.array([True, False]), b"[1 0]"),
        (np.array(["añ\n".encode(), b'"\x01']), '["añ\\n" "\\"\\001"]'.encode()),
        (np.zeros([0]), b"[]"),
        (np.zeros([2, 0]), b"[[]\n []]"),
    ],
)
def test_tensors_as_text(value, text):
    open_shapes.check(lambda x: strings.format("<{}>", x, summarize=2), [value], b"<" + text + b">")


def test_summaries():
    assert strings.format("{}", np.arange(5), summarize=1) == b"[0 ... 4]"
    assert strings.format("{}", np.arange(9), summarize=-1) == b"[0 1 2 3 4 5 6 7 8]"
    assert strings.format("% and %", [1, "a"], placeholder="%") == b'1 and "a"'


def test_placeholders_and_inputs_are_equally_many():
    with pytest.raises(InvalidArgumentError, match="2 placeholders '{}' for 1 tensors"):
        strings.format("{} {}", [1])


# ---- print ----


def test_print_shows_values_at_once(capsys):
    fp.print("x =", np.int32([1, 2]), b"t", 1.5, output_stream=sys.stdout)
    fp.print("a", "b", sep="-", end="!", output_stream=sys.stdout)
    assert capsys.readouterr().out == "x = [1 2] t 1.5\na-b!"


def test_print_in_a_traced_function_writes_to_standard_error():
    code = """
import fastpipe as fp
def show(x):
    fp.print("x is", x)
    return x
list(fp.Dataset.range(3).map(show))
"""
    assert process.run(code).stderr == "x is 0\nx is 1\nx is 2\n"


# ---- assertions ----


def traced(check, *inputs):
    def function(*args):
        check(*args)
        return args[0]

    return list(open_shapes.traced(function, inputs, [np.shape(each) for each in inputs]))


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("equal", ([1, 2], [1, 2]), ([1, 2], [1, 3])),
        ("none_equal", ([1, 2], [2, 1]), ([1, 2], [1, 3])),
        ("less", ([1, 2], [2, 3]), ([1, 2], [2, 2])),
        ("less_equal", ([1, 2], [2, 2]), ([1, 3], [2, 2])),
        ("greater", ([3, 4], [2, 3]), ([2, 2], [2, 1])),
        ("greater_equal", ([2, 2], [2, 1]), ([1, 2], [2, 2])),
        ("near", ([1.0], [1.0]), ([1.0], [1.1])),
        ("positive", ([1],), ([0],)),
        ("negative", ([-1],), ([0],)),
        ("non_negative", ([0],), ([-1],)),
        ("non_positive", ([0],), ([1],)),
    ],
)
def test_comparing_assertions(name, good, bad):
    check = getattr(debugging, f"assert_{name}")
    check(*good)
    assert len(traced(check, *map(np.asarray, good))) == 1
    for run in (check, lambda *args: traced(check, *map(np.asarray, args))):
        with pytest.raises(InvalidArgumentError, match="assertion failed: expected x"):
            run(*bad)


def test_messages_show_the_values():
    with pytest.raises(
        InvalidArgumentError, match=r"sizes: expected x == y, got x = \[1 2\] y = 3"
    ):
        debugging.assert_equal([1, 2], 3, message="sizes")
    with pytest.raises(InvalidArgumentError, match=r"assertion failed: \[1 2\] why"):
        debugging.Assert(False, [[1, 2], "why"])


def test_assertions_about_ranks_sizes_and_dtypes():
    x = np.zeros([2, 3], np.float32)
    debugging.assert_rank(x, 2)
    debugging.assert_rank_in(x, [1, 2])
    debugging.assert_rank_at_least(x, 1)
    debugging.assert_shapes([(x, ("N", 3)), (x[0], (3,)), (x[:, 0], ("N",))])
    debugging.assert_type(x, fp.float32)
    debugging.assert_integer(1)
    debugging.assert_scalar(1)
    for wrong in (
        lambda: debugging.assert_rank(x, 1),
        lambda: debugging.assert_rank_in(x, [0, 1]),
        lambda: debugging.assert_rank_at_least(x, 3),
        lambda: debugging.assert_scalar(x),
    ):
        with pytest.raises(ValueError, match="expected rank"):
            wrong()
    with pytest.raises(ValueError, match="expected size 2 in axis 0, got 3"):
        debugging.assert_shapes([(x, ("N", 3)), (x[0], ("N",))])
    with pytest.raises(TypeError, match="expected int32, got float32"):
        debugging.assert_type(x, fp.int32)
    with pytest.raises(TypeError, match="expected integers, got float32"):
        debugging.assert_integer(x)


def test_shapes_that_are_open_are_checked_when_it_runs():
    def function(x):
        debugging.assert_rank(x, 1)
        debugging.assert_shapes([(x, (2,))])
        return x

    x = np.int32([1, 2])
    assert len(list(open_shapes.traced(function, [x], [(None,)]))) == 1
    with pytest.raises(InvalidArgumentError, match="expected size 2 in axis 0, got 3"):
        list(open_shapes.traced(function, [np.int32([1, 2, 3])], [(None,)]))
    with pytest.raises(InvalidArgumentError, match="expected rank 1, got rank 0"):
        list(open_shapes.traced(lambda t: debugging.assert_rank(t, 1) or t, [np.int32(1)], [None]))
