"""The programs of the mission document, S1 to S13, as a user would type them, on real files."""

from __future__ import annotations

import gzip
import multiprocessing
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest
import reference
from laws import plain

import fastpipe as fp
import fastpipe.compat.tf as tf

AUTOTUNE = tf.data.experimental.AUTOTUNE
WAIT = 30


@pytest.fixture(scope="session")
def images(shared):
    return str(shared / "images")


@pytest.fixture(scope="session")
def files(shared):
    return str(shared / "conformance" / "files")


@pytest.fixture(scope="session")
def parts(files):
    return [f"{files}/text/part-{number}.txt" for number in range(5)]


def lines_of(path):
    return Path(path).read_bytes().splitlines()


def get_label(path):
    """n01440764_tench.JPEG -> tench"""
    name = tf.strings.split(path, "/")[-1]
    return tf.strings.regex_replace(tf.strings.regex_replace(name, r"^n\d+_", ""), r"\.JPEG$", "")


def process_path(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, [64, 64]), get_label(path)


def label_of(path):
    return Path(path).stem.split("_", 1)[1].encode()


# ---- S1 ----


def test_s1_list_files_finds_what_the_pattern_matches(images, photographs):
    list_ds = tf.data.Dataset.list_files(images + "/*.JPEG")
    assert sorted(list_ds) == [path.encode() for path in photographs]
    in_order = tf.data.Dataset.list_files(images + "/*.JPEG", shuffle=False)
    assert [name.decode() for name in in_order] == photographs


# ---- S2 ----


def test_s2_map_reads_decodes_and_labels_on_threads(images, photographs):
    list_ds = tf.data.Dataset.list_files(images + "/*.JPEG", shuffle=False).take(24)
    new_ds = list_ds.map(process_path, num_parallel_calls=tf.data.experimental.AUTOTUNE)
    assert new_ds.element_spec[0].shape == (64, 64, 3)
    elements = list(new_ds)
    assert [label for _, label in elements] == [label_of(path) for path in photographs[:24]]
    for (image, label), (same, same_label) in zip(elements, list_ds.map(process_path)):
        assert image.dtype == np.float32 and image.shape == (64, 64, 3)
        np.testing.assert_array_equal(image, same)
        assert label == same_label


def test_s2_the_pixels_are_those_that_pillow_decodes(images, photographs):
    Image = pytest.importorskip("PIL.Image")

    ds = tf.data.Dataset.list_files(images + "/*.JPEG", shuffle=False).take(12)
    ds = ds.map(
        lambda path: tf.io.decode_jpeg(tf.io.read_file(path), channels=3), num_parallel_calls=2
    )
    for pixels, path in zip(ds, photographs):
        with Image.open(path) as image:
            expected = np.asarray(image.convert("RGB"))
        assert pixels.shape == expected.shape and pixels.dtype == np.uint8
        # The bytes differ by 1 at most where Pillow was built with another libjpeg.
        assert np.abs(pixels.astype(int) - expected.astype(int)).max() <= 1


def test_s2_a_tuple_of_the_raw_file_and_its_label(images, photographs):
    def process(path):
        return tf.io.read_file(path), get_label(path)

    list_ds = tf.data.Dataset.list_files(images + "/*.JPEG", shuffle=False).take(20)
    for (content, label), path in zip(
        list_ds.map(process, num_parallel_calls=AUTOTUNE), photographs
    ):
        assert content == Path(path).read_bytes()
        assert label == label_of(path)


# ---- S3, S4 ----


def parse_fn(line):
    return tf.strings.join(["parsed ", line])


def test_s3_interleave_of_text_files_with_a_map_inside(write):
    names = [
        write(f"{name}.txt", b"".join(b"%s%d\n" % (name.encode(), n) for n in range(count)))
        for name, count in zip("abcdefg", (40, 16, 0, 33, 5, 100, 17))
    ]
    dataset = tf.data.Dataset.from_tensor_slices(names)
    dataset = dataset.interleave(
        lambda x: tf.data.TextLineDataset(x).map(parse_fn, num_parallel_calls=1),
        cycle_length=4,
        block_length=16,
    )
    inners = [[b"parsed " + line for line in lines_of(name)] for name in names]
    assert list(dataset) == list(reference.interleave(inners, 4, 16))


