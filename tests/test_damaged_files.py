"""One damaged file, record or line among a thousand good ones, for every reader and compression.

Exactly what is damaged is missing, its error has the class and the place, and iteration goes on.
"""

import gzip
import re
import zlib

import pytest
import reference
from laws import FAILED, outcomes

import fastpipe as fp
from fastpipe.errors import DataLossError, InvalidArgumentError, NotFoundError

COUNT = 1000
MIDDLE = 500


PACK = {
    None: bytes,
    "GZIP": gzip.compress,
    "ZLIB": zlib.compress,
    "ZSTD": reference.zstd_frame,
}
TEXTS = [b"record number %04d" % x for x in range(COUNT)]
CONTENT = {
    "text_line": b"".join(text + b"\n" for text in TEXTS),
    "tf_record": reference.tf_record(TEXTS),
    "fixed_length": b"".join(TEXTS),
}


def read(kind, paths, compression=None, **how):
    if kind == "text_line":
        return fp.TextLineDataset(paths, compression, **how)
    if kind == "tf_record":
        return fp.TFRecordDataset(paths, compression, **how)
    return fp.FixedLengthRecordDataset(paths, len(TEXTS[0]), compression_type=compression, **how)


def check(dataset, expected, error, place):
    """Each error once, in its place; none under ignore_errors; of the right class and file."""
    assert outcomes(iter(dataset)) == expected
    good = [x for x in expected if x is not FAILED]
    assert list(dataset.ignore_errors()) == good
    with pytest.raises(error, match=place):
        list(dataset)


@pytest.fixture
def files(write):
    """Ten files of a hundred records each, of a kind and compression."""

    def make(kind, compression):
        size = len(CONTENT[kind]) // 10
        parts = [CONTENT[kind][i * size : (i + 1) * size] for i in range(10)]
        return [write(f"{i}.data", PACK[compression](part)) for i, part in enumerate(parts)]

    return make


@pytest.mark.parametrize("compression", PACK)
@pytest.mark.parametrize("kind", CONTENT)
@pytest.mark.parametrize("reads", [None, 1])
def test_a_missing_file_costs_itself(files, kind, compression, reads):
    paths = files(kind, compression)
    paths[5] = "/no/such/file"
    expected = [*TEXTS[:MIDDLE], FAILED, *TEXTS[600:]]
    check(
        read(kind, paths, compression, num_parallel_reads=reads),
        expected,
        NotFoundError,
        "/no/such/file",
    )


@pytest.mark.parametrize("compression", PACK)
@pytest.mark.parametrize("kind", CONTENT)
def test_a_missing_file_costs_itself_when_many_are_read_at_once(files, kind, compression):
    paths = files(kind, compression)
    paths[5] = "/no/such/file"
    ds = read(kind, paths, compression, num_parallel_reads=4)
    got = outcomes(iter(ds))
    assert got.count(FAILED) == 1
    assert sorted(x for x in got if x is not FAILED) == [*TEXTS[:MIDDLE], *TEXTS[600:]]
    assert len(list(ds.ignore_errors())) == 900


@pytest.mark.parametrize("kind", CONTENT)
@pytest.mark.parametrize("compression", ["GZIP", "ZLIB", "ZSTD"])
def test_a_truncated_compressed_file_costs_its_end(write, kind, compression):
    whole = PACK[compression](CONTENT[kind])
    paths = [write("cut", whole[: len(whole) * 3 // 4]), write("good", whole)]
    got = outcomes(iter(read(kind, paths, compression)))
    lost = got.index(FAILED)
    assert 100 < lost < COUNT
    expected = [*TEXTS[:lost], FAILED, *TEXTS]
    check(read(kind, paths, compression), expected, DataLossError, r"cut.*truncated|truncated.*cut")


@pytest.mark.parametrize("kind", CONTENT)
@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_a_changed_byte_of_a_compressed_file_is_noticed(write, kind, compression):
    whole = PACK[compression](CONTENT[kind])
    for place in (len(whole) // 2, len(whole) - 2, 0):
        bad = whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :]
        ds = read(kind, [write("bad", bad), write("good", whole)], compression)
        got = outcomes(iter(ds))
        assert got[-COUNT:] == TEXTS and 1 <= got.count(FAILED) <= 2
        with pytest.raises(DataLossError, match="bad"):
            list(ds)


@pytest.mark.parametrize("compression", PACK)
def test_a_record_with_a_bad_checksum_costs_itself(write, compression):
    offset = MIDDLE * (len(TEXTS[0]) + 16)
    content = bytearray(CONTENT["tf_record"])
    content[offset + 12] ^= 1
    path = write("bad", PACK[compression](bytes(content)))
    check(
        read("tf_record", path, compression),
        [*TEXTS[:MIDDLE], FAILED, *TEXTS[MIDDLE + 1 :]],
        DataLossError,
        rf"record {MIDDLE} of '.*bad' \(offset {offset}\)",
    )


@pytest.mark.parametrize("compression", PACK)
@pytest.mark.parametrize("cut", [1, 11, 12, 13, 29])
def test_a_cut_record_is_an_error_and_the_next_file_follows(write, compression, cut):
    offset = MIDDLE * (len(TEXTS[0]) + 16)
    cut_file = write("cut", PACK[compression](CONTENT["tf_record"][: offset + cut]))
    good = write("good", PACK[compression](CONTENT["tf_record"]))
    check(
        read("tf_record", [cut_file, good], compression),
        [*TEXTS[:MIDDLE], FAILED, *TEXTS],
        DataLossError,
        rf"record {MIDDLE} of '.*cut' \(offset {offset}\): the file is truncated",
    )


@pytest.mark.parametrize("compression", PACK)
def test_a_file_of_broken_length_names_itself(write, compression):
    bad = write("bad", PACK[compression](CONTENT["fixed_length"] + b"rest"))
    good = write("good", PACK[compression](CONTENT["fixed_length"]))
    before = TEXTS if compression else []  # the size of a plain file is known at once
    check(
        read("fixed_length", [bad, good], compression),
        [*before, FAILED, *TEXTS],
        DataLossError if compression else InvalidArgumentError,
        "bad",
    )


@pytest.mark.parametrize("compression", PACK)
def test_header_and_footer_are_left_out_of_every_file(write, compression):
    content = b"HEAD" + CONTENT["fixed_length"] + b"FOOT!"
    paths = [write(name, PACK[compression](content)) for name in "ab"]
    ds = read("fixed_length", paths, compression, header_bytes=4, footer_bytes=5)
    assert list(ds) == TEXTS * 2
    short = write("short", PACK[compression](b"HEADFOO"))
    ds = read("fixed_length", [short, *paths], compression, header_bytes=4, footer_bytes=5)
    assert outcomes(iter(ds)) == [FAILED, *TEXTS, *TEXTS]


@pytest.mark.parametrize("kind", CONTENT)
@pytest.mark.parametrize("compression", ["GZIP", "ZLIB", "ZSTD"])
def test_a_plain_file_under_the_name_of_a_compression_is_an_error(write, kind, compression):
    path = write("plain", CONTENT[kind])
    assert outcomes(iter(read(kind, path, compression))) == [FAILED]
    with pytest.raises(DataLossError, match=re.escape(path)):
        list(read(kind, path, compression))


@pytest.mark.parametrize("kind", CONTENT)
@pytest.mark.parametrize("compression", [None, "GZIP", "ZLIB", "ZSTD"])
def test_an_empty_file_has_nothing(write, kind, compression):
    assert outcomes(iter(read(kind, [write("a", b""), write("b", b"")], compression))) == []
