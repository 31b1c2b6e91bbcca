"""Options reach the native run."""

import pytest
from laws import outcomes

import fastpipe as fp
from fastpipe.errors import UnimplementedError


def test_unordered_by_option_refuses_positions():
    ds = fp.Dataset.range(10).map(lambda x: x, num_parallel_calls=2)
    iterator = iter(ds.with_options(fp.Options(deterministic=False)))
    next(iterator)
    with pytest.raises(UnimplementedError, match="deterministic=False"):
        iterator.save()


def test_what_a_stage_says_itself_comes_before_the_option():
    ds = fp.Dataset.range(100).map(lambda x: x, num_parallel_calls=4, deterministic=True)
    iterator = iter(ds.with_options(fp.Options(deterministic=False)))
    assert outcomes(iterator, 10) == list(range(10))
    assert outcomes(ds.iterator(iterator.save())) == list(range(10, 100))


@pytest.mark.parametrize("fault", [{"fail_open": 2}, {"fail_read": 2}])
def test_simulated_faults_are_errors_and_the_next_file_follows(write, fault):
    paths = [write(name, b"%s\n" % name.encode()) for name in "abc"]
    ds = fp.Dataset.from_tensor_slices(paths).map(fp.io.read_file)
    got = outcomes(iter(ds.with_options(fp.Options(storage=fp.SimulatedStorage(**fault)))))
    assert len(got) == 3 and sum(isinstance(x, bytes) for x in got) == 2


def test_slow_and_short_reads_change_no_byte(write):
    content = bytes(range(256)) * 40
    ds = fp.Dataset.from_tensors(write("a", content)).map(fp.io.read_file)
    storage = fp.SimulatedStorage(read_delay=0.0001, max_read=700, bytes_per_second=10**8)
    assert outcomes(iter(ds.with_options(fp.Options(storage=storage)))) == [content]


def test_options_of_a_part_hold_for_the_whole(write):
    options = fp.Options(storage=fp.SimulatedStorage(fail_open=1))
    lines = fp.TextLineDataset(write("a", b"1\n")).with_options(options)
    both = lines.concatenate(fp.TextLineDataset(write("b", b"2\n"))).batch(1)
    assert both.options().storage == options.storage
    assert len(outcomes(iter(both))) == 2


def test_a_budget_of_memory_bounds_what_is_made_ahead():
    options = fp.Options()
    options.autotune.ram_budget = 1 << 20
    ds = fp.Dataset.range(200).map(lambda x: fp.fill([100_000], x), num_parallel_calls=4)
    iterator = iter(ds.prefetch(50).with_options(options))
    for number in range(200):
        assert int(next(iterator)[7]) == number
        for stage in iterator.stats():
            # What is under way when the limit is reached comes on top: a chunk a thread.
            assert stage["buffered_bytes"] <= (1 << 20) + 5 * 800_000


def test_native_only_refuses_python_functions():
    options = fp.Options(native_only=True)
    ds = fp.Dataset.range(3).with_options(options)
    with pytest.raises(TypeError):
        ds.map(lambda x: int(x))
    asked = fp.Dataset.range(3).map(lambda x: fp.py_function(lambda v: v, [x], fp.int64))
    with pytest.raises(TypeError, match="native_only"):
        iter(asked.with_options(options))


def threads_at_first(**autotune):
    options = fp.Options(autotune=fp.AutotuneOptions(enabled=False, **autotune))
    ds = fp.Dataset.range(10**6).map(lambda x: x, fp.AUTOTUNE)
    iterator = iter(ds.with_options(options))
    next(iterator)
    return iterator.stats()[0]["threads"]


def test_autotune_starts_where_it_is_told():
    assert threads_at_first(initial_parallelism=3) == 3
    assert threads_at_first(initial_parallelism=3, cpu_budget=1) == 3
    assert threads_at_first(cpu_budget=2) == 2


def test_a_private_pool_bounds_the_threads_of_a_stage():
    for calls in (fp.AUTOTUNE, 8):
        options = fp.Options()
        options.threading.private_threadpool_size = 2
        ds = fp.Dataset.range(3000).map(lambda x: x + 1, calls).with_options(options)
        iterator = iter(ds)
        for number in range(3000):
            assert next(iterator) == number + 1
            assert iterator.stats()[0]["threads"] <= 2
