import json
import os
import pickle

import pytest
from laws import FAILED, check_op, outcomes, plain

import fastpipe as fp
from fastpipe.errors import (
    DataLossError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    TracingError,
)


def shard_files(folder):
    return sorted(
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith(".blocks")
    )


def change(path, place, new=None):
    """Flips a bit of the byte at `place`, counted from the end if negative."""
    with open(path, "r+b") as file:
        file.seek(place, 2 if place < 0 else 0)
        old = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([old[0] ^ 1]) if new is None else new)


@pytest.mark.parametrize("count", [0, 1, 7, 3000])
@pytest.mark.parametrize("compression", [None, "ZSTD"])
def test_loading_obeys_the_laws(tmp_path, count, compression):
    fp.Dataset.range(count).map(lambda x: (x, fp.strings.as_string(x))).save(
        tmp_path, compression=compression
    )
    expected = [(x, b"%d" % x) for x in range(count)]
    check_op(lambda: fp.Dataset.load(tmp_path), expected, cardinality=count)
    check_op(
        lambda: fp.Dataset.load(tmp_path).skip(count // 2),
        expected[count // 2 :],
        cardinality=count - count // 2,
    )


def test_several_shards_obey_them_too(tmp_path):
    fp.Dataset.range(40).save(tmp_path, shard_func=lambda x: x // 7)
    shards = [list(range(start, min(start + 7, 40))) for start in range(0, 40, 7)]
    expected = [shard[i] for i in range(7) for shard in shards if i < len(shard)]
    check_op(lambda: fp.Dataset.load(tmp_path), expected, cardinality=40)


def test_a_reader_func_may_shuffle_the_shards(tmp_path):
    fp.Dataset.range(30).save(tmp_path, shard_func=lambda x: x % 10)

    def read(shards):
        return shards.shuffle(10, seed=1).interleave(lambda shard: shard, cycle_length=3)

    check_op(lambda: fp.Dataset.load(tmp_path, reader_func=read), list(range(30)), alike=False)


def test_a_reader_func_that_returns_no_dataset_is_refused(tmp_path):
    fp.Dataset.range(3).save(tmp_path)
    with pytest.raises(TypeError, match="reader_func"):
        fp.Dataset.load(tmp_path, reader_func=lambda shards: 3)


def test_a_loaded_dataset_pickles(tmp_path):
    fp.Dataset.range(3).save(tmp_path)
    copy = pickle.loads(pickle.dumps(fp.Dataset.load(tmp_path)))
    assert [int(x) for x in copy] == [0, 1, 2]


def test_a_missing_folder_is_an_error_at_once(tmp_path):
    for folder in (tmp_path / "none", tmp_path):
        with pytest.raises(NotFoundError, match=str(folder)):
            fp.Dataset.load(folder)


def test_the_path_must_be_known_when_the_pipeline_is_described(tmp_path):
    with pytest.raises(TracingError, match="load needs the path"):
        fp.Dataset.from_tensors(str(tmp_path)).flat_map(fp.Dataset.load)


def test_what_tensorflow_saved_is_told_apart(tmp_path, write):
    write("dataset_spec.pb", b"")
    with pytest.raises(NotFoundError, match="TensorFlow"):
        fp.Dataset.load(tmp_path)


def test_the_elements_and_the_compression_may_be_stated(tmp_path):
    ds = fp.Dataset.range(4).batch(2)
    ds.save(tmp_path, compression="GZIP")
    assert len(fp.Dataset.load(tmp_path, ds.element_spec, "GZIP")) == 2
    for wrong in (fp.TensorSpec((2,), fp.int64), fp.TensorSpec((None,), fp.int32), (), {"a": 1}):
        with pytest.raises((InvalidArgumentError, AttributeError)):
            fp.Dataset.load(tmp_path, element_spec=wrong)
    with pytest.raises(InvalidArgumentError, match="'GZIP'.*'ZSTD'"):
        fp.Dataset.load(tmp_path, compression="ZSTD")


def test_waiting_ends_when_the_dataset_is_there(tmp_path):
    fp.Dataset.range(4).save(tmp_path)
    assert len(fp.Dataset.load(tmp_path, wait=True)) == 4


@pytest.mark.parametrize("place", [0, 5, 24, 30, -1])
def test_a_damaged_manifest_is_an_error_at_once(tmp_path, place):
    fp.Dataset.range(4).save(tmp_path)
    change(tmp_path / "fastpipe.manifest", place)
    with pytest.raises(DataLossError, match=r"fastpipe\.manifest"):
        fp.Dataset.load(tmp_path)


@pytest.mark.parametrize("size", [0, 10, 23, 25, 40])
def test_a_truncated_manifest_is_an_error_at_once(tmp_path, size):
    fp.Dataset.range(4).save(tmp_path)
    os.truncate(tmp_path / "fastpipe.manifest", size)
    with pytest.raises(DataLossError, match=r"fastpipe\.manifest"):
        fp.Dataset.load(tmp_path)


@pytest.mark.parametrize("compression", [None, "GZIP", "ZLIB", "ZSTD"])
def test_one_changed_byte_costs_what_is_damaged_only(tmp_path, compression):
    texts = [b"element number %d" % x for x in range(1000)]
    fp.Dataset.from_tensor_slices(texts).save(tmp_path, compression=compression)
    (path,) = shard_files(tmp_path)
    with open(path, "rb") as file:
        content = file.read()
    place = content.find(b"number 500") if compression is None else len(content) // 2
    change(path, place)
    got = outcomes(iter(fp.Dataset.load(tmp_path)))
    assert len(got) == 1000 and FAILED in got
    assert all(x in (FAILED, text) for x, text in zip(got, texts))
    if compression is None:
        assert got == [*texts[:500], FAILED, *texts[501:]]
    with pytest.raises(DataLossError, match=rf"{path}.*offset \d+"):
        list(fp.Dataset.load(tmp_path))
    kept = list(fp.Dataset.load(tmp_path).ignore_errors())
    assert kept == [x for x in got if x is not FAILED]


@pytest.mark.parametrize("compression", [None, "ZSTD"])
def test_no_byte_can_be_changed_unnoticed(tmp_path, compression):
    ds = fp.Dataset.range(40).map(lambda x: fp.strings.as_string(x * x * x))
    ds.save(tmp_path, compression=compression)
    expected = list(ds)
    (path,) = shard_files(tmp_path)
    for place in range(os.path.getsize(path)):
        change(path, place)
        got = outcomes(iter(fp.Dataset.load(tmp_path)))
        values = [x for x in got if x is not FAILED]
        assert all(x in expected for x in values), f"byte {place}"
        assert values == expected or FAILED in got, f"byte {place}"
        change(path, place)
    assert list(fp.Dataset.load(tmp_path)) == expected


@pytest.mark.parametrize("compression", [None, "GZIP", "ZSTD"])
def test_a_truncated_shard_gives_what_is_left_and_one_error_at_least(tmp_path, compression):
    ds = fp.Dataset.range(20_000).map(lambda x: (x, fp.strings.as_string(x * 7919)))
    ds.save(tmp_path, compression=compression)
    expected = [plain(x) for x in ds]
    (path,) = shard_files(tmp_path)
    size = os.path.getsize(path)
    found = []
    for kept in (size - 1, size - 60, size * 3 // 4, size // 2, 100, 63, 10, 0):
        os.truncate(path, kept)
        got = outcomes(iter(fp.Dataset.load(tmp_path)))
        values = [x for x in got if x is not FAILED]
        assert FAILED in got and values == expected[: len(values)]
        found.append(len(values))
        with pytest.raises(DataLossError, match=path):
            list(fp.Dataset.load(tmp_path))
    assert found == sorted(found, reverse=True)
    assert found[0] == 20_000 and found[2] > 5_000 and found[-1] == 0


def test_a_missing_shard_costs_one_error_and_the_others_come(tmp_path):
    fp.Dataset.range(9).save(tmp_path, shard_func=lambda x: x % 3)
    os.remove(shard_files(tmp_path)[1])
    flat = fp.Dataset.load(tmp_path, reader_func=lambda shards: shards.flat_map(lambda x: x))
    assert outcomes(iter(flat)) == [0, 3, 6, FAILED, 2, 5, 8]
    with pytest.raises(NotFoundError, match=r"00000001\.blocks"):
        list(flat)


def test_a_foreign_file_in_place_of_a_shard_is_an_error(tmp_path):
    fp.Dataset.range(9).save(tmp_path)
    (path,) = shard_files(tmp_path)
    with open(path, "wb") as file:
        file.write(b"something else " * 100)
    with pytest.raises(DataLossError, match=path):
        list(fp.Dataset.load(tmp_path))


def test_a_position_in_a_damaged_file_holds(tmp_path):
    fp.Dataset.range(3000).map(fp.strings.as_string).save(tmp_path)
    (path,) = shard_files(tmp_path)
    with open(path, "rb") as file:
        change(path, file.read().find(b"1500"))
    ds = fp.Dataset.load(tmp_path)
    whole = outcomes(iter(ds))
    for passed in (0, 1499, 1500, 1501, 3000):
        it = iter(ds)
        outcomes(it, passed)
        assert outcomes(ds.iterator(it.save())) == whole[passed:]


def test_skip_and_shard_go_by_number_and_read_nothing_else(tmp_path):
    texts = [b"element number %05d" % x for x in range(20_000)]
    fp.Dataset.from_tensor_slices(texts).save(tmp_path)
    (path,) = shard_files(tmp_path)
    with open(path, "rb") as file:
        content = file.read()
    for number in (b"00010", b"13001"):
        change(path, content.find(number))
    ds = fp.Dataset.load(tmp_path)
    check_op(lambda: ds.skip(15_000), texts[15_000:], cardinality=5000)
    check_op(lambda: ds.skip(20_001), [], cardinality=0)
    # An element that is damaged has its number, and its turn.
    assert outcomes(iter(ds.shard(1000, 11))) == texts[11::1000]
    assert outcomes(iter(ds.shard(1000, 10))) == [FAILED, *texts[1010::1000]]
    check_op(lambda: ds.shard(2000, 1002), texts[1002::2000], cardinality=10)


def test_a_failing_read_costs_one_element(tmp_path):
    fp.Dataset.range(9).save(tmp_path)
    for number in range(3, 6):
        options = fp.Options(storage=fp.SimulatedStorage(fail_read=number))
        got = outcomes(iter(fp.Dataset.load(tmp_path).with_options(options)))
        assert got in ([FAILED, *range(1, 9)], [FAILED], list(range(9)))


def test_the_manifest_of_a_newer_format_is_refused(tmp_path):
    from fastpipe.tools.tfrecord import masked_crc32c

    fp.Dataset.range(4).save(tmp_path)
    path = tmp_path / "fastpipe.manifest"
    content = path.read_bytes()
    head, body = content[:23], content[27:]
    body = b"\x7e" + body[1:]
    path.write_bytes(head + masked_crc32c(body).to_bytes(4, "little") + body)
    with pytest.raises(FailedPreconditionError, match="format 63"):
        fp.Dataset.load(tmp_path)


def test_the_structure_of_an_element_is_plain_json(tmp_path):
    fp.Dataset.from_tensors({"b": 1, "a": (2, 3)}).save(tmp_path)
    text = (tmp_path / "fastpipe.manifest").read_bytes()
    structure = ["dict", ["a", ["tuple", "*", "*"]], ["b", "*"]]
    assert json.dumps(structure).encode() in text
