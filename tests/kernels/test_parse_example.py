import numpy as np
import pytest
from wire import example, floats, ints, message, texts

import fastpipe as fp
from fastpipe import io
from fastpipe.errors import InvalidArgumentError
from fastpipe.io import FixedLenFeature as Fixed

EXAMPLE = example(
    (b"label", ints(-5)),
    (b"weights", floats(0.5, -1.0)),
    (b"name", texts(b"x" * 100)),
    (b"tags", texts(b"a", b"")),
    (b"unused", message(9, b"?")),
)
FEATURES = {
    "label": Fixed([], "int64"),
    "weights": Fixed([2], np.float32),
    "name": Fixed([], "string"),
    "tags": Fixed([2, 1], "string"),
    "absent": Fixed([2], "float32", default_value=[1, 2]),
    "gone": Fixed([], "string", default_value="d" * 30),
}
EXPECTED = {
    "label": -5,
    "weights": [0.5, -1.0],
    "name": b"x" * 100,
    "tags": [[b"a"], [b""]],
    "absent": [1.0, 2.0],
    "gone": b"d" * 30,
}


def as_lists(parsed):
    return {
        name: value if isinstance(value, bytes) else value.tolist()
        for name, value in parsed.items()
    }


def test_one_example():
    parsed = io.parse_single_example(EXAMPLE, FEATURES)
    assert as_lists(parsed) == EXPECTED
    assert parsed["label"].dtype == np.int64
    assert parsed["weights"].dtype == np.float32


@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_batch(size):
    serialized = np.full(size, EXAMPLE, object)
    parsed = io.parse_example(serialized, FEATURES)
    assert as_lists(parsed) == {name: [value] * size for name, value in EXPECTED.items()}
    assert parsed["weights"].shape == (size, 2)


def test_a_batch_may_be_one_example():
    assert as_lists(io.parse_example(EXAMPLE, FEATURES)) == EXPECTED


@pytest.mark.parametrize(
    ("serialized", "expected"),
    [
        (example((b"a", message(3, b"\x08\x05\x08\x06"))), [5, 6]),
        (example((b"a", message(3, b"\x08\x05" + message(1, b"\x06")))), [5, 6]),
        (example((b"a", ints(1, 2)), (b"a", ints(5, 6))), [5, 6]),
        (example((b"a", ints(1, 2))) + example((b"a", ints(5, 6))), [5, 6]),
        (example((b"a", floats(1) + ints(5, 6))), [5, 6]),
        (example((b"a", ints(5) + ints(6))), [5, 6]),
        (message(1, message(1, message(2, ints(5, 6)) + message(1, b"a"))), [5, 6]),
        (b"\x28\x07\x2b\x08\x01\x2c" + example((b"a", ints(5, 6))) + message(9, b"?"), [5, 6]),
        (example((b"a", b"")), [8, 9]),
        (b"", [8, 9]),
    ],
    ids=[
        "unpacked", "mixed", "last entry wins", "two maps", "last kind wins", "lists add up",
        "value before key", "unknown fields", "empty feature", "empty example",
    ],
)  # fmt: skip
def test_wire(serialized, expected):
    parsed = io.parse_single_example(serialized, {"a": Fixed([2], "int64", [8, 9])})
    assert parsed["a"].tolist() == expected


@pytest.mark.parametrize(
    ("feature", "fixed", "text"),
    [
        (b"", Fixed([], "int64"), "1 int64 values .* no default, got no value"),
        (floats(1), Fixed([], "int64"), r"1 int64 values \(shape \[\]\), got float values"),
        (ints(1, 2), Fixed([3], "int64"), r"3 int64 values \(shape \[3\]\), got 2 values"),
        (ints(), Fixed([2], "int64", [1, 2]), "2 int64 values .* got 0 values"),
        (floats(1, 2), Fixed([], "float32"), "1 float32 values .* got 2 values"),
        (texts(b"a"), Fixed([2], "string"), "2 string values .* got 1 values"),
        (message(2, message(1, b"abc")), Fixed([], "float32"), "damaged bytes: a float list"),
        (message(3, message(1, b"\xff")), Fixed([], "int64"), "damaged bytes: an int64 list"),
        (b"\x1a\x7f", Fixed([], "int64"), "damaged bytes: a field is longer"),
    ],
)
def test_wrong_feature(feature, fixed, text):
    serialized = example((b"right", ints(1)), (b"wrong", feature))
    features = {"right": Fixed([], "int64"), "wrong": fixed}
    with pytest.raises(InvalidArgumentError, match=f"feature 'wrong' must .*{text}"):
        io.parse_single_example(serialized, features)
    with pytest.raises(InvalidArgumentError, match="example 0: feature 'wrong'"):
        io.parse_example([serialized], features)


