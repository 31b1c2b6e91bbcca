"""encode_png, encode_jpeg and encode_jpeg_variable_quality: what decoders give back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from images import photograph
from laws import check_kernel
from open_shapes import check, spec_of

from fastpipe import image, io
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError
from fastpipe.tracing import call


def difference(a: Any, b: Any) -> float:
    return float(np.abs(np.asarray(a, float) - np.asarray(b, float)).mean())


# ---- PNG ----


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("size", [(1, 1), (13, 17), (100, 1), (1, 100)])
def test_a_png_holds_the_pixels(channels: int, dtype: str, size: tuple[int, int]) -> None:
    pixels = photograph(*size, channels).astype(dtype)
    if dtype == "uint16":
        pixels = pixels * 257 + 3
    check(lambda x: io.decode_png(io.encode_png(x), dtype=dtype), [pixels], pixels)


def test_compression_trades_time_for_bytes() -> None:
    pixels = photograph(64, 64)
    sizes = [len(io.encode_png(pixels, compression=level)) for level in (0, 1, 9)]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > pixels.size > sizes[2]
    for level in range(-1, 10):
        decoded = io.decode_png(io.encode_png(pixels, compression=level))
        np.testing.assert_array_equal(decoded, pixels)


def test_batches_of_images_become_arrays_of_pngs() -> None:
    images = np.stack([photograph(4, 5, seed=k) for k in range(6)]).reshape(2, 3, 4, 5, 3)
    encoded = io.encode_png(images)
    assert encoded.shape == (2, 3)
    for y in range(2):
        for x in range(3):
            assert encoded[y, x] == io.encode_png(images[y, x])
    assert io.encode_png(np.zeros((0, 4, 5, 3), np.uint8)).shape == (0,)
    check_kernel(io.encode_png, [images], encoded)


@pytest.mark.parametrize(
    ("pixels", "arguments", "message"),
    [
        (np.zeros((4, 5), np.uint8), {}, r"\[..., height, width, channels\], got uint8 \[4, 5\]"),
        (np.zeros((4, 5, 5), np.uint8), {}, "1, 2, 3 or 4 channels, got 5"),
        (np.zeros((4, 5, 0), np.uint8), {}, "1, 2, 3 or 4 channels, got 0"),
        (np.zeros((0, 5, 3), np.uint8), {}, "cannot have 0 x 5 pixels"),
        (np.zeros((4, 5, 3), np.float32), {}, "must be uint8 or uint16, got float32"),
        (np.zeros((4, 5, 3), np.uint8), {"compression": 10}, "compression must be .* got 10"),
        (np.zeros((4, 5, 3), np.uint8), {"compression": -2}, "compression must be .* got -2"),
    ],
)
def test_what_is_no_png(pixels: np.ndarray, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        io.encode_png(pixels, **arguments)


# ---- JPEG ----


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [(1, 1), (13, 17), (64, 3)])
def test_a_jpeg_is_near_the_pixels(channels: int, size: tuple[int, int]) -> None:
    pixels = photograph(*size, channels)
    encoded = io.encode_jpeg(pixels, quality=100, chroma_downsampling=False)
    assert difference(io.decode_jpeg(encoded), pixels) < 2
    check(io.encode_jpeg, [pixels], io.encode_jpeg(pixels))


def test_quality_costs_bytes() -> None:
    pixels = photograph(64, 64)
    encoded = [io.encode_jpeg(pixels, quality=quality) for quality in (5, 50, 95)]
    assert sorted(encoded, key=len) == encoded
    errors = [difference(io.decode_jpeg(each), pixels) for each in encoded]
    assert errors == sorted(errors, reverse=True)
    assert io.encode_jpeg(pixels) == encoded[2]


def test_what_changes_the_file_but_not_the_pixels() -> None:
    pixels = photograph(64, 64)
    plain = io.encode_jpeg(pixels)
    small = io.encode_jpeg(pixels, optimize_size=True)
    progressive = io.encode_jpeg(pixels, progressive=True)
    assert len(small) < len(plain) and b"\xff\xc2" in progressive and b"\xff\xc2" not in plain
    for encoded in (small, progressive):
        np.testing.assert_array_equal(io.decode_jpeg(encoded), io.decode_jpeg(plain))


def test_chroma_downsampling_loses_colour() -> None:
    pixels = photograph(64, 64)
    full = io.encode_jpeg(pixels, chroma_downsampling=False)
    assert len(full) > len(io.encode_jpeg(pixels))
    lost = difference(io.decode_jpeg(io.encode_jpeg(pixels)), pixels)
    assert difference(io.decode_jpeg(full), pixels) < lost


def test_densities_and_metadata_are_written() -> None:
    pixels = photograph(8, 8)
    assert b"JFIF\0\1\1\1\1,\1," in io.encode_jpeg(pixels)
    assert b"JFIF\0\1\1\2\0\7\xff\xff" in io.encode_jpeg(
        pixels, density_unit="cm", x_density=7, y_density=65535
    )
    noted = io.encode_jpeg(pixels, xmp_metadata="<about/>")
    assert b"http://ns.adobe.com/xap/1.0/\0<about/>" in noted
    longest = io.encode_jpeg(pixels, xmp_metadata="x" * 65504)
    np.testing.assert_array_equal(io.decode_jpeg(longest), io.decode_jpeg(noted))


@pytest.mark.parametrize(
    ("shape", "arguments", "message"),
    [
        ((4, 5), {}, r"\[height, width, channels\], got shape \[4, 5\]"),
        ((2, 4, 5, 3), {}, r"\[height, width, channels\], got shape \[2, 4, 5, 3\]"),
        ((4, 5, 2), {}, "1 or 3 channels, got shape"),
        ((4, 5, 3), {"format": "grayscale"}, "must have 1 channels, got shape"),
        ((4, 5, 1), {"format": "rgb"}, "must have 3 channels, got shape"),
        ((4, 5, 3), {"format": "cmyk"}, "format must be .* got 'cmyk'"),
        ((4, 5, 3), {"quality": 101}, "quality must be .* got 101"),
        ((4, 5, 3), {"quality": -1}, "quality must be .* got -1"),
        ((4, 5, 3), {"density_unit": "mm"}, "'in' or 'cm', got 'mm'"),
        ((4, 5, 3), {"x_density": 65536}, "x_density must be .* got 65536"),
        ((4, 5, 3), {"xmp_metadata": "x" * 65505}, "at most 65504 bytes, got 65505"),
        ((0, 5, 3), {}, "rows and columns, got 0 x 5"),
        ((1, 65501, 1), {}, "rows and columns, got 1 x 65501"),
    ],
)
def test_what_is_no_jpeg(shape: tuple[int, ...], arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        io.encode_jpeg(np.zeros(shape, np.uint8), **arguments)


def test_jpegs_are_made_of_bytes() -> None:
    with pytest.raises(InvalidArgumentError, match="must be uint8"):
        io.encode_jpeg(np.zeros((4, 5, 3), np.float32))


# ---- a quality for each element ----


def variable(pixels: Any, quality: Any) -> Any:
    return call("encode_jpeg_variable_quality", [pixels, quality])


def test_each_element_has_its_quality() -> None:
    pixels = photograph(16, 16)
    qualities = [0, 10, 95, 100]
    encoded = Dataset.from_tensor_slices(qualities).map(lambda q: variable(pixels, q))
    assert list(encoded) == [io.encode_jpeg(pixels, quality=q) for q in qualities]


def test_adjusting_the_quality_is_encoding_and_decoding() -> None:
    pixels = photograph(16, 16)
    adjusted = image.adjust_jpeg_quality(pixels, 20)
    fast = io.decode_jpeg(io.encode_jpeg(pixels, quality=20), dct_method="INTEGER_FAST")
    np.testing.assert_array_equal(
        image.adjust_jpeg_quality(pixels, 20, dct_method="INTEGER_FAST"), fast
    )
    assert adjusted.dtype == np.uint8 and difference(adjusted, fast) < 2
    floats = image.adjust_jpeg_quality(image.convert_image_dtype(pixels, "float32"), 20)
    assert floats.dtype == np.float32
    np.testing.assert_array_equal(floats, image.convert_image_dtype(adjusted, "float32"))


@pytest.mark.parametrize(
    ("quality", "message"),
    [
        (101, "from 0 to 100, got 101"),
        (-1, "from 0 to 100, got -1"),
        ([90], "scalar integer"),
        (0.5, "scalar integer"),
    ],
)
def test_no_quality(quality: object, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        variable(np.zeros((4, 5, 3), np.uint8), quality)


def test_what_is_known_before_anything_runs() -> None:
    pixels = ((None, None, None), "uint8")
    assert spec_of(io.encode_png, pixels) == ()
    assert spec_of(io.encode_png, ((2, None, 4, 5, 3), "uint16")) == (2, None)
    assert spec_of(io.encode_png, (None, "uint8")) is None
    assert spec_of(io.encode_jpeg, (None, "uint8")) == ()
    with pytest.raises(InvalidArgumentError, match="1 or 3 channels"):
        spec_of(io.encode_jpeg, ((None, None, 4), "uint8"))