def test_s3_interleave_of_the_shared_text_files(parts):
    dataset = tf.data.Dataset.from_tensor_slices(parts).interleave(
        lambda x: tf.data.TextLineDataset(x).map(parse_fn, num_parallel_calls=1),
        cycle_length=4,
        block_length=16,
    )
    inners = [[b"parsed " + line for line in lines_of(name)] for name in parts]
    assert list(dataset) == list(reference.interleave(inners, 4, 16))


@pytest.mark.parametrize(
    ("cycle_length", "block_length"), [(1, 1), (2, 1), (5, 1), (3, 2), (9, 16)]
)
def test_s4_blocks_come_from_cycle_length_files_in_turn(parts, cycle_length, block_length):
    dataset = tf.data.Dataset.from_tensor_slices(parts).interleave(
        tf.data.TextLineDataset, cycle_length=cycle_length, block_length=block_length
    )
    inners = [lines_of(name) for name in parts]
    assert list(dataset) == list(reference.interleave(inners, cycle_length, block_length))


# ---- S5 ----


def test_s5_tf_records_inside_interleave_with_the_example_parser(files):
    features = {
        "label": tf.io.FixedLenFeature([], tf.int64),
        "weights": tf.io.FixedLenFeature([2], tf.float32),
        "name": tf.io.FixedLenFeature([], tf.string),
    }
    names = [f"{files}/records/examples.tfrecord"] * 3

    def read(name):
        return tf.data.TFRecordDataset(name).map(
            lambda record: tf.io.parse_single_example(record, features), num_parallel_calls=2
        )

    once = [plain(example) for example in read(names[0])]
    assert len(once) > 1 and all(set(example) == set(features) for example in once)
    assert all(isinstance(e["label"], int) and len(e["weights"]) == 2 for e in once)
    for calls in (None, 3, AUTOTUNE):
        ds = tf.data.Dataset.from_tensor_slices(names)
        ds = ds.interleave(read, cycle_length=3, block_length=2, num_parallel_calls=calls)
        assert [plain(example) for example in ds] == list(reference.interleave([once] * 3, 3, 2))


def test_s5_raw_records_of_several_files(files):
    names = [f"{files}/records/r{number}.tfrecord" for number in range(3)]
    inners = [list(tf.data.TFRecordDataset(name)) for name in names]
    assert all(inners)
    ds = tf.data.Dataset.from_tensor_slices(names).interleave(
        tf.data.TFRecordDataset, cycle_length=3
    )
    assert list(ds) == list(reference.interleave(inners, 3, 1))


# ---- S6 ----


@pytest.mark.parametrize("calls", [None, 2, AUTOTUNE])
def test_s6_nested_list_files_and_parallel_map_inside_interleave(files, calls):
    def func(path):
        return tf.io.read_file(path), tf.strings.split(path, "/")[-2]

    train_file = tf.data.Dataset.from_tensor_slices(
        [f"{files}/classes/{c}" for c in ("cats", "dogs")]
    )
    ds = train_file.interleave(
        lambda directory: tf.data.Dataset.list_files(
            tf.strings.join([directory, "/*.txt"]), shuffle=False
        ).map(func, num_parallel_calls=tf.data.experimental.AUTOTUNE),
        cycle_length=2,
        num_parallel_calls=calls,
    )
    inners = [
        [
            (path.read_bytes(), name.encode())
            for path in sorted(Path(files, "classes", name).glob("*.txt"))
        ]
        for name in ("cats", "dogs")
    ]
    assert [plain(element) for element in ds] == list(reference.interleave(inners, 2, 1))


# ---- S7 ----


@pytest.mark.parametrize("calls", [1, 2, 4, AUTOTUNE])
@pytest.mark.parametrize("block_length", [1, 3, 16])
def test_s7_parallel_interleave_equals_the_sequential_one(parts, calls, block_length):
    def run(num_parallel_calls):
        ds = tf.data.Dataset.from_tensor_slices(parts * 4).interleave(
            lambda x: tf.data.TextLineDataset(x).map(parse_fn),
            cycle_length=4,
            block_length=block_length,
            num_parallel_calls=num_parallel_calls,
        )
        return list(ds)

    assert run(calls) == run(None)


