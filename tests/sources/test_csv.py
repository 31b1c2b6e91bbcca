import csv
import gzip
import io
import os
import zlib

import numpy as np
import pytest
from laws import FAILED, check_op, outcomes

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError, NotFoundError

INT, TEXT = "int32", "string"


@pytest.fixture
def read(tmp_path):
    """Outcomes of CsvDataset over one file with the given content."""

    def run(content, *args, **kwargs):
        path = tmp_path / "a.csv"
        path.write_bytes(content)
        return outcomes(iter(fp.CsvDataset(os.fspath(path), *args, **kwargs)))

    return run


@pytest.mark.parametrize(
    ("content", "defaults", "options", "expected"),
    [
        (b"", [INT], {}, []),
        (b"1,a\n2,b\n", [INT, TEXT], {}, [(1, b"a"), (2, b"b")]),
        (b"1,a\r\n2,b", [INT, TEXT], {}, [(1, b"a"), (2, b"b")]),
        (b"1,a\r2,b\r", [INT, TEXT], {}, [(1, b"a"), (2, b"b")]),
        (b"1,\n,b", [[7], ["d"]], {}, [(1, b"d"), (7, b"b")]),
        (b"1,2\n3,", [INT, [9]], {}, [(1, 2), (3, 9)]),
        (b"a\n\nb\n", [["x"]], {}, [(b"a",), (b"x",), (b"b",)]),
        (b'"a,b","c""d","e\nf"\n"x","y","z\r\n"\n', [TEXT] * 3, {},
         [(b"a,b", b'c"d', b"e\nf"), (b"x", b"y", b"z\r\n")]),
        (b'"a"\r"b"\r', [TEXT], {}, [(b"a",), (b"b",)]),
        (b'"","NA",2\n', [[5], [6], INT], {"na_value": "NA"}, [(5, 6, 2)]),
        (b'"a","b"\n', [TEXT, TEXT], {"use_quote_delim": False}, [(b'"a"', b'"b"')]),
        (b"1;2\n", [INT, INT], {"field_delim": ";"}, [(1, 2)]),
        (b"a,b\n1,2\n", [INT, INT], {"header": True}, [(1, 2)]),
        (b'"a\nq",b\n1,2\n', [INT, INT], {"header": True}, [(1, 2)]),
        (b"a,b\n", [INT, INT], {"header": True}, []),
        (b"1,x,3\n4,y\n5,z,6,7\n", [INT, INT], {"select_cols": [0, 2]}, [(1, 3), FAILED, (5, 6)]),
        (b"1,x,3\n4,y,6\n", [INT, INT], {"exclude_cols": [1]}, [(1, 3), (4, 6)]),
        (b"1,2,x\n1,2\n1,2,x,3\n", [INT, INT], {"exclude_cols": [2]}, [(1, 2), (1, 2), FAILED]),
        (b" 1 , 2\n", [INT, "float32"], {}, [(1, 2.0)]),
        (b"x" * 50 + b',"' + b"y" * 50 + b'"\n', [TEXT, TEXT], {}, [(b"x" * 50, b"y" * 50)]),
        (b'1,"a\nb"\n22,"c""d"\r\n', [INT, TEXT], {"buffer_size": 1}, [(1, b"a\nb"), (22, b'c"d')]),
    ],
)  # fmt: skip
def test_records(read, content, defaults, options, expected):
    assert read(content, defaults, **options) == expected


@pytest.mark.parametrize(
    ("line", "defaults"),
    [
        (b"", [INT, INT]),
        (b"5", [INT, INT]),
        (b"5,6,7", [INT, INT]),
        (b"five,6", [INT, INT]),
        (b",6", [INT, [0]]),
        (b'5,6"', [INT, INT]),
        (b'"5"6,7', [INT, INT]),
        (b'5,"6', [INT, INT]),
        (b"99999999999,1", [INT, INT]),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_bad_record_costs_itself(read, line, defaults, end):
    content = end.join([b"1,2", line, b'3,"4"', b"5,6"]) + end
    assert read(content, defaults) == [(1, 2), FAILED, (3, 4), (5, 6)]


def test_a_quote_that_is_never_closed_costs_its_line(read):
    lines = [b"%d,x" % i for i in range(1000)]
    lines[617] = b'617,"x'
    results = read(b"\n".join(lines), [INT, TEXT])
    assert results[617] is FAILED
    assert [row for row in results if row is not FAILED] == [
        (i, b"x") for i in range(1000) if i != 617
    ]


def test_with_ignore_errors_a_bad_record_among_many_is_all_that_misses(tmp_path):
    lines = [b"%d,x" % i for i in range(1000)]
    lines[617] = b"six,x"
    (tmp_path / "a.csv").write_bytes(b"\n".join(lines))
    ds = fp.CsvDataset(os.fspath(tmp_path / "a.csv"), [INT, TEXT]).ignore_errors()
    assert [int(number) for number, _ in ds] == [i for i in range(1000) if i != 617]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1,2\n3,x\n", r"record 2 of '.*a.csv' \(offset 4\): field 1 must be int32, got 'x'"),
        (b"1\n", "expected 2 fields, got 1"),
        (b"1,\n", "field 1 is required, got ''"),
        (b'1,a"b\n', "field 1 must be quoted to hold a quote, got 'a\"b'"),
        (b'1,"a"b\n', "field 1 must double the quotes inside quotes"),
        (b'1,"a\n', "field 1 must end with a quote as it began with one"),
    ],
)
def test_errors_say_where(tmp_path, content, message):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidArgumentError, match=message):
        list(fp.CsvDataset(os.fspath(path), [INT, INT]))


