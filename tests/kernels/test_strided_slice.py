import numpy as np
import open_shapes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastpipe.array import constant, index, slice_
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError

X = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
STRINGS = np.array([[b"a", b"bc"], [b"", b"a string of more than sixteen bytes"]], object)
KEYS = [
    0,
    -1,
    (0, 1),
    (1, -1, 2),
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    (slice(None), slice(2, 0, -1)),
    (..., 0),
    (..., slice(None, None, 2)),
    (0, ..., 1),
    (None, 0),
    (slice(None), None, 1),
    (..., None),
    (slice(0, 0),),
    (slice(5, 9),),
    (slice(-100, 100, 3), slice(100, -100, -2)),
    (slice(None), 1, slice(None, -1)),
    (),
    ...,
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_keys(key):
    for x in (X, X.astype(np.float64), X.astype(np.uint8), X.astype(np.int16)):
        open_shapes.check(lambda t: index(t, key), [x], x[key])
        open_shapes.check(lambda t: t[key], [x], x[key])


@pytest.mark.parametrize("key", [0, -1, (0, 1), slice(None, None, -1), (slice(None), 1), None])
def test_strings(key):
    open_shapes.check(lambda t: t[key], [STRINGS], STRINGS[key])


BOUNDS = st.none() | st.integers(-7, 7)
SLICES = st.builds(slice, BOUNDS, BOUNDS, st.none() | st.integers(-4, 4).filter(bool))
PARTS = st.one_of(st.integers(-2, 1), SLICES, st.none())


@settings(max_examples=300)
@given(st.lists(PARTS, max_size=4).filter(lambda k: sum(p is not None for p in k) <= 3))
def test_any_key(parts):
    np.testing.assert_array_equal(index(X, tuple(parts)), X[tuple(parts)])


def test_symbols_in_keys():
    def function(x, i):
        return x[i], x[i:], x[:, i : i + 2], x[..., i, ::-i]

    want = [X[1], X[1:], X[:, 1:3], X[..., 1, ::-1]]
    for dtype in (np.int32, np.int64):
        open_shapes.check(function, [X, dtype(1)], want)
    open_shapes.check(lambda x, i: (x[i], x[i:]), [X, np.uint8(1)], want[:2])


def test_constants_are_indexed_by_symbols():
    table = constant([[1, 2], [3, 4], [5, 6]])
    names = constant(["a", "b", "c"])
    dataset = Dataset.range(3).map(lambda i: (table[i], table[i, 1], names[i], names[1]))
    assert [(row.tolist(), int(one), name, same) for row, one, name, same in dataset] == [
        ([1, 2], 2, b"a", b"b"),
        ([3, 4], 4, b"b", b"b"),
        ([5, 6], 6, b"c", b"b"),
    ]
    assert table[1].tolist() == [3, 4] and table[1, 0] == 3


def test_planned_shapes():
    def of(function, shape):
        return open_shapes.spec_of(function, (shape, "int32"))

    assert of(lambda x: x[0], (None, 3)) == (3,)
    assert of(lambda x: x[1:], (None, 3)) == (None, 3)
    assert of(lambda x: x[:, ::-1], (None, 3)) == (None, 3)
    assert of(lambda x: x[:], (None, 3)) == (None, 3)
    assert of(lambda x: x[0, ..., None], (None, 3)) == (3, 1)
    assert of(lambda x: x[0], None) is None


def test_slice():
    assert slice_(X, [0, 1, 2], [1, 2, -1]).tolist() == X[0:1, 1:3, 2:].tolist()

    def function(x, n):
        return slice_(x, [0, n, 0], [2, 2, -1]), slice_(x, [0, 0, n], [-1, n, n])

    open_shapes.check(function, [X, np.int32(1)], [X[:, 1:3], X[:, :1, 1:2]])
    with pytest.raises(InvalidArgumentError, match=r"expected int32 \[2, 4, \?\], got int32"):
        slice_(X, [0, 0, 0], [2, 4, -1])


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (2, "index 2 is outside axis 0, which has size 2"),
        (-3, "index -3 is outside axis 0"),
        ((0, 3), "index 3 is outside axis 1, which has size 3"),
        ((0, 0, 0, 0), "got 4 indices for a tensor of rank 3"),
        ((..., 0, ...), "one ellipsis"),
        (slice(None, None, 0), "step of a slice must not be 0"),
    ],
    ids=str,
)
def test_errors(key, message):
    with pytest.raises(InvalidArgumentError, match=message):
        index(X, key)
    with pytest.raises(InvalidArgumentError, match=message):
        list(open_shapes.traced(lambda t: t[key], [X], [None]))


def test_keys_of_other_types():
    for key in ([0, 1], True, np.array([0, 1]), "a", 1.0):
        with pytest.raises(TypeError, match="use gather or boolean_mask"):
            index(X, key)
    with pytest.raises(InvalidArgumentError, match="integer scalars, got int32 .*: use gather"):
        open_shapes.traced(lambda t, i: t[i], [X, np.int32([0])], [None, (1,)])
    with pytest.raises(InvalidArgumentError, match="index 5 is outside axis 0"):
        list(open_shapes.traced(lambda t, i: t[i], [X, np.int32(5)], [(2, 3, 4), ()]))
    with pytest.raises(InvalidArgumentError, match="step of a slice must not be 0"):
        list(open_shapes.traced(lambda t, i: t[::i], [X, np.int32(0)], [(2, 3, 4), ()]))
