"""Rewrites: kernels that are computed as one give what they give one by one, bit for bit."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import fastpipe as fp
from fastpipe import errors

pillow = pytest.importorskip("PIL.Image")

METHODS = [
    "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"
]  # fmt: skip
SUBSAMPLINGS = {"444": 0, "422": 1, "420": 2}  # Pillow's numbers
RNG = np.random.default_rng(5)


def run(function: Callable[..., Any], values: Sequence[Any], fusion: bool) -> list[Any]:
    """The results, or the messages of the errors."""
    options = fp.Options(fusion=fusion)
    dataset = fp.Dataset.from_tensor_slices(values).map(function).with_options(options)
    iterator = iter(dataset)
    results: list[Any] = []
    while True:
        try:
            results.append(next(iterator))
        except StopIteration:
            return results
        except errors.FastpipeError as error:
            results.append((type(error), str(error)))


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return bool(a == b)


def check(function: Callable[..., Any], values: Sequence[Any], *rewrites: str) -> None:
    """The function is rewritten like this, and gives the same."""
    dataset = fp.Dataset.from_tensor_slices(values).map(function)
    assert sorted(dataset.node.args["function"].program.rewrites) == sorted(rewrites)
    plain, fused = run(function, values, False), run(function, values, True)
    assert len(plain) == len(fused) == len(values)
    for number, (expected, result) in enumerate(zip(plain, fused, strict=True)):
        assert same(expected, result), f"element {number}: {expected!r} became {result!r}"


def images(shape: Sequence[int], dtype: str = "uint8", count: int = 3) -> np.ndarray:
    return RNG.integers(0, 256, (count, *shape)).astype(dtype)


MEAN = np.array([123.7, 116.3, 103.5], np.float32)
DEVIATION = np.array([58.4, 57.1, 57.4], np.float32)

# ---- chains of elementwise kernels ----


def test_a_normalised_image_is_one_chain() -> None:
    def normalise(image: Any) -> Any:
        return (fp.cast(image, fp.float32) - MEAN) / DEVIATION

    check(normalise, images((37, 41, 3)), "cast + subtract + divide")


@pytest.mark.parametrize(
    "shape", [(0, 4, 3), (1, 1, 3), (1, 341, 3), (2, 512, 3), (5, 7, 3), (1024, 1, 3), (3,)]
)
def test_a_chain_takes_any_number_of_values(shape: tuple[int, ...]) -> None:
    def normalise(image: Any) -> Any:
        return (fp.cast(image, fp.float32) - MEAN) / DEVIATION

    check(normalise, images(shape), "cast + subtract + divide")


def test_a_chain_converts_clips_and_compares() -> None:
    def function(image: Any) -> Any:
        scaled = fp.image.convert_image_dtype(image, fp.float32) * 2.0 - 0.5
        return fp.clip_by_value(scaled, 0.0, 1.0) > 0.25

    check(
        function, images((9, 11, 1)), "convert_image_dtype + multiply + subtract + clip + greater"
    )


def test_the_other_operand_may_come_first_be_as_large_or_a_scalar() -> None:
    other = RNG.random((6, 5, 3)).astype(np.float32)

    def function(image: Any) -> Any:
        return 2.0 - (other - (1.0 - fp.cast(image, fp.float32))) * other

    check(function, images((6, 5, 3)), "cast + subtract + subtract + multiply + subtract")


@pytest.mark.parametrize("side", [(3,), (5, 3), (1, 5, 3), (6, 5, 3), (1, 1, 1), (5, 1), (6, 1, 1)])
def test_operands_broadcast_as_they_do_one_by_one(side: tuple[int, ...]) -> None:
    values = RNG.random(side).astype(np.float32)

    def function(image: Any) -> Any:
        return fp.cast(image, fp.float32) * values + values

    check(function, images((6, 5, 3)), "cast + multiply + add")


def test_an_operand_of_more_than_a_block_repeats() -> None:
    rows = RNG.random((700, 3)).astype(np.float32)

    def function(image: Any) -> Any:
        return fp.cast(image, fp.float32) * rows - rows

    check(function, images((5, 700, 3)), "cast + multiply + subtract")


def test_a_chain_that_broadcasts_to_a_larger_shape_is_computed_one_by_one() -> None:
    wide = RNG.random((4, 5, 3)).astype(np.float32)

    def function(image: Any) -> Any:
        return (fp.cast(image, fp.float32) + 1.0) * wide

    check(function, images((1, 5, 3)), "cast + add + multiply")


def test_shapes_that_do_not_fit_are_the_error_of_their_kernel() -> None:
    texts = ["1", "1 2", "1 2 3"]

    def function(text: Any) -> Any:
        numbers = fp.strings.to_number(fp.strings.split(text, " "), fp.float32)
        return (numbers * 2.0 + np.arange(3, dtype=np.float32)) / 7.0

    check(function, texts, "multiply + add + divide")
    assert "add" in run(function, texts, True)[1][1]


def test_a_value_that_is_needed_twice_ends_a_chain() -> None:
    def function(image: Any) -> Any:
        wide = fp.cast(image, fp.float32) * 2.0
        return wide, (wide - 1.0) / 3.0

    check(function, images((4, 4, 3)), "cast + multiply", "subtract + divide")


def test_scalars_are_not_worth_a_chain() -> None:
    check(lambda x: (x + 1) * 2 - 3, np.arange(4))


def test_integers_that_may_fail_are_left_to_their_kernel() -> None:
    check(lambda x: (x + 1) // x * 2, np.array([[1, 2], [0, 3], [5, 5]]))


@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "int64", "uint16", "float16", "float64", "bfloat16"]
)
def test_every_dtype_goes_through_a_chain(dtype: str) -> None:
    check(
        lambda x: fp.cast(fp.cast(x, dtype), "float64") * 0.5,
        images((3, 5), "int32"),
        "cast + cast + multiply",
    )


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_channels_first_is_written_by_the_chain(channels: int, dtype: str) -> None:
    def function(image: Any) -> Any:
        return fp.transpose(fp.cast(fp.cast(image, "float32") * 0.5, dtype), [2, 0, 1])

    check(function, images((19, 83, channels)), "cast + multiply + cast + transpose")


@pytest.mark.parametrize("columns", [True, False])
def test_a_flip_is_read_by_the_chain(columns: bool) -> None:
    flip = fp.image.flip_left_right if columns else fp.image.flip_up_down

    def function(image: Any) -> Any:
        return (fp.cast(flip(image), fp.float32) - MEAN) / DEVIATION

    check(function, images((13, 700, 3)), "flip_image + cast + subtract + divide")


def test_a_random_flip_is_the_same_in_a_chain() -> None:
    def function(image: Any) -> Any:
        flipped = fp.image.random_flip_left_right(image, seed=3)
        return fp.transpose(fp.cast(flipped, fp.float32) / 255.0, [2, 0, 1])

    check(function, images((8, 9, 3), count=20), "random_flip_image + cast + divide + transpose")


def test_a_batch_of_images_that_is_flipped_is_computed_one_by_one() -> None:
    def function(batch: Any) -> Any:
        return fp.cast(fp.image.random_flip_left_right(batch, seed=3), fp.float32) / 255.0

    check(function, images((4, 8, 9, 3)), "random_flip_image + cast + divide")


def test_a_chain_writes_rows_of_its_batch() -> None:
    values = images((20, 30, 3), count=10)
    batches = (
        fp.Dataset.from_tensor_slices(values)
        .map(lambda image: fp.cast(image, fp.float32) / 255.0, num_parallel_calls=2)
        .batch(4)
    )
    expected = values.astype(np.float32) / np.float32(255)
    np.testing.assert_array_equal(np.concatenate(list(batches)), expected)


# ---- parts of JPEGs ----


def jpeg(height: int, width: int, channels: int = 3) -> bytes:
    return fp.io.encode_jpeg(images((height, width, channels))[0])


def photographs() -> list[bytes]:
    """Of several sizes, and what is none or damaged between them."""
    found = [jpeg(60, 90), jpeg(33, 47)]
    png = fp.io.encode_png(images((40, 50, 3))[0])
    return [found[0], b"no image", found[1][:-300], png, b"", found[1]]


def decode(contents: Any) -> Any:
    return fp.io.decode_jpeg(contents, channels=3)


def test_only_the_rectangle_that_is_cropped_is_decoded() -> None:
    check(
        lambda contents: fp.image.crop_to_bounding_box(decode(contents), 5, 7, 21, 17),
        photographs(),
        "decode_jpeg + crop_image",
    )


def test_slices_of_an_image_are_decoded_alone() -> None:
    check(
        lambda contents: decode(contents)[3:-4, 8:40],
        photographs(),
        "decode_jpeg + strided_slice",
    )


@pytest.mark.parametrize(
    "key",
    [
        np.s_[::2],
        np.s_[::-1],
        np.s_[5],
        np.s_[..., 0],
        np.s_[..., :2],
        np.s_[:, :, None],
        np.s_[40:10],
        np.s_[..., ::1],
        np.s_[2:, ..., 0:3],
    ],
)
def test_indices_that_are_no_rectangle_are_taken_of_the_whole(key: Any) -> None:
    check(lambda contents: decode(contents)[key], photographs(), "decode_jpeg + strided_slice")


def test_a_random_crop_is_decoded_alone() -> None:
    check(
        lambda contents: fp.image.random_crop(decode(contents), [20, 24, 3], seed=1),
        photographs() * 5,
        "decode_jpeg + random_crop",
    )


def test_a_crop_beyond_the_image_is_the_error_of_the_crop() -> None:
    def function(contents: Any) -> Any:
        return fp.image.crop_to_bounding_box(decode(contents), 5, 7, 50, 17)

    check(function, photographs(), "decode_jpeg + crop_image")
    assert "crop_image" in run(function, photographs(), True)[-1][1]


@pytest.mark.parametrize("channels", [0, 1, 3])
def test_a_random_resized_crop_is_decoded_alone(channels: int) -> None:
    def function(contents: Any) -> Any:
        image = fp.io.decode_jpeg(contents, channels=channels)
        return fp.image.random_resized_crop(image, [16, 24], antialias=True, seed=4)

    gray = jpeg(50, 70, 1)
    check(
        function,
        [*photographs(), gray] * 4,
        "decode_jpeg + shape",
        "decode_jpeg + crop_image + resize",
    )


@pytest.mark.parametrize("size", [(16, 20), (224, 224), (3, 500)])
@pytest.mark.parametrize("method", METHODS)
def test_an_image_is_resized_while_it_is_decoded(method: str, size: tuple[int, int]) -> None:
    for antialias in (False, True):
        check(
            lambda contents, antialias=antialias: fp.image.resize(
                decode(contents), size, method, antialias=antialias
            ),
            photographs(),
            "decode_jpeg + resize",
        )


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("filter_name", ["bilinear", "box", "hamming", "bicubic", "lanczos"])
def test_an_image_is_resized_like_pillow_while_it_is_decoded(filter_name: str, first: bool) -> None:
    check(
        lambda contents: fp.image.resize_pillow(
            decode(contents)[2:, 3:], [20, 31], filter_name, horizontal_first=first
        ),
        photographs(),
        "decode_jpeg + strided_slice + resize_like_pillow",
    )


@pytest.mark.parametrize("subsampling", ["444", "422", "420"])
@pytest.mark.parametrize("progressive", [False, True])
def test_crops_of_any_encoding_are_those_of_the_whole(subsampling: str, progressive: bool) -> None:
    pixels = np.add.outer(np.arange(77) * 2, np.arange(101) * 3)[..., None] % 256
    pixels = (pixels * np.array([1, 2, 3])).astype(np.uint8) // 2 + images((77, 101, 3))[0] // 2
    file = io.BytesIO()
    pillow.fromarray(pixels).save(
        file, "JPEG", subsampling=SUBSAMPLINGS[subsampling], progressive=progressive
    )
    boxes = [[0, 0, 77, 101], [76, 100, 1, 1], [0, 100, 77, 1]]
    for _ in range(30):
        y, x = int(RNG.integers(0, 77)), int(RNG.integers(0, 101))
        boxes.append([y, x, int(RNG.integers(1, 78 - y)), int(RNG.integers(1, 102 - x))])

    def function(box: Any) -> Any:
        image = fp.io.decode_jpeg(file.getvalue())
        part = fp.image.crop_to_bounding_box(image, box[0], box[1], box[2], box[3])
        return fp.image.resize(part, [9, 12], antialias=True)

    check(function, np.array(boxes), "decode_jpeg + crop_image + resize")


def test_a_size_may_be_computed_and_wrong() -> None:
    contents = jpeg(30, 50)

    def function(size: Any) -> Any:
        return fp.image.resize(decode(contents), size, antialias=True)

    check(function, np.array([[8, 9], [0, 3], [-1, 2], [60, 20]]), "decode_jpeg + resize")


@pytest.mark.parametrize(
    "options",
    [
        {"channels": 1},
        {"channels": 4},
        {"ratio": 2},
        {"fancy_upscaling": False},
        {"dct_method": "INTEGER_FAST"},
        {"try_recover_truncated": True},
        {"try_recover_truncated": True, "acceptable_fraction": 0.5},
    ],
)
def test_options_of_the_decoder_hold(options: dict[str, Any]) -> None:
    def whole(contents: Any) -> Any:
        return fp.image.resize(fp.io.decode_jpeg(contents, **options), [20, 30], antialias=True)

    def part(contents: Any) -> Any:
        return fp.io.decode_jpeg(contents, **options)[2:20, 3:15]

    check(whole, photographs(), "decode_jpeg + resize")
    check(part, photographs(), "decode_jpeg + strided_slice")


def test_other_fits_are_computed_by_their_kernel() -> None:
    check(
        lambda contents: fp.image.resize_with_pad(decode(contents), 20, 20),
        photographs(),
        "decode_jpeg + resize",
    )
    check(
        lambda contents: fp.image.resize(decode(contents), [20, 20], preserve_aspect_ratio=True),
        photographs(),
        "decode_jpeg + resize",
    )


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_pixels_may_be_floats_before_they_are_resized(method: str) -> None:
    check(
        lambda contents: fp.image.resize(
            fp.cast(decode(contents)[1:, 1:], fp.float32), [20, 20], method
        ),
        photographs(),
        "decode_jpeg + strided_slice + cast + resize",
    )


def test_a_window_of_decode_and_crop_is_resized_while_it_is_decoded() -> None:
    def function(window: Any) -> Any:
        part = fp.io.decode_and_crop_jpeg(contents, window, channels=3)
        return fp.image.resize(part, [20, 20], antialias=True)

    contents = jpeg(40, 60)
    windows = np.array([[8, 20, 30, 33], [0, 0, 40, 60], [0, 0, 41, 60], [39, 59, 1, 1]], np.int32)
    check(function, windows, "decode_and_crop_jpeg + resize")


def test_resized_images_are_rows_of_their_batch() -> None:
    encoded = [jpeg(40 + i, 60 - i) for i in range(10)]
    dataset = fp.Dataset.from_tensor_slices(encoded).map(
        lambda contents: fp.image.resize(decode(contents), [24, 24], antialias=True),
        num_parallel_calls=2,
    )
    rows = list(dataset.with_options(fp.Options(fusion=False)))
    np.testing.assert_array_equal(np.concatenate(list(dataset.batch(4))), np.stack(rows))


def test_an_augmentation_is_two_kernels() -> None:
    def function(contents: Any) -> Any:
        image = fp.image.random_resized_crop(decode(contents), [16, 24], seed=4)
        image = fp.image.random_flip_left_right(image, seed=5)
        return fp.transpose((image - MEAN) / DEVIATION, [2, 0, 1])

    check(
        function,
        photographs() * 4,
        "decode_jpeg + shape",
        "decode_jpeg + crop_image + resize",
        "random_flip_image + subtract + divide + transpose",
    )


def test_an_image_that_is_needed_as_a_whole_is_decoded_as_a_whole() -> None:
    def function(contents: Any) -> Any:
        image = decode(contents)
        return image, fp.image.crop_to_bounding_box(image, 1, 2, 3, 4)

    check(function, photographs())


def test_two_crops_of_an_image_share_one_decode() -> None:
    def function(contents: Any) -> Any:
        image = decode(contents)
        return image[:5, :5], image[5:9, 5:9]

    check(function, photographs())


def test_fusion_can_be_switched_off_and_explain_says_what_is_fused() -> None:
    dataset = fp.Dataset.from_tensor_slices(images((4, 4, 3))).map(
        lambda image: fp.cast(image, fp.float32) / 255.0
    )
    assert "computed as one: cast + divide" in dataset.explain()
    off = dataset.with_options(fp.Options(fusion=False)).explain()
    assert "computed as one" not in off
    assert "options: fusion=False" in off


@pytest.mark.parametrize(
    "function, said",
    [
        (lambda x: fp.fill([300], fp.cast(x, fp.float32)), True),
        (lambda x: fp.fill([x, 3], x), True),
        (lambda x: x + 1, False),
        (lambda x: fp.fill([5], x), False),
        (lambda x: fp.strings.as_string(fp.fill([300], x)), False),
    ],
)
def test_explain_says_where_rows_are_computed_in_their_batch(
    function: Callable[..., Any], said: bool
) -> None:
    batches = fp.Dataset.range(3).map(function).batch(2)
    assert ("in the batch's memory" in batches.explain()) == said
    assert "in the batch's memory" not in batches.with_options(fp.Options(fusion=False)).explain()
