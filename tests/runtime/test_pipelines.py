"""Random pipelines: what the model says, at any parallelism, from any position, with any error."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import elements, numbers, outcomes

import fastpipe as fp

PARALLEL = [None, 1, 3, fp.AUTOTUNE]


class Step(NamedTuple):
    """A transformation of integers and its meaning."""

    name: str
    apply: Callable[[Any, Any], Any]  # (dataset, num_parallel_calls)
    model: Callable[[list[int]], Any]
    counts_errors: bool = False  # what it gives depends on where an error lies

    def __repr__(self) -> str:
        return self.name


def inner(x):
    return fp.Dataset.range(x, x + abs(x) % 5)


def inner_list(x):
    return list(range(x, x + abs(x) % 5))


def few(calls):
    return 1 if calls == 3 else calls


def fixed_steps(n: int) -> list[Step]:
    """Steps with the number n, from 1 to 6, as their argument."""
    return [
        Step("map", lambda ds, c: ds.map(lambda x: x * n + 1, c), lambda v: [x * n + 1 for x in v]),
        Step(
            "filter",
            lambda ds, c: ds.filter(lambda x: x % n != 1),
            lambda v: [x for x in v if x % n != 1],
        ),
        Step("take", lambda ds, c: ds.take(n), lambda v: v[:n]),
        Step("skip", lambda ds, c: ds.skip(n), lambda v: v[n:]),
        Step("shard", lambda ds, c: ds.shard(n, n - 1), lambda v: v[n - 1 :: n]),
        Step("repeat", lambda ds, c: ds.repeat(n % 3), lambda v: v * (n % 3)),
        Step("cache", lambda ds, c: ds.cache(), lambda v: v),
        Step("cache twice", lambda ds, c: ds.cache().repeat(2), lambda v: v * 2),
        Step("prefetch", lambda ds, c: ds.prefetch(n if c != fp.AUTOTUNE else c), lambda v: v),
        Step("batch", lambda ds, c: ds.batch(n, num_parallel_calls=c).unbatch(), lambda v: v),
        Step(
            "full batch",
            lambda ds, c: ds.batch(n, True, c).unbatch(),
            lambda v: v[: len(v) // n * n],
        ),
        Step(
            "sum of batches",
            lambda ds, c: ds.batch(n, num_parallel_calls=c).map(fp.reduce_sum, c),
            lambda v: [sum(rows) for rows in reference.batch(v, n)],
        ),
        Step("rebatch", lambda ds, c: ds.batch(2).rebatch(n).unbatch(), lambda v: v),
        Step("padded", lambda ds, c: ds.padded_batch(n).unbatch(), lambda v: v),
        Step(
            "interleave",
            lambda ds, c: ds.interleave(inner, n, 2, c if c in (None, -1) else min(c, n)),
            lambda v: list(reference.interleave(map(inner_list, v), n, 2)),
        ),
        Step(
            "flat_map",
            lambda ds, c: ds.flat_map(inner),
            lambda v: [y for x in v for y in inner_list(x)],
        ),
        Step(
            "window",
            lambda ds, c: ds.window(n, 2).flat_map(lambda w: w.batch(n)).unbatch(),
            lambda v: [x for rows in reference.window(v, n, 2) for x in rows],
        ),
        Step(
            "group_by_window",
            lambda ds, c: ds.group_by_window(
                lambda x: x % 3, lambda k, g: g.map(lambda x: x + k), n
            ),
            lambda v: list(
                reference.group_by_window(
                    v, lambda x: x % 3, lambda k, g: [x + k for x in g], lambda k: n
                )
            ),
        ),
        Step(
            "scan",
            lambda ds, c: ds.scan(np.int64(n), lambda s, x: (s + x, s)),
            lambda v: list(reference.scan(v, n, lambda s, x: (s + x, s))),
        ),
        Step("unique", lambda ds, c: ds.unique(), lambda v: list(dict.fromkeys(v))),
        Step(
            "enumerate",
            lambda ds, c: ds.enumerate().map(lambda i, x: i + x, c),
            lambda v: [i + x for i, x in enumerate(v)],
        ),
        Step(
            "concatenate",
            lambda ds, c: ds.concatenate(fp.Dataset.range(n)),
            lambda v: [*v, *range(n)],
        ),
        Step(
            "zip",
            lambda ds, c: fp.Dataset.zip(ds, fp.Dataset.range(n * 2)).map(lambda a, b: a - b),
            lambda v: [a - b for a, b in zip(v, range(2 * n))],
            counts_errors=True,
        ),
        Step(
            "take_while",
            lambda ds, c: ds.take_while(lambda x: x < 40),
            lambda v: list(reference.take_while(v, lambda x: x < 40)),
        ),
    ]


SHUFFLE = [
    Step(f"shuffle {again}", lambda ds, c, again=again: ds.shuffle(4, 7, again), lambda v: v)
    for again in (True, False)
]

steps = st.integers(1, 6).flatmap(lambda n: st.sampled_from(fixed_steps(n)))
values = st.lists(st.integers(0, 30), max_size=9)
LIMIT = 300  # results of a pipeline that are looked at


def build(source, chain, calls):
    ds = source
    for step in chain:
        ds = step.apply(ds, calls)
    return ds


def meaning(given_values, chain):
    result = list(given_values)
    for step in chain:
        result = list(step.model(result[: 4 * LIMIT]))
    return result


@settings(max_examples=400)
@given(values, st.lists(steps, min_size=2, max_size=5), st.sampled_from(PARALLEL))
def test_any_pipeline_means_what_the_model_says(given_values, chain, calls):
    ds = build(numbers(given_values), chain, calls)
    expected = meaning(given_values, chain)[:LIMIT]
    assert outcomes(iter(ds), LIMIT) == expected
    if len(expected) < LIMIT and ds.cardinality() != fp.UNKNOWN_CARDINALITY:
        assert ds.cardinality() == len(expected)


def place_in(results, fraction):
    return int(fraction * len(results))


@settings(max_examples=400)
@given(
    values,
    st.lists(st.one_of(steps, st.sampled_from(SHUFFLE)), min_size=2, max_size=5),
    st.sampled_from(PARALLEL),
    st.sampled_from(PARALLEL),
    st.lists(st.floats(0, 1), min_size=1, max_size=3),
)
def test_any_pipeline_goes_on_from_any_position(given_values, chain, saved, restored, fractions):
    whole = outcomes(iter(build(numbers(given_values), chain, None)), LIMIT)
    ds = build(numbers(given_values), chain, saved)
    it, place = iter(ds), 0
    other = pickle.loads(pickle.dumps(build(numbers(given_values), chain, restored)))
    for fraction in fractions:  # saved and restored several times on the way
        step = place_in(whole[place:], fraction)
        assert outcomes(it, step) == whole[place : place + step]
        place += step
        state = it.save()
        it = (ds if place % 2 else other).iterator(state)
    assert outcomes(it, LIMIT - place) == whole[place:]


@settings(max_examples=300)
@given(
    values,
    st.integers(0, 8),
    st.lists(st.one_of(steps, st.sampled_from(SHUFFLE)), min_size=1, max_size=4),
    st.sampled_from(PARALLEL),
    st.floats(0, 1),
)
def test_an_error_costs_itself_in_any_pipeline(given_values, failing, chain, calls, fraction):
    failing = min(failing, len(given_values))

    def make(parallel):
        return build(numbers(given_values, failing), chain, parallel)

    whole = outcomes(iter(make(None)), LIMIT)
    shuffled = any(step.name.startswith("shuffle") for step in chain)
    counting = any(step.counts_errors for step in chain)
    if len(whole) < LIMIT and not shuffled and not counting:
        assert elements(whole) == meaning(given_values, chain)
    ds = make(calls)
    it = iter(ds)
    place = place_in(whole, fraction)
    assert outcomes(it, place) == whole[:place]
    state = it.save()
    assert outcomes(ds.iterator(state), LIMIT - place) == whole[place:]
    assert outcomes(it, LIMIT - place) == whole[place:]
