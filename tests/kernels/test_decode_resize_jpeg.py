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


def scene(height: int, width: int) -> np.ndarray:
    """Uneven shapes with sharp edges, as photographs have them, and little noise."""
    rng = np.random.default_rng(3)
    y, x = np.mgrid[:height, :width]
    pixels = np.zeros((height, width, 3))
    pixels += 90 + 60 * np.sin(x / 97.0 + y / 61.0)[:, :, None]
    for _ in range(40):
        top, left = rng.integers(0, height), rng.integers(0, width)
        inside = (y - top) ** 2 + (x - left) ** 2 < (rng.integers(5, 90)) ** 2
        pixels[inside] = rng.integers(0, 256, 3)
    noise = rng.normal(0, 3, pixels.shape)
    return np.clip(pixels + noise, 0, 255).astype(np.uint8)


def assert_near(result: Any, expected: Any) -> None:
    """Sharp edges that cross pixels are further off than those of photographs."""
    assert result.dtype == expected.dtype and result.shape == expected.shape
    error = np.abs(result.astype(float) - expected)
    assert error.mean() < 3 and np.quantile(error, 0.99) < 16
    assert error.max() > 0, "was it decoded at its full size?"


@pytest.mark.parametrize("box", [None, [101, 53, 500, 611]])
@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("size", [[160, 160], [90, 120], [50, 31]])
def test_fast_decode_stays_near_the_exact_result(name: str, box: Any, size: Any) -> None:
    contents = jpeg(scene(701, 901), **ENCODINGS[name])
    assert_near(
        decode_resize_jpeg(contents, size, box, antialias=True, fast_decode=True),
        parts(contents, size, box, antialias=True),
    )
    assert_near(
        decode_resize_jpeg(
            contents, size, box, resizer="resize_like_pillow", filter="bicubic", fast_decode=True
        ),
        pillow_parts(contents, size, box, filter="bicubic"),
    )


def test_fast_decode_of_photographs_is_as_exact_as_documented(photographs: list[str]) -> None:
    errors = []
    for path in photographs[::5]:
        contents = io.read_file(path)
        for size in ([112, 112], [64, 64], [32, 32]):
            fast = decode_resize_jpeg(contents, size, antialias=True, channels=3, fast_decode=True)
            exact = decode_resize_jpeg(contents, size, antialias=True, channels=3)
            errors.append(np.abs(fast - exact).ravel())
    error = np.concatenate(errors)
    assert 0 < error.mean() < 1
    assert np.quantile(error, 0.99) < 6
    assert error.max() < 40


@pytest.mark.parametrize("offset", range(8))
def test_fast_decode_moves_nothing(offset: int) -> None:
    """A ramp stays where it is: the grid of the smaller image is that of the image itself."""
    width, height = 640 + offset, 633 + offset
    ramp = np.linspace(0, 255, width)[None, :, None] * np.ones((height, 1, 3))
    contents = jpeg(ramp.astype(np.uint8), quality=98, subsampling=0)
    for box in (None, [offset, 7 * offset, 500, 512 - offset]):
        for size in ([40, 50], [100, 150]):
            error = decode_resize_jpeg(
                contents, size, box, antialias=True, fast_decode=True
            ) - parts(contents, size, box, antialias=True)
            # Within a crop the outermost columns may hold a little of what lies beside it.
            assert np.abs(error[:, 1:-1].mean()) < 0.1
            assert np.abs(error).max() < 3


@pytest.mark.parametrize(
    "options",
    [
        {"antialias": False},
        {"antialias": True, "method": "area"},
        {"antialias": True, "method": "nearest"},
    ],
)
def test_fast_decode_is_exact_where_not_all_pixels_are_averaged(options: dict[str, Any]) -> None:
    contents = jpeg(scene(300, 400))
    assert_same(
        decode_resize_jpeg(contents, [20, 30], fast_decode=True, **options),
        parts(contents, [20, 30], **options),
    )


def test_fast_decode_is_exact_where_the_image_is_not_much_larger() -> None:
    contents = jpeg(scene(299, 400))
    assert_same(
        decode_resize_jpeg(contents, [100, 100], antialias=True, fast_decode=True),
        parts(contents, [100, 100], antialias=True),
    )


def test_fast_decode_finds_the_same_errors() -> None:
    good = jpeg(scene(300, 400))
    for contents, box in ((good[:-200], None), (good, [0, 0, 301, 400])):
        with pytest.raises(InvalidArgumentError):
            decode_resize_jpeg(contents, [20, 20], box, antialias=True, fast_decode=True)


def test_decode_jpeg_alone_ignores_fast_decode() -> None:
    contents = jpeg(scene(300, 400))
    assert_same(io.decode_jpeg(contents, fast_decode=True), io.decode_jpeg(contents))
