"""Random functions in pipelines: threads, order and restoring change no number."""

import numpy as np
import pytest
from laws import plain

import fastpipe as fp
import fastpipe.compat.tf as tf
from fastpipe import random

PARALLELISM = [None, 1, 2, 8, fp.AUTOTUNE]


def augment(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    image = fp.image.random_resized_crop(image, [48, 48], seed=11)
    image = tf.image.random_flip_left_right(image, seed=12)
    return tf.image.random_crop(image, [40, 40, 3], seed=13)


def augmented(photographs, parallel):
    paths = fp.Dataset.from_tensor_slices(np.array(photographs[:12], object))
    return paths.map(augment, num_parallel_calls=parallel)


def test_photographs_are_augmented_the_same_whatever_the_threads(photographs):
    first, *others = [np.stack(list(augmented(photographs, p))) for p in PARALLELISM]
    for other in others:
        np.testing.assert_array_equal(other, first)


def test_the_second_epoch_is_augmented_differently(photographs):
    images = list(augmented(photographs, 2).repeat(2))
    alike = [np.array_equal(a, b) for a, b in zip(images[:12], images[12:])]
    assert len(images) == 24 and not any(alike)


def nested(parallel, seed):
    """Random functions under and above everything that may reorder or repeat them."""

    def inner(x):
        values = fp.Dataset.range(6).map(
            lambda y: (x * 10 + y, random.uniform([], seed=seed)), num_parallel_calls=parallel
        )
        return values.filter(lambda _, u: u < 0.9)

    def more(x, u):
        return x, u, random.normal([2], seed=None if seed is None else seed + 1)

    lanes = fp.Dataset.range(7).interleave(
        inner, cycle_length=3, block_length=2, num_parallel_calls=parallel and min(parallel, 3)
    )
    shuffled = lanes.shuffle(10, seed=5).map(more, num_parallel_calls=parallel)
    return shuffled.batch(4, num_parallel_calls=parallel).prefetch(2).repeat(3)


def test_nested_pipelines_draw_the_same_whatever_the_threads():
    first, *others = [[plain(e) for e in nested(p, seed=3)] for p in PARALLELISM]
    assert all(other == first for other in others)
    drawn = [number for _, numbers, _ in first for number in numbers]
    assert len(set(drawn)) == len(drawn) > 90


@pytest.mark.parametrize("seed", [3, None])
@pytest.mark.parametrize("parallel", [None, 2, fp.AUTOTUNE])
def test_a_restored_pass_draws_what_an_uninterrupted_one_does(parallel, seed):
    dataset = nested(parallel, seed)
    iterator = dataset.iterator()
    states, elements = [iterator.save()], []
    for element in iterator:
        elements.append(plain(element))
        states.append(iterator.save())
    assert all(len(state) < 2048 for state in states)
    for place in range(0, len(states), 3):
        # Another dataset, as another process would have it.
        restored = nested(parallel, seed).iterator(states[place])
        assert [plain(e) for e in restored] == elements[place:]


@pytest.mark.parametrize("parallel", [None, 2])
def test_skipped_elements_keep_their_numbers(parallel):
    dataset = fp.Dataset.range(50).map(
        lambda _: random.uniform([], seed=1), num_parallel_calls=parallel
    )
    whole = [float(x) for x in dataset]
    assert [float(x) for x in dataset.skip(20).take(5)] == whole[20:25]
    assert [float(x) for x in dataset.shard(3, 1)] == whole[1::3]


def test_an_element_that_fails_costs_no_other_its_numbers():
    def check(x):
        return tf.debugging.check_numerics(1 / (x - 3), "three"), random.uniform([], seed=1)

    source = fp.Dataset.range(6).map(lambda x: fp.cast(x, "float32"))
    for parallel in (None, 2):
        failing = source.map(check, num_parallel_calls=parallel).ignore_errors()
        want = [float(x) for x in source.map(lambda _: random.uniform([], seed=1))]
        assert [float(u) for _, u in failing] == want[:3] + want[4:]


@pytest.mark.parametrize("seed", [3, None])
def test_a_cache_that_is_filled_after_restoring_holds_the_same(seed):
    def make():
        drawn = fp.Dataset.range(5).map(lambda _: random.uniform([], seed=seed))
        return drawn.cache().repeat(3)

    iterator = make().iterator()
    states, values = [], []
    for value in iterator:
        values.append(float(value))
        states.append(iterator.save())
    for place, state in enumerate(states):
        assert [float(x) for x in make().iterator(state)] == values[place + 1 :]
