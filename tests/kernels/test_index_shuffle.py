import numpy as np
import open_shapes
import pytest

from fastpipe import Dataset, random
from fastpipe.errors import InvalidArgumentError


def test_the_places_are_tensorflows():
    got = [int(random.index_shuffle(index, [5, 9], 300)) for index in range(5)]
    assert got == [235, 17, 71, 274, 126]
    moved = Dataset.range(10).map(lambda x: random.index_shuffle(x, [5, 8], 9))
    assert [int(x) for x in moved] == [3, 8, 0, 1, 2, 7, 6, 9, 4, 5]


@pytest.mark.parametrize("max_index", [0, 1, 3, 255, 1000, 65_534, 70_000])
@pytest.mark.parametrize("dtype", ["int32", "uint64"])
def test_every_index_goes_somewhere_else(max_index, dtype):
    indices = np.arange(max_index + 1, dtype=dtype)
    got = random.index_shuffle(indices, [1, 2], np.array(max_index, dtype))
    assert got.dtype == dtype
    np.testing.assert_array_equal(np.sort(got), indices)


def test_each_index_may_have_its_own_seed_and_range():
    seeds, ranges = np.array([[5, 9], [1, 2]]), np.array([3, 300])
    got = random.index_shuffle(np.array([2, 7]), seeds, ranges)
    assert got.tolist() == [
        int(random.index_shuffle(2, [5, 9], 3)), int(random.index_shuffle(7, [1, 2], 300))
    ]  # fmt: skip
    open_shapes.check(random.index_shuffle, [np.array([2, 7]), seeds, ranges], got)


@pytest.mark.parametrize(
    ("index", "seed", "max_index", "message"),
    [
        (4, [1, 2], 3, r"index must be between 0 and max_index \(3\), got 4"),
        (-1, [1, 2], 3, "got -1"),
        (1, [1, 2, 3], 3, "seed"),
        ([1, 2], [1, 2], [3, 4, 5], "vectors must be of one size"),
        (1.0, [1, 2], 3.0, "input 0 must be"),
        (np.int64(1), [1, 2], np.int32(3), "int64"),
    ],
)
def test_wrong_arguments_are_named(index, seed, max_index, message):
    with pytest.raises(InvalidArgumentError, match=message):
        random.index_shuffle(index, seed, max_index)
