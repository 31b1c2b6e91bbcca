"""tf.data: decodes the crop alone, by decode_and_crop_jpeg; AUTOTUNE."""

import tensorflow as tf

from benchmarks.augmentation.normalization import DEVIATION, MEAN
from benchmarks.serving import serve_images


def load(path):
    contents = tf.io.read_file(path)
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        tf.image.extract_jpeg_shape(contents),
        bounding_boxes=tf.zeros([1, 0, 4]),
        area_range=(0.08, 1.0),
        aspect_ratio_range=(3 / 4, 4 / 3),
        max_attempts=10,
        use_image_if_no_bounding_boxes=True,
    )
    window = tf.stack([begin[0], begin[1], size[0], size[1]])
    image = tf.image.decode_and_crop_jpeg(
        contents, window, channels=3, dct_method="INTEGER_ACCURATE"
    )
    image = tf.image.random_flip_left_right(tf.image.resize(image, [224, 224]))
    return (image - MEAN) / DEVIATION


def make(paths, threads):
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    dataset = tf.data.Dataset.from_tensor_slices(paths).with_options(options)
    dataset = dataset.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(64)
    return dataset.prefetch(tf.data.AUTOTUNE).as_numpy_iterator


if __name__ == "__main__":
    serve_images(make)