@pytest.mark.parametrize("options", [{}, {"exclude_cols": [1, 4]}, {"select_cols": [0, 2]}])
def test_fields_beyond_the_columns_are_counted(tmp_path, options):
    path = tmp_path / "wide.csv"
    path.write_bytes(b"1,2,3,4,5\n" + b"7," * 100_000 + b"7\n" + b"5,4,3,2,1\n")
    columns = ["int32"] * (2 if "select_cols" in options else 3 if options else 5)
    got = outcomes(iter(fp.CsvDataset([str(path)], columns, **options)))
    if "select_cols" in options:  # what follows the last column does not count
        assert got == [(1, 3), (7, 7), (5, 3)]
        return
    assert got[1] is FAILED and [len(got), *got[::2]] == [3, got[0], got[2]]
    with pytest.raises(InvalidArgumentError, match="record 2 .* got (100001|99999)"):
        list(fp.CsvDataset([str(path)], columns, **options))


def test_headers_that_cannot_be_read(read, tmp_path):
    assert read(b"", [INT], header=True) == [FAILED]
    assert read(b'a"b\n1\n', [INT], header=True) == [FAILED, (1,)]
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "full.csv").write_bytes(b"x\n1\n")
    paths = [os.fspath(tmp_path / name) for name in ("empty.csv", "full.csv")]
    assert outcomes(iter(fp.CsvDataset(paths, [INT], header=True))) == [FAILED, (1,)]


def test_several_files_and_one_that_is_missing(tmp_path):
    for name, content in (("a", b"1\n2"), ("c", b"3")):
        (tmp_path / name).write_bytes(content)
    paths = [os.fspath(tmp_path / name) for name in "abc"]
    assert outcomes(iter(fp.CsvDataset(paths, [INT]))) == [(1,), (2,), FAILED, (3,)]
    with pytest.raises(NotFoundError):
        list(fp.CsvDataset(paths[1], [INT]))
    assert list(fp.CsvDataset(np.array([], object), [INT])) == []


@pytest.mark.parametrize(
    ("kind", "pack"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress), ("", bytes)]
)
def test_compressed_files(read, kind, pack):
    assert read(pack(b"1,a\n2,b\n"), [INT, TEXT], kind) == [(1, b"a"), (2, b"b")]


def test_what_python_writes(read):
    rows = [["plain", 'say "hi"'], ["", "a,b"], ["two\r\nlines", '""'], [" x ", ","], ["\r", "\n"]]
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    expected = [tuple(field.encode() for field in row) for row in rows]
    assert read(text.getvalue().encode(), [[""], TEXT]) == expected


def test_the_laws(tmp_path):
    for name in "ab":
        lines = [b"%d,%s" % (i, b'"q\n%d"' % i) for i in range(7)]
        lines[3] = b'3,x"'
        (tmp_path / name).write_bytes(b"id,text\n" + b"\n".join(lines))
    paths = [os.fspath(tmp_path / name) for name in "ab"]
    expected = [(i, b"q\n%d" % i) for i in range(7) if i != 3] * 2
    check_op(lambda: fp.CsvDataset(paths, [INT, TEXT], header=True), expected, failures=2)


def test_element_spec():
    ds = fp.CsvDataset("a.csv", [float, np.int64, [1.5], ["x"], np.array([], np.float64), 3])
    names = ["float32", "int64", "float32", "string", "float64", "int32"]
    assert ds.element_spec == tuple(fp.TensorSpec((), name) for name in names)


@pytest.mark.parametrize(
    ("defaults", "options", "message"),
    [
        ([], {}, "at least one column"),
        (["bool"], {}, None),
        ([np.bool_], {}, "a column must be int32, int64, .*, got bool"),
        ([[1, 2]], {}, "at most one value a column"),
        ([[True]], {}, "got bool for column 0"),
        ([INT], {"field_delim": ";;"}, "field_delim must be one byte, got ';;'"),
        ([INT, INT], {"select_cols": [1, 0]}, "ascending and >= 0, got 0 after 1"),
        ([INT, INT], {"select_cols": [0]}, "one length, got 1 and 2"),
        ([INT], {"exclude_cols": [-1]}, "exclude_cols must be ascending and >= 0, got -1"),
        ([INT], {"select_cols": [0], "exclude_cols": [1]}, "not both"),
        ([INT], {"compression_type": "BZIP"}, "'ZLIB' or 'ZSTD', got 'BZIP'"),
    ],
)
def test_bad_arguments(defaults, options, message):
    if message is None:  # a string that names no column dtype is a default
        assert fp.CsvDataset("a.csv", defaults, **options).element_spec[0].dtype == "string"
        return
    with pytest.raises(InvalidArgumentError, match=message):
        fp.CsvDataset("a.csv", defaults, **options)


def test_files_named_by_a_traced_function(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(f"{name},1\n{name},2\n")
    paths = fp.Dataset.from_tensor_slices([os.fspath(tmp_path / name) for name in "ab"])
    ds = paths.interleave(lambda path: fp.CsvDataset(path, [TEXT, INT]), cycle_length=2)
    assert [(name, int(n)) for name, n in ds] == [(b"a", 1), (b"b", 1), (b"a", 2), (b"b", 2)]
