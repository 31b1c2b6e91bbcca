"""TurboLoader: reads a tar, made before, on as many threads as there are cores; float32."""

import os
import tarfile
import tempfile

import turboloader

from benchmarks.serving import serve_images


def make(paths, threads):
    tar_path = os.path.join(tempfile.mkdtemp(), "photographs.tar")
    with tarfile.open(tar_path, "w") as tar:
        for index, path in enumerate(paths):
            tar.add(path, arcname=f"{index:08}.jpg")
    loader = turboloader.DataLoader(
        tar_path,
        batch_size=64,
        num_workers=threads,
        image_size=224,
        output_format="numpy",
        antialias=True,
    )

    def batches():
        for batch in loader:
            yield batch[0] if isinstance(batch, tuple) else batch

    return batches


if __name__ == "__main__":
    serve_images(make)
