"""decode_wav and encode_wav: 16-bit PCM."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from encoded import chunk, damaged, wav
from open_shapes import check, spec_of

import fastpipe as fp
from fastpipe import audio
from fastpipe.errors import InvalidArgumentError


def noise(samples: int, channels: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-(2**15), 2**15, (samples, channels)).astype(np.int16)


def scaled(samples: np.ndarray) -> np.ndarray:
    return (samples / 32768).astype(np.float32)


@pytest.mark.parametrize("channels", [1, 2, 5])
@pytest.mark.parametrize("samples", [0, 1, 100])
def test_samples_and_rate(samples: int, channels: int) -> None:
    pcm = noise(samples, channels)
    check(audio.decode_wav, [wav(pcm, 44100)], (scaled(pcm), np.int32(44100)))


@pytest.mark.parametrize(
    "extras",
    [
        {"before": chunk(b"JUNK", b"1234")},
        {"before": chunk(b"bext", b"12") + chunk(b"iXML", b"")},
        {"before": chunk(b"JUNK", b"123") + b"\0"},
        {"before": chunk(b"JUNK", b"123")},
        {"after": chunk(b"LIST", b"1234")},
        {"after": chunk(b"LIST", b"123") + b"\0" + chunk(b"id3 ", b"")},
        {"after": chunk(b"LIST", b"1234")[:-1]},
        {"extra": b"\0\0"},
    ],
)
def test_other_chunks_are_stepped_over(extras: dict[str, bytes]) -> None:
    pcm = noise(3, 2)
    np.testing.assert_array_equal(audio.decode_wav(wav(pcm, **extras)).audio, scaled(pcm))


def test_missing_channels_repeat_the_last_and_missing_samples_are_zero() -> None:
    pcm = noise(3, 2)
    got = audio.decode_wav(wav(pcm), desired_channels=4, desired_samples=5).audio
    expected = np.zeros((5, 4), np.float32)
    expected[:3] = scaled(pcm)[:, [0, 1, 1, 1]]
    np.testing.assert_array_equal(got, expected)
    less = audio.decode_wav(wav(pcm), desired_channels=1, desired_samples=2).audio
    np.testing.assert_array_equal(less, scaled(pcm)[:2, :1])
    assert audio.decode_wav(wav(pcm), 0, 0).audio.shape == (0, 0)


def edited(offset: int, layout: str, *values: int) -> bytes:
    whole = bytearray(wav(noise(4, 2)))
    struct.pack_into(layout, whole, offset, *values)
    return bytes(whole)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "cannot decode WAV of 0 bytes: the data end too early"),
        (b"RIFX" + bytes(60), "expected 'RIFF' at offset 0"),
        (wav(noise(4, 2))[:-1], "the data end too early"),
        (wav(noise(4, 2))[:30], "the data end too early"),
        (wav(noise(4, 2))[:36], "it has no data chunk"),
        (wav(noise(4, 2)) + chunk(b"data", b""), "it has two data chunks"),
        (wav(noise(4, 2), before=chunk(b"LIST", b"")), "an unknown chunk precedes the format"),
        (edited(8, "4s", b"AVI "), "expected 'WAVE' at offset 8"),
        (edited(16, "<I", 40), "16 or 18 bytes, not 40"),
        (edited(20, "<H", 3), r"must be 1 \(PCM\), not 3"),
        (edited(22, "<H", 0), "it has no channels"),
        (edited(34, "<H", 24), "must have 16 bits, not 24"),
        (edited(32, "<H", 2), "2 channels of 16 bits do not have 2 bytes"),
        (edited(28, "<I", 5), "are not 5 bytes a second"),
        (edited(40, "<I", 14), "14 bytes of samples are no whole frames of 4"),
        (edited(40, "<I", 2**32 - 4), "a chunk of 4294967292 bytes"),
    ],
)
def test_what_is_no_wav(contents: bytes, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        audio.decode_wav(contents)


def test_damage_gives_samples_or_an_error() -> None:
    good = wav(noise(6, 2), before=chunk(b"JUNK", b"12"), after=chunk(b"LIST", b"1234"))
    failed = 0
    for contents in damaged(good):
        try:
            samples = audio.decode_wav(contents).audio
        except InvalidArgumentError:
            failed += 1
        else:
            assert samples.dtype == np.float32 and samples.ndim == 2
    assert failed > 100


@pytest.mark.parametrize("arguments", [{"desired_channels": -2}, {"desired_samples": -2}])
def test_wrong_arguments(arguments: dict[str, int]) -> None:
    with pytest.raises(InvalidArgumentError, match="desired_.* must be .* got -2"):
        audio.decode_wav(wav(noise(1, 1)), **arguments)
    with pytest.raises(InvalidArgumentError, match="are too many"):
        audio.decode_wav(wav(noise(1, 1)), 2**31 - 1, 2**31 - 1)
    with pytest.raises(InvalidArgumentError, match="are too many"):
        audio.decode_wav(wav(noise(1000, 1)), desired_channels=2**31 - 1)


def test_encoding_rounds_and_clips() -> None:
    values = [0.5, 1.0, -1.0, 2.0, -2.0, np.inf, -np.inf, np.nan, 1.5 / 32768, -2.5 / 32768]
    expected = [16384, 32767, -32768, 32767, -32768, 32767, -32768, 0, 2, -3]
    samples = np.array(values, np.float32)[:, None]
    check(audio.encode_wav, [samples, np.int32(8000)], wav(np.array(expected)[:, None], 8000))


@pytest.mark.parametrize("channels", [1, 3])
def test_there_and_back(channels: int) -> None:
    pcm = noise(50, channels)
    assert audio.encode_wav(scaled(pcm), 16000) == wav(pcm, 16000)


@pytest.mark.parametrize(
    ("shape", "rate", "message"),
    [
        ((3, 0), 8000, "from 1 to 65535 channels, got 0"),
        ((0, 2**16), 8000, "from 1 to 65535 channels, got 65536"),
        ((3, 1), 0, "sample rate must be .* got 0"),
        ((3, 1), np.int64(2**32), "sample rate must be .* got 4294967296"),
        ((3, 1), -1, "sample rate must be .* got -1"),
        ((3,), 8000, r"float32 \[samples, channels\], got float32 \[3\]"),
        ((3, 1), [8000], "sample_rate must be a scalar integer"),
    ],
)
def test_what_cannot_be_encoded(shape: tuple[int, ...], rate: object, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        audio.encode_wav(np.zeros(shape, np.float32), rate)


def test_what_is_known_before_anything_runs() -> None:
    scalar = ((), "string")
    assert spec_of(lambda x: audio.decode_wav(x).audio, scalar) == (None, None)
    assert spec_of(lambda x: audio.decode_wav(x, 2, 5).audio, scalar) == (5, 2)
    assert spec_of(lambda x: audio.decode_wav(x).sample_rate, scalar) == ()
    assert spec_of(lambda x: audio.encode_wav(x, 8000), (None, "float32")) == ()


def test_in_a_pipeline() -> None:
    files = [wav(noise(count, 1), 8000 + count) for count in (3, 5)]
    decoded = fp.Dataset.from_tensor_slices(files).map(lambda x: audio.decode_wav(x, 1, 4))
    (batch,) = decoded.batch(2)
    assert isinstance(batch, audio.DecodedWav)
    assert batch.audio.shape == (2, 4, 1) and batch.sample_rate.tolist() == [8003, 8005]
