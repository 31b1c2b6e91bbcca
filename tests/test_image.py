"""fastpipe.image: what it makes of kernels that are not of images alone."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from fastpipe import image
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("values", "source", "target", "saturate", "expected"),
    [
        ([0, 51, 255], "uint8", "float32", False, [0, 0.2, 1]),
        ([0, 51, 255], "uint8", "float64", False, [0, 0.2, 1]),
        ([0, 0.2, 0.5, 1], "float32", "uint8", False, [0, 51, 127, 255]),
        ([-0.5, 0.5, 2], "float32", "uint8", True, [0, 127, 255]),
        ([-0.5, 0.5, np.inf], "float64", "int8", True, [-63, 63, 127]),
        ([0, 0.5, 1], "float32", "uint16", False, [0, 32767, 65535]),
        ([-1, 0, 0.5, 2], "float32", "int32", True, [-(2**31), 0, 2**30, 2**31 - 128]),
        ([1, 2, 127], "int8", "int16", False, [256, 512, 32512]),
        ([256, 512, 32512], "int16", "int8", False, [1, 2, 127]),
        ([1000, 2000, 4000], "int16", "uint8", False, [7, 15, 31]),
        ([-1000, 2000], "int16", "uint8", True, [0, 15]),
        ([-1, 127], "int8", "uint8", True, [0, 254]),
        ([1, 255], "uint8", "uint8", False, [1, 255]),
        ([0.5, 1], "float64", "float32", False, [0.5, 1]),
    ],
)  # fmt: skip
def test_convert_image_dtype(
    values: list[float], source: str, target: str, saturate: bool, expected: list[float]
) -> None:
    pixels = np.array(values, source)
    converted = image.convert_image_dtype(pixels, target, saturate)
    assert converted.dtype == target
    np.testing.assert_allclose(converted, expected, rtol=1e-6)
    (traced,) = Dataset.from_tensors(pixels).map(
        lambda x: image.convert_image_dtype(x, target, saturate)
    )
    assert traced.dtype == target
    np.testing.assert_array_equal(traced, converted)


@pytest.mark.parametrize(("source", "target"), [("bool", "float32"), ("uint8", "bool")])
def test_convert_image_dtype_of_what_has_no_scale(source: str, target: str) -> None:
    with pytest.raises(InvalidArgumentError, match="got bool"):
        image.convert_image_dtype(np.zeros(3, source), target)


@pytest.mark.parametrize(
    "function",
    [
        image.adjust_hue, image.adjust_saturation, image.convert_image_dtype, image.crop_and_resize,
        image.draw_bounding_boxes, image.extract_patches, image.grayscale_to_rgb, image.hsv_to_rgb,
        image.non_max_suppression, image.non_max_suppression_with_scores, image.psnr, image.resize,
        image.rgb_to_grayscale, image.rgb_to_hsv, image.rot90, image.total_variation,
        image.transpose,
    ],
)  # fmt: skip
def test_a_name_is_taken_where_tensorflow_takes_it(function) -> None:
    assert "name" in inspect.signature(function).parameters
