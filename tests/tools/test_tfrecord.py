"""TFRecord framing and Examples in plain Python, against the native reader and parser."""

import io

import numpy as np
import pytest

from fastpipe.io import FixedLenFeature, parse_single_example
from fastpipe.readers import TFRecordDataset
from fastpipe.tools.tfrecord import (
    encode_example,
    example_features,
    read_records,
    starts_with_record,
    write_record,
)

RECORDS = [b"", b"a", bytes(range(256)) * 5]


def test_written_records_are_read_natively_and_here(tmp_path):
    path = tmp_path / "a.tfrecord"
    with path.open("wb") as file:
        for record in RECORDS:
            write_record(file, record)
    assert list(TFRecordDataset(str(path))) == RECORDS
    with path.open("rb") as file:
        assert list(read_records(file, 10)) == RECORDS
    with path.open("rb") as file:
        assert list(read_records(file, 2)) == RECORDS[:2]
    assert list(read_records(io.BytesIO(path.read_bytes()[:-1]), 10)) == RECORDS[:2]
    assert starts_with_record(path.read_bytes())
    assert not starts_with_record(b"a,b,c\n1,2,3\n4,5,6")


def test_examples():
    data = encode_example({"f": [0.5, -1.5], "i": [3, -1, 1 << 40], "s": b"bytes", "none": []})
    features = example_features(data)
    assert features is not None
    assert features["f"][:2] == ("float32", 2)
    assert features["i"][:2] == ("int64", 3)
    assert features["s"] == ("string", 1, b"bytes")
    assert features["none"].size == 0
    parsed = parse_single_example(
        data,
        {
            "f": FixedLenFeature([2], "float32"),
            "i": FixedLenFeature([3], "int64"),
            "s": FixedLenFeature([], "string"),
        },
    )
    np.testing.assert_array_equal(parsed["f"], [0.5, -1.5])
    np.testing.assert_array_equal(parsed["i"], [3, -1, 1 << 40])
    assert parsed["s"] == b"bytes"


def test_unpacked_lists():
    # Older writers put each number into a field of its own.
    floats = b"\x0d\x00\x00\x00\x3f" * 2
    ints = b"\x08\x07" * 3
    for number, values, expected in ((2, floats, ("float32", 2)), (3, ints, ("int64", 3))):
        feature = bytes([number << 3 | 2, len(values)]) + values
        entry = b"\x0a\x01x\x12" + bytes([len(feature)]) + feature
        entries = b"\x0a" + bytes([len(entry)]) + entry
        features = example_features(b"\x0a" + bytes([len(entries)]) + entries)
        assert features is not None and features["x"][:2] == expected


@pytest.mark.parametrize("data", [b"", b"\xff" * 20, b"a line of text", b"\x0a\x05abc"])
def test_other_data_are_no_examples(data):
    assert example_features(data) is None
