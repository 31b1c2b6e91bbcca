"""What is drawn without a seed goes on where it was, in a dataset that was made again too.

An op without a seed draws one when it is made, so the dataset that restores a position has others
than the one that saved it.
"""

import numpy as np
import pytest

import fastpipe as fp
from fastpipe import errors

N = fp.Dataset.range


def numbers(**arguments):
    return fp.Dataset.random(**arguments).take(5).map(lambda x: x % 100)


def in_a_function(make):
    return N(4).flat_map(lambda x: make(x).repeat(2))


def captured(dataset):
    return N(3).flat_map(lambda x: dataset.map(lambda y: y + 10 * x))


def zipped(first, second):
    return fp.Dataset.zip(first, second).map(lambda a, b: 100 * a + b)


def files(folder):
    for i in range(6):
        (folder / f"{i}").touch()
    names = fp.Dataset.list_files(str(folder / "*"))
    return names.map(lambda name: fp.strings.to_number(fp.strings.substr(name, -1, 1), fp.int64))


def sampled(**arguments):
    return fp.Dataset.sample_from_datasets([N(4), N(10, 14)], **arguments)


DRAWN = {
    "shuffle": lambda folder: N(6).shuffle(3),
    "shuffle once": lambda folder: N(6).shuffle(3, reshuffle_each_iteration=False),
    "random": lambda folder: numbers(),
    "random anew": lambda folder: numbers(rerandomize_each_iteration=True),
    "sample": lambda folder: sampled(),
    "sample anew": lambda folder: sampled(rerandomize_each_iteration=True),
    "list_files": files,
    "two in a row": lambda folder: N(6).shuffle(3).concatenate(N(10, 16).shuffle(3)),
    "two side by side": lambda folder: zipped(N(6).shuffle(3), N(6).shuffle(3)),
    "one that is used twice": lambda folder: (lambda d: zipped(d, d))(N(6).shuffle(3)),
    "one that is used at two paces": lambda folder: (
        lambda d: fp.Dataset.sample_from_datasets([d.repeat(2), d.concatenate(d)], seed=1)
    )(N(5).shuffle(3)),
    "one that is chosen at two paces": lambda folder: (
        lambda d: fp.Dataset.choose_from_datasets(
            [d.repeat(2), d.repeat(3)], d.repeat(5).map(lambda x: x % 2)
        )
    )(N(5).shuffle(3)),
    "one that is used twice in a function": lambda folder: in_a_function(
        lambda x: (lambda d: zipped(d, d))(N(x, x + 3).shuffle(3))
    ),
    "one that is cached too": lambda folder: (lambda d: zipped(d.cache(), d).repeat(2))(
        N(5).shuffle(3)
    ),
    "seeded": lambda folder: N(6).shuffle(3, seed=1).concatenate(N(10, 16).shuffle(3, seed=2)),
    "cached": lambda folder: N(6).shuffle(3).cache(),
    "in a function": lambda folder: in_a_function(lambda x: N(x, x + 4).shuffle(3)),
    "once in a function": lambda folder: in_a_function(
        lambda x: N(x, x + 4).shuffle(3, reshuffle_each_iteration=False)
    ),
    "sample in a function": lambda folder: in_a_function(
        lambda x: fp.Dataset.sample_from_datasets([N(x), N(10, 14)])
    ),
    "captured by a function": lambda folder: captured(N(5).shuffle(3)),
    "captured once": lambda folder: captured(N(5).shuffle(3, reshuffle_each_iteration=False)),
    "reduced": lambda folder: (
        lambda dataset: N(5).map(lambda x: dataset.reduce(x, lambda s, y: (s * 7 + y) % 1000))
    )(N(5).shuffle(3)),
}
ABOVE = {
    "itself": lambda d: d,
    "repeat": lambda d: d.repeat(3),
    "concatenate": lambda d: d.concatenate(d).batch(4),
    "cache": lambda d: d.cache().repeat(2),
    "shuffle": lambda d: d.repeat(2).shuffle(4),
    "window": lambda d: d.repeat(2).window(2).flat_map(lambda w: w.batch(2)),
    "flat_map": lambda d: d.repeat(2).flat_map(lambda x: fp.Dataset.from_tensors(x).repeat(2)),
    "interleave": lambda d: d.repeat(2).interleave(
        lambda x: fp.Dataset.from_tensors(x).repeat(2), 3, num_parallel_calls=2
    ),
    "map": lambda d: d.repeat(2).map(lambda x: x + 1, num_parallel_calls=2).prefetch(2),
    "ended before its consumer": lambda d: (
        d.repeat(2).group_by_window(lambda x: x % 2, lambda k, w: w.batch(9), 99).repeat(2)
    ),
    "group": lambda d: d.repeat(2).group_by_window(lambda x: x % 2, lambda k, w: w.batch(3), 3),
}


