"""fastpipe: a parallel map."""

import sys

import fastpipe as fp
from benchmarks.serving import serve_images


def load_bytes(path):
    image = fp.io.decode_jpeg(fp.io.read_file(path), channels=3)
    return fp.image.resize_pillow(image, [224, 224])


def load_floats(path):
    image = fp.io.decode_jpeg(fp.io.read_file(path), channels=3)
    return fp.image.resize(image, [224, 224], antialias=True)


def make(paths, threads):
    load = load_bytes if sys.argv[3] == "uint8" else load_floats
    batches = fp.Dataset.from_tensor_slices(paths).map(load, num_parallel_calls=threads).batch(64)
    return lambda: batches


if __name__ == "__main__":
    serve_images(make)
