"""tf.data: seconds from its import to the first batch."""

import sys
import time

START = time.perf_counter()

import tensorflow as tf  # noqa: E402


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, [224, 224], antialias=True)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        paths = file.read().splitlines()
    dataset = tf.data.Dataset.from_tensor_slices(paths)
    batches = dataset.map(load, num_parallel_calls=int(sys.argv[2])).batch(64)
    assert next(batches.as_numpy_iterator()).shape == (64, 224, 224, 3)
    print(time.perf_counter() - START)
