"""A small realistic data set for those who have none at hand: made once, kept in a cache."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fastpipe.tools.contents import PHOTOGRAPHS, RECORDS, TEXT
from fastpipe.tools.tfrecord import encode_example, write_record

_VERSION = 1  # of the contents: another number makes them anew
_PHOTOGRAPHS = 192
_WIDTH, _HEIGHT = 500, 375
_SHARDS = 32
_LINES = 1500  # in each shard of text
_NUMBERS = 12  # on each line
_RECORDS = 500  # in each shard of TFRecords
_FEATURES = 32  # float32 values in each Example


def cache_folder() -> Path:
    """Where generated data live: $XDG_CACHE_HOME or ~/.cache, and fastpipe-loader in it."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification has relative paths ignored.
    root = Path(base) if os.path.isabs(base) else Path.home() / ".cache"
    return root / "fastpipe-loader"


def sample_folder(kind: str, say: Callable[[str], None] = lambda message: None) -> Path:
    """The folder of sample files of a kind; makes them if they are not there.

    Args:
        kind: PHOTOGRAPHS, TEXT or RECORDS.
        say: told when something is made.

    Raises:
        ImportError: photographs need Pillow or pillow-simd.
        OSError: the cache folder cannot be written.
    """
    make = {PHOTOGRAPHS: _make_photographs, TEXT: _make_text, RECORDS: _make_records}[kind]
    folder = cache_folder() / f"sample-{_VERSION}" / kind
    if folder.is_dir():
        return folder
    if kind == PHOTOGRAPHS:
        import PIL.Image  # noqa: F401  fails before anything is written
    folder.parent.mkdir(parents=True, exist_ok=True)
    say(f"making sample {kind} in {folder}, once")
    unfinished = Path(tempfile.mkdtemp(prefix=f".{kind}-", dir=folder.parent))
    try:
        make(unfinished)
        os.chmod(unfinished, 0o755)
        try:
            unfinished.rename(folder)
        except OSError:
            if not folder.is_dir():  # another process was quicker
                raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


# ---- photographs ----


def _make_photographs(folder: Path) -> None:
    random = np.random.default_rng(1)
    for index in range(_PHOTOGRAPHS):
        place = folder / f"class-{index % 8}"
        place.mkdir(exist_ok=True)
        photograph(random).save(place / f"{index:04}.jpg", quality=90)


def photograph(random: np.random.Generator, width: int = _WIDTH, height: int = _HEIGHT) -> Any:
    """A picture whose statistics are like a photograph's: detail at all scales, edges, grain.

    Returns:
        A PIL image, RGB.
    """
    from PIL import Image, ImageDraw, ImageFilter

    scene = np.zeros((height, width, 3), np.float32)
    # Natural images have amplitudes that fall with frequency.
    for cells, amplitude in ((3, 110), (8, 55), (20, 34), (50, 24), (125, 18)):
        rows = max(2, cells * height // width)
        noise = random.normal(0, 1, (rows, cells, 1)) + 0.4 * random.normal(0, 1, (rows, cells, 3))
        for channel in range(3):
            plane = Image.fromarray(noise[:, :, channel].astype(np.float32))
            scene[:, :, channel] += amplitude * np.asarray(
                plane.resize((width, height), Image.Resampling.BICUBIC)
            )
    picture = Image.fromarray(np.clip(128 + scene / 2, 0, 255).astype(np.uint8))
    shapes = picture.copy()
    draw = ImageDraw.Draw(shapes)
    for _ in range(int(random.integers(6, 14))):
        x, y = int(random.integers(width)), int(random.integers(height))
        w, h = (int(size) for size in random.integers(width // 16 + 1, width // 3 + 2, 2))
        colour = tuple(int(value) for value in random.integers(0, 256, 3))
        form = draw.ellipse if random.random() < 0.5 else draw.rectangle
        form((x - w // 2, y - h // 2, x + w // 2, y + h // 2), fill=colour)
    picture = Image.blend(picture, shapes.filter(ImageFilter.GaussianBlur(0.8)), 0.6)
    grain = random.normal(0, 9, (height, width, 1)) + random.normal(0, 3, (height, width, 3))
    grainy = np.clip(np.asarray(picture) + grain, 0, 255).astype(np.uint8)
    return Image.fromarray(grainy)


# ---- text and TFRecords ----


def _make_text(folder: Path) -> None:
    random = np.random.default_rng(2)
    for shard in range(_SHARDS):
        values = random.normal(0, 10, (_LINES, _NUMBERS))
        lines = [",".join(f"{value:.4f}" for value in row) for row in values]
        (folder / f"measurements-{shard:02}.csv").write_text("\n".join(lines) + "\n")


def _make_records(folder: Path) -> None:
    random = np.random.default_rng(3)
    for shard in range(_SHARDS):
        with (folder / f"train-{shard:05}-of-{_SHARDS:05}.tfrecord").open("wb") as file:
            for index in range(_RECORDS):
                example = encode_example(
                    {
                        "features": random.normal(0, 1, _FEATURES).tolist(),
                        "label": [int(random.integers(1000))],
                        "name": f"{shard:05}/{index:05}".encode(),
                    }
                )
                write_record(file, example)
