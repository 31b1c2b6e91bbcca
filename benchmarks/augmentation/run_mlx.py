"""mlx-data: threads that load, crop, resize and flip; NumPy normalises the batches."""

import mlx.data
import numpy as np

from benchmarks.augmentation.normalization import DEVIATION, MEAN
from benchmarks.serving import serve_images


def make(paths, threads):
    files = mlx.data.buffer_from_vector([{"image": path.encode()} for path in paths])
    mean, deviation = np.array(MEAN, np.float32), np.array(DEVIATION, np.float32)

    def batches():
        stream = files.to_stream().load_image("image")
        stream = stream.image_random_area_crop("image", (0.08, 1.0), (3 / 4, 4 / 3))
        stream = stream.image_resize("image", 224, 224).image_random_h_flip("image", 0.5)
        for batch in stream.prefetch(128, threads).batch(64):
            yield (np.asarray(batch["image"]) - mean) / deviation

    return batches


if __name__ == "__main__":
    serve_images(make)
