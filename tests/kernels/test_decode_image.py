"""decode_image, decode_gif, decode_bmp and decode_webp: TensorFlow's pixels from any bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from encoded import (
    ALPHA_WEBP,
    ANIMATED_WEBP,
    LOSSLESS_WEBP,
    LOSSY_WEBP,
    Frame,
    bmp,
    damaged,
    gif,
)
from images import jpeg, photograph, png
from laws import check_kernel
from open_shapes import spec_of

from fastpipe import image, io
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError

SCALAR = ((), "string")
COLOURS = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255)]


def indexed(height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, len(COLOURS), (height, width))


def coloured(indices: np.ndarray) -> np.ndarray:
    return np.array(COLOURS, np.uint8)[indices]


# ---- BMP ----


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("top_down", [False, True])
def test_a_bmp_as_stored(channels: int, width: int, top_down: bool) -> None:
    stored = photograph(3, width, channels)
    expected = stored if channels == 1 else stored[:, :, [2, 1, 0, 3][:channels]]
    encoded = bmp(stored, top_down=top_down, offset=54 if channels > 1 else 1078)
    check_kernel(io.decode_bmp, [encoded], expected)
    check_kernel(io.decode_image, [encoded], expected)


def test_channels_of_a_bmp() -> None:
    grey, colour, alpha = (photograph(2, 3, c) for c in (1, 3, 4))
    np.testing.assert_array_equal(io.decode_bmp(bmp(grey), channels=3), np.repeat(grey, 3, axis=2))
    with_alpha = io.decode_bmp(bmp(colour), channels=4)
    np.testing.assert_array_equal(with_alpha[:, :, :3], colour[:, :, ::-1])
    assert (with_alpha[:, :, 3] == 255).all()
    np.testing.assert_array_equal(io.decode_bmp(bmp(alpha), channels=3), alpha[:, :, [2, 1, 0]])


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "no bytes at all"),
        (b"BM", "cannot decode BMP of 2 bytes: the data end too early"),
        (bmp(photograph(2, 3))[:-1], "the data end too early: 3 x 2 pixels of 24 bits"),
        (bmp(photograph(2, 3)) + b"x", "need only 78 bytes"),
        (bmp(photograph(2, 3), bits=16), "8, 24 or 32 bits, not 16"),
        (bmp(photograph(0, 3)), "3 x 0 pixels"),
        (png(photograph(2, 2)), "expected a BMP, got .* bytes of PNG"),
    ],
)
def test_what_is_no_bmp(contents: bytes, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        io.decode_bmp(contents)


def test_a_huge_bmp_is_refused_by_its_header() -> None:
    encoded = bytearray(bmp(photograph(2, 3)))
    encoded[18:26] = struct.pack("<ii", 2**31 - 1, -(2**31))
    with pytest.raises(InvalidArgumentError, match="2147483647 x 2147483648 pixels are more than"):
        io.decode_bmp(bytes(encoded))


# ---- GIF ----


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("size", [(1, 1), (9, 5), (17, 30)])
def test_a_gif_of_one_frame(size: tuple[int, int], interlaced: bool) -> None:
    indices = indexed(*size)
    encoded = gif([Frame(indices, interlaced=interlaced)], COLOURS)
    check_kernel(io.decode_gif, [encoded], coloured(indices)[None])
    for decode in (io.decode_jpeg, io.decode_png):
        np.testing.assert_array_equal(decode(encoded), coloured(indices))


def test_frames_are_drawn_over_the_ones_before() -> None:
    whole, part = indexed(4, 6), indexed(2, 3, seed=1)
    frames = [Frame(whole), Frame(part, left=2, top=1, disposal=2), Frame(part[:1, :1])]
    expected = np.stack([coloured(whole)] * 3)
    expected[1:, 1:3, 2:5] = coloured(part)
    expected[2, 0, 0] = coloured(part)[0, 0]
    check_kernel(io.decode_gif, [gif(frames, COLOURS)], expected)


def test_the_first_frame_is_drawn_over_black_in_the_size_of_the_largest() -> None:
    part, whole = indexed(2, 2), indexed(3, 5, seed=1)
    decoded = io.decode_gif(gif([Frame(part, left=4, top=1), Frame(whole)], COLOURS, (99, 99)))
    expected = np.zeros((2, 3, 5, 3), np.uint8)
    expected[0, 1:3, 4] = coloured(part)[:, 0]  # its second column lies outside
    expected[1] = coloured(whole)
    np.testing.assert_array_equal(decoded, expected)


def test_transparent_pixels_leave_what_is_there() -> None:
    first, second = np.array([[1, 2, 3]]), np.array([[2, 0, 2]])
    frames = [Frame(first, transparent=2), Frame(second, transparent=2)]
    decoded = io.decode_gif(gif(frames, COLOURS))
    np.testing.assert_array_equal(decoded[0], coloured(np.array([[1, 0, 3]])))
    np.testing.assert_array_equal(decoded[1], coloured(np.array([[1, 0, 3]])))


def test_a_frame_may_have_its_own_colours() -> None:
    encoded = gif([Frame(np.array([[0, 1]]), colours=[(9, 8, 7), (6, 5, 4)])], COLOURS)
    np.testing.assert_array_equal(io.decode_gif(encoded)[0, 0], [[9, 8, 7], [6, 5, 4]])


def test_decode_gif_takes_other_formats_as_one_frame() -> None:
    grey = photograph(3, 4, 1)
    np.testing.assert_array_equal(io.decode_gif(png(grey)), np.repeat(grey, 3, axis=2)[None])
    encoded = jpeg(photograph(9, 7))
    expected = io.decode_jpeg(encoded, dct_method="INTEGER_FAST")
    np.testing.assert_array_equal(io.decode_gif(encoded), expected[None])


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (gif([], COLOURS), "it has no frames"),
        (gif([Frame(indexed(2, 2))]), "there is no colour map, in frame 0"),
        (gif([Frame(np.array([[0, 4]]))], COLOURS), "colour 4 of a map of 4, in frame 0"),
        (gif([Frame(indexed(0, 2))], COLOURS), "it has 2 x 0 pixels, in frame 0"),
        (gif([Frame(indexed(4, 4))] * 2, COLOURS)[:-1], "the data end too early, in frame 2"),
        (bmp(photograph(2, 2)), "expected a GIF, got .* bytes of BMP"),
    ],
)
def test_what_is_no_gif(contents: bytes, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        io.decode_gif(contents)


@pytest.mark.parametrize("decode", [io.decode_jpeg, io.decode_png])
@pytest.mark.parametrize("encoded", [gif([Frame(indexed(2, 2))] * 2, COLOURS), ANIMATED_WEBP])
def test_an_animation_is_not_one_image(decode: Callable[[bytes], Any], encoded: bytes) -> None:
    with pytest.raises(InvalidArgumentError, match="of [23] frames as one image"):
        decode(encoded)


def test_an_animated_webp_of_very_many_frames_is_refused() -> None:
    frame = ANIMATED_WEBP[ANIMATED_WEBP.index(b"ANMF") :]
    frame = frame[: 8 + int.from_bytes(frame[4:8], "little")]
    body = ANIMATED_WEBP[12:] + frame * 20_000
    many = b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body
    with pytest.raises(InvalidArgumentError, match="20003 frames are more than the limit of 16384"):
        io.decode_webp(many)


def test_a_gif_of_huge_frames_is_refused_by_their_sizes() -> None:
    encoded = gif([Frame(indexed(2, 2))], COLOURS)
    place = encoded.index(b",") + 5
    huge = encoded[:place] + struct.pack("<HH", 9000, 9000) + encoded[place + 4 :]
    with pytest.raises(InvalidArgumentError, match="the data end too early, in frame 0"):
        io.decode_gif(huge)
    many = gif([Frame(indexed(200, 200)), *[Frame(indexed(1, 1))] * 4500], COLOURS)
    with pytest.raises(InvalidArgumentError, match="4501 frames of 200 x 200 pixels are more"):
        io.decode_gif(many)
    assert io.decode_image(many, expand_animations=False).shape == (200, 200, 3)


# ---- WebP ----


def test_an_animated_webp_of_too_many_pixels_in_all_is_refused() -> None:
    assert ANIMATED_WEBP[12:16] == b"VP8X"
    canvas = (3999).to_bytes(3, "little") * 2
    large = ANIMATED_WEBP[:24] + canvas + ANIMATED_WEBP[30:]
    with pytest.raises(InvalidArgumentError, match="3 frames of 4000 x 4000 .* limit of 16777216"):
        io.decode_webp(large)


def test_webp() -> None:
    pixels = photograph(7, 9)
    check_kernel(io.decode_webp, [LOSSLESS_WEBP], pixels[None])
    np.testing.assert_array_equal(io.decode_webp(LOSSLESS_WEBP, channels=3), pixels[None])
    assert io.decode_webp(LOSSY_WEBP).shape == (1, 7, 9, 3)
    assert io.decode_webp(ALPHA_WEBP, channels=4).shape == (1, 7, 9, 4)


def test_an_animated_webp() -> None:
    frames = np.stack([photograph(6, 5, 4, seed=k) for k in range(3)])
    decoded = io.decode_webp(ANIMATED_WEBP)
    np.testing.assert_array_equal(decoded[..., 3], frames[..., 3])
    np.testing.assert_array_equal(decoded, frames)
    first = io.decode_image(ANIMATED_WEBP, expand_animations=False)
    np.testing.assert_array_equal(first, frames[0])


def test_a_webp_behind_another_name() -> None:
    for decode in (io.decode_jpeg, io.decode_png):
        np.testing.assert_array_equal(decode(LOSSLESS_WEBP), photograph(7, 9))


@pytest.mark.parametrize(
    ("contents", "channels", "message"),
    [
        (b"RIFF....WEBP", 0, "cannot decode WebP of 12 bytes"),
        (LOSSLESS_WEBP[:-40], 0, "the data end too early"),
        (ANIMATED_WEBP[:-40], 0, "damaged or end too early"),
        (LOSSLESS_WEBP, 4, "it has 3 channels, not 4"),
        (ANIMATED_WEBP, 3, "it has 4 channels, not 3"),
        (LOSSLESS_WEBP, 1, "channels must be 0, 3 or 4"),
        (png(photograph(2, 2)), 0, "expected a WebP, got .* bytes of PNG"),
    ],
)
def test_what_is_no_such_webp(contents: bytes, channels: int, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        io.decode_webp(contents, channels=channels)


def test_webps_are_bytes() -> None:
    with pytest.raises(InvalidArgumentError, match="uint8 only, not float32"):
        io.decode_image(LOSSY_WEBP, dtype="float32")
    with pytest.raises(ValueError, match="dtype must be uint8"):
        io.decode_webp(LOSSY_WEBP, dtype="uint16")


# ---- any format ----

PIXELS = photograph(5, 6)
GIF = gif([Frame(indexed(5, 6)), Frame(indexed(5, 6, seed=1))], COLOURS)
ENCODED = {
    "bmp": (bmp(PIXELS), PIXELS[:, :, ::-1]),
    "png": (png(PIXELS), PIXELS),
    "gif": (GIF, coloured(np.stack([indexed(5, 6), indexed(5, 6, seed=1)]))),
}


@pytest.mark.parametrize("name", ENCODED)
@pytest.mark.parametrize("dtype", ["uint16", "float32", "float64", "float16", "int32", "int8"])
def test_other_dtypes_are_scaled(name: str, dtype: str) -> None:
    encoded, pixels = ENCODED[name]
    decoded = io.decode_image(encoded, dtype=dtype)
    assert decoded.dtype == dtype and decoded.shape == pixels.shape
    if np.dtype(dtype).kind == "f":
        wide = pixels / 255 if dtype == "float32" or name == "png" else pixels * 256.0 / 65535
        np.testing.assert_allclose(decoded, wide, rtol=1e-2 if dtype == "float16" else 1e-6)
    else:
        # What TensorFlow makes of the bytes of formats that have no 16 bits: not all of the range.
        wide = pixels.astype(np.uint16) * (257 if name == "png" else 256)
        expected = wide if dtype == "uint16" else image.convert_image_dtype(wide, dtype)
        np.testing.assert_array_equal(decoded, expected)


def test_wide_pngs_keep_their_bits() -> None:
    wide = np.random.default_rng(0).integers(0, 2**16, (3, 4, 3), np.uint16)
    np.testing.assert_array_equal(io.decode_image(png(wide), dtype="uint16"), wide)
    np.testing.assert_allclose(io.decode_image(png(wide), dtype="float32"), wide / 65535, rtol=1e-6)


def test_without_animations_all_images_have_three_dimensions() -> None:
    for encoded in (GIF, ANIMATED_WEBP, LOSSY_WEBP, png(PIXELS), bmp(PIXELS)):
        assert io.decode_image(encoded, expand_animations=False).ndim == 3
    np.testing.assert_array_equal(
        io.decode_image(GIF, expand_animations=False), coloured(indexed(5, 6))
    )


def test_jpegs_are_decoded_as_in_tensorflow() -> None:
    encoded = jpeg(photograph(20, 30), quality=95)
    expected = io.decode_jpeg(encoded, dct_method="INTEGER_FAST")
    np.testing.assert_array_equal(io.decode_image(encoded), expected)
    assert io.decode_image(encoded, channels=1).shape == (20, 30, 1)


@pytest.mark.parametrize(
    ("contents", "arguments", "message"),
    [
        (b"", {}, "no bytes at all"),
        (b"junk", {}, "expected a JPEG, PNG, GIF, BMP or WebP, got 4 bytes of an unknown format"),
        (b"\xff\x0a....", {}, "bytes of JPEG XL"),
        (GIF, {"channels": 1}, "channels must be 0 or 3 for a GIF, got 1"),
        (GIF, {"channels": 4}, "channels must be 0 or 3 for a GIF, got 4"),
        (bmp(PIXELS), {"channels": 1}, "channels must be 0, 3 or 4 for a BMP"),
        (png(PIXELS), {"channels": 2}, "channels must be .* got 2"),
        (png(PIXELS), {"dtype": "bool"}, "needs integer or floating dtypes, got bool"),
    ],
)
def test_what_cannot_be_decoded(contents: bytes, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        io.decode_image(contents, **arguments)


def test_contents_must_be_a_scalar_string() -> None:
    for decode in (io.decode_image, io.decode_bmp, io.decode_gif, io.decode_webp):
        with pytest.raises(InvalidArgumentError, match="scalar string"):
            spec_of(decode, ((3,), "string"))
        with pytest.raises(InvalidArgumentError, match="must be string"):
            decode(np.zeros((), np.uint8))


def test_what_is_known_before_anything_runs() -> None:
    assert spec_of(io.decode_image, SCALAR) is None
    assert spec_of(lambda x: io.decode_image(x, expand_animations=False), SCALAR) == (None,) * 3
    three = (None, None, 3)
    assert (
        spec_of(lambda x: io.decode_image(x, 3, "float16", expand_animations=False), SCALAR)
        == three
    )
    assert spec_of(io.decode_gif, SCALAR) == (None, *three)
    assert spec_of(lambda x: io.decode_webp(x, 3), SCALAR) == (None, *three)
    assert spec_of(io.decode_webp, SCALAR) == (None,) * 4
    assert spec_of(io.decode_bmp, SCALAR) == (None,) * 3
    assert spec_of(lambda x: io.decode_bmp(x, channels=3), SCALAR) == three


def test_in_a_pipeline() -> None:
    encoded = [png(PIXELS), GIF, bmp(PIXELS)]
    decoded = Dataset.from_tensor_slices(encoded).map(
        lambda x: io.decode_image(x, channels=3, expand_animations=False), num_parallel_calls=2
    )
    assert [pixels.shape for pixels in decoded.batch(3)] == [(3, 5, 6, 3)]


GOOD = {
    "bmp": bmp(photograph(3, 5)),
    "gif": gif([Frame(indexed(6, 7), transparent=2, interlaced=True)] * 2, COLOURS),
    "png": png(photograph(4, 5)),
    "jpeg": lambda: jpeg(photograph(9, 8)),
    "progressive": lambda: jpeg(photograph(9, 8), progressive=True),
    "lossy webp": LOSSY_WEBP,
    "alpha webp": ALPHA_WEBP,
    "lossless webp": LOSSLESS_WEBP,
    "animated webp": ANIMATED_WEBP,
}


@pytest.mark.parametrize("name", GOOD)
def test_damage_gives_an_image_or_an_error(name: str) -> None:
    good = GOOD[name]
    good = good if isinstance(good, bytes) else good()
    whole = io.decode_image(good)
    failed = 0
    for contents in damaged(good, step=max(len(good) // 200, 1)):
        try:
            decoded = io.decode_image(contents)
        except InvalidArgumentError:
            failed += 1
        else:
            assert decoded.dtype == np.uint8 and decoded.ndim in (3, 4)
    assert failed > 50
    np.testing.assert_array_equal(io.decode_image(good), whole)
