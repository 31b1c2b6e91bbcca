"""csrc/kernels/read_file.cc: the whole content of a file as bytes."""

import os
import threading

import pytest

import fastpipe as fp


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 4096, 1_000_003])
def test_the_content_is_that_of_the_file(tmp_path, size):
    content = os.urandom(size)
    path = tmp_path / "file"
    path.write_bytes(content)
    assert fp.io.read_file(str(path)) == content
    ds = fp.Dataset.from_tensors(str(path)).map(fp.io.read_file, num_parallel_calls=2)
    assert list(ds) == [content]


def test_a_missing_file_is_named(tmp_path):
    path = str(tmp_path / "nothing")
    with pytest.raises(fp.errors.NotFoundError, match="nothing"):
        fp.io.read_file(path)


def test_a_directory_is_not_a_file(tmp_path):
    with pytest.raises(fp.errors.FailedPreconditionError, match="directory"):
        fp.io.read_file(str(tmp_path))


def test_a_pipe_of_unknown_size_is_read_to_its_end(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    content = os.urandom(300_000)
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    assert fp.io.read_file(str(path)) == content
    writer.join()


def test_short_reads_lose_nothing(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * 10)
    options = fp.Options()
    options.storage = fp.SimulatedStorage(max_read=7)
    ds = fp.Dataset.from_tensors(str(path)).map(fp.io.read_file).with_options(options)
    assert list(ds) == [bytes(range(256)) * 10]


@pytest.mark.parametrize("path", [3, ["a", "b"]])
def test_what_is_no_scalar_string_is_refused(path):
    with pytest.raises(fp.errors.InvalidArgumentError, match="read_file"):
        fp.io.read_file(path)
