"""Writes the seeds of the fuzz targets: small sound files, each after the bytes that choose how.

python tests/fuzz/make_corpus.py

It replaces tests/fuzz/corpus/TARGET/seed-* and leaves what the fuzzer found alone. The first bytes
of each seed are explained by the Choices that its target reads.
"""

from __future__ import annotations

import gzip
import io
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).parent / "corpus"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import encoded  # noqa: E402
import images  # noqa: E402
import reference  # noqa: E402
import wire  # noqa: E402

import fastpipe as fp  # noqa: E402

PIPELINES = 34  # that tests/fuzz/targets/pipelines.cc makes


def zstd(content: bytes) -> bytes:
    """`content` compressed by the real library, behind the framing of a TFRecord."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/file"
        with fp.io.TFRecordWriter(path, "ZSTD") as writer:
            writer.write(content)
        return Path(path).read_bytes()


def jpegs() -> Iterator[bytes]:
    color = images.photograph(40, 56)
    yield images.jpeg(color, quality=60)
    yield images.jpeg(color, quality=80, subsampling=0)
    yield images.jpeg(color, quality=50, subsampling=1, restart_marker_blocks=2)
    yield images.jpeg(color, quality=50, progressive=True)
    yield images.jpeg(images.photograph(17, 19, 1), quality=90, optimize=True)
    cmyk = Image.fromarray(images.photograph(16, 24, 4), "CMYK")
    file = io.BytesIO()
    cmyk.save(file, "JPEG", quality=40)
    yield file.getvalue()


def pngs() -> Iterator[bytes]:
    for channels in (1, 2, 3, 4):
        yield images.png(images.photograph(7, 9, channels))
        yield images.png(images.photograph(5, 6, channels).astype(np.uint16) * 257)
    picture = Image.fromarray(images.photograph(20, 23))
    for mode, options in (
        ("P", {"transparency": b"\x00\x80\xff"}),
        ("1", {}),
        ("L", {"transparency": 7, "optimize": True}),
        ("RGB", {"transparency": (1, 2, 3)}),
    ):
        file = io.BytesIO()
        picture.convert(mode).save(file, "PNG", **options)
        yield file.getvalue()


def gifs() -> Iterator[bytes]:
    grey = [(value, value, value) for value in range(256)]
    indices = images.photograph(6, 7, 1)[:, :, 0]
    yield encoded.gif([encoded.Frame(indices)], grey, (7, 6))
    yield encoded.gif(
        [
            encoded.Frame(indices, colours=grey, interlaced=True),
            encoded.Frame(indices[:3, :3], 2, 1, transparent=int(indices[0, 0])),
            encoded.Frame(indices[:2], 1, 1, disposal=2),
        ],
        grey[:2],
    )


def example() -> bytes:
    return wire.example(
        (b"a", wire.ints(-3)),
        (b"b", wire.floats(0.5, -1.5)),
        (b"c", wire.texts(b"text")),
        (b"d", wire.texts(b"one", b"", b"three")),
        (b"e", wire.floats(1, 2, 3, 4)),
        (b"f", wire.ints(1, 2, 3)),
    )


def sequence_example() -> bytes:
    return wire.sequence_example(
        [(b"a", wire.ints(1)), (b"b", wire.floats(1, 2))],
        [
            (b"g", [wire.ints(1), wire.ints(2)]),
            (b"h", [wire.floats(1), wire.floats()]),
            (b"i", [wire.texts(b"x", b"y"), wire.texts()]),
        ],
    )


def tensors() -> Iterator[bytes]:
    for value in (
        np.arange(6, dtype=np.int32).reshape(2, 3),
        np.array([True, False]),
        np.array(1.5, np.float32),
        np.array([b"one", b"", b"three"], object),
        np.zeros((2, 0), np.uint8),
    ):
        yield bytes(fp.io.serialize_tensor(value))
    shape = wire.message(2, wire.message(2, b"\x08\x03"))
    yield b"\x08\x03" + shape + wire.message(7, b"\x01\x02")  # int32 [3], two values listed
    yield b"\x08\x01" + shape + wire.message(5, b"\0\0\x80?")  # float32 [3], one value listed
    yield b"\x08\x13" + shape + b"\x68\x80\x78"  # float16 [3]


def saved_datasets() -> Iterator[bytes]:
    """The manifest and the file of one shard; whole, or without what the target mends."""
    text = fp.Dataset.from_tensor_slices([b"a", b"bc" * 20, b""])
    numbers = fp.Dataset.range(40).map(lambda n: {"n": n, "v": fp.cast([n, n], fp.float32)})
    uneven = fp.Dataset.range(5).map(lambda n: fp.range(n))
    for dataset, compression in product((text, numbers, uneven), (None, "GZIP", "ZSTD")):
        with tempfile.TemporaryDirectory() as folder:
            dataset.save(f"{folder}/saved", compression=compression)
            manifest = Path(f"{folder}/saved/fastpipe.manifest").read_bytes()
            blocks = next(Path(folder).rglob("*.blocks")).read_bytes()
        body = manifest[manifest.index(b"\n") + 5 :]
        for mend, content in ((0, manifest), (1, body)):
            size = len(content)
            yield bytes([mend, size % 256, size // 256]) + content + blocks


def checkpoints() -> Iterator[bytes]:
    """Each pipeline from a position as it is, and from one with a byte that is changed."""
    for pipeline in range(PIPELINES):
        yield bytes([pipeline, 4, 2])
        yield bytes([pipeline, 7, 1, pipeline % 5, 1, 1, 8])


def behind(prefixes: list[bytes], contents: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    """Each content behind one of the prefixes, in turn, and each prefix at least once."""
    found = list(contents())
    for number in range(max(len(found), len(prefixes))):
        yield prefixes[number % len(prefixes)] + found[number % len(found)]


def packed(content: bytes) -> list[bytes]:
    """Plain and by each compression, behind the byte that says so."""
    return [
        b"\0" + content,
        b"\1" + gzip.compress(content, mtime=0),
        b"\2" + zlib.compress(content),
        b"\3" + reference.zstd_frame(content),
    ]


def files(content: bytes, options: bytes) -> Iterator[bytes]:
    for file in packed(content):
        yield file[:1] + options + bytes([9, 13, 2]) + file[1:]


LINES = b"first\nsecond line\r\n\n" + b"x" * 200 + b"\nlast"
CSV = b'a,b,c\n1,"two, ""2""",3\n\n"multi\nline",,x\r\n4,"5"6,7\n"open'
JSON = [
    b'{"features":{"feature":{"a":{"int64List":{"value":[1,"-2"]}}}}}',
    b'{"features":{"feature":{"b":{"float_list":{"value":[1.5e3,"NaN","-Infinity",null]}},'
    b'"c":{"bytesList":{"value":["aGVsbG8=","_-8"]}},"\\u00e9\\ud83d\\ude00\\n":{}}}}',
    b' { "features" : null } ',
]
TEXT = b"a text that repeats, a text that repeats, a text that repeats, and ends"


