"""A cache in files: what `cache(filename)` promises beyond `cache()`."""

import os

import process
import pytest
from laws import FAILED, check_op, check_transformation, numbers, outcomes, plain

import fastpipe as fp
from fastpipe.errors import (
    DataLossError,
    FailedPreconditionError,
    FastpipeError,
    InvalidArgumentError,
)


def counted(values, folder):
    """A cached dataset of `values`, and the list of those that have been made."""
    made = []

    def make(value):
        made.append(int(value))
        return value

    ds = fp.Dataset.from_tensor_slices(values)
    return ds.map(lambda x: fp.py_function(make, [x], fp.int32)).cache(folder), made


def names_in(folder):
    return sorted(name for _, folders, files in os.walk(folder) for name in folders + files)


def test_the_elements_are_those_of_the_input(tmp_path):
    check_transformation(
        lambda ds: ds.cache(tmp_path / ds.fingerprint().hex()), lambda values: values
    )


def test_positions_hold_while_the_files_are_being_filled(tmp_path):
    ds = fp.Dataset.range(6).shuffle(6, seed=3).map(lambda x: x * 2)
    whole = None
    for passed in range(7):
        cached = ds.cache(tmp_path / str(passed))
        it = iter(cached)
        results = outcomes(it, passed)
        state = it.save()
        results += outcomes(it)
        whole = whole or results
        assert results == whole
        # The cache is complete now, and the position leads into the same elements.
        assert outcomes(cached.iterator(state)) == whole[passed:]
        assert outcomes(iter(cached)) == whole


def test_a_position_of_a_cache_that_has_been_removed_is_refused(tmp_path):
    import shutil

    path = tmp_path / "cache"
    ds = fp.Dataset.range(6).cache(path)
    assert len(list(ds)) == 6
    again = fp.Dataset.range(6).cache(path)
    it = iter(again)
    assert outcomes(it, 2) == [0, 1]
    state = it.save()
    shutil.rmtree(path)
    with pytest.raises(FailedPreconditionError, match="does not exist any more"):
        fp.Dataset.range(6).cache(path).iterator(state)


def test_a_complete_pass_is_made_once_also_by_another_dataset(tmp_path):
    cached, made = counted([1, 2, 3], tmp_path / "a")
    for _ in range(3):
        assert [plain(x) for x in cached] == [1, 2, 3]
    again, made_again = counted([1, 2, 3], tmp_path / "a")
    assert [plain(x) for x in again] == [1, 2, 3]
    assert made == [1, 2, 3] and made_again == []


def test_repeat_reads_the_cache(tmp_path):
    cached, made = counted([1, 2], tmp_path / "a")
    assert [plain(x) for x in cached.repeat(3)] == [1, 2] * 3
    assert made == [1, 2]


def test_the_source_is_not_needed_any_more(tmp_path, write):
    path = write("source.txt", b"a\nb\n")
    ds = fp.TextLineDataset(path).cache(tmp_path / "cache")
    assert list(ds) == [b"a", b"b"]
    os.remove(path)
    again = fp.TextLineDataset(path).cache(tmp_path / "cache")
    assert list(again) == list(ds) == [b"a", b"b"]


@pytest.mark.parametrize("close", [True, False])
def test_a_pass_that_was_left_leaves_nothing(tmp_path, close):
    folder = tmp_path / "cache"
    ds = fp.Dataset.range(5).cache(folder)
    it = iter(ds)
    assert outcomes(it, 4) == [0, 1, 2, 3]
    assert folder.exists()
    if close:
        it.close()
    del it
    assert not folder.exists()
    assert outcomes(iter(ds)) == [0, 1, 2, 3, 4]


def test_take_leaves_a_cache_incomplete(tmp_path):
    folder = tmp_path / "cache"
    ds = fp.Dataset.range(5).cache(folder)
    assert outcomes(iter(ds.take(2))) == [0, 1]
    assert not folder.exists()
    assert outcomes(iter(ds)) == [0, 1, 2, 3, 4]


