"""`python -m fastpipe compare`, on small folders of each kind."""

import gzip
import json

import numpy as np
import pytest

from fastpipe.__main__ import main
from fastpipe.node import AUTOTUNE
from fastpipe.tools.contents import PHOTOGRAPHS, RECORDS, TEXT, ContentsError, contents
from fastpipe.tools.tfrecord import encode_example, write_record
from fastpipe.tools.work import Variant, work_on

VARIANTS = [
    Variant("sequential"),
    Variant("map", 2),
    Variant("map", AUTOTUNE),
    Variant("interleave"),
    Variant("interleave", 2),
    Variant("interleave", AUTOTUNE),
]


def make_photographs(folder, count=6):
    image = pytest.importorskip("PIL.Image")
    random = np.random.default_rng(0)
    for index in range(count):
        pixels = random.integers(0, 256, (20 + index, 30, 3), np.uint8)
        name = f"{index}.png" if index == 0 else f"{index}.JPEG"
        image.fromarray(pixels).save(folder / name)


def make_text(folder, count=4):
    for index in range(count):
        lines = [f"{index},{line},0.5" for line in range(10)]
        (folder / f"{index}.csv").write_text("a,b,c\n" + "\n".join(lines) + "\n")


def make_records(folder, count=4, name="train-{}-of-4"):
    for index in range(count):
        with (folder / name.format(index)).open("wb") as file:
            for record in range(10):
                features = {"x": [0.5, record + 0.5], "y": [index], "varying": [1] * record}
                write_record(file, encode_example(features))


MAKERS = {PHOTOGRAPHS: make_photographs, TEXT: make_text, RECORDS: make_records}


def run_json(capsys, *arguments):
    status = main(["compare", *map(str, arguments), "--json"])
    output = capsys.readouterr()
    assert status == 0, output.err
    return json.loads(output.out)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("length", [["--seconds", "1"], ["--elements", "4"]])
def test_measures_every_variant_on_both_storages(kind, length, tmp_path, capsys):
    MAKERS[kind](tmp_path)
    result = run_json(capsys, tmp_path, "--threads", 3, *length)
    (data,) = result["data"]
    assert (data["kind"], data["failed"]) == (kind, 0)
    assert data["surveyed"] == {PHOTOGRAPHS: 6, TEXT: 40, RECORDS: 40}[kind]
    expected = {
        ("sequential", "none"),
        ("map", "fixed"),
        ("map", "AUTOTUNE"),
        ("interleave", "none"),
        ("interleave", "fixed"),
        ("interleave", "AUTOTUNE"),
    } | ({("python map", "fixed")} if kind == PHOTOGRAPHS else set())
    for storage in ("as it is", "slow"):
        rows = [row for row in data["rows"] if row["storage"] == storage]
        assert {(row["method"], row["parallelism"]) for row in rows} == expected
        base = next(row for row in rows if row["method"] == "sequential")
        for row in rows:
            assert row["elements_per_second"] > 0 and row["cpu_ms_per_element"] > 0
            assert row["speedup"] == row["elements_per_second"] / base["elements_per_second"]
            assert row["threads"] >= 1 and len(row["rounds"]) >= 1
        assert base["threads"] == 1
        best = max(row["elements_per_second"] for row in rows)
        advised = next(row for row in rows if row["variant"] == data["advice"]["variants"][storage])
        assert advised["elements_per_second"] >= 0.85 * best


def test_table_ends_with_advice(tmp_path, capsys):
    make_text(tmp_path)
    assert main(["compare", str(tmp_path), "--elements", "4"]) == 0
    output = capsys.readouterr()
    lines = output.out.splitlines()
    assert "parse the numbers" in lines[0]
    assert any(line.split()[:3] == ["data", "storage", "variant"] for line in lines)
    assert sum("interleave, AUTOTUNE" in line for line in lines) == 2
    assert "se " in lines[-1] and lines[-1].endswith(".")
    assert output.err  # progress, but not among the results


@pytest.mark.parametrize("kind", MAKERS)
def test_all_variants_do_the_same_work(kind, tmp_path):
    MAKERS[kind](tmp_path)
    work = work_on(contents(tmp_path))

    def results(variant):
        elements = work.pipeline(variant, None, endless=False)
        leaves = [x if isinstance(x, dict) else {"": x} for x in elements]
        return sorted(
            tuple((name, np.asarray(x[name]).tobytes()) for name in sorted(x)) for x in leaves
        )

    expected = results(VARIANTS[0])
    assert len(expected) == {PHOTOGRAPHS: 6, TEXT: 40, RECORDS: 40}[kind]
    for variant in VARIANTS[1:]:
        assert results(variant) == expected, variant


