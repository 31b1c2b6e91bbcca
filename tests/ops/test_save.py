import os
from collections import namedtuple

import numpy as np
import process
import pytest
from laws import check_op, numbers, plain

import fastpipe as fp
from fastpipe.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
)

COMPRESSIONS = [None, "", "NONE", "GZIP", "ZLIB", "ZSTD", "AUTO"]
Pair = namedtuple("Pair", ["first", "second"])


def saved(dataset, folder, **how):
    dataset.save(folder, **how)
    return fp.Dataset.load(folder)


def names_in(folder):
    return sorted(name for _, folders, files in os.walk(folder) for name in folders + files)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_what_is_saved_is_loaded(tmp_path, compression):
    ds = fp.Dataset.range(10_000).map(lambda x: (x, fp.strings.as_string(x), x / 3))
    again = saved(ds, tmp_path, compression=compression)
    assert [plain(x) for x in again] == [plain(x) for x in ds]
    assert again.element_spec == ds.element_spec


def test_saving_is_one_step_that_gives_the_number_of_elements(tmp_path):
    def make():
        arguments = fp.Dataset.range(3)._file_arguments(tmp_path, None)
        return fp.Dataset._make("save", arguments, (fp.Dataset.range(3),), fp.structure.LEAF)

    check_op(make, [3], savable=False, cardinality=1)


@pytest.mark.parametrize("dtype", [name for name in fp.spec.ALL if name != "dataset"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 2), (40, 50), (1, 1, 1, 1, 1, 2)])
def test_every_dtype_and_shape_comes_back(tmp_path, dtype, shape):
    count = int(np.prod(shape))
    values = np.arange(count).reshape(shape) % 2
    if dtype == "string":
        values = np.array([b"x" * (7 * i) for i in range(count)], object).reshape(shape)
    elif dtype == "bfloat16":
        values = np.asarray(values, pytest.importorskip("ml_dtypes").bfloat16)
    else:
        values = np.asarray(values, dtype)
    again = list(saved(fp.Dataset.from_tensors(values).repeat(3), tmp_path))
    assert len(again) == 3
    for element in again:
        array = np.asarray(element, object if dtype == "string" else None)
        assert array.dtype == values.dtype and array.shape == shape
        assert array.tolist() == np.asarray(values).tolist()


@pytest.mark.parametrize(
    "element",
    [
        (1, (2, b"3")),
        {"b": 1, "a": (2, {"c": b"4"})},
        Pair(1, {"x": 2}),
        {1: 2, 0: 3},
        ((1,),),
    ],
)
def test_structures_come_back(tmp_path, element):
    ds = fp.Dataset.from_tensors(element)
    again = saved(ds, tmp_path)
    assert [plain(x) for x in again] == [plain(x) for x in ds]
    if isinstance(element, Pair):
        assert next(iter(again)).second["x"] == 2


def test_shapes_that_vary_and_ranks_that_do(tmp_path):
    ds = fp.Dataset.range(200).map(lambda x: fp.fill(fp.stack([x % 7, x % 3]), x))
    assert [plain(x) for x in saved(ds, tmp_path / "a")] == [plain(x) for x in ds]
    signature = fp.TensorSpec(None, fp.int32)
    arrays = [np.zeros((2,) * rank, np.int32) for rank in range(6)]
    ds = fp.Dataset.from_generator(lambda: iter(arrays), output_signature=signature)
    again = saved(ds, tmp_path / "b")
    assert [plain(x) for x in again] == [x.tolist() for x in arrays]
    assert again.element_spec == signature


def test_ragged_batches_come_back(tmp_path):
    ds = fp.Dataset.range(6).map(lambda x: fp.range(x)).ragged_batch(4)
    again = saved(ds, tmp_path)
    assert [x.to_list() for x in again] == [x.to_list() for x in ds]


def test_sparse_tensors_come_back(tmp_path):
    sparse = fp.sparse.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])
    again = saved(fp.Dataset.from_tensors((sparse, 3)), tmp_path)
    ((value, three),) = again
    assert fp.sparse.to_dense(value).tolist() == [[0, 5], [6, 0]] and three == 3
    ds = fp.Dataset.from_tensors((sparse, 3))
    assert again.element_spec == ds.element_spec
    assert len(fp.Dataset.load(tmp_path, element_spec=ds.element_spec)) == 1


def test_an_empty_dataset_is_saved_as_such(tmp_path):
    again = saved(fp.Dataset.range(0), tmp_path)
    assert list(again) == [] and len(again) == 0
    assert again.element_spec == fp.TensorSpec((), fp.int64)


def test_large_elements_come_back(tmp_path):
    ds = fp.Dataset.range(3).map(lambda x: fp.fill([300, 1000], fp.cast(x, fp.float32)))
    for compression in (None, "ZSTD"):
        again = list(saved(ds, tmp_path, compression=compression))
        assert [x.shape for x in again] == [(300, 1000)] * 3
        assert [x[7, 9] for x in again] == [0, 1, 2]


def test_saving_again_replaces_and_leaves_no_old_files(tmp_path):
    fp.Dataset.range(5).save(tmp_path)
    before = len(names_in(tmp_path))
    again = saved(fp.Dataset.from_tensor_slices(["a", "b"]), tmp_path, compression="GZIP")
    assert list(again) == [b"a", b"b"]
    assert len(names_in(tmp_path)) == before


