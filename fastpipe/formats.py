"""Kernels that decode and encode image formats: the rest of `tf.io`'s, re-exported by `io`."""

from __future__ import annotations

from typing import Any

from fastpipe.color import convert_image_dtype
from fastpipe.spec import as_dtype
from fastpipe.tracing import call, convert

__all__ = [
    "adjust_jpeg_quality",
    "decode_bmp",
    "decode_compressed",
    "decode_gif",
    "decode_image",
    "decode_webp",
    "encode_jpeg",
    "encode_png",
]


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: object = "uint8",
    expand_animations: bool = True,
) -> Any:
    """The pixels of a JPEG, PNG, GIF, BMP or WebP; the bytes tell which.

    JPEGs are decoded with the dct_method "INTEGER_FAST", as TensorFlow does here.

    Args:
        contents: The encoded image, a scalar string.
        channels: 1 for grey, 3 for RGB, 4 for RGBA; None or 0 for what the image has. JPEGs have no
            alpha, GIFs are RGB, BMPs are never made grey, and WebPs are given as they are.
        dtype: Any integer or floating dtype, scaled as in `image.convert_image_dtype`. WebPs are
            uint8 only.
        expand_animations: False makes the result three-dimensional whatever the format: of a GIF
            or WebP the first frame.

    Returns:
        `dtype` [height, width, channels]; [frames, height, width, channels] for a GIF or a WebP,
        animated or not, if `expand_animations`.

    Raises:
        InvalidArgumentError: `contents` are no image in one of these formats, are damaged or
            truncated, or cannot have these channels or this dtype.

    >>> bmp = b"BM" + bytes([0] * 8 + [54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24])
    >>> decode_image(bmp + bytes(25) + bytes([30, 20, 10, 0])).tolist()
    [[[10, 20, 30]]]
    """
    target = as_dtype(dtype)
    direct = target.name in ("uint8", "uint16", "float32")
    image = call(
        "decode_image",
        [contents],
        channels=channels or 0,
        dtype=target.name if direct else "uint16",
        expand_animations=expand_animations,
    )
    return image if direct else convert_image_dtype(image, target)


def decode_gif(contents: Any) -> Any:
    """The frames of a GIF. A JPEG, PNG or WebP is decoded as frames too.

    The canvas is as large as the largest frame. Each frame is drawn over the one before, the first
    over black, but for its transparent pixels; disposal methods have no effect.

    Args:
        contents: The encoded image, a scalar string.

    Returns:
        uint8 [frames, height, width, 3].

    Raises:
        InvalidArgumentError: `contents` are not a GIF, or are damaged or truncated.

    >>> gif = bytes.fromhex("47494638396101000100800000102030405060"
    ...                     "2c00000000010001000002024401003b")
    >>> decode_gif(gif).tolist()
    [[[[16, 32, 48]]]]
    """
    return call("decode_gif", [contents])


def decode_webp(contents: Any, channels: int = 0, dtype: object = "uint8") -> Any:
    """The frames of a WebP; a still image is one frame.

    Args:
        contents: The encoded image, a scalar string.
        channels: 3 for RGB, 4 for RGBA, 0 for either. It must be what the image has; animations
            are RGBA.
        dtype: uint8.

    Returns:
        uint8 [frames, height, width, channels].

    Raises:
        InvalidArgumentError: `contents` are not a WebP, are damaged or truncated, or have other
            channels.

    >>> webp = bytes.fromhex("524946461e000000574542505650384c110000002f00"
    ...                      "00000007508a2ad4a3ff8188e87f0000")
    >>> decode_webp(webp).tolist()
    [[[[10, 20, 30]]]]
    """
    if as_dtype(dtype).name != "uint8":
        image_dtype = as_dtype(dtype).name
        raise ValueError(f"decode_webp: dtype must be uint8, got {image_dtype}")
    return call("decode_webp", [contents], channels=channels)


