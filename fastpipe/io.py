"""Kernels that read files and decode what is in them: `tf.io`, on symbols and on real values."""

from __future__ import annotations

import os
from typing import Any

from fastpipe import gfile
from fastpipe.decoding import (
    decode_base64,
    decode_csv,
    decode_json_example,
    decode_raw,
    encode_base64,
    parse_tensor,
    serialize_tensor,
)
from fastpipe.encryption import decrypt_aes_ctr, decrypt_aes_gcm
from fastpipe.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from fastpipe.formats import (
    decode_bmp,
    decode_compressed,
    decode_gif,
    decode_image,
    decode_webp,
    encode_jpeg,
    encode_png,
)
from fastpipe.integers import integers_argument
from fastpipe.parsing import (
    parse_example,
    parse_sequence_example,
    parse_single_example,
    parse_single_sequence_example,
)
from fastpipe.spec import dtype_name
from fastpipe.tracing import call
from fastpipe.writers import TFRecordOptions, TFRecordWriter

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_compressed",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_json_example",
    "decode_png",
    "decode_raw",
    "decode_webp",
    "decrypt_aes_ctr",
    "decrypt_aes_gcm",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "extract_jpeg_shape",
    "gfile",
    "is_jpeg",
    "matching_files",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_tensor",
    "write_file",
]


def read_file(filename: Any) -> Any:
    """The content of a file.

    Args:
        filename: A path, a scalar string.

    Returns:
        A scalar string: the bytes.

    Raises:
        NotFoundError: There is no such file.
        FailedPreconditionError: It is a directory; also an `IsADirectoryError`.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"abc"), file.flush()
    ...     read_file(file.name)
    b'abc'
    """
    return call("read_file", [filename])


def write_file(filename: Any, contents: Any) -> None:
    """Writes a file as a whole; folders on the way are made.

    Args:
        filename: A path, a scalar string.
        contents: Text, which becomes UTF-8, or bytes.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "new", "a.txt")
    >>> write_file(path, "abc")
    >>> read_file(path)
    b'abc'
    """
    path = os.fsdecode(filename)
    gfile.makedirs(os.path.dirname(path) or ".")
    with gfile.GFile(path, "w") as file:
        file.write(contents)


def matching_files(pattern: Any) -> Any:
    """The files whose paths match a glob pattern, sorted.

    Args:
        pattern: A scalar string, or a vector of them: files that match any.

    Returns:
        A string tensor of shape [n]; empty if nothing matches.

    >>> matching_files("no/such/folder/*.jpg").tolist()
    []
    """
    return call("matching_files", [pattern])


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    *,
    fast_decode: bool = False,
) -> Any:
    """The pixels of a JPEG. PNGs, and GIFs and WebPs of one frame, are decoded too.

    Args:
        contents: The encoded image, a scalar string.
        channels: 1 for grey, 3 for RGB, 0 for what the image has.
        ratio: 1, 2, 4 or 8: the image is made smaller by that factor while decoding, which is
            quicker than resizing it afterwards.
        fancy_upscaling: Smooth rather than replicated chroma upsampling.
        try_recover_truncated: Accept an image whose data end early; what is missing is grey.
        acceptable_fraction: With `try_recover_truncated`: the part of the rows that must be there.
        dct_method: "INTEGER_ACCURATE", "INTEGER_FAST", or "" for the accurate one: the pixels that
            Pillow gives.
        fast_decode: If all that becomes of the image, or of a crop of it, is a resize that averages
            all pixels (`image.resize` with `antialias`, but not by "nearest" or "area", or
            `image.resize_pillow`), then it may be decoded at 1/2, 1/4 or 1/8 of its size. At least
            one and a half times the size of the result is left to the resize. Photographs then
            differ from the exact result by less than 1 of 255 on average, by less than 6 in 99 of
            100 values, and by less than 40 at sharp edges. Without such a resize it has no effect.

    Returns:
        uint8 [height, width, channels].

    Raises:
        InvalidArgumentError: `contents` are not a JPEG, or are damaged or truncated.

    >>> decode_jpeg(b"BM....")
    Traceback (most recent call last):
    fastpipe.errors.InvalidArgumentError: decode_jpeg: expected a JPEG, got 6 bytes of BMP...
    """
    return call(
        "decode_jpeg",
        [contents],
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=float(acceptable_fraction),
        dct_method=dct_method,
        fast_decode=fast_decode,
    )


def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
) -> Any:
    """A window of a JPEG; what lies outside is decoded only as far as the format requires.

    Args:
        contents: The encoded image, a scalar string.
        crop_window: Four integers, y, x, height and width, in pixels of the result of
            `decode_jpeg`.
        channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method:
            As in `decode_jpeg`.

    Returns:
        uint8 [crop height, crop width, channels]. The outermost columns may differ by a few from
        those of `decode_jpeg`, as in TensorFlow: chroma is upsampled without what lies beyond.

    Raises:
        InvalidArgumentError: `contents` are not a JPEG, or are damaged; or the window is not within
            the image.

    >>> decode_and_crop_jpeg(b"", [0, 0, 8])
    Traceback (most recent call last):
    fastpipe.errors.InvalidArgumentError: decode_and_crop_jpeg: crop_window must be four ...
    """
    window, inputs = integers_argument("crop_window", crop_window)
    return call(
        "decode_and_crop_jpeg",
        [contents, *inputs],
        crop_window=window,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=float(acceptable_fraction),
        dct_method=dct_method,
    )


def extract_jpeg_shape(contents: Any, output_type: object = "int32") -> Any:
    """The shape of a JPEG, from its header alone.

    Args:
        contents: The encoded image, a scalar string.
        output_type: int32 or int64.

    Returns:
        [height, width, channels], a tensor of shape [3].

    Raises:
        InvalidArgumentError: `contents` do not start like a JPEG, or end within the header.

    >>> extract_jpeg_shape(b"")
    Traceback (most recent call last):
    fastpipe.errors.InvalidArgumentError: extract_jpeg_shape: expected a JPEG, got no bytes ...
    """
    return call("extract_jpeg_shape", [contents], output_type=dtype_name(output_type))


def is_jpeg(contents: Any) -> Any:
    r"""Whether strings start like a JPEG; nothing is decoded.

    Args:
        contents: A string tensor of any shape.

    Returns:
        A bool tensor of that shape.

    >>> is_jpeg([b"\xff\xd8\xff\xe0", b"GIF89a"]).tolist()
    [True, False]
    """
    return call("is_jpeg", [contents])


def decode_png(contents: Any, channels: int = 0, dtype: object = "uint8") -> Any:
    """The pixels of a PNG. JPEGs, and GIFs and WebPs of one frame, are decoded too.

    Args:
        contents: The encoded image, a scalar string.
        channels: 1 for grey, 3 for RGB, 4 for RGBA, 0 for what the image has. Alpha is dropped or
            added, opaque, as needed.
        dtype: uint8, or uint16 for all bits of 16-bit images.

    Returns:
        `dtype` [height, width, channels].

    Raises:
        InvalidArgumentError: `contents` are not a PNG, or are damaged or truncated.

    >>> png = bytes.fromhex(
    ...     "89504e470d0a1a0a0000000d4948445200000001000000010800000000"
    ...     "3a7e9b550000000a4944415478da6368000000820081da45083b0000000049454e44ae426082"
    ... )
    >>> decode_png(png).tolist()
    [[[128]]]
    """
    return call("decode_png", [contents], channels=channels, dtype=dtype_name(dtype))
