import numpy as np
import pytest

from fastpipe import strings
from fastpipe.errors import InvalidArgumentError

ALL = 2**63 - 1
TEXT = bytes(range(256)) * 2


@pytest.mark.parametrize(
    ("length", "fingerprint"),
    [
        (0, 1936946117179621456),
        (1, 4494688008148699989),
        (3, 1486536572171691163),
        (4, 198155675784242497),
        (7, 2513219638405408418),
        (8, 3267946340606884761),
        (16, 1080060857502750420),
        (17, 4302810082142134045),
        (32, 1917831512995979081),
        (33, 7527044130840859215),
        (64, 8468179876952591436),
        (65, 5089956174350597567),
        (127, 7677487249821875638),
        (128, 2037963038260878803),
        (129, 5659797075620071487),
        (200, 525935771297148851),
        (512, 6176767960315378659),
    ],
)
def test_fingerprints_are_tensorflows(length, fingerprint):
    assert strings.to_hash_bucket_fast(TEXT[:length], ALL) == fingerprint


def test_buckets():
    buckets = strings.to_hash_bucket_fast([["k"], ["v"]], 1000)
    assert buckets.dtype == np.int64
    assert buckets.tolist() == [[829], [321]]
    assert strings.to_hash_bucket_fast("anything", 1) == 0


LENGTHS = [0, 1, 7, 8, 9, 16, 33, 200]


def test_plain_hashes_are_tensorflows():
    assert [int(strings.to_hash_bucket(TEXT[:n], ALL)) for n in LENGTHS] == [
        105434511174508092, 1950187560451231046, 6547966941342362843, 502628180446468569,
        7023514638034644624, 2600588123549868653, 5573693374195701004, 8797224591143368235,
    ]  # fmt: skip


def test_hashes_under_a_key_are_tensorflows():
    key = [123456789, -5]
    assert [int(strings.to_hash_bucket_strong(TEXT[:n], ALL, key)) for n in LENGTHS] == [
        2485238625977559269, 3238231253814761676, 1656440590062675110, 2741967966910467077,
        8151793102836967959, 294311734793192034, 3671779694425636589, 7919275069563247219,
    ]  # fmt: skip
    with pytest.raises(InvalidArgumentError, match="key must hold two integers, got 1"):
        strings.to_hash_bucket_strong("a", 10, [1])


def test_no_buckets():
    with pytest.raises(InvalidArgumentError, match="num_buckets must be >= 1, got 0"):
        strings.to_hash_bucket_fast("a", 0)