def test_a_pass_with_an_error_keeps_nothing(tmp_path):
    folder = tmp_path / "cache"
    ds = numbers([1, 2], failing=1).cache(folder)
    for _ in range(3):
        assert outcomes(iter(ds)) == [1, FAILED, 2]
        assert not folder.exists()


def test_two_passes_at_once_are_both_complete(tmp_path):
    ds = fp.Dataset.range(300).cache(tmp_path / "cache")
    a, b = iter(ds), iter(ds)
    pairs = [(int(next(a)), int(next(b))) for _ in range(300)]
    assert outcomes(a) == outcomes(b) == []
    assert pairs == [(x, x) for x in range(300)]
    assert outcomes(iter(ds)) == list(range(300))
    assert len([name for name in names_in(tmp_path) if name.startswith("data-")]) == 1


def test_the_cache_of_another_pipeline_is_refused_once(tmp_path):
    folder = tmp_path / "cache"
    assert len(list(fp.Dataset.range(5).cache(folder))) == 5
    other = fp.Dataset.range(5).map(lambda x: x + 1).cache(folder)
    with pytest.raises(FailedPreconditionError, match=r"cache.*another pipeline"):
        next(iter(other))
    assert outcomes(iter(other)) == [FAILED]
    assert outcomes(iter(other.ignore_errors())) == []
    assert outcomes(iter(fp.Dataset.range(5).cache(folder))) == [0, 1, 2, 3, 4]


def test_how_parallel_a_pipeline_is_does_not_make_it_another(tmp_path):
    def make(threads):
        return fp.Dataset.range(5).map(lambda x: x + 1, num_parallel_calls=threads)

    assert outcomes(iter(make(None).cache(tmp_path))) == [1, 2, 3, 4, 5]
    assert outcomes(iter(make(2).prefetch(3).cache(tmp_path))) in ([1, 2, 3, 4, 5], [FAILED])
    assert outcomes(iter(make(2).cache(tmp_path))) == [1, 2, 3, 4, 5]


def test_what_another_process_has_cached_is_read(tmp_path):
    program = """
        import sys
        print(sum(1 for _ in fp.Dataset.range(1000).batch(3).cache(sys.argv[1])))
    """
    assert process.run(program, str(tmp_path)).stdout == "334\n"
    before = names_in(tmp_path)
    ds = fp.Dataset.range(1000).batch(3).cache(tmp_path)
    assert sum(len(x) for x in ds) == 1000
    assert names_in(tmp_path) == before


def test_two_processes_fill_a_cache_at_once(tmp_path):
    folder = tmp_path / "cache"
    program = """
        import sys
        it = iter(fp.Dataset.range(3000).cache(sys.argv[1]))
        first = [int(next(it)) for _ in range(10)]
        print("half", flush=True)
        sys.stdin.readline()
        print(first + [int(x) for x in it] == list(range(3000)), flush=True)
    """
    both = [process.start(program, str(folder), talk=True) for _ in range(2)]
    for child in both:
        assert child.stdout.readline() == "half\n"
    assert len([name for name in names_in(folder) if name.endswith(".lock")]) == 2
    for child in both:
        out, err = child.communicate("go on\n", timeout=process.CHILD_SECONDS)
        assert out == "True\n", err
    names = names_in(folder)
    assert len(names) == 3 and "fastpipe.manifest" in names, names
    assert outcomes(iter(fp.Dataset.range(3000).cache(folder))) == list(range(3000))


