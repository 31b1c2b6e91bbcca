import numpy as np
import pytest
from wire import floats, ints, message, sequence_example, texts

import fastpipe as fp
from fastpipe import io
from fastpipe.errors import InvalidArgumentError

Step = io.FixedLenSequenceFeature
LONG = sequence_example(
    [(b"id", ints(7)), (b"tags", texts(b"a", b"b"))],
    [(b"x", [floats(1, 2), floats(3, 4)]), (b"y", [ints(1), b"", ints(2, 3)])],
)
SHORT = sequence_example([(b"id", ints(8))], [(b"x", [floats(5, 6)]), (b"y", [])])
CONTEXT = {"id": io.FixedLenFeature([], "int64"), "tags": io.VarLenFeature("string")}


def sparse(tensor):
    return [part.tolist() for part in tensor.to_leaves()]


def test_one_sequence():
    lists = {"x": Step([2], "float32"), "y": io.VarLenFeature("int64")}
    context, values = io.parse_single_sequence_example(LONG, CONTEXT, lists)
    assert context["id"] == 7
    assert sparse(context["tags"]) == [[[0], [1]], [b"a", b"b"], [2]]
    assert values["x"].tolist() == [[1, 2], [3, 4]]
    assert sparse(values["y"]) == [[[0, 0], [2, 0], [2, 1]], [1, 2, 3], [3, 2]]


def test_a_batch_is_padded_and_counts_its_steps():
    lists = {"x": Step([2], "float32"), "y": io.VarLenFeature("int64")}
    context, values, lengths = io.parse_sequence_example([LONG, SHORT], CONTEXT, lists)
    assert context["id"].tolist() == [7, 8]
    assert sparse(context["tags"]) == [[[0, 0], [0, 1]], [b"a", b"b"], [2, 2]]
    assert values["x"].tolist() == [[[1, 2], [3, 4]], [[5, 6], [0, 0]]]
    assert sparse(values["y"]) == [[[0, 0, 0], [0, 2, 0], [0, 2, 1]], [1, 2, 3], [2, 3, 2]]
    assert {name: length.tolist() for name, length in lengths.items()} == {"x": [2, 1]}


def test_ragged_feature_lists():
    lists = {"y": io.RaggedFeature("int64")}
    assert io.parse_single_sequence_example(LONG, None, lists)[1]["y"].to_list() == [
        [1],
        [],
        [2, 3],
    ]
    batch = io.parse_sequence_example([LONG, SHORT], None, lists)[1]["y"]
    assert batch.to_list() == [[[1], [], [2, 3]], []]
    assert batch.row_splits.dtype == np.int32


def test_partitions_of_feature_lists():
    serialized = sequence_example(
        [], [(b"v", [ints(1, 2, 3), ints(4)]), (b"n", [ints(2, 1), ints(0, 1)])]
    )
    lists = {"r": io.RaggedFeature("int64", "v", [io.RaggedFeature.RowLengths("n")])}
    expected = [[[1, 2], [3]], [[], [4]]]
    assert io.parse_single_sequence_example(serialized, None, lists)[1]["r"].to_list() == expected
    batch = io.parse_sequence_example([serialized] * 2, None, lists)[1]["r"]
    assert batch.to_list() == [expected] * 2


def test_a_missing_list_is_empty_if_that_is_allowed():
    missing = {"z": Step([], "string", allow_missing=True), "v": io.VarLenFeature("int64")}
    values = io.parse_single_sequence_example(LONG, None, missing)[1]
    assert values["z"].shape == (0,)
    assert sparse(values["v"]) == [[], [], [0, 0]]
    with pytest.raises(InvalidArgumentError, match="feature list 'z' is required, got none"):
        io.parse_single_sequence_example(LONG, None, {"z": Step([], "string")})
    with pytest.raises(InvalidArgumentError, match="example 1: feature list 'y' is required"):
        io.parse_sequence_example([SHORT, b""], None, {"y": Step([], "int64")})


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([ints(1, 2), ints(3)], r"2 int64 values \(shape \[2\] a step\), got 1 values, in step 1"),
        ([ints(1, 2), b""], "got 0 values, in step 1"),
        ([floats(1, 2)], "got float values, in step 0"),
        ([message(3, message(1, b"\xff"))], "damaged bytes: an int64 list .* in step 0"),
    ],
)
def test_a_wrong_step(steps, text):
    serialized = sequence_example([], [(b"x", steps)])
    with pytest.raises(InvalidArgumentError, match=f"feature 'x' must .*{text}"):
        io.parse_single_sequence_example(serialized, None, {"x": Step([2], "int64")})


def test_bad_arguments():
    with pytest.raises(InvalidArgumentError, match="at least one feature"):
        io.parse_single_sequence_example(LONG)
    with pytest.raises(
        InvalidArgumentError, match="feature 'x' must be one of VarLenFeature, Fixed"
    ):
        io.parse_single_sequence_example(LONG, None, {"x": io.FixedLenFeature([], "int64")})
    with pytest.raises(InvalidArgumentError, match="default_value must be None, got 3"):
        step = Step([], "int64", allow_missing=True, default_value=3)
        io.parse_single_sequence_example(LONG, None, {"x": step})
    with pytest.raises(InvalidArgumentError, match="must be a tf.train.SequenceExample"):
        io.parse_single_sequence_example(b"garbage", CONTEXT)
    with pytest.raises(InvalidArgumentError, match="must be a scalar"):
        io.parse_single_sequence_example([LONG], CONTEXT)


def test_parsing_is_traced():
    def parse(rows):
        lists = {"x": Step([2], "float32"), "y": io.RaggedFeature("int64")}
        return io.parse_sequence_example(rows, CONTEXT, lists)

    ds = fp.Dataset.from_tensors([LONG, SHORT]).map(parse)
    assert ds.element_spec == (
        {"id": fp.TensorSpec((2,), "int64"), "tags": fp.SparseTensorSpec((None, None), "string")},
        {
            "x": fp.TensorSpec((2, None, 2), "float32"),
            "y": fp.RaggedTensorSpec((2, None, None), "int64", 2, "int32"),
        },
        {"x": fp.TensorSpec((2,), "int64")},
    )
    ((_, values, lengths),) = list(ds)
    assert values["y"].to_list() == [[[1], [], [2, 3]], []]
    assert lengths["x"].tolist() == [2, 1]


def test_damaged_bytes_give_a_value_or_an_error():
    lists = {"x": Step([], "float32", allow_missing=True), "y": io.RaggedFeature("int64")}
    damaged = [LONG[:end] for end in range(len(LONG))]
    damaged += [
        LONG[:place] + bytes([LONG[place] ^ flip]) + LONG[place + 1 :]
        for place in range(len(LONG))
        for flip in (0x01, 0x80, 0xFF)
    ]
    errors = 0
    for serialized in damaged:
        try:
            io.parse_single_sequence_example(serialized, CONTEXT, lists)
        except InvalidArgumentError:
            errors += 1
    assert errors > len(LONG)