def shown(element):
    return np.asarray(element).tolist()


@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("drawn", DRAWN)
def test_the_rest_is_the_same_in_a_dataset_that_was_made_again(drawn, above, tmp_path):
    def make():
        return ABOVE[above](DRAWN[drawn](tmp_path))

    iterator = iter(make())
    states, elements = [iterator.save()], []
    for element in iterator:
        elements.append(shown(element))
        states.append(iterator.save())
    for passed in range(0, len(states), 1 + len(states) // 12):
        rest = [shown(element) for element in make().iterator(states[passed])]
        assert rest == elements[passed:], f"restored after {passed}"


def test_an_order_without_a_seed_is_that_of_all_passes_over_its_dataset():
    ds = N(100).shuffle(100, reshuffle_each_iteration=False)
    order = list(map(int, ds))
    assert list(map(int, ds.take(50))) + list(map(int, ds.skip(50))) == order
    assert list(map(int, N(100).shuffle(100, reshuffle_each_iteration=False))) != order
    again = ds.repeat(2)
    assert list(map(int, again)) == order * 2


def test_every_pass_and_every_dataset_draws_an_order_of_its_own():
    def make():
        return N(100).shuffle(100)

    ds = make()
    orders = {tuple(map(int, passes)) for passes in (ds, ds, make(), make())}
    twice = list(map(int, make().repeat(2)))
    orders |= {tuple(twice[:100]), tuple(twice[100:])}
    inner = [int(x) for x in N(3).flat_map(lambda x: N(100).shuffle(100))]
    orders |= {tuple(inner[begin : begin + 100]) for begin in (0, 100, 200)}
    assert len(orders) == 9


@pytest.mark.parametrize("seed", [None, 1])
def test_inputs_that_share_a_dataset_draw_an_order_each(seed):
    def orders(x):
        ds = N(x, x + 100).shuffle(100, seed=seed)
        return fp.Dataset.zip(ds, ds, ds.map(lambda y: y)).repeat(2).batch(100)

    batches = list(orders(0)) + list(N(2).flat_map(lambda x: orders(100 * x)))
    drawn = [{tuple(part.tolist()) for part in batch} for batch in batches]
    assert all(len(batch) == 3 for batch in drawn)
    for first, second in (drawn[0:2], drawn[2:4], drawn[4:6]):
        assert not first & second


def test_inputs_that_share_what_never_draws_anew_keep_the_orders_of_their_seeds(tmp_path):
    for i in range(20):
        (tmp_path / f"{i}").touch()
    shared = {
        "listed": fp.Dataset.list_files(str(tmp_path / "*"), shuffle=False),
        "shuffled once": N(20).shuffle(20, reshuffle_each_iteration=False),
        "random": fp.Dataset.random(seed=3).take(20),
        "sampled": sampled(seed=4),
    }
    for name, ds in shared.items():
        drawn = ds.shuffle(20, seed=5)
        expected = [shown(x) for x in drawn]
        assert [shown(second) for _, second in fp.Dataset.zip(ds, drawn)] == expected, name
        turns = fp.Dataset.range(2).repeat()
        chosen = fp.Dataset.choose_from_datasets([ds, drawn], turns)
        assert [shown(x) for x in chosen][1::2] == expected, name


def test_what_a_restored_pass_saves_is_of_the_same_draws():
    def make():
        return N(6).shuffle(3).repeat(3).window(2).flat_map(lambda w: w.batch(2))

    iterator, elements, expected = iter(make()), [], []
    while True:
        iterator = make().iterator(iterator.save())
        if not expected:
            expected = [shown(x) for x in make().iterator(iterator.save())]
        try:
            elements.append(shown(next(iterator)))
        except StopIteration:
            break
    assert elements == expected


def test_another_number_of_draws_is_another_pipeline():
    shared = N(6).shuffle(3)
    state = iter(fp.Dataset.zip(shared, shared)).save()
    with pytest.raises(errors.FailedPreconditionError, match=r"another number of its ops"):
        fp.Dataset.zip(N(6).shuffle(3), N(6).shuffle(3)).iterator(state)
