"""Iterators: one pass each, closable, savable, with statistics."""

import gc
import weakref

import numpy as np
import pytest
from laws import check_damaged_state, outcomes

import fastpipe as fp
from fastpipe import _core
from fastpipe.errors import CancelledError, DataLossError, FailedPreconditionError


def test_a_dataset_gives_a_new_iterator_every_time():
    ds = fp.Dataset.range(3)
    a, b = iter(ds), ds.as_numpy_iterator()
    assert a is not b and iter(a) is a
    assert next(a) == 0 and next(b) == 0 and next(a) == 1


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: fp.Dataset.range(1), np.int64),
        (lambda: fp.Dataset.from_tensors("a"), bytes),
        (lambda: fp.Dataset.from_tensors([1.5]), np.ndarray),
        (lambda: fp.Dataset.from_tensors(["a"]), np.ndarray),
        (lambda: fp.Dataset.from_tensors((1, 2)), tuple),
        (lambda: fp.Dataset.from_tensors({"a": 1}), dict),
        (lambda: fp.Dataset.range(2).window(2), fp.Dataset),
    ],
)
def test_elements_are_numpy_values_in_their_structure(make, kind):
    assert isinstance(next(iter(make())), kind)


def test_arrays_are_writable_views_that_own_their_memory():
    it = iter(fp.Dataset.range(3).map(lambda x: fp.fill([1000], x)))
    first, second = next(it), next(it)
    del it
    gc.collect()
    assert first.flags.writeable and first.flags.c_contiguous
    first[:] = 7
    assert second[0] == 1 and first.sum() == 7000


def test_large_arrays_are_aligned():
    for array in fp.Dataset.range(20).map(lambda x: fp.fill([1000], x)):
        assert array.ctypes.data % 64 == 0


def test_memory_is_never_reused_while_an_array_lives():
    kept = []
    for array in fp.Dataset.range(200).map(lambda x: fp.fill([5000], x), num_parallel_calls=2):
        kept.append(array[10:20])  # a slice keeps the whole
        del array
    assert [int(piece[3]) for piece in kept] == list(range(200))


def test_closing_ends_it_and_may_be_done_twice():
    with fp.Dataset.range(10).prefetch(1).iterator() as it:
        assert next(it) == 0
    with pytest.raises(CancelledError, match="closed"):
        next(it)
    it.close()
    with pytest.raises(CancelledError):
        it.save()


def test_the_end_stays_the_end():
    it = iter(fp.Dataset.range(1).map(lambda x: x, num_parallel_calls=2))
    assert outcomes(it) == [0]
    for _ in range(3):
        assert next(it, "end") == "end"


def test_an_iterator_keeps_its_dataset_alive():
    it = iter(fp.Dataset.range(3).map(lambda x: fp.py_function(lambda v: v + 1, [x], fp.int64)))
    gc.collect()
    assert outcomes(it) == [1, 2, 3]


def test_an_iterator_is_freed_without_the_garbage_collector():
    gc.disable()
    try:
        it = iter(fp.Dataset.range(3).prefetch(1))
        next(it)
        alive = weakref.ref(it)
        del it
        assert alive() is None
    finally:
        gc.enable()


def test_a_position_is_small_whatever_was_read():
    ds = fp.Dataset.range(10**6).shuffle(1000, seed=1).map(lambda x: x, num_parallel_calls=2)
    ds = ds.batch(10).prefetch(2)
    it = iter(ds)
    sizes = []
    for _ in range(200):
        next(it)
        sizes.append(len(it.save()))
    assert max(sizes) < 500 and max(sizes) - min(sizes) < 50


def test_a_position_is_exact_in_a_deep_pipeline(write):
    paths = [write(f"{n}", b"".join(b"%d-%d\n" % (n, i) for i in range(30))) for n in range(5)]

    def make(calls, prefetch):
        ds = fp.Dataset.from_tensor_slices(paths).shuffle(5, seed=2)
        ds = ds.interleave(fp.TextLineDataset, 3, 2, num_parallel_calls=calls)
        ds = ds.shuffle(20, seed=3).map(fp.strings.upper, num_parallel_calls=calls)
        return ds.batch(4, num_parallel_calls=calls).repeat(2).prefetch(prefetch)

    whole = outcomes(iter(make(None, 1)))
    for place in (0, 1, 17, 37, 38, 39, 60, len(whole)):
        it = iter(make(2, 2))
        assert outcomes(it, place) == whole[:place]
        assert (
            outcomes(make(fp.AUTOTUNE if place % 2 else 3, 5).iterator(it.save())) == whole[place:]
        )