def test_a_process_that_is_killed_leaves_no_half_cache(tmp_path):
    folder = tmp_path / "cache"
    program = """
        import os, signal, sys
        it = iter(fp.Dataset.range(30000).cache(sys.argv[1]))
        for _ in range(29999):
            next(it)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert process.run(program, str(folder)).returncode == -9
    assert any("partial" in name for name in names_in(folder))
    ds = fp.Dataset.range(30000).cache(folder)
    assert outcomes(iter(ds)) == list(range(30000))
    assert not any("partial" in name for name in names_in(folder))
    assert outcomes(iter(ds)) == list(range(30000))


def test_a_damaged_cache_is_an_error_that_names_the_file(tmp_path):
    ds = fp.Dataset.from_tensor_slices([b"one", b"two", b"three"]).cache(tmp_path)
    assert len(list(ds)) == 3
    (path,) = [
        os.path.join(place, name)
        for place, _, names in os.walk(tmp_path)
        for name in names
        if name.endswith(".blocks")
    ]
    with open(path, "r+b") as file:
        content = file.read()
        file.seek(content.find(b"two"))
        file.write(b"TWO")
    assert outcomes(iter(ds)) == [b"one", FAILED, b"three"]
    with pytest.raises(DataLossError, match=path):
        list(ds)
    (tmp_path / "fastpipe.manifest").write_bytes(b"nonsense")
    with pytest.raises(DataLossError, match=r"fastpipe\.manifest"):
        list(ds)
    assert outcomes(iter(ds.ignore_errors())) == []


def test_a_full_disk_loses_no_element_and_is_told_at_the_end(tmp_path):
    program = """
        import resource, signal, sys
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        got, it = [], iter(fp.Dataset.range(50_000).cache(sys.argv[1]))
        try:
            for x in it:
                got.append(int(x))
        except fp.errors.ResourceExhaustedError:
            print(got == list(range(50_000)), list(it))
    """
    done = process.run(program, str(tmp_path / "cache"))
    assert done.stdout == "True []\n", done.stderr
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_cannot_be_made_is_told_at_the_end(write):
    path = write("file", b"")
    it = iter(fp.Dataset.range(3).cache(path + "/cache"))
    assert outcomes(it) == [0, 1, 2, FAILED]
    with pytest.raises(FastpipeError, match="file"):
        list(fp.Dataset.range(3).cache(path + "/cache"))


def test_what_cannot_be_written_is_refused_at_construction(tmp_path):
    with pytest.raises(InvalidArgumentError, match="datasets"):
        fp.Dataset.range(3).window(2).cache(tmp_path)


@pytest.mark.parametrize("make", [str, os.fsencode, lambda path: path])
def test_a_folder_may_be_text_bytes_or_a_path(tmp_path, make):
    assert outcomes(iter(fp.Dataset.range(2).cache(make(tmp_path / "a")))) == [0, 1]
    assert (tmp_path / "a" / "fastpipe.manifest").exists()


def test_a_traced_name_gives_each_dataset_a_cache_of_its_own(tmp_path):
    def cached(x):
        name = fp.strings.join([str(tmp_path), "/", fp.strings.as_string(x)])
        return fp.Dataset.range(x).map(lambda y: y + x).cache(name)

    def make():
        return fp.Dataset.range(1, 4).flat_map(cached)

    check_op(make, [1, 2, 3, 3, 4, 5])
    assert sorted(os.listdir(tmp_path)) == ["1", "2", "3"]


def test_structures_and_shapes_come_back(tmp_path):
    ds = fp.Dataset.range(5).map(lambda x: {"a": fp.range(x), "b": (x, fp.strings.as_string(x))})
    cached = ds.cache(tmp_path)
    for _ in range(2):
        assert [plain(x) for x in cached] == [plain(x) for x in ds]


def test_threads_below_and_above_change_nothing(tmp_path):
    def make():
        ds = fp.Dataset.range(30).map(lambda x: x + 1, num_parallel_calls=3).cache(tmp_path)
        return ds.map(lambda x: x * 2, num_parallel_calls=3).repeat(2)

    check_op(make, [2 * (x + 1) for x in range(30)] * 2, cardinality=60)
