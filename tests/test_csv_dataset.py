import gzip
import os
import zlib

import numpy as np
import pytest

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError

TABLE = "id,x,name,big\n1,0.5,ann,3\n2,,bob,3000000000\n,1.5,,4\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    return os.fspath(path)


def rows(ds):
    return [{name: column.tolist() for name, column in batch.items()} for batch in ds]


def make(path, batch_size=2, **options):
    return fp.make_csv_dataset(path, batch_size, **{"num_epochs": 1, "shuffle": False, **options})


def test_names_and_types_are_found_out(table):
    ds = make(table)
    dtypes = {name: spec.dtype.name for name, spec in ds.element_spec.items()}
    assert dtypes == {"big": "int64", "id": "int32", "name": "string", "x": "float32"}
    assert rows(ds) == [
        {"id": [1, 2], "x": [0.5, 0.0], "name": [b"ann", b"bob"], "big": [3, 3000000000]},
        {"id": [0], "x": [1.5], "name": [b""], "big": [4]},
    ]


@pytest.mark.parametrize(
    ("fields", "dtype"),
    [
        (["1", "-5"], "int32"),
        (["1", "2147483648"], "int64"),
        (["2147483648", "1"], "int64"),
        (["1", "1.5"], "float32"),
        (["1", "1e39"], "float64"),
        (["1", "nan"], "string"),
        (["1", "x"], "string"),
        (["", "NA"], "string"),
        (["99999999999999999999"], "float32"),
    ],
)
def test_the_least_permissive_type_holds_all_fields(tmp_path, fields, dtype):
    (tmp_path / "a.csv").write_text("x,y\n" + "".join(f"{field},\n" for field in fields))
    ds = make(os.fspath(tmp_path / "a.csv"), na_value="NA")
    assert ds.element_spec["x"].dtype == dtype


def test_only_the_first_rows_are_looked_at(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n1.5\n")
    ds = make(os.fspath(tmp_path / "a.csv"), num_rows_for_inference=1)
    assert ds.element_spec["x"].dtype == "int32"


def test_a_label_comes_apart(table):
    ds = make(table, label_name="id")
    features, label = next(iter(ds))
    assert label.tolist() == [1, 2] and sorted(features) == ["big", "name", "x"]


def test_columns_can_be_selected_by_name_or_index(table):
    assert rows(make(table, 3, select_columns=["name", 0])) == [
        {"id": [1, 2, 0], "name": [b"ann", b"bob", b""]}
    ]
    chosen = make(table, 1, select_columns=["x"], column_defaults=[[9.5]])
    assert rows(chosen) == [{"x": [0.5]}, {"x": [9.5]}, {"x": [1.5]}]


def test_names_can_be_given(tmp_path):
    (tmp_path / "a.csv").write_text("1,a\n2,b\n")
    ds = make(os.fspath(tmp_path / "a.csv"), header=False, column_names=["n", "s"])
    assert rows(ds) == [{"n": [1, 2], "s": [b"a", b"b"]}]


def test_without_epochs_the_rows_repeat_in_full_batches(table):
    ds = make(table, 2, num_epochs=None, select_columns=["big"])
    assert ds.element_spec["big"].shape == (2,)
    assert rows(ds.take(3)) == [{"big": [3, 3000000000]}, {"big": [4, 3]}, {"big": [3000000000, 4]}]


def test_shuffled_rows_are_the_same_rows(table):
    ds = make(table, 1, shuffle=True, shuffle_seed=3)
    assert sorted(batch["big"][0] for batch in ds) == [3, 4, 3000000000]


def test_bad_rows_can_be_left_out(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n2\nbad\n4\n")
    options = {"column_defaults": ["int32"]}
    path = os.fspath(tmp_path / "a.csv")
    with pytest.raises(InvalidArgumentError, match="must be int32, got 'bad'"):
        rows(make(path, 4, **options))
    assert rows(make(path, 4, ignore_errors=True, **options)) == [{"x": [1, 2, 4]}]


@pytest.mark.parametrize(("kind", "pack"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress)])
def test_compressed_files(tmp_path, kind, pack):
    (tmp_path / "a.csv").write_bytes(pack(TABLE.encode()))
    ds = make(os.fspath(tmp_path / "a.csv"), 3, compression_type=kind, select_columns=["big"])
    assert rows(ds) == [{"big": [3, 3000000000, 4]}]


@pytest.mark.parametrize("reads", [1, 2, fp.AUTOTUNE])
def test_several_files(tmp_path, reads):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(f"x\n{name}1\n{name}2\n")
    ds = make(os.fspath(tmp_path / "*.csv"), 4, num_parallel_reads=reads)
    expected = [b"a1", b"a2", b"b1", b"b2"] if reads == 1 else [b"a1", b"b1", b"a2", b"b2"]
    assert rows(ds) == [{"x": expected}]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (TABLE, {"label_name": "none"}, "label_name must be one of"),
        (TABLE, {"select_columns": ["none"]}, "select_columns must name columns"),
        (TABLE, {"select_columns": [4]}, "must be less than 4, got 4"),
        (TABLE, {"select_columns": ["id", 0]}, "select_columns must differ"),
        (TABLE, {"select_columns": [0], "column_defaults": [[0], [0]]}, "one length, got 2 and 1"),
        (TABLE, {"header": False}, "give column_names, or files with a header"),
        ("a,a\n1,2\n", {}, r"names must differ, got \['a'\]"),
        ("", {}, "must have a header, but is empty"),
        ("a,b\n1\n", {}, "record 2 has 1 fields, expected 2"),
    ],
)
def test_bad_tables(tmp_path, content, options, message):
    (tmp_path / "a.csv").write_text(content)
    with pytest.raises(InvalidArgumentError, match=message):
        make(os.fspath(tmp_path / "a.csv"), **options)


def test_files_must_exist_and_have_one_header(tmp_path):
    with pytest.raises(InvalidArgumentError, match="no file matches"):
        make(os.fspath(tmp_path / "*.csv"))
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(f"{name}\n1\n")
    with pytest.raises(InvalidArgumentError, match="all files must have the same header"):
        make(os.fspath(tmp_path / "*.csv"))


def test_the_dataset_can_be_saved(table):
    ds = make(table, 1, num_epochs=2, select_columns=["big"])
    iterator = iter(ds)
    first = [int(next(iterator)["big"][0]) for _ in range(2)]
    rest = [int(batch["big"][0]) for batch in ds.iterator(iterator.save())]
    assert np.array_equal(first + rest, [3, 3000000000, 4] * 2)
