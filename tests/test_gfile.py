"""fastpipe/gfile.py: tf.io.gfile on local files."""

import os

import pytest

import fastpipe as fp
from fastpipe import gfile
from fastpipe.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
)


def test_files_are_found_listed_copied_renamed_and_removed(tmp_path):
    folder = tmp_path / "a" / "b"
    gfile.makedirs(folder)
    gfile.makedirs(folder)
    with gfile.GFile(folder / "one.txt", "w") as file:
        file.write("1")
    gfile.copy(folder / "one.txt", folder / "two.txt")
    gfile.rename(folder / "two.txt", folder / "three.txt")
    assert gfile.isdir(folder) and not gfile.isdir(folder / "one.txt")
    assert gfile.listdir(folder) == ["one.txt", "three.txt"]
    assert gfile.glob(f"{folder}/t*.txt") == [str(folder / "three.txt")]
    gfile.remove(folder / "one.txt")
    assert not gfile.exists(folder / "one.txt")
    gfile.rmtree(tmp_path / "a")
    assert not gfile.exists(folder)


@pytest.mark.parametrize("action", [gfile.copy, gfile.rename])
def test_nothing_is_overwritten_unless_asked(tmp_path, action):
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    with pytest.raises(AlreadyExistsError, match="b") as caught:
        action(tmp_path / "a", tmp_path / "b")
    assert isinstance(caught.value, FileExistsError)
    action(tmp_path / "a", tmp_path / "b", overwrite=True)
    assert (tmp_path / "b").read_text() == "a"


def test_what_is_missing_is_an_error_of_one_class(tmp_path):
    none = tmp_path / "none"
    for action in (
        lambda: gfile.listdir(none),
        lambda: gfile.mkdir(none / "below"),
        lambda: gfile.remove(none),
        lambda: gfile.rmtree(none),
        lambda: gfile.stat(none),
        lambda: gfile.copy(none, tmp_path / "b"),
        lambda: gfile.rename(none, tmp_path / "b"),
        lambda: gfile.GFile(none).read(),
        lambda: gfile.GFile(none).size(),
        lambda: fp.io.read_file(none),
    ):
        with pytest.raises(NotFoundError, match="none"):
            action()
    assert list(gfile.walk(none)) == [] and gfile.glob(str(none / "*")) == []
    assert not gfile.exists(none) and not gfile.isdir(none)
    gfile.GFile(none)  # opened when it is used


def test_a_file_where_a_directory_should_be_and_the_reverse(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(FailedPreconditionError):
        gfile.makedirs(tmp_path / "file")
    with pytest.raises(FailedPreconditionError):
        gfile.remove(tmp_path)
    with pytest.raises(IsADirectoryError):
        gfile.GFile(tmp_path).read()


def test_directories_are_made_and_files_too_removed_by_rmtree(tmp_path):
    gfile.mkdir(tmp_path / "a")
    gfile.mkdir(tmp_path / "a")
    (tmp_path / "a" / "file").write_text("x")
    gfile.rmtree(tmp_path / "a" / "file")
    assert gfile.listdir(tmp_path / "a") == []


def test_stat_says_length_time_and_kind(tmp_path):
    (tmp_path / "a").write_bytes(b"1234567")
    found = gfile.stat(tmp_path / "a")
    assert (found.length, found.is_directory) == (7, False)
    assert found.mtime_nsec == os.stat(tmp_path / "a").st_mtime_ns
    assert gfile.stat(tmp_path).is_directory


def test_a_tree_is_walked_from_above_or_below(write, tmp_path):
    write("b/c/d.txt", b"")
    write("a.txt", b"")
    top = str(tmp_path)
    found = [(top, ["b"], ["a.txt"]), (f"{top}/b", ["c"], []), (f"{top}/b/c", [], ["d.txt"])]
    assert list(gfile.walk(tmp_path)) == found
    assert list(gfile.walk(top, topdown=False)) == found[::-1]


@pytest.mark.parametrize(
    ("parts", "joined"),
    [(("a", "b"), "a/b"), (("a", "/b"), "/b"), ((b"a", b"b"), b"a/b"), (("a/", "b", "c"), "a/b/c")],
)
def test_paths_are_joined(parts, joined):
    assert gfile.join(*parts) == joined


def test_text_is_read_by_lines_and_bytes(write):
    path = write("a.txt", "hi\nyöu\r\nend".encode())
    file = gfile.GFile(path)
    assert file.readline() == "hi\n" and file.tell() == 3 and file.size() == 12
    assert file.read() == "yöu\r\nend" and file.read() == "" and file.readline() == ""
    file.seek(0)
    assert list(file) == ["hi\n", "yöu\r\n", "end"]
    file.seek(-3, 2)
    assert file.readlines() == ["end"] and file.seekable()
    file.close()
    with gfile.GFile(path, "rb") as file:
        assert file.read(4) == b"hi\ny" and file.name == path and file.mode == "rb"


def test_text_and_bytes_are_written_and_appended(tmp_path):
    path = tmp_path / "a"
    with gfile.GFile(path, "w") as file:
        file.write("hé")
        file.flush()
        assert path.read_bytes() == "hé".encode() and file.size() == 3 and file.tell() == 3
    with gfile.GFile(path, "ab") as file:
        file.write(b"!")
    with gfile.GFile(path, "r+") as file:
        file.write("H")
        file.seek(0)
        assert file.read() == "Hé!"
    with gfile.GFile(path, "w+") as file:
        file.write("new")
        file.seek(0)
        assert file.read() == "new"


def test_modes_are_checked(write):
    path = write("a", b"x")
    with pytest.raises(InvalidArgumentError, match="'q'"):
        gfile.GFile(path, "q")
    with pytest.raises(PermissionDeniedError, match="writing"):
        gfile.GFile(path).write("x")
    for mode in ("w", "a"):
        with pytest.raises(PermissionDeniedError, match="reading"):
            gfile.GFile(path, mode).read()


def test_files_are_written_and_read_as_a_whole(tmp_path):
    path = str(tmp_path / "new" / "folder" / "file")
    for content in (b"abc\0", b""):
        fp.io.write_file(path, content)
        assert fp.io.read_file(path) == content
    fp.io.write_file(os.fsencode(path), "text")
    assert fp.io.read_file(path) == b"text"
    assert fp.io.matching_files(f"{tmp_path}/new/*/*").tolist() == [os.fsencode(path)]
