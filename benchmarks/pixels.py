"""How far the pixels of each contender are from Pillow's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.contenders import BUILD, Contender
from benchmarks.environments import Unavailable
from benchmarks.inputs import list_of, run_pillow
from benchmarks.serving import COMPARED, listed


class Difference(NamedTuple):
    """|d| over all pixels, on the scale 0 to 255."""

    mean: float
    p99: float
    most: float

    def cells(self) -> list[str]:
        return [f"{self.mean:.2f}", f"{self.p99:.1f}", f"{self.most:.1f}"]


def difference(images: np.ndarray, reference: np.ndarray) -> Difference:
    """Of two batches [16, height, width, 3]; floats up to 1 are taken times 255.

    Raises:
        ValueError: They are not equally large.
    """
    if images.shape != reference.shape:
        raise ValueError(f"images of {images.shape}, Pillow's are {reference.shape}")
    images = images.astype(np.float32)
    if images.max() <= 1.01 < reference.max():
        images *= 255
    distance = np.abs(images - reference.astype(np.float32))
    return Difference(
        float(distance.mean()), float(np.percentile(distance, 99)), float(distance.max())
    )


def from_pillow(
    contenders: Sequence[Contender], paths: Path, *size: int
) -> dict[str, Difference | None]:
    """By the names of contenders; None where there is nothing to compare."""
    reference = BUILD / "reference.npy"
    compared = list_of("compared", listed(str(paths))[:COMPARED])
    try:
        run_pillow("reference", compared, reference, *size)
    except (Unavailable, subprocess.SubprocessError) as error:
        print(f"no pixels of Pillow to compare with: {error}", file=sys.stderr, flush=True)
        return {}
    found: dict[str, Difference | None] = {}
    for contender in contenders:
        found[contender.name] = None
        if contender.images_path.exists() and contender.has_images and not contender.failure:
            try:
                found[contender.name] = difference(
                    np.load(contender.images_path), np.load(reference)
                )
            except ValueError as error:
                print(f"{contender.name}: {error}", file=sys.stderr, flush=True)
    return found