def test_s7_several_files_are_open_at_once(tmp_path):
    """Each file is a pipe that opens only when all four are being opened."""
    import os

    names = [str(tmp_path / f"pipe-{number}") for number in range(4)]
    for name in names:
        os.mkfifo(name)
    together = threading.Barrier(4)

    def feed(name):
        with open(name, "wb") as pipe:  # waits for its reader
            together.wait(WAIT)
            pipe.write(os.path.basename(name).encode() + b"\n")

    writers = [threading.Thread(target=feed, args=(name,)) for name in names]
    for writer in writers:
        writer.start()
    ds = tf.data.Dataset.from_tensor_slices(names).interleave(
        tf.data.TextLineDataset, cycle_length=4, num_parallel_calls=4
    )
    assert list(ds) == [b"pipe-0", b"pipe-1", b"pipe-2", b"pipe-3"]
    for writer in writers:
        writer.join(WAIT)


# ---- S8 ----


def test_s8_autotune_is_accepted_everywhere_and_changes_no_result(parts):
    def pipeline(autotune):
        ds = tf.data.Dataset.from_tensor_slices(parts).repeat(3)
        ds = ds.interleave(tf.data.TextLineDataset, cycle_length=4, num_parallel_calls=autotune)
        ds = ds.map(tf.strings.upper, num_parallel_calls=autotune)
        ds = ds.batch(4, num_parallel_calls=autotune)
        return ds.prefetch(autotune) if autotune else ds

    expected = [batch.tolist() for batch in pipeline(None)]
    assert [batch.tolist() for batch in pipeline(AUTOTUNE)] == expected
    assert [batch.tolist() for batch in pipeline(tf.data.AUTOTUNE)] == expected
    assert sum(map(len, expected)) == 3 * sum(len(lines_of(name)) for name in parts)


# ---- S9 ----


def test_s9_four_datasets_overlap_for_a_cycle_of_four():
    """Each inner meets the three others in the middle of its work: only overlap lets them pass."""
    together = threading.Barrier(4)

    def meet(x):
        together.wait(WAIT)
        return x

    ds = tf.data.Dataset.range(8).interleave(
        lambda x: tf.data.Dataset.from_tensors(x).map(
            lambda y: tf.py_function(meet, [y], tf.int64)
        ),
        cycle_length=4,
        num_parallel_calls=4,
    )
    iterator = iter(ds)
    assert [int(next(iterator)) for _ in range(8)] == [*range(8)]
    (stage,) = iterator.stats()
    assert "interleave" in stage["label"] and stage["elements"] >= 8
    assert not together.broken


def test_s9_statistics_show_that_lanes_overlap(write):
    """Lanes together are busy for longer than the run took: at least two were at work at once."""
    import time

    names = [write(f"{number}.txt", b"line\n" * 10) for number in range(12)]
    options = fp.Options(storage=fp.SimulatedStorage(open_delay=0.03))
    ds = tf.data.Dataset.from_tensor_slices(names).interleave(
        tf.data.TextLineDataset, cycle_length=4, num_parallel_calls=4
    )
    iterator = iter(ds.with_options(options))
    began = time.monotonic_ns()
    lines = [next(iterator) for _ in range(120)]
    took = time.monotonic_ns() - began
    assert lines == [b"line"] * 120
    (stage,) = iterator.stats()
    assert stage["busy_ns"] > 12 * 0.03e9 * 0.9
    assert stage["busy_ns"] > 1.5 * took, f"busy {stage['busy_ns']} ns in a run of {took} ns"


# ---- S10 ----


def test_s10_flat_map_keeps_the_order_and_equals_interleave_with_a_cycle_of_one(parts):
    ds = tf.data.Dataset.from_tensor_slices(parts)
    flat = list(ds.flat_map(tf.data.TextLineDataset))
    assert flat == [line for name in parts for line in lines_of(name)]
    assert flat == list(ds.interleave(tf.data.TextLineDataset, cycle_length=1))
    with pytest.raises(TypeError):
        ds.flat_map(tf.data.TextLineDataset, num_parallel_calls=2)


# ---- S11 ----


