import numpy as np
import open_shapes
import pytest

from fastpipe import math
from fastpipe.errors import InvalidArgumentError

DTYPES = ["int8", "int32", "uint64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("side", ["left", "right"])
def test_places_in_each_row(dtype, side):
    random = np.random.default_rng(2)
    rows = np.sort(random.integers(0, 9, [3, 6]), -1).astype(dtype)
    values = random.integers(0, 9, [3, 4]).astype(dtype)
    want = np.stack([np.searchsorted(r, v, side) for r, v in zip(rows, values)]).astype(np.int32)
    open_shapes.check(lambda s, v: math.searchsorted(s, v, side), [rows, values], want)


def test_literals_and_out_type():
    places = math.searchsorted(np.float64([1, 2]), [0, 2], out_type="int64")
    assert places.dtype == np.int64 and places.tolist() == [0, 1]


def test_an_empty_row():
    assert math.searchsorted(np.float32([]), np.float32([1])).tolist() == [0]


def test_errors():
    with pytest.raises(InvalidArgumentError, match=r"got \[1, 2\] and \[1\]"):
        math.searchsorted([[1, 2]], [1])
    with pytest.raises(ValueError, match="side must be"):
        math.searchsorted([1], [1], side="up")
