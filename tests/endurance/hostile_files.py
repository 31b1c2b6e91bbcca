"""Bad files, made from good ones: cut, turned, emptied, of another kind, doubled.

`all_files` lists them, the same in every process. `hostile_bombs` adds those that announce or hold
more than they should.
"""

from __future__ import annotations

import base64
import functools
import gzip
import random
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import encoded
import images
import numpy as np
import reference
import wire

import fastpipe as fp

SEED = 6
RECORD_BYTES = 25  # of fixed-length files
RECORDS = 20

Damage = Callable[[bytes], bytes]


@dataclass(frozen=True)
class Hostile:
    """A bad file.

    Attributes:
        kind: of the good file that it was, which says how it is read.
        name: what was done to it.
        damage: makes its bytes of the good ones; None: it is `name`, "directory" or "dangling".
        must_fail: nothing can take it for a good one; otherwise a result is as good as an error.
        genuine: what is read from it nevertheless must be what the good one holds.
        named: errors name the file. A record of 16 bytes or less does not know where it lay.
    """

    kind: str
    name: str
    damage: Damage | None
    must_fail: bool = True
    genuine: bool = False
    named: bool = True

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"


# ---- good files ----

_CMYK = base64.b64decode(
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAoHB4jHhkoIyEjLSsoMDxkQTw3Nzx7WF1JZJGAmZaPgIyKoLTmw6Cq2q2KjMj/"
    "y9ru9f///5vB////+v/m/f/4/8AAFAgAEAAQBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYH"
    "CAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBka"
    "JSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeo"
    "qaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwCnDI+a"
    "oRKxNU0iIqNYqurI23NXYlarcUVWYovamwwrnNLHEM0qKM1GpGavLCu2rsUQq3EgqzGea//Z"
)


def _jpeg(seed: int, channels: int = 3, progressive: bool = False) -> bytes:
    pixels = images.photograph(40, 56, channels, seed)
    return bytes(fp.io.encode_jpeg(pixels, progressive=progressive, quality=80))


