"""Options: setting, merging, refusing what does not exist."""

import pickle

import pytest

import fastpipe as fp


def test_everything_is_unset_at_first():
    options = fp.Options()
    assert options.deterministic is None and options.native_only is None
    assert options.storage is None and options.autotune == fp.AutotuneOptions()


def test_unknown_options_are_refused_and_the_known_ones_named():
    options = fp.Options()
    with pytest.raises(AttributeError, match="determinstic.*deterministic"):
        options.determinstic = True


def test_later_options_win_and_unset_ones_change_nothing():
    first, second = fp.Options(), fp.Options()
    first.deterministic = False
    first.autotune.cpu_budget = 3
    second.autotune.ram_budget = 1000
    merged = fp.Dataset.range(3).with_options(first).map(lambda x: x).with_options(second).options()
    assert merged.deterministic is False
    assert merged.autotune == fp.AutotuneOptions(cpu_budget=3, ram_budget=1000)
    second.deterministic = True
    ds = fp.Dataset.range(3).with_options(first).with_options(second)
    assert ds.options().deterministic is True


def test_options_of_all_inputs_come_together():
    a = fp.Dataset.range(3).with_options(fp.Options(deterministic=False))
    b = fp.Dataset.range(3).with_options(fp.Options(native_only=True))
    merged = fp.Dataset.zip(a, b).options()
    assert merged.deterministic is False and merged.native_only is True


def test_changing_options_afterwards_changes_no_dataset():
    options = fp.Options()
    ds = fp.Dataset.range(3).with_options(options)
    options.deterministic = False
    options.autotune.cpu_budget = 5
    assert ds.options() == fp.Options()
    for fixed, name in ((ds.options(), "deterministic"), (ds.options().autotune, "enabled")):
        with pytest.raises(ValueError, match="no effect"):
            setattr(fixed, name, False)
    assert ds.options() == fp.Options()


def test_with_options_leaves_the_dataset_as_it_was():
    ds = fp.Dataset.range(3)
    ds.with_options(fp.Options(deterministic=False))
    assert ds.options().deterministic is None


def test_options_are_no_part_of_the_fingerprint():
    ds = fp.Dataset.range(3)
    assert ds.with_options(fp.Options(deterministic=True)).fingerprint() == ds.fingerprint()


def test_options_compare_print_and_pickle():
    options = fp.Options(storage=fp.SimulatedStorage(open_delay=0.5))
    assert pickle.loads(pickle.dumps(options)) == options != fp.Options()
    assert "open_delay=0.5" in repr(options)


def test_native_only_finds_python_in_nested_functions():
    def inner(x):
        return fp.Dataset.range(2).map(lambda y: fp.py_function(lambda v: v, [x + y], fp.int64))

    options = fp.Options()
    options.native_only = True
    with pytest.raises(fp.errors.TracingError, match="native_only"):
        iter(fp.Dataset.range(2).flat_map(inner).with_options(options))


@pytest.mark.parametrize(
    "owner, name, value, kind",
    [
        (fp.Options, "deterministic", 1, "a bool or None"),
        (fp.Options, "fusion", "off", "a bool or None"),
        (fp.Options, "autotune", True, "an AutotuneOptions"),
        (fp.AutotuneOptions, "cpu_budget", "all", "an int or None"),
        (fp.ThreadingOptions, "private_threadpool_size", 1.5, "an int or None"),
        (fp.experimental.DistributeOptions, "auto_shard_policy", 0, "an AutoShardPolicy"),
    ],
)
def test_values_of_the_wrong_type_are_refused(owner, name, value, kind):
    with pytest.raises(TypeError, match=f"{name} must be {kind}, got"):
        setattr(owner(), name, value)


def test_older_names_are_the_same_options():
    options = fp.Options()
    options.experimental_deterministic = False
    options.experimental_threading.private_threadpool_size = 3
    assert options.deterministic is False and options.threading.private_threadpool_size == 3
    assert options.experimental_deterministic is False
    with pytest.raises(AttributeError):
        options.experimental_whatever  # noqa: B018


def test_policies_merge_as_if_their_default_were_unset():
    policies = fp.experimental.AutoShardPolicy
    first, second = fp.Options(), fp.Options()
    first.experimental_distribute.auto_shard_policy = policies.DATA
    assert first.merge(second).experimental_distribute.auto_shard_policy is policies.DATA
    second.experimental_distribute.auto_shard_policy = policies.OFF
    assert first.merge(second).experimental_distribute.auto_shard_policy is policies.OFF


def test_with_options_takes_options():
    with pytest.raises(TypeError, match="Options"):
        fp.Dataset.range(3).with_options({"deterministic": True})


NUMBERS = ["cpu_budget", "ram_budget", "initial_parallelism", "min_parallelism", "max_parallelism"]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [-1, 10**30])
def test_a_number_that_cannot_be_meant_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"AutotuneOptions.{name} must be from 0 to .*, got -?1"):
        setattr(fp.AutotuneOptions(), name, value)
    with pytest.raises(ValueError, match=name):
        fp.AutotuneOptions(**{name: value})


@pytest.mark.parametrize("name", NUMBERS)
def test_a_flag_is_no_number_of_threads(name):
    with pytest.raises(TypeError, match=f"{name} must be .*, got bool: True"):
        setattr(fp.AutotuneOptions(), name, True)


def test_negative_thread_pools_are_refused():
    with pytest.raises(ValueError, match="private_threadpool_size must be from 0"):
        fp.Options().threading.private_threadpool_size = -3


def test_zero_threads_mean_the_default():
    options = fp.Options()
    for name in NUMBERS:
        setattr(options.autotune, name, 0)
    ds = fp.Dataset.range(3).map(lambda x: x, num_parallel_calls=fp.AUTOTUNE)
    assert list(ds.with_options(options).as_numpy_iterator()) == [0, 1, 2]


def test_a_minimum_above_the_maximum_is_refused_where_they_meet():
    low, high = fp.Options(), fp.Options()
    low.autotune.max_parallelism = 2
    high.autotune.min_parallelism = 5
    with pytest.raises(ValueError, match="min_parallelism = 5 is more than max_parallelism = 2"):
        fp.Dataset.range(3).with_options(low).with_options(high)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("open_delay", -0.1, ValueError),
        ("read_delay", float("nan"), ValueError),
        ("read_delay", float("inf"), ValueError),
        ("open_delay", "1", TypeError),
        ("bytes_per_second", 1.5, TypeError),
        ("max_read", -1, ValueError),
        ("fail_open", True, TypeError),
    ],
)
def test_impossible_storage_is_refused_by_name(name, value, error):
    with pytest.raises(error, match=f"SimulatedStorage.{name} must be"):
        fp.SimulatedStorage(**{name: value})


def test_set_storage_takes_storage_only(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("one")
    options = fp.Options(storage=fp.SimulatedStorage())
    ds = fp.Dataset.from_tensors(str(file)).map(fp.io.read_file).with_options(options)
    with ds.iterator() as iterator, pytest.raises(TypeError, match="SimulatedStorage, got int: 5"):
        iterator.set_storage(5)
