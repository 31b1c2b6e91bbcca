"""Which numbers an element gets. That threads and restoring change nothing: runtime/test_random."""

import pickle

import numpy as np
import pytest

import fastpipe as fp
import fastpipe.compat.tf as tf
from fastpipe import random


@pytest.fixture(autouse=True)
def no_global_seed():
    yield
    random.set_seed(None)


def drawn(count=5, seed=None):
    return fp.Dataset.range(count).map(lambda _: random.uniform([], seed=seed))


def numbers(dataset):
    return [float(x) for x in dataset]


def test_a_seed_is_two_integers():
    dataset = fp.Dataset.range(2).map(lambda _: random.element_seed(1))
    assert dataset.element_spec == fp.TensorSpec([2], "int64")
    first, second = dataset
    assert first.tolist() != second.tolist()


def test_with_a_seed_every_run_and_every_equal_dataset_draws_the_same():
    dataset = drawn(seed=1)
    assert numbers(dataset) == numbers(dataset) == numbers(drawn(seed=1))
    assert numbers(pickle.loads(pickle.dumps(dataset))) == numbers(dataset)
    assert numbers(drawn(seed=2)) != numbers(dataset)
    assert len(set(numbers(drawn(100, seed=1)))) == 100


def test_the_numbers_of_a_seed_do_not_change_between_versions():
    want = [0.15391838550567627, 0.21062767505645752, 0.08136475086212158]
    dataset = fp.Dataset.range(3).map(lambda _: random.uniform([2], seed=3)[0])
    assert numbers(dataset) == want


def test_without_a_seed_every_run_differs():
    dataset = drawn()
    assert numbers(dataset) != numbers(dataset)


def test_one_seed_ties_functions_together():
    image, mask = np.arange(100).reshape(10, 10), np.arange(100).reshape(10, 10) + 1000

    def crop(_):
        return fp.image.random_crop(image, [3, 3], seed=7), fp.image.random_crop(
            mask, [3, 3], seed=7
        )

    for part, mask_part in fp.Dataset.range(5).map(crop):
        np.testing.assert_array_equal(part + 1000, mask_part)


def test_functions_without_a_seed_are_independent():
    # Of so many values that none comes twice.
    draw = lambda: random.uniform([], dtype="float64")  # noqa: E731
    pairs = fp.Dataset.range(20).map(lambda _: (draw(), draw()))
    twice = pairs.map(lambda a, b: (a, b, draw()))
    inside = twice.map(lambda a, b, c: (a, b, c, fp.cond(a < 0.5, lambda: draw(), lambda: a + 2)))
    values = [float(x) for element in inside for x in element]
    assert len(set(values)) == 80


def test_the_global_seed_makes_the_same_program_draw_the_same():
    def program(seed):
        random.set_seed(seed)
        pairs = fp.Dataset.range(9).map(
            lambda x: (x, random.uniform([]), random.uniform([], seed=1))
        )
        order = pairs.shuffle(9).map(lambda x, a, b: (x, a, b, random.normal([])))
        return [tuple(float(v) for v in e) for e in order], random.uniform([3]).tolist()

    assert program(7) == program(7)
    for mine, others in zip(zip(*program(7)[0]), zip(*program(8)[0])):
        assert mine != others


def test_epochs_inputs_and_inner_datasets_draw_numbers_of_their_own():
    dataset = drawn(4, seed=1)
    epochs = numbers(dataset.repeat(3))
    assert epochs[:4] == numbers(dataset) and len(set(epochs)) == 12
    twice = numbers(dataset.concatenate(dataset).repeat(2))
    assert twice[:4] == epochs[:4] and len(set(twice)) == 16
    pairs = list(fp.Dataset.zip((dataset, dataset)))
    assert all(a != b for a, b in pairs)
    inner = numbers(fp.Dataset.range(5).flat_map(lambda _: dataset))
    assert len(set(inner)) == 20
    chosen = fp.Dataset.choose_from_datasets([dataset, dataset], fp.Dataset.range(2).repeat(4))
    assert len(set(numbers(chosen))) == 8


def test_an_inner_dataset_may_draw_while_it_is_made():
    def inner(_):
        return fp.Dataset.from_tensors(random.uniform([], seed=3)).repeat(2)

    values = numbers(fp.Dataset.range(4).interleave(inner, cycle_length=2))
    assert values[:2] == values[2:4] and len(values) == 8 and len(set(values)) == 4


def test_functions_of_every_op_get_numbers():
    source = fp.Dataset.range(200)
    kept = sum(1 for _ in source.filter(lambda _: random.uniform([], seed=1) < 0.25))
    assert 30 < kept < 70
    while_low = source.take_while(lambda _: random.uniform([], seed=1) < 0.9)
    assert 0 < len(list(while_low)) < 200
    sums = source.scan(np.float32(0), lambda s, _: (s, random.uniform([], seed=1)))
    assert len(set(numbers(sums))) == 200
    groups = source.group_by_window(
        lambda _: fp.cast(random.uniform([], seed=1) < 0.5, "int64"),
        lambda key, window: window.batch(10).map(lambda _: random.uniform([], seed=2)),
        window_size=10,
    )
    assert 20 <= len(set(numbers(groups))) == len(numbers(groups))
    (total,) = [fp.Dataset.range(100).reduce(0.0, lambda s, _: s + random.uniform([], seed=1))]
    assert 40 < total < 60


def test_calls_on_values_draw_new_numbers():
    assert random.uniform([4]).tolist() != random.uniform([4]).tolist()
    assert random.uniform([4], seed=1).tolist() != random.uniform([4], seed=1).tolist()
    random.set_seed(5)
    first = [random.uniform([2]).tolist(), random.uniform([2], seed=1).tolist()]
    random.set_seed(5)
    assert [random.uniform([2]).tolist(), random.uniform([2], seed=1).tolist()] == first


def test_a_cached_pass_keeps_its_numbers():
    for seed in (1, None):
        values = numbers(drawn(4, seed=seed).cache().repeat(3))
        assert values[:4] == values[4:8] == values[8:]


def test_rounds_and_rows_of_loops_draw_numbers_of_their_own():
    def rows(_):
        return tf.map_fn(lambda x: x + random.uniform([], seed=1), np.zeros(5, np.float32))

    def rounds(_):
        count = lambda n, last, total: (n + 1, random.uniform([]), total + last)  # noqa: E731
        start = [np.int64(0), np.float32(0), np.float32(0)]
        return tf.while_loop(lambda n, last, total: n < 4, count, start)

    dataset = fp.Dataset.range(3).map(rows)
    assert len({float(x) for row in dataset for x in row}) == 15
    for _, last, total in fp.Dataset.range(3).map(rounds):
        assert abs(total - 3 * last) > 1e-6
    eager = tf.map_fn(lambda x: x + random.uniform([]), np.zeros(3, np.float32))
    again = tf.map_fn(lambda x: x + random.uniform([]), np.zeros(3, np.float32))
    assert len({*eager.tolist(), *again.tolist()}) == 6
