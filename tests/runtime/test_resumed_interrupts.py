"""After an interrupt the pass goes on: no element is lost and none comes twice, in any op."""

import gzip
import random

import pytest
import random_pipelines
from laws import FAILED, as_multiset, plain

import fastpipe as fp
from fastpipe import _core, errors

MANY = 10**9


@pytest.fixture(autouse=True)
def no_interrupt_is_left():
    yield
    _core.interrupt_at(0)


def elements(dataset, check, rng=None):
    """What a pass gives, interrupted at look `check`; and later ones, drawn by `rng`."""
    iterator, results = iter(dataset), []
    _core.interrupt_at(check)
    more = 20 if rng else 0
    while True:
        try:
            results.append(plain(next(iterator)))
        except StopIteration:
            return results
        except errors.InvalidArgumentError:
            results.append(FAILED)
        except errors.CancelledError as error:
            assert "interrupted" in str(error)
            if more:
                more -= 1
                _core.interrupt_at(rng.randrange(1, 40))


def looks(dataset):
    """How many looks for a signal a pass takes on the consumer's thread."""
    elements(dataset, MANY)
    return MANY - _core.interrupt_at(0)


def check_interrupts(make, view=list, most=20):
    expected = view(elements(make(), MANY))
    total = looks(make())
    assert total > 0
    rng = random.Random(total)
    checks = range(1, total + 1)
    for check in checks if total <= most else sorted(rng.sample(checks, most)):
        assert view(elements(make(), check)) == expected, f"interrupted at look {check} of {total}"
        again = view(elements(make(), check, random.Random(check)))
        assert again == expected, f"interrupted from look {check} of {total} on"


@pytest.mark.parametrize("seed", range(24))
def test_a_random_pipeline_that_is_interrupted_anywhere_gives_all_its_elements(seed):
    pipeline = random_pipelines.make(seed)
    view = list if pipeline.ordered else as_multiset
    check_interrupts(lambda: pipeline.build(1 + seed % 2), view, most=6)


def last(ds):
    return ds.reduce(fp.constant(0, fp.int64), lambda state, x: state + x)


N = fp.Dataset.range
FUNCTIONS = {
    "map": lambda: N(4).map(lambda x: last(N(x))),
    "parallel map": lambda: N(4).map(lambda x: last(N(x)), num_parallel_calls=2),
    "filter": lambda: N(5).filter(lambda x: last(N(x)) % 3 == 0),
    "take_while": lambda: N(5).take_while(lambda x: last(N(x)) < 6),
    "scan": lambda: N(5).scan(fp.constant(0, fp.int64), lambda s, x: (s + last(N(x)), s)),
    "flat_map": lambda: N(4).flat_map(lambda x: N(last(N(x)))),
    "interleave": lambda: N(4).interleave(lambda x: N(last(N(x))), 2),
    "group_by_window": lambda: N(9).group_by_window(
        lambda x: last(N(x)) % 2, lambda key, group: N(last(group)).take(2), 3
    ),
    "window_size_func": lambda: N(9).group_by_window(
        lambda x: x % 2,
        lambda key, group: group.batch(9),
        window_size_func=lambda k: 1 + last(N(k + 1)),
    ),
    "group_by_reducer": lambda: N(6).apply(
        fp.experimental.group_by_reducer(
            lambda x: last(N(x)) % 2,
            fp.experimental.Reducer(
                lambda k: last(N(k)), lambda s, x: s + last(N(x)), lambda s: s + last(N(s))
            ),
        )
    ),
}


@pytest.mark.parametrize("op", FUNCTIONS)
def test_an_op_that_is_interrupted_within_its_function_computes_that_element_again(op):
    check_interrupts(FUNCTIONS[op])


