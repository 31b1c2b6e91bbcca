"""Options.read_timeout: storage that does not answer costs its file, which the error names."""

import re

import pytest
from process import eventually

import fastpipe as fp
from fastpipe import _core
from fastpipe.errors import DeadlineExceededError
from fastpipe.options import SimulatedStorage


def timed(ds, seconds, **faults):
    options = fp.Options()
    options.read_timeout = seconds
    if faults:
        options.storage = SimulatedStorage(**faults)
    return ds.with_options(options)


@pytest.fixture
def paths(tmp_path):
    for number in range(6):
        (tmp_path / f"{number}.txt").write_text(f"{number}\n" * 2)
    return sorted(str(path) for path in tmp_path.iterdir())


def results(iterator):
    """What each next gives: an element, or the message of an error."""
    found = []
    while True:
        try:
            found.append(next(iterator))
        except StopIteration:
            return found
        except DeadlineExceededError as error:
            found.append(str(error))


PIPELINES = {
    "map": lambda paths: fp.Dataset.from_tensor_slices(paths).map(fp.io.read_file),
    "parallel map": lambda paths: fp.Dataset.from_tensor_slices(paths).map(fp.io.read_file, 3),
    "lines": lambda paths: fp.TextLineDataset(paths),
    "interleave": lambda paths: fp.Dataset.from_tensor_slices(paths).interleave(
        fp.TextLineDataset, cycle_length=3, num_parallel_calls=2
    ),
}


@pytest.mark.parametrize("make", PIPELINES.values(), ids=PIPELINES.keys())
@pytest.mark.parametrize("fault", ["stall_read", "stall_open"])
def test_a_call_that_hangs_costs_its_file_which_the_error_names(make, fault, paths):
    expected = list(make(paths))
    iterator = iter(timed(make(paths), 0.3, **{fault: 2}))
    found = results(iterator)
    errors = [each for each in found if isinstance(each, str)]
    assert len(errors) == 1
    named = re.search(r"'([^']*\.txt)'", errors[0])
    assert named and named[1] in paths
    assert "Options.read_timeout = 0.3 seconds" in errors[0]
    assert ("at offset " if fault == "stall_read" else "opening ") in errors[0]
    lost = paths.index(named[1])
    left = [each for each in expected if not each.startswith(b"%d" % lost)]
    got = [each for each in found if not isinstance(each, str)]
    assert sorted(each for each in got if each in left) == sorted(left)
    iterator.set_storage(SimulatedStorage())
    assert eventually(lambda: _core.hung_calls() == 0)


@pytest.mark.parametrize("make", PIPELINES.values(), ids=PIPELINES.keys())
def test_a_limit_that_is_kept_changes_nothing(make, paths):
    assert list(timed(make(paths), 60)) == list(make(paths))


def test_large_and_compressed_files_are_read_alike(tmp_path):
    path = str(tmp_path / "records.gz")
    with fp.io.TFRecordWriter(path, "GZIP") as writer:
        for number in range(300):
            writer.write(bytes([number % 251]) * 20_000)
    ds = fp.TFRecordDataset(path, compression_type="GZIP")
    assert list(timed(ds, 60)) == list(ds)
    large = tmp_path / "large"
    large.write_bytes(bytes(range(256)) * 20_000)
    (read,) = timed(fp.Dataset.from_tensors(str(large)).map(fp.io.read_file), 60)
    assert read == large.read_bytes()


def test_a_slow_storage_that_is_slower_than_the_limit_is_late(paths):
    found = results(iter(timed(PIPELINES["map"](paths), 0.05, read_delay=100.0)))
    assert len(found) == 6
    assert all("took longer" in each for each in found)


def test_an_error_that_is_ignored_leaves_the_neighbours(paths):
    ds = PIPELINES["parallel map"](paths)
    iterator = iter(timed(ds.ignore_errors(), 0.2, stall_read=3))
    assert len(list(iterator)) == 5
    assert iterator.ignored_errors() == 1
    iterator.set_storage(SimulatedStorage())


def test_the_error_is_also_the_timeout_of_python():
    assert issubclass(DeadlineExceededError, TimeoutError)


@pytest.mark.parametrize("wrong", [-1, 1e9])
def test_a_limit_beyond_reason_is_refused(wrong):
    with pytest.raises(ValueError, match="read_timeout must be from 0 to"):
        fp.Options().read_timeout = wrong
