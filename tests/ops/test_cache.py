from laws import FAILED, check_op, check_transformation, numbers, outcomes, plain

import fastpipe as fp


def counted(values):
    """A dataset of `values`, and the list of those that have been made."""
    made = []

    def make(value):
        made.append(int(value))
        return value

    ds = fp.Dataset.from_tensor_slices(values)
    return ds.map(lambda x: fp.py_function(make, [x], fp.int32)), made


def test_the_elements_are_those_of_the_input():
    check_transformation(lambda ds: ds.cache(), lambda values: values)


def test_a_complete_pass_is_made_once():
    ds, made = counted([1, 2, 3])
    cached = ds.cache()
    for _ in range(3):
        assert [plain(x) for x in cached] == [1, 2, 3]
    assert made == [1, 2, 3]


def test_a_pass_that_was_left_fills_nothing():
    ds, made = counted([1, 2, 3])
    cached = ds.cache()
    next(iter(cached))
    assert [plain(x) for x in cached] == [1, 2, 3]
    assert made in ([1, 1, 2, 3], [1, 2, 1, 2, 3])


def test_repeat_reads_the_cache():
    ds, made = counted([1, 2])
    assert [plain(x) for x in ds.cache().repeat(3)] == [1, 2] * 3
    assert made == [1, 2]


def test_two_passes_at_once_are_both_complete():
    ds, _ = counted([1, 2, 3])
    cached = ds.cache()
    a, b = iter(cached), iter(cached)
    pairs = [(plain(next(a)), plain(next(b))) for _ in range(3)]
    assert pairs == [(1, 1), (2, 2), (3, 3)]


def test_errors_are_not_kept():
    ds = numbers([1, 2], failing=1).cache()
    for _ in range(3):
        assert outcomes(iter(ds)) == [1, FAILED, 2]


def test_what_is_cached_is_not_what_a_user_changed():
    ds = fp.Dataset.range(4).batch(4).cache()
    (first,) = ds
    first += 100
    (second,) = ds
    second += 100
    assert [x.tolist() for x in ds] == [[0, 1, 2, 3]]


def test_a_shuffled_input_keeps_the_order_of_the_first_pass():
    ds = fp.Dataset.range(20).shuffle(20, seed=1).cache()
    first = [plain(x) for x in ds]
    assert [plain(x) for x in ds] == first != list(range(20))


def test_positions_hold_before_and_after_the_cache_is_full():
    def full():
        ds = fp.Dataset.range(5).map(lambda x: x * 2).cache()
        assert len(list(ds)) == 5
        return ds

    check_op(full, [0, 2, 4, 6, 8], cardinality=5)
    check_op(lambda: fp.Dataset.range(5).cache().repeat(3), [*range(5)] * 3, cardinality=15)


def test_threads_below_and_above_change_nothing():
    def make():
        ds = fp.Dataset.range(30).map(lambda x: x + 1, num_parallel_calls=3).cache()
        return ds.map(lambda x: x * 2, num_parallel_calls=3).repeat(2)

    check_op(make, [2 * (x + 1) for x in range(30)] * 2, cardinality=60)
