"""csrc/kernels/while_loop.cc: loops on loop variables."""

import threading

import numpy as np
import open_shapes
import process
import pytest

import fastpipe as fp
from fastpipe import errors
from fastpipe.errors import InvalidArgumentError


def native(function, *inputs):
    (result,) = list(open_shapes.traced(function, inputs, [np.shape(each) for each in inputs]))
    return result


@pytest.mark.parametrize("run", [native, lambda function, *inputs: function(*inputs)])
def test_the_body_runs_while_the_condition_holds(run):
    def function(x):
        return fp.while_loop(lambda i, p: i < x, lambda i, p: (i + 1, p * 2), (x * 0, x * 0 + 1))

    for x, want in [(5, 32), (1, 2), (0, 1), (-3, 1)]:
        count, power = run(function, np.int32(x))
        assert (int(count), int(power)) == (max(x, 0), want)


def test_one_variable_and_lists_keep_their_kind():
    def function(x):
        (last,) = fp.while_loop(lambda i: i < x, lambda i: i + 1, [0])
        named = fp.while_loop(lambda d: d["i"] < x, lambda d: {"i": d["i"] + 2}, {"i": 0})
        return last, named

    last, named = native(function, np.int32(5))
    assert int(last) == 5 and int(named["i"]) == 6


def test_rounds_are_limited():
    def function(x):
        return fp.while_loop(lambda i: i < 100, lambda i: i + 1, x, maximum_iterations=3)

    assert int(native(function, np.int32(0))) == int(function(np.int32(0))) == 3


def test_a_size_may_change_if_told():
    def function(x):
        return fp.while_loop(
            lambda i, rows: i < x,
            lambda i, rows: [i + 1, fp.concat([rows, [i]], 0)],
            [fp.constant(0), fp.zeros([0], "int32")],
            shape_invariants=[(), (None,)],
        )[1]

    assert native(function, np.int32(3)).tolist() == [0, 1, 2]


def test_captured_values_and_nested_loops():
    def function(x, step):
        def body(i, total):
            inner = fp.while_loop(lambda j, s: j < i, lambda j, s: (j + step, s + i), (0, 0))
            return i + 1, total + inner[1]

        return fp.while_loop(lambda i, t: i < x, body, (0, 0))[1]

    want = sum(i * i for i in range(5))
    assert int(native(function, np.int32(5), np.int32(1))) == want


def test_errors():
    def grows(x):
        return fp.while_loop(lambda v: fp.reduce_sum(v) < 9, lambda v: fp.concat([v, v], 0), x)

    with pytest.raises(InvalidArgumentError, match=r"becomes int32 \[2\].*give shape_invariants"):
        native(grows, np.int32([1]))
    with pytest.raises(InvalidArgumentError, match="becomes float32"):
        native(
            lambda x: fp.while_loop(lambda i: i < 9, lambda i: fp.cast(i, "float32"), x),
            np.int32(1),
        )
    with pytest.raises(InvalidArgumentError, match="must give one scalar bool"):
        native(lambda x: fp.while_loop(lambda i: i, lambda i: i, x), np.int32(1))
    with pytest.raises(InvalidArgumentError, match="the body returns"):
        native(lambda x: fp.while_loop(lambda i: i < 1, lambda i: (i, i), x), np.int32(1))


def test_an_error_inside_names_its_place():
    def body(i):
        return fp.reshape(fp.ones([2], "int32"), [i])[0]

    with pytest.raises(InvalidArgumentError, match=r"in reshape (.|\n)*in while_loop"):
        native(lambda x: fp.while_loop(lambda i: i < 3, body, x), np.int32(1))


def test_closing_ends_an_endless_loop():
    numbers = fp.Dataset.range(3)
    iterator = iter(numbers.map(lambda x: fp.while_loop(lambda i: i >= 0, lambda i: i + 0, x)))
    ended = []

    def take():
        with pytest.raises((errors.CancelledError, StopIteration)):
            next(iterator)
        ended.append(True)

    thread = threading.Thread(target=take)
    thread.start()
    iterator.close()
    thread.join(process.DEADLINE_SECONDS)
    assert ended
