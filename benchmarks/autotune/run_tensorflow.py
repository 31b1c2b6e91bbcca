"""tf.data with AUTOTUNE wherever there is a knob."""

import tensorflow as tf

from benchmarks.autotune.steady import BATCH, CYCLE, serve_rates


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, [224, 224], antialias=True)


def make(work, paths):
    files = tf.data.Dataset.from_tensor_slices(paths).repeat()
    if work == "photographs":
        batches = files.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(BATCH)
    else:
        batches = files.interleave(
            tf.data.TextLineDataset, cycle_length=CYCLE, num_parallel_calls=tf.data.AUTOTUNE
        ).batch(BATCH)
    return batches.prefetch(tf.data.AUTOTUNE)


if __name__ == "__main__":
    serve_rates(make)