def test_other_files_in_the_folder_stay(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    assert len(list(saved(fp.Dataset.range(5), tmp_path))) == 5
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_folders_on_the_way_are_made(tmp_path):
    assert len(list(saved(fp.Dataset.range(2), tmp_path / "a" / "b" / "c"))) == 2
    assert len(list(saved(fp.Dataset.range(2), f"{tmp_path}/d/"))) == 2
    assert len(list(saved(fp.Dataset.range(2), os.fsencode(tmp_path / "e")))) == 2


def test_shards_are_what_shard_func_says(tmp_path):
    ds = fp.Dataset.range(10)
    ds.save(tmp_path, shard_func=lambda x: x % 3)
    in_turn = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert [int(x) for x in fp.Dataset.load(tmp_path)] == in_turn
    one_by_one = fp.Dataset.load(tmp_path, reader_func=lambda shards: shards.flat_map(lambda x: x))
    assert [int(x) for x in one_by_one] == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]


def test_shards_are_ordered_by_number_and_negative_ones_come_last(tmp_path):
    fp.Dataset.range(6).save(tmp_path, shard_func=lambda x: 2 - x)
    flat = fp.Dataset.load(tmp_path, reader_func=lambda shards: shards.flat_map(lambda x: x))
    assert [int(x) for x in flat] == [2, 1, 0, 5, 4, 3]


@pytest.mark.parametrize("bad", [lambda x: fp.cast(x, fp.int32), lambda x: "a", lambda x: [x, x]])
def test_a_shard_func_that_gives_no_int64_is_refused(tmp_path, bad):
    with pytest.raises(InvalidArgumentError, match="shard_func must return a scalar int64"):
        fp.Dataset.range(3).save(tmp_path / "a", shard_func=bad)
    assert not (tmp_path / "a").exists()


def test_what_cannot_be_saved_is_refused(tmp_path):
    folder = tmp_path / "a"
    with pytest.raises(InvalidArgumentError, match="infinite"):
        fp.Dataset.range(3).repeat().save(folder)
    with pytest.raises(InvalidArgumentError, match="contain datasets"):
        fp.Dataset.range(3).window(2).save(folder)
    with pytest.raises(InvalidArgumentError, match="'LZ9'"):
        fp.Dataset.range(3).save(folder, compression="LZ9")
    with pytest.raises(InvalidArgumentError, match="empty"):
        fp.Dataset.range(3).save("")
    assert not folder.exists()


def test_a_file_in_place_of_the_folder_is_an_error(write):
    path = write("file", b"")
    for folder in (path, path + "/below"):
        with pytest.raises(FailedPreconditionError, match="file"):
            fp.Dataset.range(3).save(folder)


def test_an_error_of_the_input_is_raised_and_nothing_is_left(tmp_path):
    folder = tmp_path / "new"
    with pytest.raises(InvalidArgumentError, match="no number"):
        numbers([1, 2, 3], failing=2).save(folder)
    assert not folder.exists()
    fp.Dataset.range(4).save(folder)
    with pytest.raises(InvalidArgumentError):
        numbers([1, 2, 3], failing=2).save(folder)
    assert len(list(fp.Dataset.load(folder))) == 4
    assert not [name for name in names_in(folder) if "partial" in name]


def test_a_full_disk_is_an_error_and_leaves_what_was_there(tmp_path):
    fp.Dataset.range(4).save(tmp_path)
    program = """
        import resource, signal, sys
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        try:
            fp.Dataset.range(1_000_000).save(sys.argv[1])
        except fp.errors.ResourceExhaustedError as error:
            print("full", "blocks" in str(error) or ".new" in str(error))
    """
    done = process.run(program, str(tmp_path))
    assert done.stdout == "full True\n", done.stderr
    assert len(list(fp.Dataset.load(tmp_path))) == 4
    assert not [name for name in names_in(tmp_path) if "partial" in name]
    assert ResourceExhaustedError is fp.errors.ResourceExhaustedError


def test_a_writer_that_is_killed_leaves_nothing_that_counts(tmp_path):
    folder = tmp_path / "data"
    program = """
        import os, signal, sys

        def last(x):
            if x == 5000:
                os.kill(os.getpid(), signal.SIGKILL)
            return x

        ds = fp.Dataset.range(6000).map(lambda x: fp.py_function(last, [x], fp.int64))
        ds.save(sys.argv[1])
    """
    assert process.run(program, str(folder)).returncode == -9
    assert any("partial" in name for name in names_in(folder))
    with pytest.raises(NotFoundError, match="data"):
        fp.Dataset.load(folder)
    # The next writer removes what the dead one left.
    assert len(list(saved(fp.Dataset.range(3), folder))) == 3
    assert not any("partial" in name for name in names_in(folder))


def test_two_writers_at_once_leave_one_whole_dataset(tmp_path):
    program = """
        import sys
        number = int(sys.argv[2])

        def wait(x):
            if x == 5:
                print("half", flush=True)
                sys.stdin.readline()
            return x + 1000 * number

        ds = fp.Dataset.range(5000).map(lambda x: fp.py_function(wait, [x], fp.int64))
        ds.save(sys.argv[1])
    """
    both = [process.start(program, str(tmp_path), str(number), talk=True) for number in (1, 2)]
    for child in both:
        assert child.stdout.readline() == "half\n"
    for child in both:
        child.stdin.write("go on\n")
        child.stdin.flush()
    for child in both:
        child.communicate(timeout=process.CHILD_SECONDS)
        assert child.returncode == 0
    found = [int(x) for x in fp.Dataset.load(tmp_path)]
    assert found in [[x + 1000 * number for x in range(5000)] for number in (1, 2)]
    assert len([name for name in names_in(tmp_path) if name.startswith("data-")]) == 1
