"""csrc/kernels/map_rows.cc: functions of rows."""

import numpy as np
import open_shapes
import pytest

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError
from fastpipe.loops import vectorized_map

X = np.arange(6, dtype=np.float32).reshape(3, 2)


def test_results_are_stacked():
    open_shapes.check(lambda x: fp.map_fn(lambda row: row * 2 + row[0], x), [X], X * 2 + X[:, :1])
    open_shapes.check(lambda x: vectorized_map(fp.reduce_sum, x), [X], X.sum(1))


def test_structures_go_in_and_out():
    def function(x, y):
        return fp.map_fn(
            lambda t: {"sum": t[0] + t[1], "text": fp.strings.as_string(t[1])},
            (x, y),
            fn_output_signature={"sum": fp.int32, "text": fp.string},
        )

    x, y = np.int32([1, 2]), np.int32([5, 6])
    (result,) = list(open_shapes.traced(function, [x, y], [(None,), (2,)]))
    assert result["sum"].tolist() == [6, 8] and result["text"].tolist() == [b"5", b"6"]


def test_captured_values():
    open_shapes.check(lambda x, k: fp.map_fn(lambda row: row * k, x), [X, np.float32(3)], X * 3)


def test_no_rows():
    empty = np.zeros([0, 2], np.float32)
    (result,) = list(open_shapes.traced(lambda x: fp.map_fn(fp.identity, x), [empty], [(None, 2)]))
    assert result.shape == (0, 2) and result.dtype == np.float32


def test_folds():
    x = np.float32([1, 2, 4])
    open_shapes.check(lambda t: fp.foldl(lambda a, r: a * 10 + r, t), [x], np.float32(124))
    open_shapes.check(lambda t: fp.foldr(lambda a, r: a * 10 + r, t), [x], np.float32(421))
    start = np.float32(5)
    open_shapes.check(lambda t, s: fp.foldl(lambda a, r: a - r, t, s), [x, start], np.float32(-2))


def test_scans_keep_every_state():
    x = np.float32([1, 2, 4])
    add = lambda state, row: state + row  # noqa: E731
    open_shapes.check(lambda t: fp.scan(add, t), [x], np.float32([1, 3, 7]))
    open_shapes.check(lambda t: fp.scan(add, t, np.float32(1)), [x], np.float32([2, 4, 8]))
    open_shapes.check(lambda t: fp.scan(add, t, reverse=True), [x], np.float32([7, 6, 4]))


def test_errors():
    with pytest.raises(InvalidArgumentError, match="equally many rows"):
        fp.map_fn(lambda t: t[0], (np.int32([1]), np.int32([1, 2])))
    with pytest.raises(InvalidArgumentError, match="one axis or more, got a scalar"):
        fp.map_fn(fp.identity, np.int32(1))
    with pytest.raises(InvalidArgumentError, match="returns int32, the signature says"):
        fp.map_fn(fp.identity, np.int32([1]), fn_output_signature=fp.float32)
    with pytest.raises(InvalidArgumentError, match="state 0 starts as .* and becomes"):
        fp.foldl(lambda a, r: fp.cast(a, "float32"), np.int32([1, 2]))
