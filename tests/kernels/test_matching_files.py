"""csrc/kernels/matching_files.cc: the paths that match glob patterns, sorted."""

import pytest

import fastpipe as fp


@pytest.fixture
def folder(tmp_path):
    for name in ("b.txt", "a.txt", ".hidden.txt", "c.jpg"):
        (tmp_path / name).touch()
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "d.txt").touch()
    return str(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.txt", [".hidden.txt", "a.txt", "b.txt"]),
        ("?.txt", ["a.txt", "b.txt"]),
        ("[ac].*", ["a.txt", "c.jpg"]),
        ("*/*.txt", ["inner/d.txt"]),
        ("nothing*", []),
        ("missing/*", []),
    ],
)
def test_patterns_match_as_in_tensorflow(folder, pattern, names):
    found = fp.io.matching_files(f"{folder}/{pattern}")
    assert found.tolist() == [f"{folder}/{name}".encode() for name in names]


def test_several_patterns_give_one_sorted_list(folder):
    found = fp.io.matching_files([f"{folder}/c*", f"{folder}/a*"])
    assert found.tolist() == [f"{folder}/{name}".encode() for name in ("a.txt", "c.jpg")]


def test_it_works_inside_a_traced_function(folder):
    ds = fp.Dataset.from_tensors(folder).map(lambda d: fp.io.matching_files(d + "/*.jpg"))
    assert [paths.tolist() for paths in ds] == [[f"{folder}/c.jpg".encode()]]


def test_a_number_is_no_pattern():
    with pytest.raises(fp.errors.InvalidArgumentError, match="matching_files"):
        fp.io.matching_files(3)
