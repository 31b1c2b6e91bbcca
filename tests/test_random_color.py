"""Random changes of colours: TensorFlow's for a seed, and their own for each element."""

import numpy as np
import pytest

import fastpipe as fp
from fastpipe import image
from fastpipe.errors import InvalidArgumentError

Y, X, CHANNEL = np.mgrid[:8, :10, :3]
PIXELS = ((Y * 37 + X * 23 + CHANNEL * 71) % 256).astype(np.uint8)
# For the seed [1, 2]: arguments, and the pixels [3, 4] and [7, 9] and the sum of TensorFlow 2.21's
# result.
TENSORFLOW = {
    "brightness": ((0.3,), [255, 70, 141], [255, 77, 148], 41753),
    "contrast": ((0.2, 0.9), [186, 41, 97], [192, 46, 103], 30404),
    "saturation": ((0.5, 1.5), [203, 0, 78], [210, 0, 80], 26172),
    "hue": ((0.2,), [203, 99, 18], [210, 106, 25], 28085),
    "jpeg_quality": ((20, 90), [161, 89, 67], [135, 60, 31], 30508),
}


def functions(name):
    return getattr(image, f"random_{name}"), getattr(image, f"stateless_random_{name}")


@pytest.mark.parametrize("name", TENSORFLOW)
def test_the_change_is_tensorflows(name):
    arguments, first, second, total = TENSORFLOW[name]
    got = functions(name)[1](PIXELS, *arguments, seed=[1, 2])
    assert got.dtype == np.uint8 and got.shape == PIXELS.shape
    assert (got[3, 4].tolist(), got[7, 9].tolist(), int(got.sum())) == (first, second, total)


@pytest.mark.parametrize("name", TENSORFLOW)
def test_elements_differ_and_runs_repeat(name):
    function, _ = functions(name)
    arguments = TENSORFLOW[name][0]
    dataset = fp.Dataset.range(4).map(
        lambda _: function(PIXELS, *arguments, seed=1), num_parallel_calls=2
    )
    images = [element.tobytes() for element in dataset]
    assert len(set(images)) > 2
    assert [element.tobytes() for element in dataset] == images


@pytest.mark.parametrize("name", TENSORFLOW)
def test_values_outside_of_datasets_are_changed_at_once(name):
    function, _ = functions(name)
    images = {function(PIXELS, *TENSORFLOW[name][0]).tobytes() for _ in range(8)}
    assert len(images) > 2


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("brightness", (-0.1,), "max_delta must be >= 0"),
        ("hue", (0.6,), "max_delta must be between 0 and 0.5"),
        ("hue", (-0.1,), "max_delta must be"),
        ("contrast", (0.5, 0.5), "lower must be"),
        ("contrast", (-0.5, 0.5), "lower must be"),
        ("saturation", (1.5, 0.5), "lower must be"),
        ("jpeg_quality", (90, 20), "min_jpeg_quality must be less"),
        ("jpeg_quality", (0, 101), "between 0 and 100"),
    ],
)
def test_wrong_bounds_are_named(name, arguments, message):
    function, stateless = functions(name)
    with pytest.raises(InvalidArgumentError, match=message):
        function(PIXELS, *arguments)
    with pytest.raises(InvalidArgumentError, match=message):
        stateless(PIXELS, *arguments, seed=[1, 2])


def test_saturation_needs_a_seed_although_it_comes_last():
    with pytest.raises(InvalidArgumentError, match="seed must be"):
        image.stateless_random_saturation(PIXELS, 0.5, 1.5)
