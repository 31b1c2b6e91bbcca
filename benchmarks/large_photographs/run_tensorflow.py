"""tf.data: a parallel map; decode_jpeg with ratio 8, or whole."""

import sys

import tensorflow as tf

from benchmarks.serving import serve_images


def load(path):
    image = tf.io.decode_jpeg(
        tf.io.read_file(path),
        channels=3,
        ratio=8 if sys.argv[3] == "fast" else 1,
        dct_method="INTEGER_ACCURATE",
    )
    return tf.image.resize(image, [224, 224], antialias=True)


def make(paths, threads):
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    dataset = tf.data.Dataset.from_tensor_slices(paths).with_options(options)
    dataset = dataset.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(16)
    return dataset.prefetch(tf.data.AUTOTUNE).as_numpy_iterator


if __name__ == "__main__":
    serve_images(make)