@pytest.mark.parametrize(
    ("serialized", "text"),
    [
        (b"garbage", "'garbage': there is no such type at byte 0"),
        (EXAMPLE[:-1], "longer than the message"),
        (b"\x00\x00", "no such field number"),
        (b"\xff" * 11, "too long"),
        (b"\x2b" * 1000, "nested too deep"),
    ],
)
def test_not_an_example(serialized, text):
    with pytest.raises(InvalidArgumentError, match=f"must be a tf.train.Example, got .*{text}"):
        io.parse_single_example(serialized, FEATURES)
    with pytest.raises(InvalidArgumentError, match="example 1: serialized must be"):
        io.parse_example([EXAMPLE, serialized], FEATURES)


@pytest.mark.parametrize(
    ("feature", "text"),
    [
        (Fixed([2], "int64", 0), r"2 int64 values .* got a default of int64 \[1\]"),
        (Fixed([], "int64", 1.5), "got the default 1.5"),
        (Fixed([], "int64", "x"), "got the default 'x'"),
        (Fixed([], "string", 1), "got the default 1"),
        (Fixed([], "int32"), "dtype float32, int64 or string, got int32"),
        (Fixed([None], "int64"), r"known shape, got \[\?\]"),
        (Fixed(None, "int64"), "known shape, got None"),
        ("int64", "be one of .*FixedLenFeature, .*got str"),
    ],
)
def test_bad_feature(feature, text):
    with pytest.raises(InvalidArgumentError, match=f"feature 'a' must .*{text}"):
        io.parse_single_example(EXAMPLE, {"a": feature})


def test_bad_arguments():
    with pytest.raises(InvalidArgumentError, match="at least one feature"):
        io.parse_single_example(EXAMPLE, {})
    with pytest.raises(InvalidArgumentError, match=r"must be a scalar, got string \[1\]"):
        io.parse_single_example([EXAMPLE], FEATURES)
    with pytest.raises(InvalidArgumentError, match=r"scalar or vector, got string \[1, 1\]"):
        io.parse_example([[EXAMPLE]], FEATURES)


# ---- features with any number of values ----


def sparse(tensor):
    return [part.tolist() for part in tensor.to_leaves()]


TAGS = {0: [b"a", b""], 1: [], 2: [b"long enough to be a slice"]}
ROWS = [example((b"t", texts(*tags)), (b"n", ints(*range(i)))) for i, tags in TAGS.items()]


def test_a_variable_feature_of_one_example_is_a_sparse_vector():
    parsed = io.parse_single_example(ROWS[0], {"t": io.VarLenFeature("string")})
    assert sparse(parsed["t"]) == [[[0], [1]], [b"a", b""], [2]]
    assert sparse(io.parse_single_example(b"", {"t": io.VarLenFeature("int64")})["t"]) == [
        [],
        [],
        [0],
    ]


def test_a_variable_feature_of_a_batch_has_the_rows_first():
    parsed = io.parse_example(
        ROWS, {"t": io.VarLenFeature("string"), "n": io.VarLenFeature("int64")}
    )
    assert sparse(parsed["t"]) == [[[0, 0], [0, 1], [2, 0]], TAGS[0] + TAGS[2], [3, 2]]
    assert sparse(parsed["n"]) == [[[1, 0], [2, 0], [2, 1]], [0, 0, 1], [3, 2]]


