"""Grain: threads of a MapDataset; it has no decoder, so Pillow decodes and resizes."""

import grain
import numpy as np
from PIL import Image

from benchmarks.serving import serve_images


def load(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB").resize((224, 224), Image.Resampling.BILINEAR))


def make(paths, threads):
    options = grain.ReadOptions(num_threads=threads, prefetch_buffer_size=256)
    dataset = grain.MapDataset.source(paths).map(load).to_iter_dataset(options).batch(64)
    return lambda: dataset


if __name__ == "__main__":
    serve_images(make)
