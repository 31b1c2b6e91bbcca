import os
import signal
import subprocess
import sys

import pytest

import fastpipe as fp
from fastpipe import position_file

DS = fp.Dataset.range(9).shuffle(3, seed=1)


def begun(count=3):
    iterator = iter(DS)
    return iterator, [int(next(iterator)) for _ in range(count)]


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_a_pass_goes_on_from_the_file_it_was_saved_to(tmp_path, kind):
    path = tmp_path / "state"
    iterator, _ = begun()
    iterator.save_file(kind(path))
    assert [int(x) for x in DS.iterator(kind(path))] == [int(x) for x in iterator]


def test_a_position_may_be_any_bytes_like_object():
    iterator, _ = begun()
    state = iterator.save()
    rest = list(iterator)
    for kind in (bytearray, memoryview):
        assert list(DS.iterator(kind(state))) == rest


def test_saving_replaces_the_file_and_leaves_no_other(tmp_path):
    path = tmp_path / "state"
    for count in (1, 4):
        begun(count)[0].save_file(path)
    assert os.listdir(tmp_path) == ["state"]
    assert len(list(DS.iterator(path))) == 5


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing"):
        DS.iterator(tmp_path / "missing")
    iterator, _ = begun()
    with pytest.raises(OSError, match="nowhere"):
        iterator.save_file(tmp_path / "nowhere" / "state")


def test_an_error_names_the_path_that_was_given_and_no_other(tmp_path):
    iterator, _ = begun()
    for path in (tmp_path, tmp_path / "nowhere" / "state"):
        with pytest.raises(OSError, match=".") as raised:
            iterator.save_file(path)
        assert raised.value.filename == str(path)
        assert raised.value.filename2 is None
    assert os.listdir(tmp_path) == []


def test_a_state_of_another_type_is_refused():
    with pytest.raises(TypeError, match=r"bytes from save\(\), or the path of a file.*got int: 7"):
        DS.iterator(7)


STEPS = ("fsync", "replace")


@pytest.mark.parametrize("step", STEPS)
def test_a_failure_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, step):
    path = tmp_path / "state"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space"):
        position_file.write(path, b"new")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["state"]
    assert path.read_bytes() == b"old"


KILLED = """
import os, signal, sys
from fastpipe import position_file
step, after = sys.argv[1], sys.argv[2] == "after"
real = getattr(os, step)
def killed(*arguments):
    if after:
        real(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, step, killed)
position_file.write(sys.argv[3], b"new" * 9)
"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_process_that_is_killed_while_it_writes_leaves_a_whole_file(tmp_path, step, when):
    path = tmp_path / "state"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", KILLED, step, when, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    replaced = step == "replace" and when == "after"
    assert path.read_bytes() == (b"new" * 9 if replaced else b"old")
