"""fastpipe/gfile.py: tf.io.gfile on local files."""

import pytest

from fastpipe import gfile


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
    with pytest.raises(FileExistsError, match="b"):
        action(tmp_path / "a", tmp_path / "b")
    action(tmp_path / "a", tmp_path / "b", overwrite=True)
    assert (tmp_path / "b").read_text() == "a"
