"""fastpipe: a parallel map; decode_jpeg takes PNGs too."""

import fastpipe as fp
from benchmarks.serving import serve_images


def load(path):
    return fp.io.decode_jpeg(fp.io.read_file(path), channels=3)


def make(paths, threads):
    batches = fp.Dataset.from_tensor_slices(paths).map(load, num_parallel_calls=threads).batch(256)
    return lambda: batches


if __name__ == "__main__":
    serve_images(make)
