import struct

import numpy as np
import pytest

from fastpipe import parsing
from fastpipe.errors import InvalidArgumentError
from fastpipe.parsing import FixedLenFeature as Fixed


def varint(value):
    value &= 2**64 - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def message(field, payload):
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def ints(*values):
    return message(3, message(1, b"".join(map(varint, values))))


def floats(*values):
    return message(2, message(1, struct.pack(f"<{len(values)}f", *values)))


def texts(*values):
    return message(1, b"".join(message(1, value) for value in values))


def example(*features):
    entries = (message(1, message(1, name) + message(2, value)) for name, value in features)
    return message(1, b"".join(entries))


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
    parsed = parsing.parse_single_example(EXAMPLE, FEATURES)
    assert as_lists(parsed) == EXPECTED
    assert parsed["label"].dtype == np.int64
    assert parsed["weights"].dtype == np.float32


@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_batch(size):
    serialized = np.full(size, EXAMPLE, object)
    parsed = parsing.parse_example(serialized, FEATURES)
    assert as_lists(parsed) == {name: [value] * size for name, value in EXPECTED.items()}
    assert parsed["weights"].shape == (size, 2)


def test_a_batch_may_be_one_example():
    assert as_lists(parsing.parse_example(EXAMPLE, FEATURES)) == EXPECTED


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
    parsed = parsing.parse_single_example(serialized, {"a": Fixed([2], "int64", [8, 9])})
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
        parsing.parse_single_example(serialized, features)
    with pytest.raises(InvalidArgumentError, match="example 0: feature 'wrong'"):
        parsing.parse_example([serialized], features)


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
        parsing.parse_single_example(serialized, FEATURES)
    with pytest.raises(InvalidArgumentError, match="example 1: serialized must be"):
        parsing.parse_example([EXAMPLE, serialized], FEATURES)


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
        ("int64", "be a FixedLenFeature, got str"),
    ],
)
def test_bad_feature(feature, text):
    with pytest.raises(InvalidArgumentError, match=f"feature 'a' must .*{text}"):
        parsing.parse_single_example(EXAMPLE, {"a": feature})


def test_bad_arguments():
    with pytest.raises(InvalidArgumentError, match="at least one feature"):
        parsing.parse_single_example(EXAMPLE, {})
    with pytest.raises(InvalidArgumentError, match=r"must be a scalar, got string \[1\]"):
        parsing.parse_single_example([EXAMPLE], FEATURES)
    with pytest.raises(InvalidArgumentError, match=r"scalar or vector, got string \[1, 1\]"):
        parsing.parse_example([[EXAMPLE]], FEATURES)
