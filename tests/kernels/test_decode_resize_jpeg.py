"""decode_resize_jpeg: to the bit what its parts give, one after the other; and their errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from images import jpeg, photograph, png
from laws import check_kernel

from fastpipe import image, io
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError
from fastpipe.fused import decode_resize_jpeg

ENCODINGS: dict[str, dict[str, Any]] = {
    "444": {"quality": 95, "subsampling": 0},
    "422": {"quality": 80, "subsampling": 1},
    "420": {"quality": 75, "subsampling": 2},
    "progressive": {"progressive": True},
    "restarts": {"restart_marker_rows": 1},
}
METHODS = [
    "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"
]  # fmt: skip
FILTERS = ["bilinear", "box", "hamming", "bicubic", "lanczos"]
SIZES = [((37, 45), (16, 20)), ((1, 1), (3, 2)), ((64, 3), (5, 7)), ((90, 130), (224, 224))]


def parts(contents: Any, size: Any, box: Any = None, **resize: Any) -> Any:
    pixels = io.decode_jpeg(contents)
    if box is not None:
        pixels = image.crop_to_bounding_box(pixels, *box)
    return image.resize(pixels, size, **resize)


def pillow_parts(contents: Any, size: Any, box: Any = None, **resize: Any) -> Any:
    pixels = io.decode_jpeg(contents)
    if box is not None:
        pixels = image.crop_to_bounding_box(pixels, *box)
    return image.resize_pillow(pixels, size, **resize)


def assert_same(result: Any, expected: Any) -> None:
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("name", ENCODINGS)
def test_gives_the_bits_of_its_parts(name: str, channels: int) -> None:
    for (height, width), size in SIZES:
        contents = jpeg(photograph(height, width, channels), **ENCODINGS[name])
        for method in METHODS:
            for antialias in (False, True):
                options = {"method": method, "antialias": antialias}
                assert_same(
                    decode_resize_jpeg(contents, size, **options), parts(contents, size, **options)
                )
        for filter_name in FILTERS:
            for first in (False, True):
                options = {"filter": filter_name, "horizontal_first": first}
                assert_same(
                    decode_resize_jpeg(contents, size, resizer="resize_like_pillow", **options),
                    pillow_parts(contents, size, **options),
                )


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_crop_is_that_of_the_full_decode(name: str) -> None:
    contents = jpeg(photograph(77, 101), **ENCODINGS[name])
    rng = np.random.default_rng(1)
    for _ in range(30):
        y, x = int(rng.integers(0, 77)), int(rng.integers(0, 101))
        box = [y, x, int(rng.integers(1, 78 - y)), int(rng.integers(1, 102 - x))]
        assert_same(
            decode_resize_jpeg(contents, [9, 12], box, antialias=True),
            parts(contents, [9, 12], box, antialias=True),
        )
        assert_same(
            decode_resize_jpeg(
                contents, [9, 12], box, resizer="resize_like_pillow", filter="bicubic"
            ),
            pillow_parts(contents, [9, 12], box, filter="bicubic"),
        )


def test_a_window_is_that_of_decode_and_crop() -> None:
    contents = jpeg(photograph(77, 101), subsampling=2)
    assert_same(
        decode_resize_jpeg(
            contents, [9, 12], crop="decode_and_crop_jpeg", crop_window=[8, 20, 50, 33]
        ),
        image.resize(io.decode_and_crop_jpeg(contents, [8, 20, 50, 33]), [9, 12]),
    )


@pytest.mark.parametrize("fit", ["within", "pad"])
def test_keeps_proportions_as_resize_does(fit: str) -> None:
    contents = jpeg(photograph(30, 50))
    resize = image.resize_with_pad if fit == "pad" else None
    expected = (
        resize(io.decode_jpeg(contents), 20, 20)
        if resize
        else image.resize(io.decode_jpeg(contents), [20, 20], preserve_aspect_ratio=True)
    )
    assert_same(decode_resize_jpeg(contents, [20, 20], fit=fit), expected)


def test_options_of_the_decoder_hold() -> None:
    contents = jpeg(photograph(60, 80))
    for options in (
        {"channels": 1},
        {"ratio": 2},
        {"fancy_upscaling": False},
        {"dct_method": "INTEGER_FAST"},
    ):
        expected = image.resize(io.decode_jpeg(contents, **options), [20, 30], antialias=True)
        assert_same(decode_resize_jpeg(contents, [20, 30], antialias=True, **options), expected)


def test_other_formats_are_decoded_too() -> None:
    contents = png(photograph(20, 30))
    assert_same(decode_resize_jpeg(contents, [7, 8]), parts(contents, [7, 8]))


def test_eager_and_traced() -> None:
    contents = jpeg(photograph(40, 50))
    check_kernel(
        lambda value: decode_resize_jpeg(value, [8, 9], [1, 2, 30, 40], antialias=True),
        [contents],
        parts(contents, [8, 9], [1, 2, 30, 40], antialias=True),
    )


def test_sizes_and_boxes_may_be_computed() -> None:
    contents = jpeg(photograph(40, 50))
    boxes = np.array([[0, 0, 40, 50], [5, 6, 20, 9], [39, 49, 1, 1]])
    sizes = np.array([[8, 8], [8, 8], [8, 8]])
    dataset = Dataset.from_tensor_slices((boxes, sizes)).map(
        lambda box, size: decode_resize_jpeg(contents, size, box, channels=3)
    )
    for box, result in zip(boxes.tolist(), dataset, strict=True):
        assert_same(result, parts(contents, [8, 8], box))


def test_rows_of_a_batch_are_written_in_place() -> None:
    encoded = [jpeg(photograph(40 + i, 60 - i, seed=i)) for i in range(10)]
    dataset = Dataset.from_tensor_slices(encoded).map(
        lambda contents: decode_resize_jpeg(contents, [24, 24], antialias=True, channels=3),
        num_parallel_calls=2,
    )
    rows = np.concatenate(list(dataset.batch(4)))
    for contents, row in zip(encoded, rows, strict=True):
        assert_same(row, parts(contents, [24, 24], antialias=True))


@pytest.mark.parametrize(
    ("change", "size", "box"),
    [
        (lambda good: good[:-200], [8, 8], None),
        (lambda good: good[:100], [8, 8], None),
        (lambda good: b"", [8, 8], None),
        (lambda good: b"neither nor", [8, 8], None),
        (lambda good: good, [8, 8], [0, 0, 41, 50]),
        (lambda good: good, [8, 8], [-1, 0, 4, 5]),
        (lambda good: good, [0, 8], None),
    ],
)
def test_errors_are_those_of_the_parts(change: Any, size: Any, box: Any) -> None:
    contents = change(jpeg(photograph(40, 50)))
    with pytest.raises(InvalidArgumentError) as expected:
        parts(contents, size, box)
    with pytest.raises(InvalidArgumentError) as error:
        decode_resize_jpeg(contents, size, box)
    # All but the place, which is named after the kernel.
    assert str(error.value).split("\n")[0] == str(expected.value).split("\n")[0]


def test_neighbours_of_a_damaged_image_survive() -> None:
    good = jpeg(photograph(40, 50))
    dataset = (
        Dataset.from_tensor_slices([good, good[:-200], good])
        .map(lambda contents: decode_resize_jpeg(contents, [24, 24]), num_parallel_calls=2)
        .ignore_errors()
    )
    results = list(dataset)
    assert len(results) == 2
    for result in results:
        assert_same(result, parts(good, [24, 24]))


def test_truncated_images_are_recovered_as_decode_jpeg_does() -> None:
    contents = jpeg(photograph(40, 50))[:-300]
    expected = image.resize(io.decode_jpeg(contents, try_recover_truncated=True), [9, 9])
    assert_same(decode_resize_jpeg(contents, [9, 9], try_recover_truncated=True), expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resizer": "other"}, "resizer must be one of"),
        ({"crop": "other"}, "crop must be one of"),
        ({"method": "other"}, "method must be one of"),
        ({"channels": 2}, "channels must be"),
    ],
)
def test_attributes_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        decode_resize_jpeg(b"", [8, 8], **options)
