"""The data set that `compare` makes for itself."""

import pytest

from fastpipe.__main__ import main
from fastpipe.readers import TFRecordDataset
from fastpipe.tools import sample_data
from fastpipe.tools.contents import KINDS, PHOTOGRAPHS, RECORDS, contents
from fastpipe.tools.work import Variant, work_on


@pytest.fixture
def small(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name, value in {"_PHOTOGRAPHS": 3, "_SHARDS": 2, "_LINES": 5, "_RECORDS": 4}.items():
        monkeypatch.setattr(sample_data, name, value)


@pytest.mark.parametrize("kind", KINDS)
def test_made_once_and_readable(kind, small, tmp_path):
    if kind == PHOTOGRAPHS:
        pytest.importorskip("PIL")
    said = []
    folder = sample_data.sample_folder(kind, said.append)
    assert folder.is_relative_to(tmp_path) and len(said) == 1
    assert sample_data.sample_folder(kind, said.append) == folder and len(said) == 1
    assert [path.name for path in folder.parent.iterdir()] == [kind]  # nothing unfinished
    data = contents(folder)
    assert data.kind == kind
    elements = list(work_on(data).pipeline(Variant("sequential"), None, endless=False))
    assert len(elements) == {"photographs": 3, "text": 10, "records": 8}[kind]


def test_compare_without_a_path_takes_all_kinds(small, capsys):
    pytest.importorskip("PIL")
    assert main(["compare", "--elements", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:3]] == list(KINDS)
    assert [line.split(":")[0] for line in lines[-3:]] == ["Photographs", "Text", "Records"]


def test_checksums_are_those_of_tfrecord(small):
    data = contents(sample_data.sample_folder(RECORDS))
    assert len(list(TFRecordDataset(list(data.files)))) == 8


def test_failure_leaves_nothing_behind(small, monkeypatch, tmp_path):
    def fail(folder):
        (folder / "half").write_text("")
        raise OSError("disk full")

    monkeypatch.setattr(sample_data, "_make_text", fail)
    with pytest.raises(OSError, match="disk full"):
        sample_data.sample_folder("text")
    assert not list(tmp_path.glob("*/*/*"))


def test_photographs_look_like_photographs():
    pytest.importorskip("PIL")
    import io

    import numpy as np

    random = np.random.default_rng(0)
    sizes = []
    for _ in range(3):
        file = io.BytesIO()
        picture = sample_data.photograph(random)
        picture.save(file, "jpeg", quality=90)
        sizes.append(len(file.getvalue()))
        assert picture.size == (500, 375)
    assert 50_000 < np.mean(sizes) < 150_000


def test_relative_cache_home_is_ignored(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert sample_data.cache_folder().is_absolute()
