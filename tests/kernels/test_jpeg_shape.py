"""extract_jpeg_shape and is_jpeg."""

from __future__ import annotations

import numpy as np
import pytest
from images import jpeg, photograph, png

from fastpipe import io
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("channels", [1, 3])
def test_shape(channels: int, dtype: str) -> None:
    encoded = jpeg(photograph(37, 45, channels))
    header = encoded[: encoded.index(b"\xff\xda") + 16]
    for contents in (encoded, header):
        shape = io.extract_jpeg_shape(contents, dtype)
        assert shape.dtype == dtype and shape.tolist() == [37, 45, channels]


@pytest.mark.parametrize("contents", [b"", b"\xff\xd8\xff", png(photograph(3, 3))])
def test_no_shape(contents: bytes) -> None:
    with pytest.raises(InvalidArgumentError, match="JPEG"):
        io.extract_jpeg_shape(contents)


def test_wrong_output_type() -> None:
    with pytest.raises(InvalidArgumentError, match="int32 or int64, got float32"):
        io.extract_jpeg_shape(b"", "float32")


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        (b"", False),
        (b"\xff\xd8", False),
        (b"\xff\xd8\xff", True),
        ([b"\xff\xd8\xff\xe0", b"GIF"], [True, False]),
        (np.zeros((0, 2), object), np.zeros((0, 2), bool)),
    ],
)
def test_is_jpeg(contents: object, expected: object) -> None:
    np.testing.assert_array_equal(io.is_jpeg(contents), expected)
    assert io.is_jpeg(contents).dtype == np.bool_


def test_in_a_pipeline() -> None:
    shapes = Dataset.from_tensors(jpeg(photograph(4, 5))).map(
        lambda x: (io.extract_jpeg_shape(x), io.is_jpeg(x))
    )
    assert [spec.shape for spec in shapes.element_spec] == [(3,), ()]
    ((shape, is_jpeg),) = shapes
    assert shape.tolist() == [4, 5, 3] and is_jpeg
