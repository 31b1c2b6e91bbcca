import os

import pytest
from laws import FAILED, check_op, check_transformation, numbers, outcomes, plain

import fastpipe as fp
from fastpipe.errors import FailedPreconditionError, InvalidArgumentError, TracingError


def counted(values):
    """A dataset of `values`, and the list of those that have been made."""
    made = []

    def make(value):
        made.append(int(value))
        return value

    ds = fp.Dataset.from_tensor_slices(values)
    return ds.map(lambda x: fp.py_function(make, [x], fp.int32)), made


def test_the_elements_are_those_of_the_input(tmp_path):
    check_transformation(lambda ds: ds.snapshot(tmp_path), lambda values: values)


@pytest.mark.parametrize("compression", ["AUTO", "GZIP", "ZLIB", "ZSTD", "NONE", None])
def test_a_complete_pass_is_made_once(tmp_path, compression):
    ds, made = counted([1, 2, 3])
    for _ in range(3):
        assert [plain(x) for x in ds.snapshot(str(tmp_path), compression)] == [1, 2, 3]
    assert made == [1, 2, 3]


def test_each_pipeline_has_a_snapshot_of_its_own(tmp_path):
    for add in (1, 2, 1):
        ds = fp.Dataset.range(3).map(lambda x, add=add: x + add).snapshot(tmp_path)
        assert outcomes(iter(ds)) == [add, add + 1, add + 2]
    assert len(os.listdir(tmp_path)) == 2


def test_a_pass_that_was_left_or_failed_keeps_nothing(tmp_path):
    ds, made = counted([1, 2, 3])
    snapshot = ds.snapshot(tmp_path)
    assert outcomes(iter(snapshot), 1) == [1]
    assert outcomes(iter(snapshot)) == [1, 2, 3]
    assert made == [1, 1, 2, 3]
    failing = numbers([1, 2], failing=1).snapshot(tmp_path)
    for _ in range(2):
        assert outcomes(iter(failing)) == [1, FAILED, 2]


def test_shards_are_read_in_turn_from_the_second_pass_on(tmp_path):
    ds = fp.Dataset.range(10).snapshot(tmp_path, shard_func=lambda x: x % 3)
    assert outcomes(iter(ds)) == list(range(10))
    in_turn = list(range(10))
    assert outcomes(iter(ds)) == in_turn
    ds = fp.Dataset.range(6).snapshot(tmp_path, shard_func=lambda x: x // 3)
    assert outcomes(iter(ds.repeat(2))) == [*range(6), 0, 3, 1, 4, 2, 5]
    check_op(
        lambda: fp.Dataset.range(6).snapshot(tmp_path, shard_func=lambda x: x // 3),
        [0, 3, 1, 4, 2, 5],
        cardinality=6,
    )


def test_a_shard_may_be_any_integer(tmp_path):
    ds = fp.Dataset.range(4).snapshot(tmp_path, shard_func=lambda x: fp.cast(x % 2, fp.int32))
    assert outcomes(iter(ds.repeat(2))) == [0, 1, 2, 3, 0, 1, 2, 3]


def test_a_reader_func_decides_how_shards_are_read(tmp_path):
    def read(shards):
        return shards.flat_map(lambda shard: shard)

    ds = fp.Dataset.range(6).snapshot(tmp_path, reader_func=read, shard_func=lambda x: x % 2)
    assert outcomes(iter(ds)) == [0, 1, 2, 3, 4, 5]
    assert outcomes(iter(ds)) == [0, 2, 4, 1, 3, 5]

    def shuffled(shards):
        return shards.shuffle(9, seed=2).flat_map(lambda shard: shard)

    def make():
        return fp.Dataset.range(9).snapshot(tmp_path, "NONE", shuffled, lambda x: x)

    assert outcomes(iter(make())) == list(range(9))
    check_op(make, list(range(9)), alike=False, cardinality=9)


def test_functions_that_return_something_else_are_refused(tmp_path):
    ds = fp.Dataset.range(3)
    with pytest.raises(InvalidArgumentError, match="shard_func"):
        ds.snapshot(tmp_path, shard_func=lambda x: [x, x])
    for read in (lambda shards: 3, lambda shards: shards):
        with pytest.raises((InvalidArgumentError, TypeError)):
            ds.snapshot(tmp_path, reader_func=read)
    with pytest.raises(InvalidArgumentError, match="reader_func"):
        ds.snapshot(
            tmp_path, reader_func=lambda s: s.flat_map(lambda x: x.map(fp.strings.as_string))
        )
    with pytest.raises(InvalidArgumentError, match="'SNAPPY'"):
        ds.snapshot(tmp_path, compression="SNAPPY")
    with pytest.raises(TracingError, match="snapshot"):
        ds.flat_map(lambda x: fp.Dataset.range(x).snapshot(str(tmp_path)))


def test_a_snapshot_that_somebody_moved_to_the_wrong_place_is_refused(tmp_path):
    first, second = (fp.Dataset.range(n).snapshot(tmp_path) for n in (3, 4))
    assert len(list(first)) == 3
    (name,) = os.listdir(tmp_path)
    assert len(list(second)) == 4
    (other,) = set(os.listdir(tmp_path)) - {name}
    os.rename(tmp_path / name, tmp_path / "away")
    os.rename(tmp_path / other, tmp_path / name)
    with pytest.raises(FailedPreconditionError, match="another pipeline"):
        list(first)


def test_apply_takes_a_snapshot_too(tmp_path):
    ds = fp.Dataset.range(3).apply(fp.experimental.snapshot(tmp_path))
    assert outcomes(iter(ds.repeat(2))) == [0, 1, 2, 0, 1, 2]