def decode_bmp(contents: Any, channels: int = 0) -> Any:
    """The pixels of an uncompressed BMP of 8, 24 or 32 bits a pixel.

    Args:
        contents: The encoded image, a scalar string.
        channels: 3 for RGB, 4 for RGBA, 0 for what the image has: 1, 3 or 4 by the bits of a
            pixel. Alpha is dropped or added, opaque, as needed.

    Returns:
        uint8 [height, width, channels]. The 8 bits of a pixel are its grey level: palettes have no
        effect.

    Raises:
        InvalidArgumentError: `contents` are not such a BMP, or their length is not what the header
            says.

    >>> decode_bmp(b"BM")
    Traceback (most recent call last):
    fastpipe.errors.InvalidArgumentError: cannot decode BMP of 2 bytes: the data end too early...
    """
    return call("decode_bmp", [contents], channels=channels)


def encode_png(image: Any, compression: int = -1) -> Any:
    r"""Images as PNGs.

    Args:
        image: uint8 or uint16 [..., height, width, channels]: 1 channel is grey, 2 grey and alpha,
            3 RGB, 4 RGBA.
        compression: From 0, none, to 9, the best; -1 for zlib's default.

    Returns:
        A string tensor of shape [...]: a scalar for one image.

    Raises:
        InvalidArgumentError: An argument is none of these, or the images are empty.

    >>> import numpy as np
    >>> encode_png(np.zeros((2, 2, 1), np.uint8))[:8]
    b'\x89PNG\r\n\x1a\n'
    """
    return call("encode_png", [image], compression=compression)


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str | bytes = "",
) -> Any:
    r"""An image as a JPEG.

    Args:
        image: uint8 [height, width, 1 or 3].
        format: "grayscale" or "rgb" if the image must be that, "" for either.
        quality: From 0 to 100.
        progressive: Store the image coarse first, then finer.
        optimize_size: Fewer bytes for more time; the pixels stay the same.
        chroma_downsampling: Store colour at half the resolution.
        density_unit: Of the densities: "in" for pixels an inch, "cm" for pixels a centimetre.
        x_density: A note of the file, from 0 to 65535; it changes no pixel.
        y_density: As `x_density`.
        xmp_metadata: To be embedded, if not empty.

    Returns:
        A scalar string.

    Raises:
        InvalidArgumentError: An argument is none of these, or the image is empty or has a side of
            more than 65500.

    >>> import numpy as np
    >>> encode_jpeg(np.zeros((2, 2, 3), np.uint8))[:3]
    b'\xff\xd8\xff'
    """
    return call(
        "encode_jpeg",
        [image],
        format=format,
        quality=quality,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
    )


def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: str = "") -> Any:
    """An image with the losses of a JPEG: encoded and decoded again.

    Args:
        image: [height, width, 1 or 3] of an integer or floating dtype, in the range that
            `convert_image_dtype` expects of it.
        jpeg_quality: From 0 to 100, a scalar integer; it may differ from element to element.
        dct_method: Of decoding, as in `decode_jpeg`.

    Returns:
        The shape and dtype of `image`.

    Raises:
        InvalidArgumentError: The image has other channels or is empty, or the quality is out of
            range.

    >>> import numpy as np
    >>> adjust_jpeg_quality(np.full((1, 1, 1), 0.5, np.float32), 90).shape
    (1, 1, 1)
    """
    image = convert(image)
    channels = image.shape[-1] if image.shape else None
    narrow = convert_image_dtype(image, "uint8", saturate=True)
    encoded = call("encode_jpeg_variable_quality", [narrow, jpeg_quality])
    decoded = call("decode_jpeg", [encoded], channels=channels or 0, dct_method=dct_method)
    return convert_image_dtype(decoded, image.dtype, saturate=True)


def decode_compressed(bytes: Any, compression_type: str = "", max_size: int = 2**30) -> Any:
    """Strings decompressed.

    Args:
        bytes: A string tensor of any shape.
        compression_type: "GZIP", whose members may follow each other, "ZLIB", "ZSTD", whose frames
            may, or "" for strings that are as they are.
        max_size: A result of more bytes is refused, before memory for it is taken.

    Returns:
        A string tensor of the shape of `bytes`.

    Raises:
        DataLossError: A string is not compressed like that, is damaged or truncated, or goes on
            after its end.
        ResourceExhaustedError: More than `max_size` bytes come out.
        InvalidArgumentError: There is no such compression.

    >>> import zlib
    >>> decode_compressed(zlib.compress(b"some text"), "ZLIB")
    b'some text'
    """
    return call("decode_compressed", [bytes], compression_type=compression_type, max_size=max_size)
