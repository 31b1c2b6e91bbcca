"""Images for tests: arrays, and the same encoded."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest


def photograph(height: int, width: int, channels: int = 3, seed: int = 0) -> np.ndarray:
    """Smooth gradients with some noise, uint8: what JPEG and resizing are made for."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width].astype(np.float64)
    waves = [np.sin(y / (3 + c) + c) + np.cos(x / (4 + c)) for c in range(channels)]
    noise = rng.normal(0, 8, (height, width, channels))
    return np.clip(128 + 50 * np.stack(waves, axis=-1) + noise, 0, 255).astype(np.uint8)


def png(pixels: np.ndarray) -> bytes:
    """uint8 or uint16 [height, width, 1 to 4 channels] as a PNG, by the standard library alone."""
    height, width, channels = pixels.shape
    rows = pixels.astype(pixels.dtype.newbyteorder(">")).reshape(height, -1)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    header = struct.pack(">IIBBBBB", width, height, 8 * pixels.itemsize, colour, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(raw)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def jpeg(pixels: np.ndarray, **options: object) -> bytes:
    """uint8 [height, width, 1 or 3] as a JPEG. Skips the test where there is no Pillow."""
    pillow = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    pillow.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels).save(
        file, "JPEG", **options
    )
    return file.getvalue()


def by_pillow(encoded: bytes, mode: str | None = None) -> np.ndarray:
    """The pixels that Pillow decodes, [height, width, channels]."""
    pillow = pytest.importorskip("PIL.Image")
    with pillow.open(io.BytesIO(encoded)) as image:
        pixels = np.asarray(image.convert(mode) if mode else image)
    return pixels[:, :, None] if pixels.ndim == 2 else pixels
