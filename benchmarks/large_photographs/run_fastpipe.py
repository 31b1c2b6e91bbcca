"""fastpipe: a parallel map, with or without fast_decode."""

import inspect
import sys

import fastpipe as fp
from benchmarks.serving import serve_images


def load_exact(path):
    image = fp.io.decode_jpeg(fp.io.read_file(path), channels=3)
    return fp.image.resize_pillow(image, [224, 224])


def load_fast(path):
    image = fp.io.decode_jpeg(fp.io.read_file(path), channels=3, fast_decode=True)
    return fp.image.resize_pillow(image, [224, 224])


def make(paths, threads):
    if sys.argv[3] == "exact":
        load = load_exact
    elif "fast_decode" in inspect.signature(fp.io.decode_jpeg).parameters:
        load = load_fast
    else:
        raise SystemExit("decode_jpeg of this fastpipe has no fast_decode")
    batches = fp.Dataset.from_tensor_slices(paths).map(load, num_parallel_calls=threads).batch(16)
    return lambda: batches


if __name__ == "__main__":
    serve_images(make)
