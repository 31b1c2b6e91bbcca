"""tf.data: TFRecordDataset."""

import sys

import tensorflow as tf

from benchmarks.serving import serve_batches

if __name__ == "__main__":
    batches = tf.data.TFRecordDataset(sys.argv[1]).batch(1024).prefetch(tf.data.AUTOTUNE)
    serve_batches(batches.as_numpy_iterator)