def test_a_batch_without_examples():
    features = {
        "v": io.VarLenFeature("float32"),
        "r": io.RaggedFeature("string"),
        "s": io.FixedLenSequenceFeature([2], "int64", allow_missing=True),
    }
    parsed = io.parse_example(np.array([], object), features)
    assert sparse(parsed["v"]) == [[], [], [0, 0]]
    assert parsed["r"].to_list() == []
    assert parsed["s"].shape == (0, 0, 2)


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        (io.FixedLenSequenceFeature([], "int64", True), [[1, 2, 3, 4], [0, 0, 0, 0], [5, 6, 0, 0]]),
        (
            io.FixedLenSequenceFeature([2], "int64", True, default_value=-1),
            [[[1, 2], [3, 4]], [[-1, -1], [-1, -1]], [[5, 6], [-1, -1]]],
        ),
        (io.RaggedFeature("int64"), [[1, 2, 3, 4], [], [5, 6]]),
    ],
)
def test_a_sequence_is_padded_and_a_ragged_feature_is_not(feature, expected):
    rows = [example((b"a", ints(1, 2, 3, 4))), b"", example((b"a", ints(5, 6)))]
    parsed = io.parse_example(rows, {"a": feature})["a"]
    assert (parsed.to_list() if hasattr(parsed, "to_list") else parsed.tolist()) == expected
    single = io.parse_single_example(rows[2], {"a": feature})["a"].tolist()
    assert single == ([[5, 6]] if feature[0] == [2] else [5, 6])


def test_strings_are_padded():
    feature = io.FixedLenSequenceFeature([], "string", True, default_value="none")
    parsed = io.parse_example(ROWS, {"t": feature})["t"]
    assert parsed.tolist() == [[b"a", b""], [b"none", b"none"], [TAGS[2][0], b"none"]]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_row_splits_have_the_dtype_that_was_asked_for(dtype):
    feature = io.RaggedFeature("int64", row_splits_dtype=dtype)
    assert io.parse_example(ROWS, {"n": feature})["n"].row_splits.dtype == dtype


def test_a_sparse_feature_takes_its_indices_from_others():
    row = example((b"x", ints(2, 0)), (b"y", ints(1, 0)), (b"v", floats(0.5, 1.5)))
    feature = io.SparseFeature(["x", "y"], "v", "float32", [3, 2])
    assert sparse(io.parse_single_example(row, {"s": feature})["s"]) == [
        [[0, 0], [2, 1]], [1.5, 0.5], [3, 2],
    ]  # fmt: skip
    batch = io.parse_example([b"", row], {"s": io.SparseFeature("x", "v", "float32", 3)})["s"]
    assert sparse(batch) == [[[1, 0], [1, 2]], [1.5, 0.5], [2, 3]]


Ragged = io.RaggedFeature


@pytest.mark.parametrize(
    "partition",
    [
        Ragged.RowSplits("splits"), Ragged.RowLengths("lengths"), Ragged.RowStarts("starts"),
        Ragged.RowLimits("limits"), Ragged.ValueRowIds("ids"),
    ],
)  # fmt: skip
def test_partitions_split_the_values_once_more(partition):
    row = example(
        (b"v", ints(1, 2, 3)), (b"splits", ints(0, 2, 2, 3)), (b"lengths", ints(2, 0, 1)),
        (b"starts", ints(0, 2, 2)), (b"limits", ints(2, 2, 3)), (b"ids", ints(0, 0, 2)),
        (b"outer", ints(0, 1, 3)),
    )  # fmt: skip
    feature = Ragged("int64", "v", [partition])
    expected = [[1, 2], [], [3]]
    assert io.parse_single_example(row, {"r": feature})["r"].to_list() == expected
    assert io.parse_example([row, row], {"r": feature})["r"].to_list() == [expected] * 2
    twice = Ragged("int64", "v", [Ragged.RowSplits("outer"), partition])
    expected = [[[1, 2]], [[], [3]]]
    assert io.parse_single_example(row, {"r": twice})["r"].to_list() == expected
    assert io.parse_example([row, row], {"r": twice})["r"].to_list() == [expected] * 2


def test_rows_of_one_length():
    row = example((b"v", ints(1, 2, 3, 4)))
    feature = Ragged("int64", "v", [Ragged.UniformRowLength(2)])
    assert io.parse_single_example(row, {"r": feature})["r"].tolist() == [[1, 2], [3, 4]]
    batch = io.parse_example([row, b""], {"r": feature})["r"]
    assert batch.to_list() == [[[1, 2], [3, 4]], []]


def test_partitions_that_do_not_fit_are_an_error():
    row = example((b"v", ints(1, 2, 3)), (b"n", ints(1, 1)))
    feature = Ragged("int64", "v", [Ragged.RowLengths("n")])
    with pytest.raises(InvalidArgumentError, match="rows of all 3 values, got rows of 2"):
        io.parse_single_example(row, {"r": feature})


