"""decode_compressed: whole strings, with limits."""

from __future__ import annotations

import base64
import gzip
import struct
import zlib
from collections.abc import Callable

import numpy as np
import pytest
from encoded import damaged
from open_shapes import check, spec_of

from fastpipe import io
from fastpipe.errors import DataLossError, InvalidArgumentError, ResourceExhaustedError

TEXT = b"some text, some text, some text"
ZSTD = base64.b64decode("KLUv/SQfjQAAWHNvbWUgdGV4dCwgAQCmixdYp66y")  # with a checksum
COMPRESS = {"GZIP": gzip.compress, "ZLIB": zlib.compress}
PACKED = {"GZIP": gzip.compress(TEXT), "ZLIB": zlib.compress(TEXT), "ZSTD": ZSTD}


def frame(content: bytes) -> bytes:
    """A Zstandard frame with one raw block, and the size of its content."""
    size = len(content)
    return b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", size) + raw_block(content)


def raw_block(content: bytes) -> bytes:
    return struct.pack("<I", len(content) << 3 | 1)[:3] + content


@pytest.mark.parametrize("kind", PACKED)
def test_decompressed(kind: str) -> None:
    check(lambda x: io.decode_compressed(x, kind), [PACKED[kind]], TEXT)


@pytest.mark.parametrize("kind", PACKED)
def test_every_string_of_a_tensor(kind: str) -> None:
    packed = np.array([[PACKED[kind]] * 2] * 3, object)
    expected = np.full((3, 2), TEXT, object)
    check(lambda x: io.decode_compressed(x, kind), [packed], expected)
    assert io.decode_compressed(np.zeros((0, 2), object), kind).shape == (0, 2)


def test_without_compression_strings_stay() -> None:
    check(io.decode_compressed, [np.array([b"a", b""], object)], np.array([b"a", b""], object))


@pytest.mark.parametrize("compress", COMPRESS.values(), ids=COMPRESS)
@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 100_000])
def test_sizes(compress: Callable[[bytes], bytes], size: int) -> None:
    kind = next(name for name, each in COMPRESS.items() if each is compress)
    noise = np.random.default_rng(0).integers(0, 256, size, np.uint8).tobytes()
    for content in (noise, bytes(size)):
        assert io.decode_compressed(compress(content), kind) == content


def test_a_stream_that_needs_a_dictionary_is_refused() -> None:
    packer = zlib.compressobj(zdict=b"some text")
    packed = packer.compress(TEXT) + packer.flush()
    with pytest.raises(DataLossError, match="needs a preset dictionary"):
        io.decode_compressed(packed, "ZLIB")


@pytest.mark.parametrize("kind", COMPRESS)
def test_very_much_out_of_few_bytes_comes_whole_or_is_an_error(kind: str) -> None:
    content = np.random.default_rng(0).bytes(1000) * 30_000
    packed = COMPRESS[kind](content)
    assert len(content) > 100 * len(packed)
    assert io.decode_compressed(packed, kind) == content
    with pytest.raises(DataLossError):
        io.decode_compressed(packed[:-1], kind)
    with pytest.raises(ResourceExhaustedError, match=f"limit of {len(content) - 1} bytes"):
        io.decode_compressed(packed, kind, max_size=len(content) - 1)


def test_members_and_frames_follow_each_other() -> None:
    assert io.decode_compressed(PACKED["GZIP"] * 3, "GZIP") == TEXT * 3
    assert io.decode_compressed(ZSTD * 3, "ZSTD") == TEXT * 3
    unsized = b"\x28\xb5\x2f\xfd\x00\x58" + raw_block(b"abc")
    assert io.decode_compressed(unsized + frame(b"def"), "ZSTD") == b"abcdef"


@pytest.mark.parametrize("kind", PACKED)
def test_nothing_is_nothing_compressed(kind: str) -> None:
    assert io.decode_compressed(b"", kind) == b""


@pytest.mark.parametrize("kind", PACKED)
def test_truncation_is_an_error(kind: str) -> None:
    for size in range(1, len(PACKED[kind])):
        with pytest.raises(DataLossError, match=f"cannot decompress {size} bytes as {kind}"):
            io.decode_compressed(PACKED[kind][:size], kind)


@pytest.mark.parametrize("kind", PACKED)
def test_what_follows_the_end_is_an_error(kind: str) -> None:
    with pytest.raises(DataLossError, match=f"as {kind}"):
        io.decode_compressed(PACKED[kind] + b"more", kind)


@pytest.mark.parametrize("kind", PACKED)
def test_damage_gives_the_text_or_an_error(kind: str) -> None:
    for contents in damaged(PACKED[kind])[1:]:
        try:
            text = io.decode_compressed(contents, kind)
        except (DataLossError, ResourceExhaustedError):
            continue
        assert text == TEXT  # the bits turned are not of the text: a time stamp, a flag


@pytest.mark.parametrize("kind", PACKED)
def test_the_limit_is_the_largest_size(kind: str) -> None:
    size = len(TEXT)
    assert io.decode_compressed(PACKED[kind], kind, max_size=size) == TEXT
    for limit in (size - 1, 1, 0):
        with pytest.raises(ResourceExhaustedError, match=f"more than the limit of {limit} bytes"):
            io.decode_compressed(PACKED[kind], kind, max_size=limit)


def test_an_announced_size_is_checked_first() -> None:
    def announcing(size: int) -> bytes:
        return b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", size) + raw_block(b"abc")

    with pytest.raises(ResourceExhaustedError, match="more than the limit of 1000 bytes"):
        io.decode_compressed(announcing(1001), "ZSTD", max_size=1000)
    with pytest.raises(ResourceExhaustedError, match="more than the limit of 16777216 bytes"):
        io.decode_compressed(announcing(2**50), "ZSTD", max_size=2**62)
    with pytest.raises(DataLossError):
        io.decode_compressed(announcing(1000), "ZSTD", max_size=1000)


def test_wrong_arguments() -> None:
    with pytest.raises(InvalidArgumentError, match="'GZIP', 'ZLIB' or 'ZSTD', got 'XZ'"):
        io.decode_compressed(b"", "XZ")
    with pytest.raises(InvalidArgumentError, match="max_size must be .* got -1"):
        io.decode_compressed(b"", "ZLIB", max_size=-1)
    with pytest.raises(InvalidArgumentError, match="must be string"):
        io.decode_compressed(1, "ZLIB")


def test_shapes_are_kept() -> None:
    assert spec_of(lambda x: io.decode_compressed(x, "ZLIB"), ((2, None), "string")) == (2, None)
    assert spec_of(lambda x: io.decode_compressed(x, "ZLIB"), (None, "string")) is None
