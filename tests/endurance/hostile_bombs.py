"""Bad files that announce or hold more than they should, or that no damage gives by chance."""

from __future__ import annotations

import functools
import gzip
import random
import struct
import zlib
from collections.abc import Callable, Iterator

import encoded
import numpy as np
import reference
import wire
from hostile_files import GOOD, Damage, Hostile, example, instead, png_chunk, png_of

MEGABYTE = 1 << 20


def made(make: Callable[[], bytes]) -> Damage:
    """Makes the file when it is wanted: it may be large."""
    return lambda good: make()


def bombs(rng: random.Random) -> Iterator[Hostile]:
    yield from _compressed()
    yield from _jpegs(rng)
    yield from _pngs()
    yield from _gifs_and_bmps()
    yield from _webps()
    yield from _wavs()
    yield from _records()
    yield from _examples(rng)
    yield from _tables()


# ---- compressed ----


def deflated(
    byte: bytes, megabytes: int, wbits: int, begin: bytes = b"", end: bytes = b""
) -> bytes:
    """`megabytes` of one byte, as zlib (wbits 15) or gzip (31)."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    parts = [packer.compress(begin)]
    parts += [packer.compress(byte * MEGABYTE) for _ in range(megabytes)]
    return b"".join([*parts, packer.compress(end), packer.flush()])


def zstd_of(byte: int, megabytes: int, begin: bytes = b"") -> bytes:
    """A Zstandard frame whose blocks of 128 KiB repeat one byte: 32,000 times as much comes out."""
    frame = b"\x28\xb5\x2f\xfd\0\x38"  # a window of 128 KiB, no size announced
    if begin:
        frame += (len(begin) << 3).to_bytes(3, "little") + begin
    block = (1 << 1 | MEGABYTE // 8 << 3).to_bytes(3, "little") + bytes([byte])
    frame += block * (8 * megabytes)
    return frame + (1 | 0 << 3).to_bytes(3, "little")


def _compressed() -> Iterator[Hostile]:
    gz, zl = 31, 15
    endless = functools.partial(deflated, b"a", 100)
    yield Hostile("gzip", "100 MB of zeros", made(lambda: deflated(b"\0", 100, gz)))
    yield Hostile("zlib", "100 MB of zeros", made(lambda: deflated(b"\0", 100, zl)))
    yield Hostile("zstd", "1 GB of zeros", made(lambda: zstd_of(0, 1024)))
    announced = b"\x28\xb5\x2f\xfd\xe0" + (1 << 60).to_bytes(8, "little") + b"\x01\0\0"
    yield Hostile("zstd", "announces 2^60 bytes", instead(announced))
    yield Hostile("text-gzip", "a line without end", made(lambda: endless(gz)))
    yield Hostile("text-zlib", "a line without end", made(lambda: endless(zl)))
    yield Hostile("tf_record-gzip", "100 MB of zeros", made(lambda: deflated(b"\0", 100, gz)))
    huge = struct.pack("<Q", 99 * MEGABYTE)
    huge += struct.pack("<I", reference.masked_crc32c(huge))
    yield Hostile(
        "tf_record-gzip", "a record of 99 MB", made(lambda: deflated(b"a", 100, gz, huge))
    )
    yield Hostile(
        "tf_record-zlib", "a record of 99 MB", made(lambda: deflated(b"a", 100, zl, huge))
    )
    yield Hostile("tf_record-zstd", "a record of 99 MB", made(lambda: zstd_of(7, 100, huge)))
    quoted = functools.partial(deflated, b"q", 100, gz, b'1,"', b'",2.5\n')
    yield Hostile("csv-gzip", "a quoted field of 100 MB", made(quoted))
    nested = made(lambda: gzip.compress(deflated(b"\0", 100, gz), mtime=0))
    yield Hostile("text-gzip", "an archive in an archive", nested, False)
    yield Hostile("tf_record-gzip", "an archive in an archive", nested)
    twice = made(lambda: GOOD["text-gzip"](2) + deflated(b"a", 100, gz))
    yield Hostile("text-gzip", "a bomb behind a good member", twice)
    members = made(lambda: gzip.compress(b"", mtime=0) * 20_000)
    yield Hostile("text-gzip", "20,000 empty members", members, False)


# ---- images ----


def _segments(jpeg: bytes) -> tuple[int, int]:
    """Where the frame's header and the first scan's header begin."""
    at, frame = 2, 0
    while jpeg[at + 1] != 0xDA:
        if jpeg[at + 1] in (0xC0, 0xC2):
            frame = at
        at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
    return frame, at


def _jpeg_of_size(kind: str, height: int, width: int, kept: int) -> bytes:
    good = GOOD[kind](2)
    frame, scan = _segments(good)
    size = struct.pack(">HH", height, width)
    return good[: frame + 5] + size + good[frame + 9 : scan + kept] + b"\xff\xd9"


def _jpeg_of_scans(count: int) -> bytes:
    """The scans of a progressive JPEG, the last one again and again."""
    good = GOOD["jpeg-progressive"](2)
    last = good.rfind(b"\xff\xda")
    return good[:-2] + good[last:-2] * count + b"\xff\xd9"


def _jpegs(rng: random.Random) -> Iterator[Hostile]:
    for kind in ("jpeg-baseline", "jpeg-progressive", "jpeg-grey"):
        for height, width in ((65500, 65500), (65500, 1), (1, 65500), (13000, 13000), (0, 56)):
            damage = made(functools.partial(_jpeg_of_size, kind, height, width, 200))
            # Of a narrow image 200 bytes may be all there is to say, before the end that is there.
            narrow = kind == "jpeg-baseline" and 1 in (height, width)
            yield Hostile(kind, f"announces {height} x {width}", damage, not narrow)
    for count in (1000, 5000):
        damage = made(functools.partial(_jpeg_of_scans, count))
        yield Hostile("jpeg-progressive", f"{count} scans", damage)
    tables = b"\xff\xdb\0\x43\0" + bytes(range(1, 65))
    many = made(lambda: b"\xff\xd8" + tables * 20_000 + GOOD["jpeg-baseline"](2)[2:])
    yield Hostile("jpeg-baseline", "20,000 tables", many, False)
    comments = made(lambda: b"\xff\xd8" + (b"\xff\xfe\xff\xff" + bytes(65533)) * 100)
    yield Hostile("jpeg-baseline", "nothing but comments", comments)
    frame, _ = _segments(GOOD["jpeg-baseline"](2))
    for offset, value in ((9, 0), (9, 200), (11, 0), (11, 0xFF), (12, 9), (4, 16)):
        damage = functools.partial(_replaced, frame + offset, bytes([value]))
        yield Hostile("jpeg-baseline", f"{value} at {offset} of the frame", damage)
    markers = made(lambda: GOOD["jpeg-baseline"](2)[:-2] + b"\xff\xd0" * 500_000)
    yield Hostile("jpeg-baseline", "500,000 restart markers", markers, False)
    filled = b"\xff\xd8\xff" + b"\xff" * MEGABYTE
    yield Hostile("jpeg-baseline", "fill bytes without end", instead(filled))
    thumbnail = GOOD["jpeg-baseline"](2)[:300] + rng.randbytes(400)
    yield Hostile("jpeg-baseline", "garbage behind its header", instead(thumbnail))


def _replaced(at: int, value: bytes, good: bytes) -> bytes:
    return good[:at] + value + good[at + len(value) :]


def _pngs() -> Iterator[Hostile]:
    rgb = (8, 2, 0, 0, 0)
    for width, height in (
        (100_000, 100_000),
        (2**31 - 1, 2**31 - 1),
        (2**31, 1),
        (0, 5),
        (9000, 9000),
    ):
        few = zlib.compress(bytes(1000))
        damage = instead(png_of((width, height, *rgb), few))
        yield Hostile("png-8", f"announces {width} x {height}", damage)
    for kind, interlaced in (("png-8", 0), ("png-interlaced", 1)):
        header = (13_000, 13_000, 1, 0, 0, 0, interlaced)
        bits = made(functools.partial(_png_of_zeros, header, 21))
        yield Hostile(kind, "13,000 x 13,000 pixels of a bit", bits)
    excess = made(lambda: png_of((24, 20, *rgb), deflated(b"\0", 100, 15)))
    yield Hostile("png-8", "100 MB for a small image", excess, False)
    good = GOOD["png-8"](2)
    for name in (b"zTXt", b"iCCP"):
        damage = made(functools.partial(_png_with_bomb, name))
        yield Hostile("png-8", f"a bomb in {name.decode()}", damage, False)
    many = good[:33] + png_chunk(b"tEXt", b"a\0bc") * 100_000 + good[33:]
    yield Hostile("png-8", "100,000 texts", instead(many), False)
    yield Hostile("png-8", "a chunk of 2^31 bytes", instead(good[:33] + b"\xff" * 4 + good[37:]))
    raw = zlib.compress(bytes(20 * 73))
    for header, name in (
        ((24, 20, 7, 2, 0, 0, 0), "7 bits"),
        ((24, 20, 8, 5, 0, 0, 0), "colour type 5"),
        ((24, 20, 8, 2, 1, 0, 0), "compression 1"),
        ((24, 20, 8, 2, 0, 0, 9), "interlacing 9"),
        ((24, 20, 8, 3, 0, 0, 0), "no palette"),
    ):
        yield Hostile("png-palette", name, instead(png_of(header, raw)))
    filters = zlib.compress(b"".join(b"\x09" + bytes(72) for _ in range(20)))
    yield Hostile("png-8", "filter 9", instead(png_of((24, 20, *rgb), filters)))


def _png_of_zeros(header: tuple[int, ...], megabytes: int) -> bytes:
    return png_of(header, deflated(b"\0", megabytes, 15))


def _png_with_bomb(name: bytes) -> bytes:
    good = GOOD["png-8"](2)
    return good[:33] + png_chunk(name, b"name\0\0" + deflated(b"a", 100, 15)) + good[33:]


def _gifs_and_bmps() -> Iterator[Hostile]:
    colours = [(0, 0, 0), (255, 255, 255)]
    dot = encoded.Frame(np.zeros((1, 1), int), colours=colours)
    many = made(lambda: encoded.gif([dot] * 20_000))
    yield Hostile("gif", "20,000 frames of a pixel", many, False)
    good = encoded.gif([dot])
    frame = good.index(b",")
    for width, height in ((65535, 65535), (65535, 1), (0, 0)):
        damage = instead(_replaced(frame + 5, struct.pack("<HH", width, height), good))
        yield Hostile("gif", f"a frame of {width} x {height}", damage)
    screen = _replaced(6, struct.pack("<HH", 65535, 65535), good)
    yield Hostile("gif", "a screen of 65,535 x 65,535", instead(screen), False)
    for small in (9, 40):
        damage = made(functools.partial(_uneven_gif, small))
        yield Hostile("gif", f"one large frame and {small} small ones", damage)
    yield Hostile("gif", "no trailer", instead(good[:-1]))
    yield Hostile(
        "gif", "extensions without end", instead(good[:-1] + b"!\xf9\x04\0\0\0\0\0" * 50_000)
    )
    bmp = GOOD["bmp"](2)
    for width, height in (
        (2**31 - 1, 2**31 - 1),
        (-1, 13),
        (17, -(2**31)),
        (0, 0),
        (2**30, 4),
        (100_000, 100_000),
        (17, 14),
    ):
        damage = instead(_replaced(18, struct.pack("<ii", width, height), bmp))
        yield Hostile("bmp", f"announces {width} x {height}", damage)
    for offset, value, what in ((10, 2**32 - 1, "pixels at 2^32"), (28, 0x10020, "compressed")):
        damage = instead(_replaced(offset, struct.pack("<I", value), bmp))
        yield Hostile("bmp", what, damage)


def _uneven_gif(small: int) -> bytes:
    """A frame of 4,000 x 4,000 in a few kilobytes, and others of a pixel, drawn over as much."""
    colours = [(0, 0, 0), (255, 255, 255)]
    dot = encoded.gif([encoded.Frame(np.zeros((1, 1), int), colours=colours)] * small)
    packed = _flat_lzw(4000 * 4000)
    head = b"GIF89a" + struct.pack("<HHBBB", 4000, 4000, 0x80, 0, 0) + bytes(3) + b"\xff" * 3
    large = b"," + struct.pack("<HHHHB", 0, 0, 4000, 4000, 0) + packed
    return head + large + dot[13:]


def _flat_lzw(pixels: int) -> bytes:
    """GIF's LZW of as many zeros, in codes that stand for one pixel more each."""
    bits, codes = 3, []
    length, following, left = 1, 6, pixels
    codes.append((4, bits))  # clear
    codes.append((0, bits))
    left -= 1
    while left > 0:
        if following >= 4095:
            codes += [(4, bits), (0, 3)]
            bits, length, following = 3, 1, 6
            left -= 1
            continue
        length = min(length + 1, left)
        codes.append((following, bits) if length > 1 else (0, bits))
        left -= length
        if following + 1 == 1 << bits and bits < 12:
            bits += 1
        following += 1
    codes.append((5, bits))
    value = shift = 0
    for code, size in codes:
        value |= code << shift
        shift += size
    data = value.to_bytes((shift + 7) // 8, "little")
    blocks = [data[i : i + 255] for i in range(0, len(data), 255)]
    return b"\x02" + b"".join(bytes([len(block)]) + block for block in blocks) + b"\0"


def _webps() -> Iterator[Hostile]:
    animated = encoded.ANIMATED_WEBP
    canvas = animated.index(b"VP8X") + 12
    giant = _replaced(canvas, b"\xff\xff\xff\xff\xff\xff", animated)
    yield Hostile("webp-animated", "a canvas of 2^24 x 2^24", instead(giant))
    for size in (13_000, 4_000):  # the smaller one is less than the limit of pixels
        large = _replaced(canvas, struct.pack("<HBHB", size - 1, 0, size - 1, 0), animated)
        yield Hostile("webp-animated", f"a canvas of {size:,} x {size:,}", instead(large))
    frame = animated[animated.index(b"ANMF") :]
    frame = frame[: 8 + int.from_bytes(frame[4:8], "little")]
    body = animated[12:] + frame * 20_000
    many = b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body
    yield Hostile("webp-animated", "20,003 frames", instead(many))
    still = encoded.LOSSLESS_WEBP
    data = still.index(b"VP8L") + 8
    wide = _replaced(data + 1, b"\xff\xff\xff\x0f", still)
    yield Hostile("webp-lossless", "announces 16,384 x 16,384", instead(wide))
    long = _replaced(4, b"\xff\xff\xff\xff", still)
    yield Hostile("webp-lossless", "a size of 2^32", instead(long), False)


# ---- sound ----


def _wavs() -> Iterator[Hostile]:
    good = GOOD["wav"](2)
    for offset, value, what in (
        (40, b"\xff\xff\xff\xff", "samples of 2^32 bytes"),
        (40, b"\xff\xff\xff\x7f", "samples of 2^31 bytes"),
        (40, b"\x03\0\0\0", "samples of 3 bytes"),
        (16, b"\xff\xff\xff\xff", "a format of 2^32 bytes"),
        (20, b"\x03\0", "floats"),
        (22, b"\0\0", "no channels"),
        (22, b"\xff\xff", "65,535 channels"),
        (34, b"\x18\0", "24 bits"),
        (32, b"\0\0", "frames of no bytes"),
        (8, b"AIFF", "no WAVE"),
    ):
        yield Hostile("wav", what, instead(_replaced(offset, value, good)))
    junk = b"JUNK" + struct.pack("<I", 0)
    many = good[:12] + junk * 200_000 + good[12:]
    yield Hostile("wav", "200,000 empty chunks", instead(many), False)


# ---- records ----


def _record(length: int, data: bytes) -> bytes:
    head = struct.pack("<Q", length)
    return head + struct.pack("<I", reference.masked_crc32c(head)) + data


def _records() -> Iterator[Hostile]:
    good = GOOD["tf_record"](2)
    for power in (31, 40, 60, 63):
        damage = instead(good + _record(1 << power, b"few"))
        yield Hostile("tf_record", f"a record of 2^{power} bytes", damage)
    damage = instead(good + _record(2**64 - 16, b"few" * 20))
    yield Hostile("tf_record", "a record of 2^64 - 16 bytes", damage)
    gzipped = made(lambda: gzip.compress(good + _record(1 << 60, b"few"), mtime=0))
    yield Hostile("tf_record-gzip", "a record of 2^60 bytes", gzipped)
    yield Hostile("tf_record", "compressed", instead(GOOD["tf_record-gzip"](2)))
    yield Hostile("tf_record-gzip", "not compressed", instead(good))
    yield Hostile("tf_record-gzip", "compressed otherwise", instead(GOOD["tf_record-zlib"](2)))
    yield Hostile(
        "tf_record-zstd", "a dictionary is missing", instead(b"\x28\xb5\x2f\xfd\x01\x38\x07")
    )


def _examples(rng: random.Random) -> Iterator[Hostile]:
    good = example(2, 0)
    bad = {
        "a length of 2^63": b"\x0a" + wire.varint(1 << 63) + b"abc",
        "a length of 2^31": b"\x0a" + wire.varint(1 << 31) + b"abc",
        "a number without end": b"\x0a" + b"\xff" * 200,
        "wire type 7": b"\x0f\x01",
        "field 0": b"\x02\x01a",
        "groups without end": b"\x0b" * 100_000,
        "nothing": b"",
        "a group's end": b"\x0c",
        "a garbled message": rng.randbytes(len(good)),
        "another type": wire.example((b"id", wire.texts(b"one"))),
        "too many values": wire.example((b"id", wire.message(3, wire.message(1, bytes(100_000))))),
        "no values": wire.example((b"id", wire.ints())),
        "half of a float": wire.example((b"values", wire.message(2, wire.message(1, b"abc")))),
        "100,000 features": wire.message(1, wire.message(1, wire.message(1, b"f")) * 100_000),
    }
    for name, record in bad.items():
        damage = made(functools.partial(_between, record))
        yield Hostile("example", name, damage, named=len(record) > 16)
    for at in sorted(rng.sample(range(1, len(good)), 12)):
        damage = made(functools.partial(_between, good[:at]))
        yield Hostile("example", f"a message cut at {at}", damage, named=at > 16)


def _between(record: bytes) -> bytes:
    return reference.tf_record([example(2, 0), record, example(2, 1)])


# ---- text ----


def _tables() -> Iterator[Hostile]:
    good = GOOD["csv"](2)
    for name, line in (
        ("a quote that is never closed", b'7,"open'),
        ("a quote inside", b'7,a"b,1.5\n'),
        ("a field too few", b"7,a\n"),
        ("a field too many", b"7,a,1.5,9\n"),
        ("no number", b"seven,a,1.5\n"),
        ("a number too large", b"99999999999999999999,a,1.5\n"),
        ("no text but zeros", bytes(100) + b"\n"),
        ("a million fields", b"," * 1_000_000 + b"\n"),
        ("text behind a quote", b'7,"a"b,1.5\n'),
    ):
        yield Hostile("csv", name, instead(good + line + good))
    yield Hostile("csv", "no end of a line", instead(b"x" * 5 * MEGABYTE))
    yield Hostile("text", "5 MB without a line's end", instead(b"x" * 5 * MEGABYTE), False)
    yield Hostile("text", "no UTF-8", instead(b"\xff\xfe\xc0\x80\n" * 100), False)
    for missing in (1, 5, 24):
        damage = instead(GOOD["fixed"](2)[:-missing])
        yield Hostile("fixed", f"{missing} bytes missing", damage)
