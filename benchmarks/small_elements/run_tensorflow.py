"""tf.data: the same; its tensors are not even made NumPy arrays."""

import sys

import tensorflow as tf

from benchmarks.serving import serve_batches, serve_elements


def main() -> None:
    batch, count = map(int, sys.argv[1:])
    numbers = tf.data.Dataset.range(count).map(lambda x: x + 1)
    if batch == 1:
        serve_elements(lambda: numbers)
    else:
        batches = numbers.batch(batch)
        serve_batches(lambda: batches)


if __name__ == "__main__":
    main()
