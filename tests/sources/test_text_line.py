import gzip
import zlib

import pytest
from laws import FAILED, check_op, outcomes

import fastpipe as fp
from fastpipe.errors import DataLossError, InvalidArgumentError, NotFoundError

LINES = [b"one", b"", b"three", "zwölf".encode(), b"nul\0nul", b"x" * 5000]
TEXT = b"\n".join(LINES) + b"\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\n\n", [b"a", b""]),
        (b"\n\n\n", [b"", b"", b""]),
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"a\rb\n", [b"a\rb"]),
        (b"a\r\r\nb", [b"a\r", b"b"]),
        (b"a\nb\r", [b"a", b"b\r"]),
        (b"\xef\xbb\xbfbom\n", [b"\xef\xbb\xbfbom"]),
        (TEXT, LINES),
    ],
)
def test_lines_come_without_their_newline(write, content, expected):
    path = write("a.txt", content)
    check_op(lambda: fp.TextLineDataset(path), expected)


@pytest.mark.parametrize(
    ("compression", "compress"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress)]
)
def test_compressed_lines_are_the_same(write, compression, compress):
    path = write("a", compress(TEXT * 30))
    check_op(lambda: fp.TextLineDataset(path, compression), LINES * 30)


def test_a_gzip_file_may_have_several_members(write):
    path = write("a.gz", gzip.compress(b"a\nb") + gzip.compress(b"c\nd\n"))
    check_op(lambda: fp.TextLineDataset(path, "GZIP"), [b"a", b"bc", b"d"])


@pytest.mark.parametrize("buffer_size", [1, 2, 3, 7, 100, 10**6])
def test_the_size_of_reads_changes_nothing(write, buffer_size):
    path = write("a.txt", TEXT)
    check_op(lambda: fp.TextLineDataset(path, buffer_size=buffer_size), LINES)


def test_short_reads_change_nothing(write):
    path = write("a.txt", TEXT)
    options = fp.Options(storage=fp.SimulatedStorage(max_read=3))
    check_op(lambda: fp.TextLineDataset(path).with_options(options), LINES)


def test_several_files_follow_one_another(write):
    paths = [write(name, content) for name, content in [("a", b"1\n2"), ("b", b""), ("c", b"3\n")]]
    check_op(lambda: fp.TextLineDataset(paths), [b"1", b"2", b"3"])
    check_op(lambda: fp.TextLineDataset(fp.Dataset.from_tensor_slices(paths)), [b"1", b"2", b"3"])


@pytest.mark.parametrize("reads", [1, 2, 3, fp.AUTOTUNE])
def test_parallel_reads_take_a_line_of_each_file_in_turn(write, reads):
    paths = [
        write(name, b"".join(b"%s%d\n" % (name.encode(), n) for n in range(3))) for name in "ab"
    ]
    expected = {1: "a0 a1 a2 b0 b1 b2"}.get(reads, "a0 b0 a1 b1 a2 b2")
    check_op(
        lambda: fp.TextLineDataset(paths, num_parallel_reads=reads),
        [text.encode() for text in expected.split()],
    )


def test_a_missing_file_is_named_once_and_the_next_follows(write):
    paths = [write("a", b"1\n"), "/no/such/file.txt", write("b", b"2\n")]
    it = iter(fp.TextLineDataset(paths))
    assert next(it) == b"1"
    with pytest.raises(NotFoundError, match="/no/such/file.txt") as caught:
        next(it)
    assert isinstance(caught.value, FileNotFoundError)
    assert outcomes(it) == [b"2"]


def test_a_directory_is_named_and_the_next_file_follows(write, tmp_path):
    it = iter(fp.TextLineDataset([str(tmp_path), write("b", b"2\n")]))
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        next(it)
    assert outcomes(it) == [b"2"]


def test_truncated_gzip_is_an_error_not_an_end(write):
    whole = gzip.compress(b"".join(b"line %d\n" % n for n in range(1000)))
    path = write("a.gz", whole[: len(whole) // 2])
    got = outcomes(
        iter(fp.TextLineDataset([path, write("b.gz", gzip.compress(b"next\n"))], "GZIP"))
    )
    assert got.count(FAILED) == 1 and got[-1] == b"next"
    assert got[: got.index(FAILED)] == [b"line %d" % n for n in range(got.index(FAILED))]
    with pytest.raises(DataLossError, match="a.gz"):
        list(fp.TextLineDataset(path, "GZIP"))


def test_plain_text_under_the_name_of_gzip_is_an_error(write):
    with pytest.raises(DataLossError, match="a.txt"):
        list(fp.TextLineDataset(write("a.txt", b"plain text\n"), "GZIP"))


@pytest.mark.parametrize("compression", ["gzip", "LZ4", "x"])
def test_unknown_compression_is_refused(write, compression):
    with pytest.raises(InvalidArgumentError, match=compression):
        list(fp.TextLineDataset(write("a", b""), compression))


def test_a_failing_read_is_an_error_and_the_next_file_follows(write):
    paths = [write("a", b"1\n"), write("b", b"2\n")]
    options = fp.Options(storage=fp.SimulatedStorage(fail_read=1))
    assert outcomes(iter(fp.TextLineDataset(paths).with_options(options))) == [FAILED, b"2"]


def test_names_may_come_from_a_pipeline(write):
    paths = [write("a", b"1\n2\n"), write("b", b"3\n4\n")]
    ds = fp.Dataset.from_tensor_slices(paths).interleave(fp.TextLineDataset, cycle_length=2)
    check_op(lambda: ds, [b"1", b"3", b"2", b"4"])
