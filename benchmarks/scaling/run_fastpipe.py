"""fastpipe: photographs LIST THREADS BATCH, slices COUNT, or files COUNT PATTERN."""

import sys

import fastpipe as fp
from benchmarks.serving import listed, serve_batches

_NAMES = 200_000  # of an epoch, about: a few hundred are too short to time


def load(path):
    image = fp.io.decode_jpeg(fp.io.read_file(path), channels=3)
    return fp.image.resize_pillow(image, [224, 224])


def main() -> None:
    what, *rest = sys.argv[1:]
    if what == "photographs":
        dataset = fp.Dataset.from_tensor_slices(listed(rest[0]))
        batches = dataset.map(load, num_parallel_calls=int(rest[1])).batch(int(rest[2]))
        serve_batches(lambda: batches)
        return
    count = int(rest[0])
    passes = max(1, _NAMES // count)
    if what == "slices":
        names = [f"train/{number % 1000:04}/{number:08}.jpg" for number in range(count)]
        batches = fp.Dataset.from_tensor_slices(names).batch(1024)
        serve_batches(lambda: batches, passes)
    else:
        serve_batches(lambda: fp.Dataset.list_files(rest[1]).batch(1024), passes)


if __name__ == "__main__":
    main()
