"""Random pipelines give what a model in plain Python says, under every parallelism.

FASTPIPE_PIPELINES=5000 (`make pipelines`) tries so many; the default is fewer.
"""

import os
import random

import pytest
import random_pipelines
from laws import as_multiset, outcomes

import fastpipe as fp

PIPELINES = int(os.environ.get("FASTPIPE_PIPELINES", "400"))
CHUNK = 50
PARALLELISM = (1, 2, fp.AUTOTUNE)
SAVED_EVERY = 4  # of which positions are taken


def check(seed):
    pipeline = random_pipelines.make(seed)
    for calls in PARALLELISM:
        try:
            _check_elements(pipeline, calls)
            if seed % SAVED_EVERY == 0 and pipeline.savable:
                _check_position(pipeline, calls)
        except Exception as error:
            pytest.fail(f"{error}\n\nPipeline {seed}:\n{pipeline.script(calls)}")


def _check_elements(pipeline, calls):
    dataset = pipeline.build(calls)
    got, expected = outcomes(iter(dataset)), pipeline.expected
    if not pipeline.ordered:
        got, expected = as_multiset(got), as_multiset(expected)
    assert got == expected, f"got {got}"
    stated = dataset.cardinality()
    # An endless repeat counts as infinite, as in tf.data, although nothing times infinity is none.
    if stated != fp.UNKNOWN_CARDINALITY and ".repeat()" not in pipeline.text:
        assert stated == len(expected), f"cardinality {stated}, got {len(expected)} elements"


def _check_position(pipeline, calls):
    rng = random.Random(pipeline.seed)
    passed = rng.randrange(len(pipeline.expected) + 1)
    iterator = iter(pipeline.build(calls))
    outcomes(iterator, passed)
    state = iterator.save()
    rest = outcomes(iterator)
    again = outcomes(pipeline.build(rng.choice(PARALLELISM)).iterator(state))
    assert again == rest, f"restored after {passed}: got {again}, expected {rest}"


@pytest.mark.parametrize("first", range(0, PIPELINES, CHUNK))
def test_pipelines_give_what_the_model_says(first):
    for seed in range(first, min(first + CHUNK, PIPELINES)):
        check(seed)


def test_a_wrong_pipeline_is_shown_as_a_program(monkeypatch):
    pipeline = random_pipelines.Pipeline(3, "tf.data.Dataset.range(3).take(CALLS)", [0, 1, 2, 3])
    monkeypatch.setattr(random_pipelines, "make", lambda seed: pipeline)
    with pytest.raises(pytest.fail.Exception, match=r"ds = \(\n    tf.data.Dataset.range\(3\)\n"):
        check(3)


def test_the_same_seed_writes_the_same_pipeline():
    assert random_pipelines.make(7) == random_pipelines.make(7)
