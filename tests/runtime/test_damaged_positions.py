"""Whatever happened to the bytes of a position, restoring refuses it or gives a pass."""

import contextlib
import signal

import pytest

import fastpipe as fp
from fastpipe import errors

N = fp.Dataset.range
REFUSED = (errors.DataLossError, errors.FailedPreconditionError)


def words(folder):
    path = folder / "lines"
    path.write_text("".join(f"line {i}\n" for i in range(20)))
    return str(path)


PIPELINES = {
    "shuffled batches": lambda folder: N(40).shuffle(7, seed=1).batch(3).repeat(2),
    "parallel stages": lambda folder: (
        N(30)
        .interleave(lambda x: N(x % 4), 3, 2, num_parallel_calls=2)
        .map(lambda x: x + 1, num_parallel_calls=2)
        .prefetch(2)
    ),
    "held elements": lambda folder: (
        N(30)
        .window(3, shift=1)
        .flat_map(lambda w: w.batch(9))
        .unbatch()
        .scan(fp.constant(0, fp.int64), lambda s, x: (s + x, s))
    ),
    "batches of rows": lambda folder: (
        N(40).map(lambda x: fp.range(x % 4)).padded_batch(3).map(lambda x: x[:, :1]).ragged_batch(2)
    ),
    "groups": lambda folder: (
        N(30)
        .group_by_window(lambda x: x % 3, lambda k, w: w.batch(2), window_size=4)
        .rebatch([1, 3])
        .map(lambda x: x[0])
        .unique()
    ),
    "several inputs": lambda folder: fp.Dataset.zip(
        fp.Dataset.sample_from_datasets([N(9), N(9).concatenate(N(4))], seed=3),
        fp.Dataset.random(seed=2),
        N(5).repeat(),
    ),
    "readers": lambda folder: fp.TextLineDataset([words(folder)] * 2).cache().enumerate(3),
    "everything of unknown size": lambda folder: N(40).filter(lambda x: x % 2 == 0).shuffle(-2),
    "without seeds": lambda folder: (
        N(9)
        .shuffle(4)
        .concatenate(N(9).shuffle(3))
        .cache()
        .repeat(2)
        .window(2)
        .flat_map(lambda w: w.batch(2))
    ),
    "no end": lambda folder: N(9).repeat().shuffle(4, seed=1).batch(2),
}


def state_of(dataset, passed=5):
    iterator = iter(dataset)
    for _ in range(passed):
        next(iterator)
    return iterator.save()


def varint(value):
    """As PositionWriter::PutInt."""
    rest = (value << 1) ^ (value >> 63)
    rest &= 2**64 - 1
    written = bytearray()
    while rest >= 0x80:
        written.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*written, rest])


def read_varint(state, place):
    value = shift = 0
    while True:
        byte = state[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), place


def take_apart(state):
    """The head, the body, which is what the stages wrote, and nothing of the checksum."""
    size, place = read_varint(state, 0)
    place += size  # the magic
    _, place = read_varint(state, place)  # the version
    size, place = read_varint(state, place)
    place += size  # the fingerprint
    for _ in range(2):
        _, place = read_varint(state, place)
    size, place = read_varint(state, place)
    place += size  # the seeds of ops that have none
    size, begin = read_varint(state, place)
    return state[:place], state[begin : begin + size]


def checksum(covered):
    """As Checksum in api.cc."""
    value = len(covered)
    for byte in covered:
        value = mix_bits(value ^ byte)
    return value


def mix_bits(value):
    """As MixBits in core/random.h."""
    value = (value + 0x9E3779B97F4A7C15) % 2**64
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
    return value ^ value >> 31


def put_together(head, body):
    covered = head + varint(len(body)) + body
    value = checksum(covered)
    return covered + varint(value - 2**64 if value >= 2**63 else value)


@pytest.mark.parametrize("name", PIPELINES)
def test_damage_at_any_byte_is_refused(name, tmp_path):
    dataset = PIPELINES[name](tmp_path)
    state = state_of(dataset)
    damaged = [state[:place] for place in range(len(state))]
    damaged += [state + b"\0", state + state, b"\0" + state]
    for place, byte in enumerate(state):
        for other in (byte ^ 1, byte ^ 0x80, byte ^ 0xFF):
            damaged.append(state[:place] + bytes([other]) + state[place + 1 :])
    for broken in damaged:
        with pytest.raises(REFUSED):
            dataset.iterator(broken)
    assert next(dataset.iterator(state)) is not None


class TooLongError(Exception):
    pass


@contextlib.contextmanager
def interrupted_after(seconds):
    """What would go on for ever must notice a signal."""

    def stop(*_):
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", PIPELINES)
def test_a_damaged_body_with_a_right_checksum_is_refused_or_gives_a_pass(name, tmp_path):
    dataset = PIPELINES[name](tmp_path)
    state = state_of(dataset)
    head, body = take_apart(state)
    assert put_together(head, body) == state
    forged = [body[:place] for place in range(0, len(body), 3)]
    for place, byte in enumerate(body):
        for other in (byte ^ 1, byte ^ 0x80, 0xFE, 0):
            forged.append(body[:place] + bytes([other]) + body[place + 1 :])
        # Numbers that nobody can count to, or nobody has.
        for number in (2**63 - 1, 2**62, 2**40):
            forged.append(body[:place] + varint(number) + body[place + 1 :])
    outcomes = set()
    for broken in forged:
        try:
            with interrupted_after(0.2):
                iterator = dataset.iterator(put_together(head, broken))
                for _ in range(20):
                    next(iterator, None)
            outcomes.add("pass")
        except errors.FastpipeError as error:
            outcomes.add(type(error).__name__)
        except TooLongError:
            outcomes.add("interrupted")
    assert "DataLossError" in outcomes


def test_a_refused_position_says_what_is_wrong(tmp_path):
    dataset = PIPELINES["shuffled batches"](tmp_path)
    state = state_of(dataset)
    magic, after = read_varint(state, 0)
    newer = state[: after + magic] + varint(99) + state[after + magic + 1 :]
    cases = {
        b"": (errors.DataLossError, "not a saved fastpipe position"),
        b"PK\3\4 something else": (errors.DataLossError, "not a saved fastpipe position"),
        state[:-3]: (errors.DataLossError, "damaged"),
        state[:60] + b"?" + state[61:]: (errors.DataLossError, "damaged"),
        newer: (errors.FailedPreconditionError, r"saved in format 99, this fastpipe reads format"),
        state_of(N(50)): (errors.FailedPreconditionError, "saved by another pipeline"),
    }
    for broken, (kind, text) in cases.items():
        with pytest.raises(kind, match=text):
            dataset.iterator(broken)
        path = tmp_path / "state"
        path.write_bytes(broken)
        with pytest.raises(kind, match=f"{path}.*{text}"):
            dataset.iterator(path)
