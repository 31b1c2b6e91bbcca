import numpy as np
import open_shapes
import pytest

from fastpipe import random
from fastpipe.errors import InvalidArgumentError

# What TensorFlow 2.21 makes of 0..16.
ORDER = [15, 2, 11, 10, 13, 6, 9, 5, 16, 8, 4, 3, 1, 12, 0, 14, 7]


def test_the_order_is_tensorflows():
    assert random.stateless_shuffle(np.arange(17), [1, 2]).tolist() == ORDER


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float64", "object"])
def test_rows_of_any_dtype_stay_whole(dtype):
    rows = np.arange(24).reshape(6, 2, 2)
    values = rows.astype(dtype)
    if dtype == "object":
        values = np.array([b"%d" % n for n in range(24)], object).reshape(6, 2, 2)
    got = random.stateless_shuffle(values, [1, 2])
    assert np.array_equal(got, values[[4, 5, 0, 3, 1, 2]])


def test_nothing_to_shuffle():
    for value in (np.int32(3), np.zeros((0, 3)), np.zeros((1, 3)), np.zeros((3, 0))):
        assert random.stateless_shuffle(value, [1, 2]).shape == value.shape


def test_shapes_may_be_known_only_when_it_runs():
    values = np.arange(17)
    open_shapes.check(
        lambda x, seed: random.stateless_shuffle(x, seed), [values, np.array([1, 2])], values[ORDER]
    )


def test_a_seed_is_two_integers():
    with pytest.raises(InvalidArgumentError, match="seed must be"):
        random.stateless_shuffle([1, 2], 3)


def test_shuffle_without_a_seed_keeps_the_values():
    assert sorted(random.shuffle(np.arange(50)).tolist()) == list(range(50))