def png_chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def png_of(header: tuple[int, ...], data: bytes, *, palette: bytes = b"") -> bytes:
    """A PNG of an IHDR and the bytes of an IDAT, whatever they are."""
    chunks = [png_chunk(b"IHDR", struct.pack(">IIBBBBB", *header))]
    chunks += [png_chunk(b"PLTE", palette)] if palette else []
    chunks += [png_chunk(b"IDAT", data), png_chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _interlaced_png(seed: int) -> bytes:
    pixels = images.photograph(20, 24, 3, seed)
    passes = [(0, 8, 0, 8), (0, 8, 4, 8), (4, 8, 0, 4), (0, 4, 2, 4), (2, 4, 0, 2), (0, 2, 1, 2)]
    parts = [pixels[y::dy, x::dx] for y, dy, x, dx in [*passes, (1, 2, 0, 1)]]
    raw = b"".join(b"\0" + row.tobytes() for part in parts for row in part)
    return png_of((24, 20, 8, 2, 0, 0, 1), zlib.compress(raw))


def _palette_png(seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    indices = rng.integers(0, 16, (20, 24), np.uint8)
    raw = b"".join(b"\0" + row.tobytes() for row in indices)
    palette = rng.integers(0, 256, 48, np.uint8).tobytes()
    return png_of((24, 20, 8, 3, 0, 0, 0), zlib.compress(raw), palette=palette)


def _gif(seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    colours = [tuple(int(v) for v in rng.integers(0, 256, 3)) for _ in range(16)]
    frames = [encoded.Frame(rng.integers(0, 16, (12, 17)), colours=colours) for _ in range(3)]
    return encoded.gif(frames)


def _wav(seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    return encoded.wav(rng.integers(-3000, 3000, (200, 2)).astype(np.int16))


def texts(seed: int) -> list[bytes]:
    """Records that tell their file: RECORD_BYTES bytes each."""
    return [b"file %d, record number %03d" % (seed, i) for i in range(RECORDS)]


def _lines(seed: int) -> bytes:
    return b"".join(text + b"\n" for text in texts(seed))


def _csv(seed: int) -> bytes:
    return b"".join(b'%d,"%s, quoted",%d.5\n' % (i, t, seed) for i, t in enumerate(texts(seed)))


def example(seed: int, number: int) -> bytes:
    return wire.example(
        (b"id", wire.ints(1000 * seed + number)),
        (b"values", wire.floats(0.5, 1.5, float(number))),
        (b"text", wire.texts(texts(seed)[number])),
    )


def _examples(seed: int) -> bytes:
    return reference.tf_record([example(seed, number) for number in range(RECORDS)])


def _zstd_records(seed: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records"
        with fp.io.TFRecordWriter(str(path), fp.io.TFRecordOptions("ZSTD")) as writer:
            for text in texts(seed):
                writer.write(text)
        return path.read_bytes()


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def _webp(one: bytes) -> Callable[[int], bytes]:
    return lambda seed: one


GOOD: dict[str, Callable[[int], bytes]] = {
    "jpeg-baseline": _jpeg,
    "jpeg-progressive": functools.partial(_jpeg, progressive=True),
    "jpeg-grey": functools.partial(_jpeg, channels=1),
    "jpeg-cmyk": lambda seed: _CMYK,
    "png-8": lambda seed: images.png(images.photograph(20, 24, 3, seed)),
    "png-16": lambda seed: images.png(images.photograph(20, 24, 4, seed).astype(np.uint16) * 257),
    "png-interlaced": _interlaced_png,
    "png-palette": _palette_png,
    "gif": _gif,
    "bmp": lambda seed: encoded.bmp(images.photograph(13, 17, 3, seed)),
    "webp-lossy": _webp(encoded.LOSSY_WEBP),
    "webp-alpha": _webp(encoded.ALPHA_WEBP),
    "webp-lossless": _webp(encoded.LOSSLESS_WEBP),
    "webp-animated": _webp(encoded.ANIMATED_WEBP),
    "wav": _wav,
    "gzip": lambda seed: _gzip(_lines(seed)),
    "zlib": lambda seed: zlib.compress(_lines(seed)),
    "zstd": _zstd_records,
    "tf_record": lambda seed: reference.tf_record(texts(seed)),
    "tf_record-gzip": lambda seed: _gzip(reference.tf_record(texts(seed))),
    "tf_record-zlib": lambda seed: zlib.compress(reference.tf_record(texts(seed))),
    "tf_record-zstd": _zstd_records,
    "example": _examples,
    "text": _lines,
    "text-gzip": lambda seed: _gzip(_lines(seed)),
    "text-zlib": lambda seed: zlib.compress(_lines(seed)),
    "csv": _csv,
    "csv-gzip": lambda seed: _gzip(_csv(seed)),
    "fixed": lambda seed: b"".join(texts(seed)),
    "fixed-gzip": lambda seed: _gzip(b"".join(texts(seed))),
}
IMAGES = tuple(kind for kind in GOOD if kind.startswith(("jpeg", "png", "gif", "bmp", "webp")))
# What save, cache and snapshot write into folders, and positions of iterators. There the good file
# is the folder's own.
IN_FOLDERS = tuple(
    f"{kind}/{file}" for kind in ("saved", "cache", "snapshot") for file in ("manifest", "blocks")
)
POSITION = "position"


# ---- damage ----


def cut(at: int) -> Damage:
    return lambda good: good[:at]


def turned(at: int, mask: int) -> Damage:
    return lambda good: good[:at] + bytes([good[at] ^ mask]) + good[at + 1 :]


def instead(content: bytes) -> Damage:
    return lambda good: content


def _boundaries(kind: str, good: bytes) -> list[int]:
    """Where the parts of a file begin, as far as its format has parts."""
    if kind.startswith("jpeg"):
        return [at for at in range(2, len(good) - 1) if good[at] == 0xFF and good[at + 1] >= 0xC0]
    if kind.startswith("png"):
        names = (b"IHDR", b"PLTE", b"IDAT", b"IEND")
        starts = [good.find(name) - 4 for name in names if name in good]
        return [8, *[at + step for at in starts for step in (0, 4, 8)]]
    if kind.startswith("webp"):
        names = (b"VP8", b"ALPH", b"ANIM", b"ANMF")
        starts = [good.find(name) for name in names if name in good]
        return [8, 12, *[at + step for at in starts for step in (0, 8)]]
    if kind in ("tf_record", "example"):
        starts, at = [], 0
        while at < len(good):
            starts += [at, at + 8, at + 12]
            at += 16 + struct.unpack_from("<Q", good, at)[0]
        return starts[1:8] + starts[-3:]
    ends = {"wav": (8, 12, 20, 36, 44), "bmp": (2, 14, 18, 54), "gif": (6, 13, 21, 31)}
    return list(ends.get(kind, (2, 10)))


def _cut_fails(kind: str, good: bytes, at: int) -> bool:
    """Whether what is missing behind `at` must be noticed."""
    if kind in ("text", "csv"):
        return False
    if kind == "fixed":
        return at % RECORD_BYTES != 0
    if kind == "tf_record":
        return at % (RECORD_BYTES + 16) != 0
    if kind == "example":
        return at not in {len(_prefix(good, count)) for count in range(RECORDS + 1)}
    if kind.startswith("png"):
        return at < good.rfind(b"IEND") - 4  # the pixels are there, whatever follows
    if kind.startswith("jpeg"):
        return at < len(good) - 8
    return at > 0 or kind in ("gzip", "zlib", "zstd", "wav") or kind in IMAGES


def _prefix(good: bytes, count: int) -> bytes:
    at = 0
    for _ in range(count):
        at += 16 + int(struct.unpack_from("<Q", good, at)[0])
    return good[:at]


def _turn_fails(kind: str, good: bytes, at: int) -> bool:
    """Whether a bit turned at `at` must be noticed: a checksum covers it."""
    if kind.startswith("png"):
        return at < good.rfind(b"IEND") - 4
    if kind.endswith("gzip"):
        return at < 3 or at >= 10  # between them: time, operating system
    return kind in ("tf_record", "tf_record-zlib", "example", "zlib", "text-zlib")


def _broken(kind: str, rng: random.Random) -> Iterator[Hostile]:
    good = GOOD[kind](2)
    genuine = kind.startswith(("tf_record", "example"))
    edges = _boundaries(kind, good)
    places = [rng.choice(edges) for _ in range(4)] + [rng.randrange(1, len(good)) for _ in range(4)]
    for at in sorted({*places, len(good) - 1}):
        yield Hostile(kind, f"cut at {at}", cut(at), _cut_fails(kind, good, at), genuine)
    places = [rng.choice(edges) for _ in range(3)] + [rng.randrange(len(good)) for _ in range(5)]
    for at in sorted(set(places)):
        mask = 1 << rng.randrange(8)
        name = f"bit {mask:#04x} turned at {at}"
        yield Hostile(kind, name, turned(at, mask), _turn_fails(kind, good, at), genuine)
    at = rng.randrange(len(good) // 2, len(good))
    yield Hostile(kind, f"zeros from {at}", lambda good: good[:at].ljust(len(good), b"\0"), False)


def _junk(kind: str, rng: random.Random) -> Iterator[Hostile]:
    size = len(GOOD[kind](2))
    strict = kind in IMAGES or kind == "wav"
    framed = (
        strict
        or kind in ("gzip", "zlib", "zstd")
        or kind.startswith(("tf_record", "example"))
        or "-" in kind
    )
    foreign = GOOD["wav" if kind in IMAGES else "png-8"](2)
    odd = kind == "fixed"
    yield Hostile(kind, "no bytes", instead(b""), strict)
    yield Hostile(kind, "one byte", instead(b"\x1f"), framed or odd)
    yield Hostile(kind, "all zeros", instead(bytes(size)), framed)
    yield Hostile(kind, "garbage", instead(rng.randbytes(size)), framed)
    yield Hostile(kind, "another format", instead(foreign), framed or odd and len(foreign) % 25 > 0)
    if kind in IMAGES:  # which decode_jpeg and the others decode, too
        other = GOOD["png-8" if kind.startswith("jpeg") else "jpeg-baseline"](2)
        yield Hostile(kind, "another format of images", instead(other), kind == "bmp")
    yield Hostile(kind, "prose", instead(b"Once upon a time there was a file. " * 30), framed)
    yield Hostile(kind, "doubled", lambda good: good + good, False)
    appended = kind.startswith("tf_record") or kind == "example"
    junk = rng.randbytes(40)
    yield Hostile(kind, "garbage appended", lambda good: good + junk, appended)
    yield Hostile(kind, "directory", None)
    yield Hostile(kind, "dangling", None)


def _in_folder(kind: str, rng: random.Random) -> Iterator[Hostile]:
    sealed = kind.endswith("manifest") or kind == POSITION  # a checksum covers every byte
    fractions = [0.0, 0.05, 0.3, 0.6, 0.95, *[rng.random() for _ in range(3)]]
    for f in fractions:
        damage = functools.partial(lambda f, good: good[: int(f * len(good))], f)
        yield Hostile(kind, f"cut at {f:.2f}", damage, True, True)
        turn = functools.partial(lambda f, good: turned(int(f * len(good)), 1 << 3)(good), f)
        yield Hostile(kind, f"turned at {f:.2f}", turn, sealed, True)
    junk = rng.randbytes(500)
    yield Hostile(kind, "garbage", instead(junk), True, True)
    yield Hostile(kind, "all zeros", lambda good: bytes(len(good)), True, True)
    yield Hostile(kind, "garbage appended", lambda good: good + junk, sealed, True)
    yield Hostile(kind, "doubled", lambda good: good + good, sealed, True)
    if kind != POSITION:  # its bytes are read by Python
        yield Hostile(kind, "directory", None)
        # Where no cache is one is made.
        yield Hostile(kind, "dangling", None, kind.startswith("saved") or not sealed, True)


@functools.lru_cache(maxsize=1)
def all_files() -> tuple[Hostile, ...]:
    import hostile_bombs  # uses what is above

    rng = random.Random(SEED)
    found: list[Hostile] = []
    for kind in GOOD:
        found += [*_broken(kind, rng), *_junk(kind, rng)]
    for kind in (*IN_FOLDERS, POSITION):
        found += _in_folder(kind, rng)
    return (*found, *hostile_bombs.bombs(rng))
