import csv
import io

import numpy as np
import pytest

from fastpipe import io as parsing
from fastpipe.errors import InvalidArgumentError

INT, FLOAT, TEXT = [0], [9.5], [""]
REQUIRED = np.array([], np.int32)


def decode(records, *args, **kwargs):
    columns = parsing.decode_csv(records, *args, **kwargs)
    return [column if isinstance(column, bytes) else column.tolist() for column in columns]


@pytest.mark.parametrize(
    ("record", "defaults", "options", "expected"),
    [
        ("1,2.5,z", [INT, FLOAT, TEXT], {}, [1, 2.5, b"z"]),
        ("3,,y", [INT, FLOAT, TEXT], {}, [3, 9.5, b"y"]),
        (" 1 ,0x10,inf", [INT, FLOAT, FLOAT], {}, [1, 16.0, np.inf]),
        (",", [[7], ["d"]], {}, [7, b"d"]),
        ('"a,b",c', [TEXT, TEXT], {}, [b"a,b", b"c"]),
        ('"a""b"', [TEXT], {}, [b'a"b']),
        ('"a\nb",c', [TEXT, TEXT], {}, [b"a\nb", b"c"]),
        ('"5","",""', [REQUIRED, [8], ["d"]], {}, [5, 8, b"d"]),
        ('a"b', [TEXT], {"use_quote_delim": False}, [b'a"b']),
        ("1;2", [INT, INT], {"field_delim": ";"}, [1, 2]),
        ("NA,,x", [["q"], ["r"], ["s"]], {"na_value": "NA"}, [b"q", b"r", b"x"]),
        ("a,b,c,d", [TEXT, TEXT], {"select_cols": [1, 3]}, [b"b", b"d"]),
        ('a,b"', [TEXT], {"select_cols": [0]}, [b"a"]),
        (b"\xff,\x00", [TEXT, TEXT], {}, [b"\xff", b"\x00"]),
        ("99999999999", [np.array([0], np.int64)], {}, [99999999999]),
        ("0.1", [np.array([], np.float64)], {}, [0.1]),
        ("x" * 50 + ',"' + "y" * 50 + '"', [TEXT, TEXT], {}, [b"x" * 50, b"y" * 50]),
    ],
)
def test_decode_csv(record, defaults, options, expected):
    assert decode(record, defaults, **options) == expected
    assert decode([record, record], defaults, **options) == [[value] * 2 for value in expected]


def test_dtypes_and_shapes():
    columns = parsing.decode_csv([["1,2,a"], ["3,4,b"]], [INT, FLOAT, TEXT])
    assert [column.shape for column in columns] == [(2, 1)] * 3
    assert [column.dtype for column in columns] == [np.int32, np.float32, object]


@pytest.mark.parametrize(
    "row", [["plain", 'say "hi"'], ["", ""], ["a,b", '"'], ["two\r\nlines", '""'], [" x ", ","]]
)
def test_what_python_writes(row):
    text = io.StringIO()
    csv.writer(text).writerow(row)
    assert decode(text.getvalue().removesuffix("\r\n"), [TEXT, TEXT]) == [
        field.encode() for field in row
    ]


@pytest.mark.parametrize(
    ("record", "defaults", "options", "message"),
    [
        ("1,2", [INT], {}, "expected 1 fields, got 2 in '1,2'"),
        ("1", [INT, INT], {}, "expected 2 fields, got 1"),
        ("", [INT], {}, "expected 1 fields, got 0"),
        ("a,b", [TEXT, TEXT], {"select_cols": [1, 3]}, "expected at least 4 fields, got 2"),
        (",", [INT, REQUIRED], {}, "field 1 is required, got ''"),
        ("NA", [REQUIRED], {"na_value": "NA"}, "field 0 is required, got 'NA'"),
        ("1,five", [INT, INT], {}, "field 1 must be int32, got 'five'"),
        ("1.5", [INT], {}, "field 0 must be int32, got '1.5'"),
        ('a"b', [TEXT], {}, "field 0 must be quoted"),
        ("a,b\n", [TEXT, TEXT], {}, "field 1 must be quoted"),
        ('"a"b', [TEXT], {}, "field 0 must double the quotes"),
        ('"a', [TEXT], {}, "field 0 must end with a quote"),
    ],
)
def test_bad_records(record, defaults, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        parsing.decode_csv(record, defaults, **options)


def test_the_message_says_which_record():
    with pytest.raises(InvalidArgumentError, match="record 1: field 0 must be int32, got 'x'"):
        parsing.decode_csv(["1", "x"], [INT])


@pytest.mark.parametrize(
    ("defaults", "options", "message"),
    [
        ([], {}, "at least one column"),
        ([[1, 2]], {}, "at most one value a column"),
        ([[True]], {}, "got bool for column 0"),
        ([INT], {"field_delim": ";;"}, "field_delim must be one byte, got ';;'"),
        ([INT], {"field_delim": ""}, "field_delim must be one byte"),
        ([INT, INT], {"select_cols": [1, 0]}, "ascending and >= 0, got 0 after 1"),
        ([INT], {"select_cols": [-1]}, "ascending and >= 0, got -1 first"),
        ([INT], {"select_cols": [0, 1]}, "one length, got 2 and 1"),
    ],
)
def test_bad_arguments(defaults, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        parsing.decode_csv("1", defaults, **options)
