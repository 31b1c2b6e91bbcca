"""What the readers of files share: compressions, ways to name files, several files at once."""

import gzip
import pathlib
import random
import zlib

import numpy as np
import pytest
import reference
from laws import check_op, outcomes

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError

PACK = {None: bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress, "ZSTD": reference.zstd_frame}
RECORD = 7


def content_of(kind, records):
    if kind == "text_line":
        return b"".join(record + b"\n" for record in records)
    return reference.tf_record(records) if kind == "tf_record" else b"".join(records)


def read(kind, names, compression=None, reads=None):
    if kind == "fixed_length":
        return fp.FixedLengthRecordDataset(
            names, RECORD, compression_type=compression, num_parallel_reads=reads
        )
    reader = fp.TextLineDataset if kind == "text_line" else fp.TFRecordDataset
    return reader(names, compression, num_parallel_reads=reads)


KINDS = ["text_line", "tf_record", "fixed_length"]


def numbered(file, count):
    return [b"%03d/%03d" % (file, number) for number in range(count)]


@pytest.mark.parametrize("compression", PACK)
@pytest.mark.parametrize("kind", KINDS)
def test_every_reader_obeys_the_laws_under_every_compression(write, kind, compression):
    records = [numbered(file, 30) for file in range(3)]
    paths = [
        write(str(file), PACK[compression](content_of(kind, part)))
        for file, part in enumerate(records)
    ]
    check_op(lambda: read(kind, paths, compression), sum(records, []))


@pytest.mark.parametrize("compression", ["GZIP", "ZSTD"])
@pytest.mark.parametrize("kind", KINDS)
def test_members_and_frames_may_follow_each_other(write, kind, compression):
    parts = [numbered(file, 3) for file in range(4)]
    path = write("a", b"".join(PACK[compression](content_of(kind, part)) for part in parts))
    check_op(lambda: read(kind, path, compression), sum(parts, []))


@pytest.mark.parametrize("reads", [1, 2, 3, 5, fp.AUTOTUNE])
@pytest.mark.parametrize("kind", KINDS)
def test_files_read_at_once_come_in_the_order_of_tensorflow(write, kind, reads):
    draw = random.Random(reads)
    for trial in range(6):
        files = [numbered(n, draw.randint(0, 5)) for n in range(draw.randint(1, 6))]
        paths = [
            write(f"{trial}/{number}", content_of(kind, records))
            for number, records in enumerate(files)
        ]
        cycle = 16 if reads == fp.AUTOTUNE else reads
        expected = list(reference.interleave(files, cycle, 1))
        assert outcomes(iter(read(kind, paths, reads=reads))) == expected


def test_parallel_reads_obey_the_laws(write):
    files = [numbered(file, 4) for file in range(5)]
    paths = [write(str(n), gzip.compress(content_of("tf_record", f))) for n, f in enumerate(files)]
    expected = list(reference.interleave(files, 3, 1))
    check_op(lambda: read("tf_record", paths, "GZIP", 3), expected)


@pytest.mark.parametrize("reads", [None, 1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_files_may_be_named_in_many_ways(write, kind, reads):
    paths = [write(name, content_of(kind, [name.encode() * RECORD])) for name in "abcd"]
    records = [name.encode() * RECORD for name in "abcd"]
    one = [
        paths[0],
        paths[0].encode(),
        pathlib.Path(paths[0]),
        np.array(paths[0]),
        [paths[0]],
        fp.Dataset.from_tensors(paths[0]),
    ]
    for names in one:
        assert outcomes(iter(read(kind, names, reads=reads))) == records[:1]
    several = [
        paths,
        tuple(paths),
        [pathlib.Path(path) for path in paths],
        np.array(paths),
        np.array(paths, object).reshape(2, 2),
        [[paths[0], paths[1]], [paths[2], paths[3]]],
        fp.Dataset.from_tensor_slices(paths),
        fp.Dataset.list_files(str(pathlib.Path(paths[0]).parent / "?"), shuffle=False),
    ]
    for names in several:
        assert outcomes(iter(read(kind, names, reads=reads))) == records
    for nothing in ([], np.array([], object), np.zeros((0, 2), object)):
        assert outcomes(iter(read(kind, nothing, reads=reads))) == []


@pytest.mark.parametrize("reads", [None, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_name_is_refused_at_construction(write, kind, reads):
    path = write("a", b"")
    wrong = [
        3,
        [1, 2],
        None,
        fp.Dataset.range(3),
        fp.Dataset.from_tensors([path, path]),
        fp.Dataset.from_tensors((path, path)),
    ]
    for names in wrong:
        with pytest.raises(TypeError):
            read(kind, names, reads=reads)


@pytest.mark.parametrize("kind", KINDS)
def test_bad_arguments_are_refused_at_construction(write, kind):
    path = write("a", b"")
    for compression in ("gzip", "BZ2", "NONE"):
        with pytest.raises(InvalidArgumentError, match=compression):
            read(kind, path, compression)
    for reads in (0, -2):
        with pytest.raises(InvalidArgumentError):
            read(kind, path, reads=reads)


def test_two_stars_are_one_and_hidden_files_match(write, tmp_path):
    for name in ("a", ".hidden", "sub/b", "sub/deep/c"):
        write(name, b"")
    found = outcomes(iter(fp.Dataset.list_files(f"{tmp_path}/**", shuffle=False)))
    assert found == [f"{tmp_path}/{name}".encode() for name in (".hidden", "a", "sub")]
    found = outcomes(iter(fp.Dataset.list_files(f"{tmp_path}/**/b", shuffle=False)))
    assert found == [f"{tmp_path}/sub/b".encode()]


def test_a_huge_folder_is_listed_once_each(tmp_path):
    for number in range(5000):
        (tmp_path / f"{number:05d}").touch()
    ds = fp.Dataset.list_files(tmp_path / "*", seed=4)
    assert len(ds) == 5000
    first, second = outcomes(iter(ds)), outcomes(iter(ds))
    assert first != second and sorted(first) == sorted(second)
    assert len(set(first)) == 5000
    again = fp.Dataset.list_files(tmp_path / "*", seed=4)
    assert [outcomes(iter(again)) for _ in range(2)] == [first, second]
