import gzip
import zlib

import pytest
from laws import FAILED, check_op, outcomes

import fastpipe as fp
from fastpipe.errors import DataLossError, InvalidArgumentError, NotFoundError

DATA = bytes(range(60))


@pytest.mark.parametrize("size", [1, 2, 3, 12, 60])
def test_records_are_equally_long(write, size):
    path = write("a", DATA)
    expected = [DATA[i : i + size] for i in range(0, 60, size)]
    check_op(lambda: fp.FixedLengthRecordDataset(path, size), expected)


@pytest.mark.parametrize(("header", "footer"), [(0, 0), (2, 0), (0, 4), (5, 1), (60, 0), (30, 30)])
def test_headers_and_footers_are_left_out(write, header, footer):
    path = write("a", DATA)
    body = DATA[header : 60 - footer]
    size = 2 if len(body) % 2 == 0 else 3
    expected = [body[i : i + size] for i in range(0, len(body), size)]
    check_op(lambda: fp.FixedLengthRecordDataset(path, size, header, footer), expected)


@pytest.mark.parametrize(
    ("compression", "compress"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress)]
)
def test_compressed_records_are_the_same(write, compression, compress):
    path = write("a", compress(b"head" + DATA + b"foot"))
    check_op(
        lambda: fp.FixedLengthRecordDataset(path, 10, 4, 4, compression_type=compression),
        [DATA[i : i + 10] for i in range(0, 60, 10)],
    )


def test_every_file_has_its_header_and_footer(write):
    paths = [write(name, b"h" + name.encode() * 4 + b"f") for name in "ab"]
    check_op(lambda: fp.FixedLengthRecordDataset(paths, 2, 1, 1), [b"aa", b"aa", b"bb", b"bb"])
    check_op(
        lambda: fp.FixedLengthRecordDataset(paths, 2, 1, 1, num_parallel_reads=2),
        [b"aa", b"bb", b"aa", b"bb"],
    )


def test_an_empty_file_has_no_records(write):
    check_op(lambda: fp.FixedLengthRecordDataset(write("a", b""), 4), [])


def test_a_file_that_is_no_whole_number_of_records_is_an_error(write):
    paths = [write("odd.bin", DATA[:7]), write("b", b"good")]
    with pytest.raises(InvalidArgumentError, match=r"odd\.bin"):
        list(fp.FixedLengthRecordDataset(paths[0], 2))
    got = outcomes(iter(fp.FixedLengthRecordDataset(paths, 2)))
    assert got.count(FAILED) == 1 and got[-2:] == [b"go", b"od"]


def test_a_file_shorter_than_its_header_is_an_error(write):
    it = iter(fp.FixedLengthRecordDataset([write("a", b"x"), write("b", b"headgood")], 4, 4))
    with pytest.raises((InvalidArgumentError, DataLossError)):
        next(it)
    assert outcomes(it) == [b"good"]


def test_a_missing_file_is_named(write):
    it = iter(fp.FixedLengthRecordDataset(["/no/such/file", write("b", b"good")], 4))
    with pytest.raises(NotFoundError, match="/no/such/file"):
        next(it)
    assert outcomes(it) == [b"good"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"record_bytes": 0},
        {"record_bytes": -1},
        {"record_bytes": 1, "header_bytes": -1},
        {"record_bytes": 1, "footer_bytes": -1},
    ],
)
def test_impossible_sizes_are_refused(write, arguments):
    with pytest.raises(InvalidArgumentError, match=list(arguments)[-1]):
        fp.FixedLengthRecordDataset(write("a", DATA), **arguments)
