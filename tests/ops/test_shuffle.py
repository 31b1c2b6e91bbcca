import numpy as np
import pytest
from laws import FAILED, check_op, check_transformation, elements, numbers, outcomes

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


def order(ds):
    return [int(x) for x in ds]


@pytest.mark.parametrize("buffer_size", [1, 2, 5, 8, 100, -2])
@pytest.mark.parametrize("reshuffle", [True, False])
def test_every_element_comes_once(buffer_size, reshuffle):
    check_transformation(
        lambda ds: ds.shuffle(buffer_size, seed=7, reshuffle_each_iteration=reshuffle),
        lambda values: values,
        alike=False,
    )


def test_without_a_seed_every_element_comes_once():
    assert sorted(order(fp.Dataset.range(50).shuffle(50))) == list(range(50))


def test_without_a_seed_orders_differ():
    orders = {tuple(order(fp.Dataset.range(20).shuffle(20))) for _ in range(3)}
    assert len(orders) > 1


def test_a_buffer_of_one_keeps_the_order():
    assert order(fp.Dataset.range(20).shuffle(1)) == list(range(20))


def test_an_element_leaves_at_most_the_buffer_ahead():
    for seed in range(10):
        got = order(fp.Dataset.range(100).shuffle(10, seed=seed))
        assert all(value <= place + 9 for place, value in enumerate(got))


def test_equal_seeds_repeat_the_same_sequence_of_orders():
    def three(seed):
        ds = fp.Dataset.range(20).shuffle(20, seed=seed)
        return [order(ds) for _ in range(3)]

    assert three(1) == three(1) != three(2)
    first, second, third = three(1)
    assert first != second != third


def test_without_reshuffling_every_pass_is_the_same():
    ds = fp.Dataset.range(20).shuffle(20, seed=1, reshuffle_each_iteration=False)
    assert order(ds) == order(ds) != list(range(20))


def test_repeat_gives_the_orders_of_successive_passes_without_mixing_them():
    got = order(fp.Dataset.range(10).shuffle(10, seed=1).repeat(3))
    epochs = [got[i : i + 10] for i in (0, 10, 20)]
    assert all(sorted(epoch) == list(range(10)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 3


def test_shuffling_repeated_elements_mixes_epochs():
    got = order(fp.Dataset.range(10).repeat(10).shuffle(100, seed=1))
    assert sorted(got) == sorted([*range(10)] * 10)
    assert sorted(got[:10]) != list(range(10))


def test_all_orders_of_three_are_about_equally_frequent():
    counts: dict[tuple[int, ...], int] = {}
    ds = fp.Dataset.range(3).shuffle(3, seed=5)
    for _ in range(1200):
        key = tuple(order(ds))
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 6
    # 200 expected, standard deviation 13: six of them away.
    assert min(counts.values()) > 120 and max(counts.values()) < 280


def test_an_error_costs_one_element():
    got = outcomes(iter(numbers([*range(9)], failing=4).shuffle(3, seed=2)))
    assert sorted(elements(got)) == list(range(9)) and got.count(FAILED) == 1


def test_structures_stay_together():
    ds = fp.Dataset.from_tensor_slices({"a": np.arange(9), "b": np.arange(9) * 2})
    for element in ds.shuffle(9, seed=1):
        assert element["b"] == 2 * element["a"]


def test_positions_within_later_epochs_are_exact():
    check_op(
        lambda: fp.Dataset.range(6).shuffle(4, seed=3).repeat(3),
        [*range(6)] * 3,
        alike=False,
        cardinality=18,
    )


def test_a_buffer_of_nothing_is_refused():
    for size in (0, -1, -3):
        with pytest.raises(InvalidArgumentError, match=f"buffer_size.*{size}"):
            fp.Dataset.range(3).shuffle(size)


def test_the_orders_are_those_of_tensorflow():
    fixed = fp.Dataset.range(10).shuffle(3, seed=5, reshuffle_each_iteration=False)
    assert order(fixed) == [1, 3, 2, 5, 6, 4, 7, 9, 8, 0]
    everything = fp.Dataset.range(10).shuffle(-2, seed=42, reshuffle_each_iteration=False)
    assert order(everything) == [2, 0, 7, 8, 9, 3, 6, 4, 1, 5]
    passes = [
        [1, 4, 2, 3, 5, 0, 6, 8, 7, 9],
        [3, 4, 2, 0, 1, 8, 5, 7, 9, 6],
        [0, 4, 5, 2, 3, 7, 8, 6, 9, 1],
    ]
    ds = fp.Dataset.range(10).shuffle(4, seed=42)
    assert [order(ds) for _ in range(3)] == passes
    repeated = fp.Dataset.range(10).shuffle(4, seed=42).repeat(3)
    assert order(repeated) == [x for one in passes for x in one]


def test_a_shuffle_inside_a_function_begins_anew_for_each_element():
    def make():
        return fp.Dataset.range(3).flat_map(lambda x: fp.Dataset.range(5).shuffle(3, seed=7))

    got = order(make())
    assert got[:5] == got[5:10] == got[10:] == [1, 2, 0, 3, 4]
    check_op(make, got, alike=False)


@pytest.mark.parametrize("calls", [1, 2, 8, fp.AUTOTUNE])
def test_a_shuffled_dataset_that_functions_share_has_an_order_for_each_element(calls):
    """Whatever the order in which threads open them; and from every position."""
    shared = fp.Dataset.range(6).shuffle(6, seed=3)
    numbers = fp.Dataset.range(12)

    def make(num_parallel_calls):
        return numbers.interleave(
            lambda x: shared.map(lambda y: 10 * x + y),
            cycle_length=8,
            num_parallel_calls=num_parallel_calls,
        )

    expected = order(make(None))
    orders = {tuple(y % 10 for y in expected if y // 10 == x) for x in range(12)}
    assert len(orders) > 6
    for _ in range(5):
        assert order(make(calls)) == expected


def test_a_shared_shuffled_dataset_goes_on_from_a_position_in_a_later_epoch():
    shared = fp.Dataset.range(4).shuffle(4, seed=3)

    def make():
        inner = fp.Dataset.range(2).flat_map(lambda x: shared)
        return inner.shuffle(2, seed=5).repeat(3)

    check_op(make, order(make()), alike=False)
