import numpy as np
import open_shapes
import pytest

import fastpipe.compat.tf as tf
from fastpipe import image
from fastpipe.errors import InvalidArgumentError

# image, box, seed, min_object_covered, aspect_ratio_range, area_range, and what TensorFlow 2.21
# makes of it: begin and size.
CASES = [
    ([478, 506], [], [-981607885, -594774633], 0.1,
     [1.58, 2.095], [0.07, 0.56], [90, 34], [213, 396]),
    ([560, 522], [], [-993044228, 241204399], 0.0,
     [1.23, 2.566], [0.405, 0.952], [182, 31], [336, 448]),
    ([405, 144], [0.4638, 0.2219, 0.6744, 0.6842], [-530374665, -731337083], 0.5,
     [0.5, 1.995], [0.639, 0.695], [42, 1], [275, 142]),
    ([190, 348], [0.0505, 0.043, 0.53, 0.4772], [-46152856, 986032682], 1.0,
     [0.256, 2.533], [0.496, 0.561], [8, 0], [144, 248]),
    ([414, 268], [], [-1375546736, -201157893], 0.0,
     [0.384, 0.739], [0.507, 0.681], [1, 78], [404, 171]),
    ([66, 165], [0.7327, 0.2015, 0.9224, 0.2511], [-579245068, 247085424], 0.1,
     [0.742, 1.107], [0.102, 0.936], [2, 21], [61, 50]),
    ([125, 599], [0.6568, 0.1902, 0.6785, 0.1968], [-1366421310, 1077826683], 1.0,
     [0.298, 1.246], [0.08, 0.166], [9, 84], [93, 86]),
    ([174, 257], [0.154, 0.7919, 0.9623, 0.9155], [-1639907337, 992805641], 0.1,
     [0.386, 1.434], [0.355, 0.529], [17, 86], [107, 152]),
]  # fmt: skip
NO_BOXES = np.zeros((1, 0, 4), np.float32)
SEED = [1, 2]


@pytest.mark.parametrize("case", CASES)
def test_distorted_boxes_are_tensorflows(case):
    (height, width), box, seed, covered, ratios, areas, begin, size = case
    boxes = np.array(box, np.float32).reshape(1, -1, 4)
    got = image.stateless_sample_distorted_bounding_box(
        [height, width, 3], boxes, seed, covered, ratios, areas, 100,
        use_image_if_no_bounding_boxes=True,
    )  # fmt: skip
    assert got[0].tolist() == [*begin, 0] and got[1].tolist() == [*size, -1]
    y, x = begin
    want = [y / height, x / width, (y + size[0]) / height, (x + size[1]) / width]
    np.testing.assert_allclose(got[2], [[want]], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "int64"])
def test_begin_and_size_have_the_dtype_of_the_image_size(dtype):
    size = np.array([100, 120, 3], dtype)
    got = image.sample_distorted_bounding_box(size, [[[0.0, 0.0, 1.0, 1.0]]], seed=1)
    assert [part.dtype for part in got] == [dtype, dtype, np.float32]


def test_after_the_last_attempt_it_is_the_whole_image():
    begin, size, box = image.stateless_sample_distorted_bounding_box(
        [10, 20, 3], [[[0.0, 0.0, 0.01, 0.01]]], SEED, min_object_covered=1.0, max_attempts=3
    )
    assert (begin.tolist(), size.tolist()) == ([0, 0, 0], [10, 20, -1])
    assert box.tolist() == [[[0, 0, 1, 1]]]


