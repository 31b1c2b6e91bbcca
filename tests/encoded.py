"""Encoded files for tests, written by the standard library alone: BMP, GIF and WAV."""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


def bmp(
    pixels: np.ndarray, *, top_down: bool = False, offset: int = 54, bits: int | None = None
) -> bytes:
    """uint8 [height, width, 1, 3 or 4 channels, in the order of the file] as a BMP."""
    height, width, channels = pixels.shape
    rows = pixels if top_down else pixels[::-1]
    padding = bytes(-width * channels % 4)
    data = b"".join(row.tobytes() + padding for row in rows)
    header = struct.pack("<2sIHHI", b"BM", offset + len(data), 0, 0, offset)
    header += struct.pack("<IiiHH", 40, width, -height if top_down else height, 1, 0)
    header = header[:28] + struct.pack("<H", bits or 8 * channels)
    return header.ljust(offset, b"\0") + data


class Frame(NamedTuple):
    """A frame of a GIF: indices into `colours`, or into the map of the file."""

    indices: np.ndarray
    left: int = 0
    top: int = 0
    colours: Sequence[tuple[int, int, int]] = ()
    transparent: int | None = None
    disposal: int = 0
    interlaced: bool = False


def gif(
    frames: Sequence[Frame],
    colours: Sequence[tuple[int, int, int]] = (),
    screen: tuple[int, int] = (1, 1),
) -> bytes:
    """A GIF. Maps have a power of two of colours; `screen` is its width and height."""
    parts = [b"GIF89a", struct.pack("<HHBBB", *screen, _map_flags(colours), 0, 0)]
    parts.append(_map_bytes(colours))
    for frame in frames:
        flags = (frame.transparent is not None) | frame.disposal << 2
        parts.append(b"!\xf9\x04" + struct.pack("<BHBB", flags, 5, frame.transparent or 0, 0))
        height, width = frame.indices.shape
        flags = _map_flags(frame.colours) | (0x40 if frame.interlaced else 0)
        parts.append(b"," + struct.pack("<HHHHB", frame.left, frame.top, width, height, flags))
        parts.append(_map_bytes(frame.colours))
        rows = frame.indices
        if frame.interlaced:
            rows = np.concatenate([rows[0::8], rows[4::8], rows[2::4], rows[1::2]])
        parts.append(_lzw(rows.ravel().tolist()))
    return b"".join(parts) + b";"


def _map_flags(colours: Sequence[tuple[int, int, int]]) -> int:
    return 0x80 | (len(colours).bit_length() - 2) if colours else 0


def _map_bytes(colours: Sequence[tuple[int, int, int]]) -> bytes:
    return b"".join(bytes(colour) for colour in colours)


