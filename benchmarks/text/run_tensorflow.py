"""tf.data: the same interleave, parallel or sequential; or one file after the other."""

import sys

import tensorflow as tf

from benchmarks.serving import listed, serve_batches


def main() -> None:
    paths, how = listed(sys.argv[1]), sys.argv[3]
    if how == "one after the other":
        lines = tf.data.TextLineDataset(paths)
    else:
        lines = tf.data.Dataset.from_tensor_slices(paths).interleave(
            tf.data.TextLineDataset,
            cycle_length=4,
            block_length=16,
            num_parallel_calls=tf.data.AUTOTUNE if how == "parallel" else None,
        )
    batches = lines.batch(1024).prefetch(tf.data.AUTOTUNE)
    serve_batches(batches.as_numpy_iterator)


if __name__ == "__main__":
    main()