def test_the_box_crops_an_image_in_a_traced_function():
    pixels = np.random.default_rng(0).integers(0, 255, (60, 80, 3)).astype(np.uint8)

    def crop(x):
        begin, size, _ = tf.image.sample_distorted_bounding_box(
            tf.shape(x), NO_BOXES, seed=5, use_image_if_no_bounding_boxes=True
        )
        return tf.slice(x, begin, size), begin, size

    ((part, begin, size),) = open_shapes.traced(crop, [pixels], [(None, None, 3)])
    (y, x, _), (height, width, _) = begin.tolist(), size.tolist()
    np.testing.assert_array_equal(part, pixels[y : y + height, x : x + width])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"image_size": [3, 3]}, "image_size must be 3 integers"),
        ({"image_size": [3.0, 3.0, 3.0]}, "image_size must be 3 integers"),
        ({"image_size": [-1, 3, 3]}, "less than 2"),
        ({"bounding_boxes": NO_BOXES[0]}, "batch, boxes, 4"),
        ({"bounding_boxes": [[[0.0, 0.0, 2.0, 1.0]]]}, r"in \[0, 1\], got 2"),
        ({"bounding_boxes": NO_BOXES}, "bounding_boxes is empty"),
        ({"min_object_covered": -0.5}, "min_object_covered"),
        ({"aspect_ratio_range": [0, 1]}, "aspect_ratio_range must be positive"),
        ({"aspect_ratio_range": [1]}, "aspect_ratio_range must be two numbers"),
        ({"area_range": [0.5, 2]}, "area_range must be in"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"seed": [1]}, "seed must be"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    right = {"image_size": [9, 9, 3], "bounding_boxes": [[[0.0, 0.0, 1.0, 1.0]]], "seed": SEED}
    with pytest.raises(InvalidArgumentError, match=message):
        image.stateless_sample_distorted_bounding_box(**{**right, **arguments})


# ---- random_resized_crop ----

PLACES = np.stack(np.meshgrid(np.arange(200), np.arange(300), indexing="ij"), axis=-1)


def crop_of(seed, height=200, width=300, **options):
    """Top, left, height and width of the part that is taken: the pixels say where they are from."""
    part = image.stateless_random_resized_crop(
        PLACES[:height, :width], [400, 400], seed, method="nearest", **options
    )
    top, left = part.reshape(-1, 2).min(axis=0)
    bottom, right = part.reshape(-1, 2).max(axis=0)
    return top, left, bottom - top + 1, right - left + 1


def test_random_resized_crops_have_the_area_and_the_shape_asked_for():
    crops = [crop_of([1, n], scale=(0.2, 0.5), ratio=(0.5, 2.0)) for n in range(60)]
    assert len(set(crops)) == 60
    for _, _, height, width in crops:
        assert 0.19 < height * width / 60_000 < 0.51
        assert 0.48 < width / height < 2.1
    assert min(top for top, *_ in crops) < 20 and max(left for _, left, *_ in crops) > 100


def test_a_shape_that_never_fits_takes_the_middle():
    assert crop_of(SEED, 20, 200, scale=(1, 1), ratio=(0.5, 2.0)) == (0, 80, 20, 40)
    assert crop_of(SEED, 200, 20, scale=(1, 1), ratio=(0.5, 2.0)) == (80, 0, 40, 20)


def test_random_resized_crop_gives_what_crop_and_resize_give():
    pixels = np.random.default_rng(0).integers(0, 255, (50, 60, 3)).astype(np.uint8)
    whole = image.random_resized_crop(pixels, [20, 30], (1, 1), (1.2, 1.2), antialias=True, seed=1)
    np.testing.assert_array_equal(whole, image.resize(pixels, [20, 30], antialias=True))
    batch = image.random_resized_crop(np.stack([pixels] * 2), [20, 30], seed=1)
    assert batch.dtype == np.float32 and batch.shape == (2, 20, 30, 3)
    np.testing.assert_array_equal(batch[0], batch[1])


def test_shapes_may_be_known_only_when_it_runs():
    pixels = np.random.default_rng(0).integers(0, 255, (50, 60, 3)).astype(np.uint8)
    want = image.stateless_random_resized_crop(pixels, [20, 30], SEED)
    crop = lambda x, seed: image.stateless_random_resized_crop(x, [20, 30], seed)  # noqa: E731
    open_shapes.check(crop, [pixels, np.array(SEED)], want)
    assert open_shapes.spec_of(
        lambda x: image.random_resized_crop(x, [20, 30]), ((None, None, 3), "uint8")
    ) == (20, 30, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": (0.5, 0.1)}, "scale must be two positive numbers"),
        ({"scale": 0.5}, "scale must be two numbers"),
        ({"ratio": (0, 1)}, "ratio must be two positive numbers"),
        ({"image": np.zeros((0, 3, 3))}, "the image is empty"),
        ({"image": np.zeros((3, 3))}, "image_size must be"),
    ],
)
def test_wrong_arguments_of_random_resized_crop_are_named(options, message):
    right = {"image": np.zeros((3, 3, 3)), "size": [2, 2]}
    with pytest.raises(InvalidArgumentError, match=message):
        image.random_resized_crop(**{**right, **options})