def seeds() -> dict[str, Iterator[bytes]]:
    records = reference.tf_record([b"first", b"", b"third" * 30])
    whole = [bytes([0, 0, 0]), bytes([1, 1, 1, 16]), bytes([0, 1, 2]), bytes([0, 0, 12])]
    return {
        "jpeg": behind(whole, jpegs),
        "jpeg_crop": behind(
            [bytes([0, 0, 0, 1, 3, 5, 12, 10]), bytes([0, 0, 1, 0, 8, 8, 8, 11])], jpegs
        ),
        "jpeg_resize": behind(
            [
                bytes([0, 0, 0, 20, 30, 0, method, 1, antialias, 0, fast])
                for method, antialias, fast in product(range(8), (0, 1), (0, 1))
            ]
            + [bytes([0, 0, 0, 20, 30, 1, 0, kind, 0, kind % 2, 0]) for kind in range(5)],
            jpegs,
        ),
        "png": behind([bytes([0, 0, 0]), bytes([3, 0, 1]), bytes([4, 1, 1])], pngs),
        "webp": behind(
            [bytes([0, 0]), bytes([0, 1])],
            lambda: iter(
                [
                    encoded.LOSSY_WEBP,
                    encoded.ALPHA_WEBP,
                    encoded.LOSSLESS_WEBP,
                    encoded.ANIMATED_WEBP,
                    encoded.ANIMATED_WEBP,
                ]
            ),
        ),
        "gif": behind([b"\0", b"\1", b"\0"], gifs),
        "bmp": behind(
            [b"\0", b"\1", b"\2"],
            lambda: (
                encoded.bmp(images.photograph(3, 5, channels), top_down=top_down)
                for channels, top_down in product((1, 3, 4), (False, True))
            ),
        ),
        "wav": iter(
            [
                encoded.wav(np.arange(8, dtype=np.int16).reshape(4, 2) * 4096),
                encoded.wav(
                    np.arange(3, dtype=np.int16).reshape(3, 1),
                    before=encoded.chunk(b"JUNK", b"12"),
                    after=encoded.chunk(b"LIST", b"1234"),
                    extra=b"\0\0",
                ),
            ]
        ),
        "compressed": iter(
            [bytes([kind, 9, 1]) + file[1:] for kind, file in enumerate(packed(TEXT)[1:])]
            + [bytes([0, 200, 9]) + gzip.compress(TEXT, mtime=0) * 2 + b"\0\0"]
            + [bytes([2, 50, 3]) + zstd(TEXT * 9), bytes([2, 255, 255]) + zstd(b"")]
        ),
        "tf_record": (
            file
            for mend in (b"\0", b"\1")
            for file in (*files(records, mend), *files(reference.tf_record([b"x"] * 9), mend))
        ),
        "lines": files(LINES, b""),
        "fixed_length": files(bytes(range(100)), bytes([9, 5, 5])),
        "csv": (file for options in (b"\0\0\0", b"\0\0\1") for file in files(CSV, options)),
        "example": iter([example(), sequence_example()]),
        "parse_example": iter([example(), sequence_example(), example() + example()]),
        "tensor": tensors(),
        "json_example": iter(JSON),
        "decode_csv": iter(
            [b"\0\0" + b'1,2,,-1.5e3,"a ""b"""', b"\0\1" + b"NA,2,0x1,inf,", b"\1\0" + b'1,2,3,4,"']
        ),
        "saved_dataset": saved_datasets(),
        "checkpoint": checkpoints(),
    }


def main() -> None:
    for target, inputs in seeds().items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("seed-*"):
            old.unlink()
        for number, content in enumerate(inputs):
            (folder / f"seed-{number:02}").write_bytes(content)


if __name__ == "__main__":
    main()
