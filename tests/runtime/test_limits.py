"""Requests that no machine can meet are errors with a reason, and their neighbours arrive."""

import numpy as np
import pytest
from process import run

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError, ResourceExhaustedError


@pytest.mark.parametrize("size", [2**40, 2**61, 2**63 - 1])
def test_a_padded_shape_beyond_memory_costs_its_batch(size):
    ds = fp.Dataset.from_tensor_slices(np.zeros((4, 3), np.float32))
    with pytest.raises(ResourceExhaustedError, match="bytes"):
        next(iter(ds.padded_batch(2, padded_shapes=[size])))


def test_a_value_beyond_memory_costs_its_element():
    sizes = [2, 2**33, 3]
    iterator = iter(fp.Dataset.from_tensor_slices(sizes).map(lambda n: fp.zeros([n])))
    assert len(next(iterator)) == 2
    with pytest.raises(ResourceExhaustedError, match="bytes"):
        next(iterator)
    assert len(next(iterator)) == 3


def test_a_feature_beyond_memory_is_an_error():
    example = b"\n\x0e\n\x0c\n\x01a\x12\x07\x1a\x05\n\x03\x01\x02\x03"
    with pytest.raises((InvalidArgumentError, ResourceExhaustedError)):
        fp.io.parse_single_example(example, {"a": fp.io.FixedLenFeature([2**62], "int64")})


def test_tensors_have_at_most_64_dimensions():
    deepest = np.zeros((1,) * 64, np.int32)
    (same,) = list(fp.Dataset.from_tensors(deepest))
    assert same.shape == deepest.shape
    with pytest.raises(InvalidArgumentError, match="at most 64 dimensions, got one of 65"):
        list(fp.Dataset.from_tensors(deepest).batch(1))


@pytest.mark.parametrize(
    "make",
    [
        lambda ds: ds.map(lambda x: x, num_parallel_calls=2**30),
        lambda ds: ds.map(lambda x: x, num_parallel_calls=2**32 + 3),
        lambda ds: ds.interleave(lambda x: ds, cycle_length=2**40),
    ],
)
def test_counts_that_must_be_mistakes_are_refused_when_the_pipeline_is_built(make):
    with pytest.raises(InvalidArgumentError, match="must be at most"):
        make(fp.Dataset.range(3))


def test_no_number_of_calls_changes_the_order_of_a_default_cycle():
    ds = fp.Dataset.range(40)

    def ids(calls):
        return [int(x) for x in ds.interleave(make, num_parallel_calls=calls)]

    def make(x):
        return fp.Dataset.from_tensors(x).repeat(3)

    assert ids(None) == ids(4) == ids(32)


def test_a_thousand_operators_are_a_pipeline():
    ds = fp.Dataset.range(1)
    for _ in range(1000):
        ds = ds.concatenate(fp.Dataset.range(1))
    assert len(list(ds)) == 1001


def test_a_system_without_threads_is_an_error():
    result = run(
        """
        import resource
        ds = fp.Dataset.range(3).map(lambda x: x + 1, num_parallel_calls=2)
        import os
        os.setuid(65534) if os.getuid() == 0 else None
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        try:
            print(list(map(int, ds)))
        except fp.errors.ResourceExhaustedError as error:
            print("thread" in str(error))
        """
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() in ("True", "[1, 2, 3]"), "the limit binds or it does not"
