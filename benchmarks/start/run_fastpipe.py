"""fastpipe: seconds from its import to the first batch."""

import sys
import time

START = time.perf_counter()

import fastpipe as fp  # noqa: E402


def load(path):
    image = fp.io.decode_jpeg(fp.io.read_file(path), channels=3)
    return fp.image.resize_pillow(image, [224, 224])


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        paths = file.read().splitlines()
    dataset = fp.Dataset.from_tensor_slices(paths)
    batches = dataset.map(load, num_parallel_calls=int(sys.argv[2])).batch(64)
    with batches.iterator() as iterator:
        assert next(iterator).shape == (64, 224, 224, 3)
        print(time.perf_counter() - START)
