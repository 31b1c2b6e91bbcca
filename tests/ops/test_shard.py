import pytest
import reference
from laws import check_op, check_transformation

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(("shards", "index"), [(1, 0), (2, 0), (2, 1), (5, 3), (20, 19)])
def test_a_shard_has_every_nth_element(shards, index):
    check_transformation(
        lambda ds: ds.shard(shards, index), lambda values: reference.shard(values, shards, index)
    )


def test_the_shards_together_are_the_whole():
    ds = fp.Dataset.range(23)
    together = [int(x) for index in range(4) for x in ds.shard(4, index)]
    assert sorted(together) == list(range(23))
    assert sum(ds.shard(4, index).cardinality() for index in range(4)) == 23


def test_a_shard_of_an_endless_dataset_is_endless():
    check_op(
        lambda: fp.Dataset.counter().shard(3, 1),
        [1, 4, 7, 10],
        endless=True,
        cardinality=fp.INFINITE_CARDINALITY,
    )


@pytest.mark.parametrize(("shards", "index"), [(0, 0), (-1, 0), (2, 2), (2, -1)])
def test_impossible_shards_are_refused(shards, index):
    with pytest.raises(InvalidArgumentError):
        list(fp.Dataset.range(3).shard(shards, index))
