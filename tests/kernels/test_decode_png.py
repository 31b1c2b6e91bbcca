"""decode_png: every kind of PNG, as TensorFlow converts it."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from images import by_pillow, jpeg, photograph, png

from fastpipe import io
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError


def wide(height: int, width: int, channels: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.integers(0, 2**16, (height, width, channels), np.uint16)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize(("height", "width"), [(13, 17), (1, 1), (1, 100), (100, 1)])
def test_as_stored(height: int, width: int, channels: int) -> None:
    pixels = photograph(height, width, channels)
    decoded = io.decode_png(png(pixels))
    assert decoded.dtype == np.uint8
    np.testing.assert_array_equal(decoded, pixels)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_sixteen_bits(channels: int) -> None:
    pixels = wide(5, 6, channels)
    decoded = io.decode_png(png(pixels), dtype="uint16")
    assert decoded.dtype == np.uint16
    np.testing.assert_array_equal(decoded, pixels)
    np.testing.assert_array_equal(io.decode_png(png(pixels)), pixels >> 8)


def test_eight_bits_as_sixteen() -> None:
    pixels = photograph(5, 6)
    decoded = io.decode_png(png(pixels), dtype="uint16")
    np.testing.assert_array_equal(decoded, pixels.astype(np.uint16) * 257)


def test_channels() -> None:
    grey, colour = photograph(5, 6, 1), photograph(5, 6, 4)
    np.testing.assert_array_equal(io.decode_png(png(grey), channels=3), np.repeat(grey, 3, axis=2))
    with_alpha = io.decode_png(png(grey), channels=4)
    np.testing.assert_array_equal(with_alpha[:, :, :3], np.repeat(grey, 3, axis=2))
    assert (with_alpha[:, :, 3] == 255).all()
    np.testing.assert_array_equal(io.decode_png(png(colour), channels=3), colour[:, :, :3])
    assert io.decode_png(png(colour), channels=1).shape == (5, 6, 1)


def test_a_palette_is_colours_with_transparency() -> None:
    pillow = pytest.importorskip("PIL.Image")
    pixels = photograph(9, 40, 4)
    pixels[:, :, 3] = np.where(pixels[:, :, 3] > 128, 255, 0)
    file = BytesIO()
    pillow.fromarray(pixels).quantize(100).save(file, "PNG")
    decoded = io.decode_png(file.getvalue())
    np.testing.assert_array_equal(decoded, by_pillow(file.getvalue(), "RGBA"))


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_filtered_rows(channels: int) -> None:
    pillow = pytest.importorskip("PIL.Image")
    pixels = photograph(64, 70, channels)
    file = BytesIO()
    pillow.fromarray(pixels[:, :, 0] if channels == 1 else pixels).save(file, "PNG")
    np.testing.assert_array_equal(io.decode_png(file.getvalue()), pixels)


def test_a_jpeg_is_decoded_too() -> None:
    encoded = jpeg(photograph(9, 7))
    pixels = io.decode_png(encoded)
    np.testing.assert_array_equal(pixels, io.decode_jpeg(encoded, dct_method="INTEGER_FAST"))
    in_sixteen_bits = io.decode_png(encoded, dtype="uint16")
    np.testing.assert_array_equal(in_sixteen_bits, pixels.astype(np.uint16) * 256)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "no bytes at all"),
        (b"BM......", "expected a PNG, got 8 bytes of BMP"),
        (png(photograph(20, 20))[:-20], "cannot decode PNG of .* bytes"),
        (png(photograph(20, 20))[:30], "cannot decode PNG of 30 bytes"),
    ],
)
def test_what_is_no_png(contents: bytes, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        io.decode_png(contents)


def test_damage_is_found() -> None:
    encoded = bytearray(png(photograph(20, 20)))
    encoded[60] ^= 0xFF
    with pytest.raises(InvalidArgumentError, match="cannot decode PNG"):
        io.decode_png(bytes(encoded))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"channels": 2}, "channels must be .* got 2"),
        ({"channels": 5}, "channels must be .* got 5"),
        ({"dtype": "float32"}, "uint8 or uint16, got float32"),
    ],
)
def test_wrong_arguments(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        io.decode_png(png(photograph(3, 3)), **arguments)


def test_in_a_pipeline() -> None:
    pixels = wide(5, 6, 4)
    decoded = Dataset.from_tensors(png(pixels)).map(
        lambda x: io.decode_png(x, channels=4, dtype="uint16")
    )
    assert decoded.element_spec.shape == (None, None, 4)
    assert decoded.element_spec.dtype == "uint16"
    (image,) = decoded
    np.testing.assert_array_equal(image, pixels)