def test_s11_map_on_as_many_threads_as_there_are_cores(photographs):
    def function(path):
        return tf.reduce_mean(tf.cast(process_path(path)[0], tf.float32))

    num_of_cores = multiprocessing.cpu_count()
    data = tf.data.Dataset.from_tensor_slices(photographs[:16])
    mapped_data = data.map(function, num_parallel_calls=num_of_cores)
    iterator = iter(mapped_data)
    means = [float(next(iterator))]
    (stage,) = iterator.stats()
    assert stage["threads"] == num_of_cores
    means += [float(mean) for mean in iterator]
    assert means == [float(mean) for mean in data.map(function)]


# ---- S12 ----


@pytest.mark.parametrize(("kind", "suffix"), [("GZIP", "gz"), ("ZLIB", "zlib")])
@pytest.mark.parametrize("calls", [None, 2])
def test_s12_compressed_files_are_unpacked_while_others_are_read(files, kind, suffix, calls):
    names = [f"{files}/records/r{number}.tfrecord" for number in range(3)]
    packed = tf.data.Dataset.from_tensor_slices([f"{name}.{suffix}" for name in names])
    ds = packed.interleave(
        lambda name: tf.data.TFRecordDataset(name, compression_type=kind),
        cycle_length=3,
        num_parallel_calls=calls,
    )
    inners = [list(tf.data.TFRecordDataset(name)) for name in names]
    assert list(ds) == list(reference.interleave(inners, 3, 1))


@pytest.mark.parametrize(("kind", "compress"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress)])
def test_s12_compressed_text_is_unpacked_and_parsed(write, kind, compress):
    names = [
        write(f"{n}", compress(b"".join(b"%d,%d\n" % (n, i) for i in range(50)))) for n in (1, 2)
    ]
    ds = tf.data.Dataset.from_tensor_slices(names).interleave(
        lambda name: tf.data.TextLineDataset(name, compression_type=kind).map(
            lambda line: tf.io.decode_csv(line, [tf.constant(0), tf.constant(0)]),
            num_parallel_calls=2,
        ),
        cycle_length=2,
        num_parallel_calls=2,
    )
    rows = [[int(value) for value in row] for row in ds]
    assert rows == [[n, i] for i in range(50) for n in (1, 2)]


# ---- S13 ----


def test_s13_prefetch_produces_while_the_consumer_works():
    """The consumer, in the middle of its work, sees elements being made: it waits for that."""
    produced: list[int] = []
    grown = threading.Condition()

    def produce(x):
        with grown:
            produced.append(int(x))
            grown.notify_all()
        return x

    ds = tf.data.Dataset.range(50).map(lambda x: tf.py_function(produce, [x], tf.int64))
    overlapped = 0
    for consumed, _ in enumerate(ds.prefetch(2), 1):
        with grown:
            if consumed < 50:
                # With no overlap nothing more is made until the loop asks for it.
                assert grown.wait_for(lambda: len(produced) > consumed, WAIT)  # noqa: B023
                overlapped += 1
    assert overlapped == 49
    assert produced == list(range(50))


def test_s13_extract_and_transform_overlap_each_other():
    """Transforming an element only ends while the next one is being extracted."""
    together = threading.Barrier(2)

    def extract(x):
        if x > 0:
            together.wait(WAIT)
        return x

    def transform(x):
        if x < 19:
            together.wait(WAIT)
        return x

    ds = tf.data.Dataset.range(20)
    ds = ds.map(lambda x: tf.py_function(extract, [x], tf.int64)).prefetch(1)
    ds = ds.map(lambda x: tf.py_function(transform, [x], tf.int64)).prefetch(1)
    assert [int(x) for x in ds] == [*range(20)]


def test_s13_the_whole_training_input(images, photographs):
    ds = (
        tf.data.Dataset.list_files(images + "/*.JPEG", shuffle=False)
        .take(40)
        .map(process_path, num_parallel_calls=AUTOTUNE)
        .shuffle(16, seed=1)
        .batch(8)
        .prefetch(AUTOTUNE)
    )
    batches = list(ds)
    assert [images.shape for images, _ in batches] == [(8, 64, 64, 3)] * 5
    labels = sorted(label for _, labels in batches for label in labels.tolist())
    assert labels == sorted(label_of(path) for path in photographs[:40])
