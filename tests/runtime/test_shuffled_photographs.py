"""A shuffle over decoded photographs saves where it stands, not the photographs."""

import pytest
from images import jpeg, photograph

import fastpipe as fp

BUFFER = 10_000
MOST_BYTES = 64 << 10


def photographs(calls):
    files = [jpeg(photograph(8, 8, seed=seed)) for seed in range(100)]
    ds = fp.Dataset.from_tensor_slices(files).repeat().enumerate()
    ds = ds.map(lambda number, file: (number, fp.io.decode_jpeg(file)), num_parallel_calls=calls)
    return ds.shuffle(BUFFER, seed=1)


@pytest.mark.parametrize("calls", [None, 2])
def test_a_shuffle_over_decoded_photographs_saves_little_and_goes_on_exactly(calls):
    dataset = photographs(calls)
    iterator = iter(dataset)
    for _ in range(300):
        next(iterator)
    state = iterator.save()
    assert len(state) < MOST_BYTES
    restored = dataset.iterator(state)
    for _ in range(50):
        (number, pixels), (wanted, expected) = next(restored), next(iterator)
        assert number == wanted
        assert (pixels == expected).all()


@pytest.mark.parametrize("calls", [None, 1, 2])
def test_restoring_does_not_compute_what_left_the_buffer_long_ago(calls):
    computed = []

    def note(value):
        computed.append(int(value))
        return value

    ds = fp.Dataset.range(5000).map(
        lambda x: fp.py_function(note, [x], fp.int64), num_parallel_calls=calls
    )
    ds = ds.shuffle(20, seed=1)
    iterator = iter(ds)
    for _ in range(4000):
        next(iterator)
    state = iterator.save()
    rest = [int(x) for x in iterator]
    computed.clear()
    restored = ds.iterator(state)
    # An element stays in the buffer for 20 picks on average.
    assert len(computed) <= (20 if calls is None else 1000)
    assert [int(x) for x in restored] == rest
