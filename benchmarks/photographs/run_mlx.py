"""mlx-data: threads that load, decode and resize; stb's default filter, antialiased."""

import mlx.data
import numpy as np

from benchmarks.serving import serve_images


def make(paths, threads):
    files = mlx.data.buffer_from_vector([{"image": path.encode()} for path in paths])

    def batches():
        stream = files.to_stream().load_image("image").image_resize("image", 224, 224)
        for batch in stream.prefetch(128, threads).batch(64):
            yield np.asarray(batch["image"])

    return batches


if __name__ == "__main__":
    serve_images(make)
