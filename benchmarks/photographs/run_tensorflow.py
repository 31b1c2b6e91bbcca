"""tf.data: a parallel map; AUTOTUNE, since that is what its guide says."""

import tensorflow as tf

from benchmarks.serving import serve_images


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3, dct_method="INTEGER_ACCURATE")
    return tf.image.resize(image, [224, 224], antialias=True)


def make(paths, threads):
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    dataset = tf.data.Dataset.from_tensor_slices(paths).with_options(options)
    dataset = dataset.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(64)
    return dataset.prefetch(tf.data.AUTOTUNE).as_numpy_iterator


if __name__ == "__main__":
    serve_images(make)