def test_saving_disturbs_nothing():
    it = iter(fp.Dataset.range(100).map(lambda x: x, num_parallel_calls=3).prefetch(2))
    got = []
    for value in it:
        got.append(int(value))
        assert it.save() == it.save()
    assert got == list(range(100))


def test_a_position_in_a_python_map_is_exact():
    def make():
        return fp.Dataset.range(20).map(
            lambda x: fp.py_function(lambda v: v * 2, [x], fp.int64), num_parallel_calls=2
        )

    ds = make()
    it = iter(ds)
    outcomes(it, 7)
    assert outcomes(ds.iterator(it.save())) == [2 * x for x in range(7, 20)]


def test_another_pipeline_and_damage_are_refused():
    ds = fp.Dataset.range(10).batch(2)
    it = iter(ds)
    next(it)
    check_damaged_state(ds, it.save())
    with pytest.raises(FailedPreconditionError, match="another pipeline"):
        fp.Dataset.range(10).batch(3).iterator(it.save())
    with pytest.raises(DataLossError):
        ds.iterator(b"nonsense")
    with pytest.raises(FileNotFoundError):
        ds.iterator("text")


def test_statistics_are_empty_without_stages_and_after_the_end():
    it = iter(fp.Dataset.range(3).batch(2))
    next(it)
    assert it.stats() == [] and it.autotune_log() == [] and it.thread_count() == 0


def test_statistics_name_each_stage_and_the_line_that_made_it():
    ds = fp.Dataset.range(1_000_000).map(lambda x: x, num_parallel_calls=2).prefetch(3)
    it = iter(ds)
    outcomes(it, 10)
    stats = {stage["label"].split()[0]: stage for stage in it.stats()}
    assert set(stats) == {"map", "prefetch"}
    assert stats["map"]["threads"] == 2 and stats["prefetch"]["threads"] == 1
    assert stats["prefetch"]["elements"] >= 10 and stats["map"]["elements"] >= 10
    assert all("test_iterator.py" in stage["label"] for stage in stats.values())


@pytest.mark.parametrize("size", [0, 1, 5])
def test_length_is_the_cardinality(size):
    ds = fp.Dataset.range(size)
    assert len(ds) == ds.cardinality() == size
    assert bool(ds)


def test_an_unknown_length_is_an_error():
    with pytest.raises(TypeError, match="unknown"):
        len(fp.Dataset.range(3).filter(lambda x: x > 0))


def test_get_single_element_wants_exactly_one():
    assert fp.Dataset.from_tensors(7).get_single_element() == 7
    for size in (0, 2):
        with pytest.raises(ValueError, match="one element"):
            fp.Dataset.range(size).get_single_element()


def test_apply_calls_the_function_on_the_dataset():
    assert outcomes(iter(fp.Dataset.range(5).apply(lambda ds: ds.skip(3)))) == [3, 4]
    with pytest.raises(TypeError, match="dataset"):
        fp.Dataset.range(5).apply(lambda ds: 3)


def test_nothing_runs_until_the_first_next():
    threads = _core.running_threads()
    it = fp.Dataset.range(10**6).map(lambda x: x, num_parallel_calls=4).iterator()
    assert _core.running_threads() == threads
    next(it)
    assert _core.running_threads() > threads


def test_a_dataset_out_of_a_pipeline_keeps_the_functions_of_that():
    def add(x):
        return x + 1

    windows = fp.Dataset.range(4).map(lambda x: fp.py_function(add, [x], fp.int64)).window(2)
    shared = fp.Dataset.range(3).map(lambda x: fp.py_function(add, [x], fp.int64))
    (inner,) = list(fp.Dataset.from_tensors(0).map(lambda x: shared))
    first = next(iter(windows))
    del windows
    shared = None  # the pipeline that gave `inner` is gone as well
    gc.collect()
    assert [int(x) for x in first] == [1, 2]
    assert [int(x) for x in inner] == [1, 2, 3]


def test_only_saving_reads_the_data_for_a_fingerprint(monkeypatch):
    def fingerprint(node):
        calls.append(node.op)
        return b"0123456789abcdef"

    calls = []
    monkeypatch.setattr("fastpipe.node.Node.fingerprint", fingerprint)
    iterator = iter(fp.Dataset.from_tensor_slices(["a", "b"]).batch(1))
    assert [batch.tolist() for batch in iterator] == [[b"a"], [b"b"]] and calls == []
    iterator.save()
    iterator.save()
    assert calls == ["batch"]
