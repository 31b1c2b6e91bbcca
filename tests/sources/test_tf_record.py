import gzip
import zlib

import pytest
import reference
from laws import FAILED, check_op, outcomes

import fastpipe as fp
from fastpipe.errors import DataLossError, InvalidArgumentError, NotFoundError

RECORDS = [b"one", b"", b"three" * 1000, b"\0\xff", b"five"]
FILE = reference.tf_record(RECORDS)
# Where each record begins: 12 bytes of header, 4 behind the data.
STARTS = [sum(len(r) + 16 for r in RECORDS[:n]) for n in range(len(RECORDS))]


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize("records", [[], [b""], [b"a"], RECORDS])
def test_records_come_in_order(write, records):
    path = write("a.tfrecord", reference.tf_record(records))
    check_op(lambda: fp.TFRecordDataset(path), records)


@pytest.mark.parametrize(
    ("compression", "compress"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress)]
)
def test_compressed_records_are_the_same(write, compression, compress):
    path = write("a", compress(FILE))
    check_op(lambda: fp.TFRecordDataset(path, compression), RECORDS)


@pytest.mark.parametrize("buffer_size", [1, 13, 100, 10**6])
def test_the_size_of_reads_changes_nothing(write, buffer_size):
    path = write("a", FILE)
    check_op(lambda: fp.TFRecordDataset(path, buffer_size=buffer_size), RECORDS)


def test_several_files_follow_one_another_or_take_turns(write):
    paths = [write(name, reference.tf_record([name.encode() * n for n in (1, 2)])) for name in "ab"]
    check_op(lambda: fp.TFRecordDataset(paths), [b"a", b"aa", b"b", b"bb"])
    check_op(lambda: fp.TFRecordDataset(paths, num_parallel_reads=2), [b"a", b"b", b"aa", b"bb"])


@pytest.mark.parametrize("number", range(5))
def test_a_bad_data_checksum_costs_one_record(write, number):
    behind = STARTS[number] + 12 + len(RECORDS[number])
    path = write("a.tfrecord", flipped(FILE, behind))
    expected = [*RECORDS[:number], FAILED, *RECORDS[number + 1 :]]
    assert outcomes(iter(fp.TFRecordDataset(path))) == expected
    with pytest.raises(DataLossError, match=rf"a\.tfrecord.*{STARTS[number]}"):
        list(fp.TFRecordDataset(path))


def test_changed_data_is_noticed(write):
    path = write("a", flipped(FILE, STARTS[2] + 100))
    assert outcomes(iter(fp.TFRecordDataset(path))) == [*RECORDS[:2], FAILED, *RECORDS[3:]]


@pytest.mark.parametrize("place", [0, 7, 8, 11])
def test_a_bad_length_costs_the_rest_of_the_file_only(write, place):
    bad = write("bad", flipped(FILE, STARTS[1] + place))
    good = write("good", reference.tf_record([b"good"]))
    assert outcomes(iter(fp.TFRecordDataset([bad, good]))) == [b"one", FAILED, b"good"]


@pytest.mark.parametrize("cut", [1, 5, 11, 12, 13, 16, 18])
def test_a_truncated_file_is_an_error_not_an_end(write, cut):
    path = write("cut", FILE[: STARTS[4] + cut])
    assert outcomes(iter(fp.TFRecordDataset(path))) == [*RECORDS[:4], FAILED]
    with pytest.raises(DataLossError, match="cut"):
        list(fp.TFRecordDataset(path))


def test_an_absurd_length_is_an_error_and_not_an_allocation(write):
    import struct

    length = struct.pack("<Q", 2**62)
    header = length + struct.pack("<I", reference.masked_crc32c(length))
    with pytest.raises(DataLossError):
        list(fp.TFRecordDataset(write("a", header + b"data")))


@pytest.mark.parametrize("content", [b"this is a text file, no records", b"\0" * 64])
def test_what_is_no_record_file_is_an_error(write, content):
    with pytest.raises(DataLossError):
        list(fp.TFRecordDataset(write("a", content)))


def test_missing_files_and_directories_are_named(write, tmp_path):
    it = iter(fp.TFRecordDataset(["/no/such/file", str(tmp_path), write("a", FILE)]))
    with pytest.raises(NotFoundError, match="/no/such/file"):
        next(it)
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        next(it)
    assert outcomes(it) == RECORDS


def test_unknown_compression_is_refused(write):
    with pytest.raises(InvalidArgumentError, match="bzip"):
        list(fp.TFRecordDataset(write("a", FILE), "bzip"))
