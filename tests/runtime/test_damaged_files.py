"""One damaged file among a thousand: it alone is missing, and its error names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from encoded import ALPHA_WEBP, ANIMATED_WEBP, LOSSY_WEBP, Frame, bmp, gif, wav
from images import photograph, png

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError

COUNT = 1000
DAMAGED = 617
GREY = [(v, v, v) for v in range(0, 256, 16)]
ANIMATION = gif([Frame(np.full((3, 4), k), transparent=k) for k in range(3)], GREY)
PIXELS = photograph(3, 4)

# How each kind of file is decoded, a good file, and a damaged one.
KINDS: dict[str, tuple[Callable[[Any], Any], bytes, bytes]] = {
    "jpeg": (
        fp.io.decode_jpeg,
        fp.io.encode_jpeg(PIXELS),
        fp.io.encode_jpeg(PIXELS)[:-20],
    ),
    "png": (fp.io.decode_png, png(PIXELS), png(PIXELS)[:-16] + bytes(16)),
    "bmp": (fp.io.decode_bmp, bmp(PIXELS), bmp(PIXELS)[:-1]),
    "gif": (fp.io.decode_gif, ANIMATION, ANIMATION[:-3]),
    "webp": (fp.io.decode_webp, LOSSY_WEBP, LOSSY_WEBP[:-9]),
    "animated webp": (fp.io.decode_webp, ANIMATED_WEBP, ANIMATED_WEBP[:300]),
    "any image": (fp.io.decode_image, ALPHA_WEBP, b"not an image"),
    "wav": (
        lambda contents: fp.audio.decode_wav(contents).audio,
        wav(np.arange(6)[:, None]),
        wav(np.arange(6)[:, None])[:-1],
    ),
}


@pytest.fixture(params=KINDS, scope="module")
def files(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, list[str], bytes]:
    """How to decode the files, their paths, and the content of a good one."""
    decode, good, damaged = KINDS[request.param]
    folder = tmp_path_factory.mktemp("files")
    paths = [folder / f"{index:04}.bin" for index in range(COUNT)]
    for index, path in enumerate(paths):
        path.write_bytes(damaged if index == DAMAGED else good)
    return decode, [str(path) for path in paths], good


def numbered(decode: Any, paths: list[str], workers: int | None) -> Any:
    """Pairs of a file's number and what is in it."""
    return fp.Dataset.from_tensor_slices((np.arange(COUNT), paths)).map(
        lambda index, path: (index, decode(fp.io.read_file(path))), num_parallel_calls=workers
    )


@pytest.mark.parametrize("workers", [None, 4])
def test_its_error_names_it_and_the_others_arrive(
    files: tuple[Any, list[str], bytes], workers: int | None
) -> None:
    decode, paths, good = files
    expected = decode(good)
    iterator = iter(numbered(decode, paths, workers))
    for index in range(COUNT):
        if index == DAMAGED:
            with pytest.raises(InvalidArgumentError, match=f"{DAMAGED:04}.bin"):
                next(iterator)
            continue
        number, value = next(iterator)
        assert number == index
        np.testing.assert_array_equal(value, expected)
    with pytest.raises(StopIteration):
        next(iterator)


def test_ignoring_errors_leaves_it_out_and_nothing_else(
    files: tuple[Any, list[str], bytes],
) -> None:
    decode, paths, _ = files
    dataset = numbered(decode, paths, 4).ignore_errors()
    assert [int(index) for index, _ in dataset] == [i for i in range(COUNT) if i != DAMAGED]