def _lzw(indices: Sequence[int]) -> bytes:
    """Codes of 9 bits, with the table cleared before they would have to grow."""
    codes = []
    for position, index in enumerate(indices):
        if position % 250 == 0:
            codes.append(256)
        codes.append(index)
    codes.append(257)
    bits = int("".join(f"{code:09b}" for code in reversed(codes)), 2)
    data = bits.to_bytes((9 * len(codes) + 7) // 8, "little")
    blocks = [data[start : start + 255] for start in range(0, len(data), 255)]
    return b"\x08" + b"".join(bytes([len(block)]) + block for block in blocks) + b"\0"


def wav(
    samples: np.ndarray,
    rate: int = 8000,
    *,
    before: bytes = b"",
    after: bytes = b"",
    extra: bytes = b"",
) -> bytes:
    """int16 [samples, channels] as a WAV file; `before` and `after` are whole chunks."""
    channels = samples.shape[1]
    head = (
        struct.pack("<HHIIHH", 1, channels, rate, rate * 2 * channels % 2**32, 2 * channels, 16)
        + extra
    )
    body = chunk(b"fmt ", head) + chunk(b"data", samples.astype("<i2").tobytes())
    content = b"WAVE" + before + body + after
    return chunk(b"RIFF", content)


def chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content


def _webp(text: str) -> bytes:
    return base64.b64decode(text)


LOSSY_WEBP = _webp(  # 7 rows, 9 columns, RGB
    "UklGRj4AAABXRUJQVlA4IDIAAADwAQCdASoJAAcAAoBCJYgCdADdH9nU/AAA/vYsIZR7x/Tszv3LMs8ioKgT204qVAAA"
    "AA=="
)
ALPHA_WEBP = _webp(  # 7 rows, 9 columns, RGB + alpha
    "UklGRpYAAABXRUJQVlA4WAoAAAAQAAAACAAABgAAQUxQSEAAAAAAtLa0sa+opZ+ho6e0pKKopaOOoJqvnZ2OmJiPrKSU"
    "oZmLlIOBnZmXkZeTkH+Mj5SYhI+DhnR1ipSJeXp6fIduVlA4IDAAAACwAQCdASoJAAcAAoBCJQBOgBue237QAP73QFBH"
    "WaZN7qGiuzHySRsvjCpEyNAAAAA="
)
LOSSLESS_WEBP = _webp(  # photograph(7, 9)
    "UklGRggBAABXRUJQVlA4TPwAAAAvCIABAPfBOJJsJfvex931Sv5RcXR3SINNAIBJ5obrRw36F6GBO3PGkWQrqW+4w4n8"
    "IyEaTt9d5z/q+Xs+ADQkfMU6+WOxoQIl8NDkfkb4qJ95TJtht8Q5kt0OOrvupPkaCWzk+OMm2kxykgX3zTl58unwQxB6"
    "JZFY4er4etisB0Zl+1ARskLIFj2SnR8zIsN60Gi/cF8QjV4FFyArvIMDOJ8uTlDp8PQZiEJGoTk08qOejJC7jaa98Afp"
    "ySspzMAwAMCi2WXbtm0X0f+4zj1P0jiI1m05njJrwuG9p7GofA/p/24WasVFoQ/GRUlWAUYwLa/pDsWSNGcalg0="
)
ANIMATED_WEBP = _webp(  # photograph(6, 5, 4, seed=k) for k in range(3)
    "UklGRnwCAABXRUJQVlA4WAoAAAASAAAABAAABQAAQU5JTQYAAAD/////AABBTk1GwAAAAAAAAAAAAAQAAAUAAAoAAAJW"
    "UDhMqAAAAC8EQAEQ78AmAIA0uDv9C/I589VQHElScgIvXkRD/mEQhLuXokaSlN1jvvNva23clylKAgBIcPf9HGMDza1E"
    "sZSXEO48rD3/zEO2hHu7UOz68TOffjh/2a9nuMw6MRhwO0Xu++H/f6enpO9o9EFSaEk+dh0vMPxERPyMGYx4ejGNpf1V"
    "gTw2lY53QmEkSWbs7m0bEf2PUvsce6XczgUfCTIajHX8a/WEBEFOTUa+AAAAAAAAAAAABAAABQAAFAAAAlZQOEymAAAA"
    "LwRAARDvoKiRJGX5wL/Hy/2ZbbAJACAN7gHoX4gS7r9tiiJJai4Cb6Tg3wU2+OUMIwEAymS7a719L7S9SC425wfy9j/v"
    "j2QivMOfxbew/qvOgT4uVAGpexCwsuPaLvANFX4e8CuMVQrEzYv037ce8aEGLF7kQ/LceKXZgZ4cVz3zOGK8uW3DFxRG"
    "kmTG7t62EdH/mKPft9s6nyKwpCTh2VgRi3Y+VEFOTUbCAAAAAAAAAAAABAAABQAAFAAAAlZQOEypAAAALwRAARDvoKCN"
    "JCU5eEb/4j7vgckHgwAAktANA/j/iwWdtgwCAEhCd37g/xsWsKCxZRgAIBrd7X+f+aJZRAm5AJpw/f++FG2++v3HZ8//"
    "XU8ADRa0Sslt8SEmH59/EZA48kWgdO2FwHQQDPP1GwTzV/S+daAn78XnuZECwOjpx3+/c2RdH+/S53x5oDCSJDN297aN"
    "iP7HqGuf8ma/P7cUkIGPRFJhudLGAQA="
)


def damaged(good: bytes, step: int = 1) -> list[bytes]:
    """`good` cut short, and with bits turned, at every `step`-th place."""
    places = range(0, len(good), step)
    cut = [good[:place] for place in places]
    turned = [
        good[:place] + bytes([good[place] ^ mask]) + good[place + 1 :]
        for place in places
        for mask in (0xFF, 0x01, 0x80)
    ]
    return cut + turned
