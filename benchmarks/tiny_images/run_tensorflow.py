"""tf.data: a parallel map; decode_jpeg takes PNGs too, and costs less than decode_image."""

import tensorflow as tf

from benchmarks.serving import serve_images


def load(path):
    return tf.io.decode_jpeg(tf.io.read_file(path), channels=3, dct_method="INTEGER_ACCURATE")


def make(paths, threads):
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    dataset = tf.data.Dataset.from_tensor_slices(paths).with_options(options)
    dataset = dataset.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(256)
    return dataset.prefetch(tf.data.AUTOTUNE).as_numpy_iterator


if __name__ == "__main__":
    serve_images(make)
