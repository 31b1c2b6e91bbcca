import numpy as np
import open_shapes
import pytest

from fastpipe import RaggedTensor
from fastpipe.errors import InvalidArgumentError
from fastpipe.tracing import call

SPLITS = [0, 2, 2, 3]
PARTITIONS = {
    "splits": SPLITS,
    "lengths": [2, 0, 1],
    "starts": [0, 2, 2],
    "limits": [2, 2, 3],
    "rowids": [0, 0, 2],
}


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("kind", PARTITIONS)
def test_every_partition_gives_the_splits(kind, dtype):
    partition = np.array(PARTITIONS[kind], dtype)

    def splits(*inputs):
        return call("row_splits", inputs, kind=kind)

    open_shapes.check(splits, [partition, np.int64(3)], np.array(SPLITS, dtype))


def test_row_ids_and_uniform_lengths_may_leave_rows_empty():
    def splits(kind, *inputs):
        return call("row_splits", [np.int64(item) for item in inputs], kind=kind).tolist()

    assert splits("rowids", [0, 2], 4, 2) == [0, 1, 1, 2, 2]
    assert splits("rowids", [], 0) == [0]
    assert splits("uniform", 2, 4) == [0, 2, 4]
    assert splits("uniform", 0, 3, 0) == [0, 0, 0, 0]
    assert splits("uniform", 0, 0) == [0]
    assert splits("starts", [], 0) == [0]


def test_value_rowids():
    open_shapes.check(
        lambda splits: call("value_rowids", [splits]), [np.int64(SPLITS)], np.int64([0, 0, 2])
    )


@pytest.mark.parametrize(
    ("make", "partition", "message"),
    [
        (RaggedTensor.from_row_splits, [], "row_splits must begin with 0, got none"),
        (RaggedTensor.from_row_splits, [1, 3], "row_splits must begin with 0, got 1"),
        (RaggedTensor.from_row_splits, [0, 2, 1, 3], "must not decrease, got 1 after 2"),
        (RaggedTensor.from_row_splits, [0, 2], "rows of all 3 values, got rows of 2"),
        (RaggedTensor.from_row_lengths, [1, -1, 3], "row_lengths must be >= 0"),
        (RaggedTensor.from_row_lengths, [1, 1], "rows of all 3 values, got rows of 2"),
        (RaggedTensor.from_row_lengths, [2**62, 2**62], "sum up to the 3 values"),
        (RaggedTensor.from_row_starts, [1], "row_starts must begin with 0"),
        (RaggedTensor.from_row_starts, [0, 4], "must not decrease, got 3 after 4"),
        (RaggedTensor.from_row_limits, [2], "rows of all 3 values"),
        (RaggedTensor.from_value_rowids, [0, 1], "the row of each of the 3 values, got 2"),
        (RaggedTensor.from_value_rowids, [1, 0, 0], "must not decrease"),
        (RaggedTensor.from_uniform_row_length, 2, "must divide the number of values, got 2 for 3"),
        (RaggedTensor.from_uniform_row_length, -1, "must be >= 0, got -1"),
        (RaggedTensor.from_row_splits, [[0, 3]], "int32 or int64 vector"),
        (RaggedTensor.from_row_splits, np.float32([0, 3]), "int32 or int64"),
    ],
)
def test_partitions_must_fit(make, partition, message):
    with pytest.raises((InvalidArgumentError, TypeError), match=message):
        make([1, 2, 3], partition)


def test_row_numbers_must_fit():
    with pytest.raises(InvalidArgumentError, match="must be less than nrows, 2, got 2"):
        RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=2)
    with pytest.raises(InvalidArgumentError, match="nrows must be 1 for 3 values"):
        RaggedTensor.from_uniform_row_length([1, 2, 3], 3, nrows=2)