@pytest.mark.parametrize(
    ("feature", "value", "text"),
    [
        (io.VarLenFeature("int64"), floats(1), "int64 values, got float values"),
        (io.RaggedFeature("string"), ints(1), "string values, got int64 values"),
        (
            io.FixedLenSequenceFeature([2], "int64", True),
            ints(1, 2, 3),
            r"a multiple of 2 int64 values \(shape \[2\] a step\), got 3 values",
        ),
        (io.VarLenFeature("float32"), message(2, message(1, b"abc")), "damaged bytes"),
    ],
)
def test_a_wrong_variable_feature(feature, value, text):
    with pytest.raises(InvalidArgumentError, match=f"example 1: feature 'a' must .*{text}"):
        io.parse_example([b"", example((b"a", value))], {"a": feature})


@pytest.mark.parametrize(
    ("features", "text"),
    [
        ({"a": io.FixedLenSequenceFeature([], "int64")}, "allow_missing=True"),
        ({"a": io.VarLenFeature(None)}, "must have a dtype"),
        ({"a": io.VarLenFeature("int64"), "b": Ragged("int64", "a")}, "asked for in two ways"),
        ({"a": io.SparseFeature("", "v", "int64", 1)}, "index_key and a value_key"),
        ({"a": io.SparseFeature(["x"], "v", "int64", [1, 2])}, "a number for each index_key"),
    ],
)
def test_features_that_cannot_be(features, text):
    with pytest.raises(InvalidArgumentError, match=text):
        io.parse_single_example(b"", features)


def test_bad_ragged_features():
    with pytest.raises(TypeError, match="a partition must be"):
        Ragged("int64", "v", ["n"])
    with pytest.raises(ValueError, match="float32, int64 or string, got 'int32'"):
        Ragged("int32")
    with pytest.raises(ValueError, match="row_splits_dtype must be int32 or int64"):
        Ragged("int64", row_splits_dtype="float32")
    with pytest.raises(ValueError, match="value_key must be a name"):
        Ragged("int64", "")


ALL = {
    "label": Fixed([], "int64", 0),
    "weights": io.FixedLenSequenceFeature([], "float32", True),
    "name": io.VarLenFeature("string"),
    "tags": Ragged("string"),
}


@pytest.mark.parametrize("batched", [False, True])
def test_damaged_bytes_give_a_value_or_an_error(batched):
    parse = io.parse_example if batched else io.parse_single_example
    damaged = [EXAMPLE[:end] for end in range(len(EXAMPLE))]
    for place in range(len(EXAMPLE)):
        for flip in (0x01, 0x80, 0xFF):
            changed = bytes([EXAMPLE[place] ^ flip])
            damaged.append(EXAMPLE[:place] + changed + EXAMPLE[place + 1 :])
    errors = 0
    for serialized in damaged:
        try:
            parse([EXAMPLE, serialized] if batched else serialized, ALL)
        except InvalidArgumentError as error:
            errors += 1
            assert not batched or "example 1: " in str(error)
    assert errors > len(EXAMPLE)


def test_a_damaged_example_among_many_costs_itself():
    rows = [example((b"a", ints(i))) for i in range(1000)]
    rows[617] = rows[617][:-1]
    ds = fp.Dataset.from_tensor_slices(rows)
    ds = ds.map(lambda row: io.parse_single_example(row, {"a": Fixed([], "int64")})["a"])
    assert [int(value) for value in ds.ignore_errors()] == [i for i in range(1000) if i != 617]


def test_parsing_is_traced():
    features = {**ALL, "sparse": io.SparseFeature("n", "n", "int64", 9)}
    ds = fp.Dataset.from_tensor_slices([EXAMPLE] * 4).batch(2, drop_remainder=True)
    ds = ds.map(lambda rows: io.parse_example(rows, features))
    assert ds.element_spec == {
        "label": fp.TensorSpec((2,), "int64"),
        "name": fp.SparseTensorSpec((None, None), "string"),
        "sparse": fp.SparseTensorSpec((None, None), "int64"),
        "tags": fp.RaggedTensorSpec((2, None), "string", 1, "int32"),
        "weights": fp.TensorSpec((2, None), "float32"),
    }
    first = next(iter(ds))
    assert first["tags"].to_list() == [[b"a", b""]] * 2
    assert first["weights"].tolist() == [[0.5, -1.0]] * 2
    assert isinstance(first["name"], fp.SparseTensor)
