"""fastpipe: one map, which decodes what the crop needs; or, as told, all of it."""

import sys

import numpy as np

import fastpipe as fp
from benchmarks.augmentation.normalization import DEVIATION, MEAN
from benchmarks.serving import serve_images


def load(path):
    image = fp.io.decode_jpeg(fp.io.read_file(path), channels=3)
    image = fp.image.random_resized_crop(image, [224, 224], seed=1)
    image = fp.image.random_flip_left_right(image, seed=2)
    return (image - np.array(MEAN, np.float32)) / np.array(DEVIATION, np.float32)


def make(paths, threads):
    options = fp.Options()
    if sys.argv[3] == "unfused":
        if not hasattr(options, "fusion"):
            raise SystemExit("this fastpipe has no Options.fusion")
        options.fusion = False
    batches = fp.Dataset.from_tensor_slices(paths).map(load, num_parallel_calls=threads).batch(64)
    batches = batches.with_options(options)
    return lambda: batches


if __name__ == "__main__":
    serve_images(make)
