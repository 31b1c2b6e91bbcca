"""decode_jpeg and decode_and_crop_jpeg: Pillow's pixels, TensorFlow's arguments."""

from __future__ import annotations

import numpy as np
import pytest
from images import by_pillow, jpeg, photograph, png

from fastpipe import io
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError

ENCODINGS = {
    "444": {"quality": 95, "subsampling": 0},
    "422": {"quality": 80, "subsampling": 1},
    "420": {"quality": 75, "subsampling": 2},
    "progressive": {"progressive": True},
    "optimised": {"optimize": True},
    "restarts": {"restart_marker_rows": 1},
}


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("name", ENCODINGS)
def test_as_pillow(name: str, channels: int) -> None:
    for height, width in [(37, 45), (1, 1), (16, 16), (64, 3)]:
        encoded = jpeg(photograph(height, width, channels), **ENCODINGS[name])
        pixels = io.decode_jpeg(encoded)
        assert pixels.dtype == np.uint8 and pixels.shape == (height, width, channels)
        np.testing.assert_array_equal(pixels, by_pillow(encoded))


def test_channels() -> None:
    colour = jpeg(photograph(20, 30))
    grey = jpeg(photograph(20, 30, 1))
    np.testing.assert_array_equal(io.decode_jpeg(grey, channels=3), by_pillow(grey, "RGB"))
    assert io.decode_jpeg(colour, channels=1).shape == (20, 30, 1)
    assert io.decode_jpeg(colour, channels=3).shape == (20, 30, 3)


@pytest.mark.parametrize("ratio", [1, 2, 4, 8])
def test_ratio_rounds_sizes_up(ratio: int) -> None:
    pixels = io.decode_jpeg(jpeg(photograph(37, 45)), ratio=ratio)
    assert pixels.shape == (-(-37 // ratio), -(-45 // ratio), 3)


def test_the_fast_method_differs_by_little() -> None:
    encoded = jpeg(photograph(64, 64), quality=95)
    accurate = io.decode_jpeg(encoded, dct_method="INTEGER_ACCURATE").astype(int)
    np.testing.assert_array_equal(accurate, io.decode_jpeg(encoded))
    fast = io.decode_jpeg(encoded, dct_method="INTEGER_FAST")
    assert 0 < np.abs(accurate - fast).max() <= 16


def test_a_png_is_decoded_too() -> None:
    pixels = photograph(5, 6, 4)
    np.testing.assert_array_equal(io.decode_jpeg(png(pixels)), pixels)
    np.testing.assert_array_equal(io.decode_jpeg(png(pixels), channels=3), pixels[:, :, :3])


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "no bytes at all"),
        (b"\xff\xd8\xff", "cannot decode JPEG of 3 bytes"),
        (b"neither nor", "11 bytes of an unknown format"),
        (b"BM....", "6 bytes of BMP"),
        (b"\xff\x0a", "2 bytes of JPEG XL"),
        (b"GIF89a", "cannot decode GIF of 6 bytes: the data end too early"),
        (b"RIFF....WEBPVP8 ", "cannot decode WebP of 16 bytes"),
    ],
)
def test_what_is_no_jpeg(contents: bytes, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        io.decode_jpeg(contents)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"channels": 2}, "channels must be .* got 2"),
        ({"channels": 4}, "no alpha"),
        ({"channels": -1}, "channels must be .* got -1"),
        ({"ratio": 3}, "ratio must be 1, 2, 4 or 8, got 3"),
        ({"dct_method": "EXACT"}, "dct_method must be .* got 'EXACT'"),
    ],
)
def test_wrong_arguments(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        io.decode_jpeg(jpeg(photograph(8, 8)), **arguments)


def test_contents_must_be_scalar() -> None:
    with pytest.raises(InvalidArgumentError, match=r"scalar string, got string \[2\]"):
        io.decode_jpeg([b"a", b"b"])
    with pytest.raises(InvalidArgumentError, match="must be string"):
        io.decode_jpeg(1)


def test_truncation() -> None:
    whole = jpeg(photograph(64, 64), quality=95)
    part = whole[: len(whole) // 2]
    with pytest.raises(InvalidArgumentError, match=f"JPEG of {len(part)} bytes"):
        io.decode_jpeg(part)
    recovered = io.decode_jpeg(part, try_recover_truncated=True, acceptable_fraction=0.5)
    np.testing.assert_array_equal(recovered[:15], by_pillow(whole)[:15])


@pytest.mark.parametrize("window", [[0, 0, 37, 45], [4, 6, 16, 20], [36, 44, 1, 1], [0, 7, 5, 38]])
@pytest.mark.parametrize("name", ["444", "progressive"])
def test_crop(name: str, window: list[int]) -> None:
    encoded = jpeg(photograph(37, 45), **ENCODINGS["444"])
    y, x, height, width = window
    expected = by_pillow(encoded)[y : y + height, x : x + width]
    np.testing.assert_array_equal(io.decode_and_crop_jpeg(encoded, window), expected)
    np.testing.assert_array_equal(io.decode_and_crop_jpeg(encoded, np.array(window)), expected)


@pytest.mark.parametrize(
    ("window", "message"),
    [
        ([0, 0, 900, 900], "not within the image of 8 rows and 8 columns"),
        ([-1, 0, 4, 4], "not within"),
        ([0, 0, 0, 4], "not within"),
        ([2**62, 0, 2**62, 4], "not within"),
        ([0, 0, 4], "four integers"),
    ],
)
def test_crop_outside(window: list[int], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        io.decode_and_crop_jpeg(jpeg(photograph(8, 8)), window)


def test_crop_takes_jpegs_only() -> None:
    with pytest.raises(InvalidArgumentError, match="expected a JPEG, got .* bytes of PNG"):
        io.decode_and_crop_jpeg(png(photograph(4, 4)), [0, 0, 2, 2])


def test_in_a_pipeline() -> None:
    encoded = jpeg(photograph(20, 30))
    decoded = Dataset.from_tensors(encoded).map(lambda x: io.decode_jpeg(x, channels=3))
    assert decoded.element_spec.shape == (None, None, 3)
    (pixels,) = decoded
    np.testing.assert_array_equal(pixels, by_pillow(encoded))

    windows = Dataset.from_tensor_slices([2, 3])
    cropped = windows.map(lambda y: io.decode_and_crop_jpeg(encoded, [y, 1, 4, 5], channels=1))
    assert cropped.element_spec.shape == (4, 5, 1)
    assert [image.shape for image in cropped] == [(4, 5, 1)] * 2
    vectors = Dataset.from_tensors(np.array([2, 1, 4, 5], np.int32))
    (cropped_by_vector,) = vectors.map(lambda window: io.decode_and_crop_jpeg(encoded, window))
    assert cropped_by_vector.shape == (4, 5, 3)


def test_the_neighbours_of_a_broken_image_arrive() -> None:
    good = jpeg(photograph(8, 8))
    images = iter(Dataset.from_tensor_slices([good, b"broken", good]).map(io.decode_jpeg))
    assert next(images).shape == (8, 8, 3)
    with pytest.raises(InvalidArgumentError, match="6 bytes of an unknown format"):
        next(images)
    assert next(images).shape == (8, 8, 3)