def test_python_variant_gives_almost_the_same_pixels(tmp_path):
    make_photographs(tmp_path)
    work = work_on(contents(tmp_path))
    native = list(work.pipeline(Variant("sequential"), None, endless=False))
    python = list(work.pipeline(Variant("python map", 2), None, endless=False))
    assert len(python) == len(native) == 6
    for one, other in zip(native, python):
        assert one.shape == other.shape == (224, 224, 3) and one.dtype == other.dtype
        assert np.abs(one - other).max() <= 1.5  # Pillow rounds to whole numbers, twice


def test_corrupt_image_is_counted_and_passed_over(tmp_path, capsys):
    make_photographs(tmp_path)
    (tmp_path / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 no image")
    (data,) = run_json(capsys, tmp_path, "--elements", "4")["data"]
    assert (data["surveyed"], data["failed"]) == (7, 1)
    assert "decode_jpeg" in data["first_error"]
    assert any("1 of 7 elements failed" in note for note in data["notes"])


def test_gzip_and_zlib_records(tmp_path):
    import zlib

    make_records(tmp_path)
    for file in list(tmp_path.iterdir()):
        plain = file.read_bytes()
        (tmp_path / f"{file.name}.gz").write_bytes(gzip.compress(plain))
        (tmp_path / f"{file.name}.z").write_bytes(zlib.compress(plain))
    gzipped = sorted(tmp_path.glob("*.gz"))
    assert contents(gzipped[0]).compression == "GZIP"
    assert contents(sorted(tmp_path.glob("*.z"))[0]).compression == "ZLIB"
    (tmp_path / "zip").mkdir()
    for file in gzipped:
        file.rename(tmp_path / "zip" / file.name)
    work = work_on(contents(tmp_path / "zip"))
    assert "parse 2 features" in work.description  # not the one whose length varies
    assert len(list(work.pipeline(Variant("sequential"), None, endless=False))) == 40


def test_records_that_are_no_examples(tmp_path):
    with (tmp_path / "a.tfrecord").open("wb") as file:
        for size in (0, 3, 5):
            write_record(file, b"\xff" * size)
    work = work_on(contents(tmp_path))
    elements = work.pipeline(Variant("map", 2), None, endless=False)
    assert [int(x) for x in elements] == [0, 3, 5]


def test_plain_text_is_hashed_by_words(tmp_path):
    (tmp_path / "a.txt").write_text("The quick fox\n\nthe Fox\n")
    work = work_on(contents(tmp_path))
    lines = [x.tolist() for x in work.pipeline(Variant("sequential"), None, endless=False)]
    assert [len(line) for line in lines] == [3, 0, 2]
    assert lines[0][0] == lines[2][0] and lines[0][2] == lines[2][1]


# ---- paths that cannot be compared ----


def test_missing_path(tmp_path, capsys):
    assert main(["compare", str(tmp_path / "nothing")]) == 2
    assert "there is no file or folder" in capsys.readouterr().err


def test_empty_folder(tmp_path, capsys):
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert main(["compare", str(tmp_path)]) == 2
    assert "has no files in it" in capsys.readouterr().err


def test_folder_of_other_files(tmp_path, capsys):
    (tmp_path / "a.bin").write_bytes(bytes(range(256)))
    assert main(["compare", str(tmp_path)]) == 2
    assert "'a.bin'" in capsys.readouterr().err


def test_mixed_folder_asks_which(tmp_path, capsys):
    make_text(tmp_path)
    make_records(tmp_path)
    assert main(["compare", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "4 text files, 4 TFRecord files" in error and "--kind records" in error
    chosen = contents(tmp_path, TEXT)
    assert len(chosen.files) == 4 and chosen.notes == ("left out: 4 TFRecord files",)
    with pytest.raises(ContentsError, match="no photographs in it, but 4 text files"):
        contents(tmp_path, PHOTOGRAPHS)


def test_only_corrupt_images(tmp_path, capsys):
    for index in range(3):
        (tmp_path / f"{index}.jpg").write_bytes(b"no image")
    assert main(["compare", str(tmp_path), "--seconds", "1"]) == 2
    error = capsys.readouterr().err
    assert "not one element of the 3" in error and "decode_jpeg" in error


@pytest.mark.parametrize(
    "arguments", [["--threads", "0"], ["--seconds", "-1"], ["--seconds", "1", "--elements", "1"]]
)
def test_wrong_arguments(arguments, tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["compare", str(tmp_path), *arguments])
    assert stopped.value.code == 2
    assert capsys.readouterr().err


def test_content_decides_where_the_name_does_not(tmp_path):
    make_records(tmp_path, name="shard{}")
    assert contents(tmp_path).kind == RECORDS
    (tmp_path / ".hidden").write_text("not looked at")
    assert len(contents(tmp_path).files) == 4
    (tmp_path / "LICENSE").write_text("Übung" * 2000)
    with pytest.raises(ContentsError, match="1 text file, 4 TFRecord files"):
        contents(tmp_path)
