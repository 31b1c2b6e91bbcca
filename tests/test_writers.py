"""fastpipe/writers.py: TFRecord files, byte for byte as TensorFlow writes them."""

import gzip
import os
import zlib

import process
import pytest
import reference

import fastpipe as fp
from fastpipe.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
)
from fastpipe.io import TFRecordOptions, TFRecordWriter
from fastpipe.writers import DatasetRecordWriter

RECORDS = [b"one", b"", b"three" * 1000, b"\0\xff", bytes(300_000)]


def written(path, records, options=None):
    with TFRecordWriter(path, options) as writer:
        for record in records:
            writer.write(record)
    with open(path, "rb") as file:
        return file.read()


@pytest.mark.parametrize("records", [[], [b""], RECORDS])
def test_the_bytes_are_those_of_the_format(tmp_path, records):
    assert written(tmp_path / "a", records) == reference.tf_record(records)


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB", "ZSTD"])
@pytest.mark.parametrize("level", [None, 1, 9])
def test_compressed_files_are_read_back(tmp_path, compression, level):
    options = TFRecordOptions(compression, compression_level=level)
    content = written(tmp_path / "a", RECORDS, options)
    unpack = {"GZIP": gzip.decompress, "ZLIB": zlib.decompress}.get(compression)
    if unpack:
        assert unpack(content) == reference.tf_record(RECORDS)
    assert len(content) < 10_000
    assert list(fp.TFRecordDataset(tmp_path / "a", compression)) == RECORDS


@pytest.mark.parametrize("compression", [None, "", "GZIP", "ZLIB", "ZSTD"])
def test_what_was_flushed_can_be_read_before_the_file_is_closed(tmp_path, compression):
    path = tmp_path / "a"
    writer = TFRecordWriter(path, compression)
    writer.write(b"one")
    writer.write(b"two")
    writer.flush()
    it = iter(fp.TFRecordDataset(path, compression))
    assert [next(it), next(it)] == [b"one", b"two"]
    writer.write(b"three")
    writer.close()
    assert list(fp.TFRecordDataset(path, compression)) == [b"one", b"two", b"three"]


def test_a_process_that_dies_leaves_what_it_flushed(tmp_path):
    program = """
        import os, signal, sys
        writer = fp.io.TFRecordWriter(sys.argv[1])
        writer.write(b"kept")
        writer.flush()
        writer.write(b"lost")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert process.run(program, str(tmp_path / "a")).returncode == -9
    assert list(fp.TFRecordDataset(tmp_path / "a")) == [b"kept"]


def test_records_may_be_text_or_any_bytes(tmp_path):
    import numpy as np

    records = ["zwölf", bytearray(b"ab"), memoryview(b"cd"), np.arange(3, dtype=np.uint8)]
    written(tmp_path / "a", records)
    assert list(fp.TFRecordDataset(tmp_path / "a")) == ["zwölf".encode(), b"ab", b"cd", b"\0\1\2"]
    with pytest.raises(TypeError, match="int"):
        written(tmp_path / "b", [3])


def test_closing_twice_is_fine_and_writing_afterwards_is_not(tmp_path):
    writer = TFRecordWriter(tmp_path / "a")
    writer.close()
    writer.close()
    for action in (lambda: writer.write(b"x"), writer.flush):
        with pytest.raises(FailedPreconditionError, match="closed"):
            action()


def test_a_writer_that_is_dropped_closes_its_file(tmp_path):
    writer = TFRecordWriter(tmp_path / "a", "GZIP")
    writer.write(b"x")
    del writer
    assert list(fp.TFRecordDataset(tmp_path / "a", "GZIP")) == [b"x"]
    assert not [name for name in process.open_files().values() if name.endswith("/a")]


def test_an_existing_file_is_emptied(write):
    path = write("a", b"x" * 1000)
    assert written(path, []) == b""


def test_unknown_compression_and_settings_are_refused(tmp_path):
    for options in ("BZ2", "gzip"):
        with pytest.raises(ValueError, match=options):
            TFRecordWriter(tmp_path / "a", options)
        with pytest.raises(ValueError, match=options):
            TFRecordOptions(options)
    with pytest.raises(InvalidArgumentError, match="level 77"):
        TFRecordWriter(tmp_path / "a", TFRecordOptions("GZIP", compression_level=77))
    with pytest.raises(InvalidArgumentError, match="levels"):
        TFRecordWriter(tmp_path / "a", TFRecordOptions("ZSTD", compression_level=77))


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(NotFoundError, match="none"):
        TFRecordWriter(tmp_path / "none" / "a")
    with pytest.raises(IsADirectoryError):
        TFRecordWriter(tmp_path)


def test_a_full_disk_is_an_error(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    writer = TFRecordWriter("/dev/full")
    writer.write(b"x")
    with pytest.raises(ResourceExhaustedError, match="/dev/full"):
        writer.flush()
    with pytest.raises(ResourceExhaustedError):
        writer.write(b"x" * 10)
    with pytest.raises(ResourceExhaustedError):
        writer.close()
    writer.close()


def test_a_dataset_of_strings_is_written_as_records(tmp_path):
    ds = fp.Dataset.from_tensor_slices(RECORDS[:4])
    DatasetRecordWriter(tmp_path / "a", "GZIP").write(ds)
    assert list(fp.TFRecordDataset(tmp_path / "a", "GZIP")) == RECORDS[:4]
    for wrong in (fp.Dataset.range(3), ds.batch(2), fp.Dataset.zip(ds, ds), [b"a"]):
        with pytest.raises(TypeError):
            DatasetRecordWriter(tmp_path / "b").write(wrong)
