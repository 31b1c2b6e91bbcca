"""tf.data: a parallel interleave of records, and a parallel map; AUTOTUNE."""

import sys

import tensorflow as tf

from benchmarks.record_photographs.serving_records import serve_records

FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


def load(record):
    example = tf.io.parse_single_example(record, FEATURES)
    image = tf.io.decode_jpeg(example["image"], channels=3, dct_method="INTEGER_ACCURATE")
    return tf.image.resize(image, [224, 224], antialias=True), example["label"]


def make(files, threads):
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    records = tf.data.Dataset.from_tensor_slices(files).interleave(
        tf.data.TFRecordDataset, cycle_length=4, num_parallel_calls=tf.data.AUTOTUNE
    )
    batches = records.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(64)
    return batches.prefetch(tf.data.AUTOTUNE).with_options(options).as_numpy_iterator


if __name__ == "__main__":
    serve_records(sys.argv, make)
