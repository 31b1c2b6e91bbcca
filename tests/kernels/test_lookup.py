"""csrc/kernels/lookup.cc: constant tables."""

import pickle

import numpy as np
import open_shapes
import pytest

import fastpipe as fp
from fastpipe import lookup
from fastpipe.errors import InvalidArgumentError


def table(keys, values, default, **dtypes):
    made = lookup.KeyValueTensorInitializer(keys, values, **dtypes)
    return lookup.StaticHashTable(made, default)


def test_values_by_text():
    found = table(["a", "b"], [1, 2], -1)
    keys = np.array([[b"b", b"x"], [b"a", b""]], object)
    open_shapes.check(found.lookup, [keys], np.int32([[2, -1], [1, -1]]))


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_text_by_numbers(dtype):
    found = table([3, 5], ["three", "five"], "?", key_dtype=dtype)
    want = np.array([b"five", b"?", b"three"], object)
    open_shapes.check(found.lookup, [np.array([5, 4, 3], dtype)], want)


def test_literals_indexing_and_facts():
    found = table([1, 2, 1], [0.5, 1.5, 0.5], 0, key_dtype="int64")
    assert found[[2, 7]].tolist() == [1.5, 0.0] and int(found.size()) == 2
    assert found.key_dtype == "int64" and found.value_dtype == "float32"


def test_an_empty_table_has_only_the_default():
    found = table(np.zeros([0], np.int64), np.zeros([0], np.int32), 7)
    assert found.lookup(np.int64([1, 2])).tolist() == [7, 7]


def test_lines_of_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"a\t10\nb\t20\n")
    index = lookup.TextFileIndex
    numbers = lookup.TextFileInitializer(path, "string", 0, "int64", index.LINE_NUMBER)
    assert lookup.StaticHashTable(numbers, -1).lookup(["b", "c"]).tolist() == [1, -1]
    columns = lookup.TextFileInitializer(path, "int64", 1, "string", 0, vocab_size=1)
    assert lookup.StaticHashTable(columns, "").lookup([10, 20]).tolist() == [b"a", b""]
    with pytest.raises(InvalidArgumentError, match="has 2 lines, vocab_size is 3"):
        lookup.TextFileInitializer(path, "string", 0, "int64", 1, vocab_size=3)
    with pytest.raises(InvalidArgumentError, match="line 0 has 2 columns, needed 2"):
        lookup.TextFileInitializer(path, "string", 0, "int64", 2)


def test_other_keys_go_to_buckets():
    known = lookup.KeyValueTensorInitializer(["a", "b"], [0, 1], value_dtype="int64")
    found = lookup.StaticVocabularyTable(known, 3)
    keys = np.array([b"b", b"x", b"a", b"y"], object)
    ids = found.lookup(keys)
    assert ids[0] == 1 and ids[2] == 0 and all(2 <= each < 5 for each in ids[[1, 3]])
    assert int(found.size()) == 5
    assert lookup.StaticVocabularyTable(None, 4).lookup(["x"])[0] < 4


def test_errors():
    with pytest.raises(InvalidArgumentError, match="stands at indices 0 and 1"):
        table(["a", "a"], [1, 2], 0)
    with pytest.raises(InvalidArgumentError, match="one value for each key"):
        lookup.KeyValueTensorInitializer(["a"], [1, 2])
    with pytest.raises(InvalidArgumentError, match="input 0 must be string, got int32"):
        table(["a"], [1], 0).lookup(np.int32([1]))
    with pytest.raises(InvalidArgumentError, match="keys must be strings or integers, got float32"):
        table([1.5], [1], 0)


def test_a_table_pickles_with_its_pipeline():
    found = table(["a"], [1], -1)
    texts = fp.Dataset.from_tensor_slices(["a", "x"]).map(found.lookup)
    assert [int(each) for each in pickle.loads(pickle.dumps(texts))] == [1, -1]
