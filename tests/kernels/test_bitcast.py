import numpy as np
import open_shapes
import pytest

from fastpipe.array import bitcast
from fastpipe.errors import InvalidArgumentError

PAIRS = [
    ("float32", "int32"), ("int32", "float32"), ("int32", "uint8"), ("float64", "int32"),
    ("uint8", "int8"), ("int64", "float64"), ("uint16", "float16"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_bytes_stay(before, after):
    x = np.random.default_rng(0).integers(0, 100, [2, 3]).astype(before)
    sizes = np.dtype(before).itemsize, np.dtype(after).itemsize
    want = x.view(after)
    if sizes[0] > sizes[1]:
        want = want.reshape(2, 3, sizes[0] // sizes[1])
    open_shapes.check(lambda t: bitcast(t, after), [x], want)


def test_a_wider_dtype_takes_the_last_axis():
    x = np.uint8([[1, 2, 3, 4], [5, 6, 7, 8]])
    open_shapes.check(lambda t: bitcast(t, "int32"), [x], x.view(np.int32)[:, 0])


def test_errors():
    with pytest.raises(InvalidArgumentError, match=r"the 4 parts of a value, got shape \[3\]"):
        bitcast(np.uint8([1, 2, 3]), "int32")
    with pytest.raises(InvalidArgumentError, match="both dtypes must be numbers"):
        bitcast(["a"], "int32")