OPS = {
    "zip": lambda: fp.Dataset.zip(N(6), N(9).filter(lambda x: x % 2 == 0), N(4)),
    "zip of errors": lambda: fp.Dataset.zip(N(4).map(lambda x: 6 // (x % 2)), N(9)),
    "choose": lambda: fp.Dataset.choose_from_datasets(
        [N(4), N(9).filter(lambda x: x > 4)], fp.Dataset.range(2).repeat(4)
    ),
    "sample": lambda: fp.Dataset.sample_from_datasets(
        [N(5), N(2), N(40).filter(lambda x: x > 9)], weights=[0.01, 0.98, 0.01], seed=3
    ).take(12),
    "repeat": lambda: N(3).filter(lambda x: x > 1).repeat(3),
    "empty epochs": lambda: N(3).filter(lambda x: x > 4).repeat(3),
    "skip": lambda: N(9).filter(lambda x: x > 1).skip(3),
    "skip a zip": lambda: fp.Dataset.zip(N(9), N(9).map(lambda x: x + 1)).skip(3),
    "skip batches": lambda: N(20).map(lambda x: x + 1).batch(3).skip(2),
    "shard": lambda: N(9).shard(3, 1),
    "shuffle": lambda: N(12).filter(lambda x: x > 1).shuffle(4, seed=1),
    "parallel batch": lambda: N(9).batch(2, num_parallel_calls=2),
    "padded_batch": lambda: N(5).map(lambda x: fp.range(x)).padded_batch(2),
    "window": lambda: N(9).window(3, shift=2).flat_map(lambda w: w.batch(9)),
    "unbatch": lambda: N(9).batch(4).unbatch().skip(1),
    "rebatch": lambda: N(9).batch(4).rebatch([1, 3]),
    "prefetch": lambda: N(9).prefetch(2),
    "parallel interleave": lambda: N(4).interleave(N, 2, num_parallel_calls=2),
    "cache": lambda: N(4).filter(lambda x: x > 1).cache().repeat(2),
    "ignore_errors": lambda: N(6).map(lambda x: 6 // (x % 3)).ignore_errors(),
    "enumerate": lambda: N(4).filter(lambda x: x > 1).enumerate(),
    "unique": lambda: N(9).map(lambda x: x % 3).unique(),
    "random numbers": lambda: N(4).map(lambda x: fp.random.uniform((), seed=4)),
}


@pytest.mark.parametrize("op", OPS)
def test_an_op_that_is_interrupted_loses_nothing(op):
    check_interrupts(OPS[op])


@pytest.mark.parametrize("compression", ["", "GZIP"])
@pytest.mark.parametrize("delay", [0.0, 1e-6])
def test_a_reader_that_is_interrupted_goes_on_within_its_line(tmp_path, compression, delay):
    lines = b"".join(b"line %d %s\n" % (i, b"x" * i * 7) for i in range(12))
    path = tmp_path / "lines"
    path.write_bytes(gzip.compress(lines) if compression else lines)
    storage = fp.SimulatedStorage(read_delay=delay) if delay else fp.SimulatedStorage()
    options = fp.Options(storage=storage)
    check_interrupts(
        lambda: fp.TextLineDataset([str(path)] * 2, compression, buffer_size=16).with_options(
            options
        )
    )


def test_an_op_that_was_interrupted_within_an_element_refuses_to_say_where_it_stands():
    refused = 0
    for check in range(1, 12):
        dataset = N(3).map(lambda x: last(N(x)))
        iterator, results = iter(dataset), []
        _core.interrupt_at(check)
        while len(results) < 3:
            try:
                results.append(int(next(iterator)))
            except errors.CancelledError:
                try:
                    rest = [int(x) for x in dataset.iterator(iterator.save())]
                    assert results + rest == [0, 0, 1]
                except errors.FailedPreconditionError as error:
                    assert "interrupted within an element; take that one first" in str(error)
                    refused += 1
        _core.interrupt_at(0)
        assert results == [0, 0, 1]
    assert refused > 0


NESTED = {
    "an interleave": lambda: (
        N(4).map(lambda x: last(N(x + 2))).interleave(lambda x: N(x).take(3), 3, 2)
    ),
    "a parallel interleave": lambda: (
        N(4)
        .map(lambda x: last(N(x + 2)))
        .interleave(lambda x: N(x).take(3), 3, 2, num_parallel_calls=2)
    ),
    "a flat_map": lambda: N(4).map(lambda x: last(N(x + 2))).flat_map(lambda x: N(x).take(3)),
    "a shuffle": lambda: N(9).map(lambda x: last(N(x + 2))).shuffle(3, seed=1),
    "a window": lambda: (
        N(9).map(lambda x: last(N(x + 2))).window(3, shift=2).flat_map(lambda w: w.batch(9))
    ),
    "groups": lambda: (
        N(9)
        .map(lambda x: last(N(x + 2)))
        .group_by_window(lambda x: x % 2, lambda key, group: group.batch(2), 3)
    ),
    "a cache": lambda: N(4).map(lambda x: last(N(x + 2))).cache().repeat(2),
    "a scan": lambda: (
        N(4).map(lambda x: last(N(x + 2))).scan(fp.constant(0, fp.int64), lambda s, x: (s + x, s))
    ),
}


@pytest.mark.parametrize("op", [*FUNCTIONS, *OPS, *NESTED])
def test_what_is_saved_behind_an_interrupt_is_where_the_pass_stands(op):
    make = {**FUNCTIONS, **OPS, **NESTED}[op]
    expected = elements(make(), MANY)
    total = looks(make())
    checks = range(1, total + 1)
    for check in checks if total <= 20 else sorted(random.Random(total).sample(checks, 20)):
        iterator, results, interrupted = iter(make()), [], False
        _core.interrupt_at(check)
        while True:
            try:
                results.append(plain(next(iterator)))
            except StopIteration:
                break
            except errors.InvalidArgumentError:
                results.append(FAILED)
            except errors.CancelledError:
                interrupted = True
            if not interrupted:
                continue  # other passes would take the looks
            try:
                state = iterator.save()
            except (errors.FailedPreconditionError, errors.UnimplementedError):
                continue
            rest = elements(make().iterator(state), MANY)
            assert results + rest == expected, f"saved behind look {check}"
        assert results == expected
