"""mlx-data: threads that load."""

import mlx.data
import numpy as np

from benchmarks.serving import serve_images


def make(paths, threads):
    files = mlx.data.buffer_from_vector([{"image": path.encode()} for path in paths])

    def batches():
        stream = files.to_stream().load_image("image").prefetch(512, threads).batch(256)
        return (np.asarray(batch["image"]) for batch in stream)

    return batches


if __name__ == "__main__":
    serve_images(make)
