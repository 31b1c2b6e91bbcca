import os

import pytest
from wire import example, ints

import fastpipe as fp
from fastpipe import io
from fastpipe.errors import InvalidArgumentError
from fastpipe.tools.tfrecord import write_record

FEATURES = {"n": io.FixedLenFeature([], "int64"), "v": io.VarLenFeature("int64")}


@pytest.fixture
def files(tmp_path):
    for name, numbers in (("a", range(3)), ("b", range(10, 12))):
        records = [example((b"n", ints(i)), (b"v", ints(*range(i % 3)))) for i in numbers]
        with open(tmp_path / f"{name}.tfrecord", "wb") as file:
            for record in records:
                write_record(file, record)
    return os.fspath(tmp_path / "*.tfrecord")


def make(files, batch_size=2, features=FEATURES, **options):
    options = {"num_epochs": 1, "shuffle": False, **options}
    return fp.make_batched_features_dataset(files, batch_size, features, **options)


def test_batches_of_parsed_examples(files):
    batches = list(make(files))
    assert [batch["n"].tolist() for batch in batches] == [[0, 1], [2, 10], [11]]
    assert batches[1]["v"].to_list() == [[[0, 0], [0, 1], [1, 0]], [0, 1, 0], [2, 2]]


def test_a_label_comes_apart(files):
    features, label = next(iter(make(files, label_key="n")))
    assert list(features) == ["v"] and label.tolist() == [0, 1]
    with pytest.raises(InvalidArgumentError, match="label_key must be one of"):
        make(files, label_key="none")


def test_the_last_batch_may_be_dropped(files):
    assert len(list(make(files, drop_final_batch=True))) == 2
    endless = make(files, 3, num_epochs=None)
    assert endless.element_spec["n"].shape == (3,)
    assert [batch["n"].tolist() for batch in endless.take(2)] == [[0, 1, 2], [10, 11, 0]]


def test_files_can_be_read_in_turn(files):
    batches = list(make(files, 5, reader_num_threads=2))
    assert batches[0]["n"].tolist() == [0, 10, 1, 11, 2]


def test_a_shuffle_keeps_the_examples(files):
    batches = list(make(files, 1, shuffle=True, shuffle_seed=1))
    assert sorted(int(batch["n"][0]) for batch in batches) == [0, 1, 2, 10, 11]


def test_a_reader_of_ones_own_may_yield_keys(files):
    def reader(path, suffix):
        return fp.TFRecordDataset(path).map(lambda record: (path + suffix, record))

    batches = list(make(files, reader=reader, reader_args=["!"]))
    assert [batch["n"].tolist() for batch in batches] == [[0, 1], [2, 10], [11]]


def test_only_vectors_of_strings_are_parsed():
    parse = fp.parse_example_dataset(FEATURES)
    with pytest.raises(TypeError, match="takes vectors of strings"):
        fp.Dataset.range(3).batch(2).apply(parse)
    with pytest.raises(InvalidArgumentError, match="at least one feature"):
        fp.parse_example_dataset(None)
