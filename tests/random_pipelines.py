"""Random pipelines, each as code and as its meaning in plain Python.

`make(seed)` writes a Pipeline: the text of an expression over `tf` and `np`, and the elements that
it must give. Elements are int64 scalars until the last step, which may batch them.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import reference

import fastpipe.compat.tf as tf

MOST_ELEMENTS = 60
CALLS = "CALLS"  # stands in a text for the number of parallel calls
CALLS_3 = f"min({CALLS}, 3)"

Values = list[Any]
Step = tuple[str, Callable[[Values], Values]]


@dataclass
class Pipeline:
    """A dataset as code, and what it must give.

    Attributes:
        seed: from which it was made.
        text: the expression; CALLS stands for the number of parallel calls.
        expected: the elements, in plain Python values.
        ordered: False if only the multiset of elements is known.
        savable: False if its positions cannot be replayed.
    """

    seed: int
    text: str
    expected: Values = field(default_factory=list)
    ordered: bool = True
    savable: bool = True

    def build(self, calls: int) -> Any:
        return eval(self.code(calls), {"tf": tf, "np": np})

    def code(self, calls: int) -> str:
        return self.text.replace(CALLS, str(calls))

    def script(self, calls: int) -> str:
        """The program as a user would run it."""
        steps = self.code(calls).replace(").", ")\n    .")
        return (
            f"import numpy as np\nimport fastpipe.compat.tf as tf\n\n"
            f"ds = (\n    {steps}\n)\nprint(list(ds))\n# expected: {self.expected}"
        )


def make(seed: int) -> Pipeline:
    rng = random.Random(seed)
    text, values = _source(rng)
    pipeline = Pipeline(seed, text, values)
    for _ in range(rng.randrange(7)):
        steps = _ANY_ORDER if not pipeline.ordered else _STEPS
        _append(pipeline, rng.choice(steps)(rng))
        if pipeline.ordered and rng.random() < 0.06:
            _unorder(pipeline, rng)
        if len(pipeline.expected) > MOST_ELEMENTS:
            if not pipeline.ordered:
                break
            _append(pipeline, _take(rng))
    if pipeline.ordered:
        _append(pipeline, rng.choice(_LAST)(rng))
    return pipeline


def _append(pipeline: Pipeline, step: Step) -> None:
    text, model = step
    whole = text if "INPUT" in text else f"INPUT{text}"
    pipeline.text = whole.replace("INPUT", pipeline.text)
    pipeline.expected = list(model(pipeline.expected))


def _unorder(pipeline: Pipeline, rng: random.Random) -> None:
    """Ends the known order by a shuffle, a draw or an unordered stage."""
    pipeline.ordered = False
    kind = rng.randrange(4)
    seed = rng.choice([None, rng.randrange(100)])
    again = rng.choice([True, False])
    if kind == 0:
        size = rng.choice([1, 2, 5, 100])
        step = f".shuffle({size}, seed={seed}, reshuffle_each_iteration={again})"
        _append(pipeline, (step, lambda values: values))
    elif kind == 1:
        other, more = _source(rng)
        text = f"tf.data.Dataset.sample_from_datasets([INPUT, {other}], seed={seed})"
        _append(pipeline, (text, lambda values: values + more))
    elif kind == 2:
        count = rng.randrange(4)
        inner = f"tf.data.Dataset.range(x, x + 3).shuffle(2, {seed}, {again}).repeat({count})"
        text = f".flat_map(lambda x: {inner})"
        _append(pipeline, (text, lambda values: [x + i for x in values for i in (0, 1, 2)] * count))
    else:
        pipeline.savable = False
        text = f".map(lambda x: x + 1, num_parallel_calls={CALLS}, deterministic=False)"
        _append(pipeline, (text, lambda values: [x + 1 for x in values]))


# ---- sources ----


def _source(rng: random.Random) -> tuple[str, Values]:
    kind = rng.randrange(3)
    if kind == 0:
        start, stop = rng.randrange(-4, 4), rng.randrange(-2, 20)
        step = rng.choice([1, 1, 2, 3, 4])
        return f"tf.data.Dataset.range({start}, {stop}, {step})", list(range(start, stop, step))
    if kind == 1:
        stop = rng.choice([0, 1, 2, 5, 9, 14])
        return f"tf.data.Dataset.range({stop})", list(range(stop))
    values = [rng.randrange(10) for _ in range(rng.randrange(1, 10))]
    return f"tf.data.Dataset.from_tensor_slices(np.array({values}, np.int64))", values


# ---- inner datasets, for flat_map and interleave ----


def _inner(rng: random.Random) -> tuple[str, Callable[[int], Values]]:
    size = rng.randrange(5)
    choices: list[tuple[str, Callable[[int], Values]]] = [
        (f"tf.data.Dataset.range(x, x + {size})", lambda x: list(range(x, x + size))),
        (f"tf.data.Dataset.from_tensors(x).repeat({size})", lambda x: [x] * size),
        ("tf.data.Dataset.from_tensor_slices([x, x + 1, x * 2])", lambda x: [x, x + 1, x * 2]),
        (f"tf.data.Dataset.range(x % {size + 1})", lambda x: list(range(x % (size + 1)))),
        (
            f"tf.data.Dataset.range({size}).map(lambda y: y + x * 10, num_parallel_calls={CALLS})",
            lambda x: [y + x * 10 for y in range(size)],
        ),
        (
            f"tf.data.Dataset.range({size}).filter(lambda y: y != x)",
            lambda x: [y for y in range(size) if y != x],
        ),
        (
            "tf.data.Dataset.range(x % 4).concatenate(tf.data.Dataset.from_tensors(x))",
            lambda x: [*range(x % 4), x],
        ),
        (
            f"tf.data.Dataset.range(x, x + {size}).batch(2).unbatch().prefetch(1)",
            lambda x: list(range(x, x + size)),
        ),
    ]
    return rng.choice(choices)


# ---- steps that keep elements scalars ----


def _map(rng: random.Random) -> Step:
    factor, offset = rng.randrange(1, 5), rng.randrange(3)
    calls = rng.choice(["None", CALLS])
    text = f".map(lambda x: x * {factor} + {offset}, num_parallel_calls={calls})"
    return text, lambda values: [x * factor + offset for x in values]


def _cond(rng: random.Random) -> Step:
    limit = rng.randrange(-2, 10)
    text = f".map(lambda x: tf.cond(x < {limit}, lambda: -x, lambda: x + 1))"
    return text, lambda values: [-x if x < limit else x + 1 for x in values]


def _filter(rng: random.Random) -> Step:
    modulus = rng.randrange(2, 5)
    rest = rng.randrange(modulus)
    text = f".filter(lambda x: x % {modulus} != {rest})"
    return text, lambda values: [x for x in values if x % modulus != rest]


def _take(rng: random.Random) -> Step:
    count = rng.choice([0, 1, 2, 5, 12, 30])
    return f".take({count})", lambda values: values[:count]


def _skip(rng: random.Random) -> Step:
    count = rng.choice([0, 1, 2, 5, 30])
    return f".skip({count})", lambda values: values[count:]


def _shard(rng: random.Random) -> Step:
    shards = rng.randrange(1, 5)
    index = rng.randrange(shards)
    return f".shard({shards}, {index})", lambda values: values[index::shards]


def _repeat(rng: random.Random) -> Step:
    count = rng.randrange(4)
    return f".repeat({count})", lambda values: values * count


def _endless(rng: random.Random) -> Step:
    count = rng.randrange(20)
    # An empty dataset repeated for ever is empty.
    return (
        f".repeat().take({count})",
        lambda values: list(itertools.islice(itertools.cycle(values), count)),
    )


def _concatenate(rng: random.Random) -> Step:
    other, more = _source(rng)
    return f".concatenate({other})", lambda values: values + more


def _prefetch(rng: random.Random) -> Step:
    size = rng.choice(["0", "1", "2", "tf.data.AUTOTUNE"])
    return f".prefetch({size})", lambda values: values


def _cache(rng: random.Random) -> Step:
    return ".cache()", lambda values: values


def _enumerate(rng: random.Random) -> Step:
    start = rng.randrange(5)
    return (
        f".enumerate({start}).map(lambda i, x: i - x)",
        lambda values: [i - x for i, x in enumerate(values, start)],
    )


def _scan(rng: random.Random) -> Step:
    start = rng.randrange(4)
    return (
        f".scan(np.int64({start}), lambda s, x: (s + x, s))",
        lambda values: list(reference.scan(values, start, lambda s, x: (s + x, s))),
    )


def _take_while(rng: random.Random) -> Step:
    limit = rng.randrange(3, 20)
    return (
        f".take_while(lambda x: x < {limit})",
        lambda values: list(itertools.takewhile(lambda x: x < limit, values)),
    )


def _unique(rng: random.Random) -> Step:
    return ".unique()", lambda values: list(dict.fromkeys(values))


def _rebatch(rng: random.Random) -> Step:
    size, drop = rng.randrange(1, 5), rng.choice([True, False])
    sizes, last = rng.choice([[1], [2], [1, 3], [4, 2, 1]]), rng.choice([True, False])

    def model(values: Values) -> Values:
        batches = list(reference.batch(values, size, drop))
        again = reference.rebatch(batches, sizes, last)
        return list(reference.unbatch(again))

    return (
        f".batch({size}, drop_remainder={drop}).rebatch({sizes}, drop_remainder={last}).unbatch()",
        model,
    )


def _batch_sums(rng: random.Random) -> Step:
    size = rng.randrange(1, 5)
    return (
        f".batch({size}, num_parallel_calls={CALLS}).map(lambda b: tf.reduce_sum(b))",
        lambda values: [sum(rows) for rows in reference.batch(values, size)],
    )


def _window(rng: random.Random) -> Step:
    size, shift, stride = (rng.randrange(1, 5) for _ in range(3))
    drop = rng.choice([True, False])
    inner = rng.choice(
        [
            ".flat_map(lambda w: w.batch(9).map(lambda b: tf.reduce_sum(b)))",
            ".map(lambda w: w.reduce(np.int64(0), lambda s, x: s + x))",
            f".map(lambda w: tf.reduce_sum(w.batch(9).get_single_element()), {CALLS})",
            f".interleave(lambda w: w.batch(9).map(lambda b: tf.reduce_sum(b)), 3, 1, {CALLS_3})",
        ]
    )
    return (
        f".window({size}, shift={shift}, stride={stride}, drop_remainder={drop}){inner}",
        lambda values: [sum(rows) for rows in reference.window(values, size, shift, stride, drop)],
    )


def _group_by_window(rng: random.Random) -> Step:
    modulus, size, rows = (rng.randrange(1, 5) for _ in range(3))
    return (
        f".group_by_window(lambda x: x % {modulus}, "
        f"lambda k, w: w.batch({rows}).map(lambda b: tf.reduce_max(b) + k), window_size={size})",
        lambda values: list(
            reference.group_by_window(
                values,
                lambda x: x % modulus,
                lambda key, group: [max(b) + key for b in reference.batch(group, rows)],
                lambda key: size,
            )
        ),
    )


def _group_by_reducer(rng: random.Random) -> Step:
    modulus = rng.randrange(1, 5)

    def model(values: Values) -> Values:
        keys = sorted({x % modulus for x in values})
        return [sum(x for x in values if x % modulus == key) - key for key in keys]

    return (
        f".apply(tf.data.experimental.group_by_reducer(lambda x: x % {modulus}, "
        f"tf.data.experimental.Reducer(lambda k: (k, k * 0), lambda s, x: (s[0], s[1] + x), "
        f"lambda k, s: s - k)))",
        model,
    )


def _flat_map(rng: random.Random) -> Step:
    text, inner = _inner(rng)
    return (
        f".flat_map(lambda x: {text})",
        lambda values: [y for x in values for y in inner(x)],
    )


def _interleave(rng: random.Random) -> Step:
    text, inner = _inner(rng)
    cycle, block = rng.randrange(1, 7), rng.randrange(1, 5)
    calls = rng.choice(["None", f"min({CALLS}, {cycle})"])
    return (
        f".interleave(lambda x: {text}, cycle_length={cycle}, block_length={block}, "
        f"num_parallel_calls={calls}, deterministic=True)",
        lambda values: list(reference.interleave(map(inner, values), cycle, block)),
    )


def _zip(rng: random.Random) -> Step:
    other, more = _source(rng)
    return (
        f"tf.data.Dataset.zip(INPUT, {other}).map(lambda a, b: a - b)",
        lambda values: [a - b for a, b in zip(values, more)],
    )


def _choose(rng: random.Random) -> Step:
    other, more = _source(rng)
    choices = [rng.randrange(2) for _ in range(rng.randrange(1, 15))]
    stop = rng.choice([True, False])
    return (
        f"tf.data.Dataset.choose_from_datasets([INPUT, {other}], "
        f"tf.data.Dataset.from_tensor_slices(np.array({choices})), {stop})",
        lambda values: list(reference.choose_from([values, more], choices, stop)),
    )


def _ignore_errors(rng: random.Random) -> Step:
    modulus = rng.randrange(2, 5)
    calls = rng.choice(["None", CALLS])
    return (
        f".map(lambda x: 60 // (x % {modulus}), num_parallel_calls={calls}).ignore_errors()",
        lambda values: [60 // (x % modulus) for x in values if x % modulus],
    )


_STEPS = [
    _map, _map, _cond, _filter, _take, _skip, _shard, _repeat, _endless, _concatenate, _prefetch,
    _cache, _enumerate, _scan, _take_while, _unique, _rebatch, _batch_sums, _window, _window,
    _group_by_window, _group_by_reducer, _flat_map, _interleave, _interleave, _interleave, _zip,
    _choose, _ignore_errors,
]  # fmt: skip
# What keeps a multiset known.
_ANY_ORDER = [_map, _cond, _filter, _repeat, _concatenate, _prefetch, _cache, _flat_map, _unique]


# ---- last steps ----


def _nothing(rng: random.Random) -> Step:
    return "", lambda values: values


def _batch(rng: random.Random) -> Step:
    size, drop = rng.randrange(1, 6), rng.choice([True, False])
    calls = rng.choice(["None", CALLS])
    return (
        f".batch({size}, drop_remainder={drop}, num_parallel_calls={calls})",
        lambda values: list(reference.batch(values, size, drop)),
    )


def _structure(rng: random.Random) -> Step:
    size = rng.randrange(1, 4)
    return (
        f".map(lambda x: (x, {{'neg': -x}})).batch({size})",
        lambda values: [
            (rows, {"neg": [-x for x in rows]}) for rows in reference.batch(values, size)
        ],
    )


def _padded_batch(rng: random.Random) -> Step:
    size, drop = rng.randrange(1, 4), rng.choice([True, False])
    length, padding = rng.choice([None, 4, 6]), rng.choice([0, -1])
    return (
        f".map(lambda x: tf.range(x % 5)).padded_batch({size}, padded_shapes=[{length}], "
        f"padding_values=np.int64({padding}), drop_remainder={drop})",
        lambda values: list(
            reference.padded_batch(
                [list(range(x % 5)) for x in values], size, length, padding, drop
            )
        ),
    )


def _text(rng: random.Random) -> Step:
    size = rng.randrange(1, 4)
    return (
        f".map(lambda x: tf.strings.as_string(x)).batch({size})",
        lambda values: [[b"%d" % x for x in rows] for rows in reference.batch(values, size)],
    )


_LAST = [_nothing, _nothing, _batch, _batch, _structure, _padded_batch, _text]
