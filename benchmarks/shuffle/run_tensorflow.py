"""tf.data: shuffle, repeat, batch."""

import sys

import tensorflow as tf

from benchmarks.serving import serve_batches

if __name__ == "__main__":
    batches = tf.data.Dataset.range(int(sys.argv[1])).shuffle(10_000).repeat(2).batch(256)
    serve_batches(batches.prefetch(tf.data.AUTOTUNE).as_numpy_iterator)
