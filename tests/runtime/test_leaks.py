"""200 iterators created, read for three elements and dropped leave nothing behind."""

import gc
import gzip
import weakref

import pytest
from process import eventually, open_files, os_threads, resident_bytes

import fastpipe as fp
from fastpipe import _core

COUNT = 200


def parallel_map(paths):
    return fp.Dataset.range(10**6).map(lambda x: fp.fill([1000], x), num_parallel_calls=4)


def python_map(paths):
    return fp.Dataset.range(10**6).map(
        lambda x: fp.py_function(lambda v: v, [x], fp.int64), num_parallel_calls=2
    )


def sequential_interleave(paths):
    return fp.Dataset.from_tensor_slices(paths).interleave(fp.TextLineDataset, cycle_length=4)


def parallel_interleave(paths):
    return fp.Dataset.from_tensor_slices(paths).interleave(
        fp.TextLineDataset, cycle_length=4, num_parallel_calls=4
    )


def autotuned(paths):
    ds = fp.Dataset.from_tensor_slices(paths)
    ds = ds.interleave(fp.TextLineDataset, num_parallel_calls=fp.AUTOTUNE)
    return ds.map(fp.strings.upper, num_parallel_calls=fp.AUTOTUNE).prefetch(fp.AUTOTUNE)


def prefetch(paths):
    return fp.Dataset.range(10**6).map(lambda x: fp.fill([1000], x)).prefetch(8)


def nested(paths):
    def inner(path):
        lines = fp.TextLineDataset(path).map(fp.strings.upper, num_parallel_calls=2)
        return lines.prefetch(2)

    ds = fp.Dataset.from_tensor_slices(paths).repeat()
    return (
        ds.interleave(inner, cycle_length=3, num_parallel_calls=2).shuffle(10).batch(2).prefetch(1)
    )


def generator(paths):
    def generate():
        with open(paths[0], "rb") as lines:
            yield from lines

    return fp.Dataset.from_generator(generate, output_signature=fp.TensorSpec((), "string"))


def compressed(paths):
    return fp.TextLineDataset([path + ".gz" for path in paths], "GZIP").prefetch(2)


PIPELINES = [
    parallel_map, python_map, sequential_interleave, parallel_interleave, autotuned, prefetch,
    nested, generator, compressed,
]  # fmt: skip


@pytest.fixture
def paths(write):
    content = b"".join(b"line %d of a file\n" % n for n in range(500))
    names = [f"file-{number}.txt" for number in range(6)]
    for name in names:
        write(name + ".gz", gzip.compress(content))
    return [write(name, content) for name in names]


@pytest.mark.parametrize("make", PIPELINES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("how", ["dropped", "closed"])
def test_dropped_iterators_leave_no_thread_file_or_memory(make, how, paths):
    dataset = make(paths)

    def read_three(times):
        for _ in range(times):
            iterator = iter(dataset)
            for _ in range(3):
                next(iterator)
            if how == "closed":
                iterator.close()
            del iterator

    read_three(20)  # what is kept for reuse is kept now
    gc.collect()
    threads, native, files = os_threads(), _core.running_threads(), open_files()
    _core.trim_buffers()
    in_use, resident = _core.buffer_bytes()[0], resident_bytes()
    read_three(COUNT)
    gc.collect()
    assert _core.running_threads() == native
    assert eventually(lambda: os_threads() == threads)
    assert open_files() == files
    assert _core.buffer_bytes()[0] == in_use, "buffers are still in use"
    _core.trim_buffers()
    # 200 leaked iterators of the smallest kind would take more than this.
    assert resident_bytes() - resident < 24 << 20


def test_an_iterator_that_was_never_read_costs_nothing(paths):
    files, native = open_files(), _core.running_threads()
    iterators = [iter(nested(paths)) for _ in range(50)]
    assert open_files() == files and _core.running_threads() == native
    del iterators


def test_an_exhausted_iterator_has_closed_its_files_and_threads(paths):
    files, native = open_files(), _core.running_threads()
    iterator = iter(parallel_interleave(paths))
    assert sum(1 for _ in iterator) == 6 * 500
    assert eventually(lambda: open_files() == files), "files are open after the end"
    del iterator
    assert _core.running_threads() == native


class Double:
    def __call__(self, value):
        return value * 2


def test_datasets_that_were_dropped_free_their_functions():
    functions = [Double()]
    alive = weakref.ref(functions[0])
    ds = fp.Dataset.range(3).map(lambda x: fp.py_function(functions.pop(), [x], fp.int64))
    gc.collect()
    assert [int(x) for x in ds] == [0, 2, 4]
    del ds
    gc.collect()
    assert alive() is None


def test_arrays_outlive_their_iterator_and_free_their_memory():
    gc.collect()
    before = _core.buffer_bytes()[0]
    arrays = list(fp.Dataset.range(50).map(lambda x: fp.fill([10_000], x)).batch(5))
    assert [int(a[2, 7]) for a in arrays] == list(range(2, 50, 5))
    assert _core.buffer_bytes()[0] > before
    del arrays
    gc.collect()
    assert _core.buffer_bytes()[0] == before
