"""Random pipelines give the same out of files: saved and loaded, cached, and as a snapshot."""

import random
import shutil

import pytest
import random_pipelines
from laws import FAILED, as_multiset, outcomes

import fastpipe as fp

PIPELINES = 60
CHUNK = 20


def check(seed, folder):
    pipeline = random_pipelines.make(seed)
    expected = pipeline.expected
    rng = random.Random(seed)
    view = list if pipeline.ordered else as_multiset
    compression = rng.choice([None, "ZSTD", "GZIP"])
    dataset = pipeline.build(1)
    if FAILED not in expected and dataset.cardinality() != fp.INFINITE_CARDINALITY:
        dataset.save(folder / "saved", compression=compression)
        loaded = fp.Dataset.load(folder / "saved")
        assert view(outcomes(iter(loaded))) == view(expected)
        assert len(loaded) == len(expected)
        assert loaded.element_spec == dataset.element_spec
    for kept in (dataset.cache(folder / "cache"), dataset.snapshot(folder, compression)):
        first = outcomes(iter(kept))
        assert view(first) == view(expected)
        iterator = iter(kept)
        passed = rng.randrange(len(expected) + 1)
        assert outcomes(iterator, passed) == first[:passed]
        state = iterator.save()
        assert outcomes(iterator) == outcomes(kept.iterator(state)) == first[passed:]


@pytest.mark.parametrize("first", range(0, PIPELINES, CHUNK))
def test_pipelines_give_the_same_out_of_files(tmp_path, first):
    for seed in range(first, first + CHUNK):
        try:
            check(seed, tmp_path / str(seed))
        except Exception as error:
            script = random_pipelines.make(seed).script(1)
            pytest.fail(f"{error}\n\nPipeline {seed}:\n{script}")
        shutil.rmtree(tmp_path / str(seed))
