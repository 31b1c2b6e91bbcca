"""The same seed gives the same elements in the same order, whatever computes them.

10,000 elements of a pipeline with shuffle, interleave and parallel maps, by one thread, two, eight
and as AUTOTUNE likes: one hash.
"""

from __future__ import annotations

import hashlib

from verdict import Verdict

import fastpipe as fp

ROUNDS = 20
CALLS = (1, 2, 8, fp.AUTOTUNE)
ELEMENTS = 10_000


def run(rounds: int) -> list[Verdict]:
    hashes = {_hash(_pipeline(calls)) for _ in range(rounds) for calls in CALLS}
    text = f"{len(hashes)} hash of {ELEMENTS} elements in {rounds} runs of {len(CALLS)} settings"
    return [Verdict(text, len(hashes) == 1)]


def _pipeline(calls: int) -> fp.Dataset:
    def inner(x: int) -> fp.Dataset:
        return fp.Dataset.range(x * 100, x * 100 + 100).map(lambda y: y * 3, calls)

    ds = fp.Dataset.range(ELEMENTS // 100).shuffle(20, seed=7)
    ds = ds.interleave(inner, cycle_length=4, block_length=3, num_parallel_calls=min(calls, 4))
    ds = ds.map(lambda x: (x, x % 7), num_parallel_calls=calls)
    return ds.shuffle(500, seed=3).batch(10, num_parallel_calls=calls).prefetch(calls)


def _hash(dataset: fp.Dataset) -> str:
    digest = hashlib.sha256()
    count = 0
    for value, rest in dataset:
        digest.update(value.tobytes() + rest.tobytes())
        count += len(value)
    assert count == ELEMENTS
    return digest.hexdigest()
