"""datago: Rust threads decode, crop and resize a folder, in any order; NumPy stacks the batches."""

import json
import os
import sys
import tempfile

import numpy as np

from benchmarks.serving import in_groups, serve_images

os.environ["DATAGO_MAX_TASKS"] = sys.argv[2]  # read at import

from datago import DatagoClient  # noqa: E402


def pixels(payload):
    if hasattr(payload, "convert"):  # a picture of PIL
        return np.asarray(payload.convert("RGB"))
    values = np.frombuffer(bytes(payload.data), np.uint8)
    return values.reshape(payload.height, payload.width, payload.channels)


def make(paths, threads):
    folder = tempfile.mkdtemp()
    for index, path in enumerate(paths):
        os.symlink(path, os.path.join(folder, f"{index:08}.jpg"))
    image_config = {
        "crop_and_resize": True,
        "default_image_size": 224,
        "downsampling_ratio": 16,
        "min_aspect_ratio": 1.0,
        "max_aspect_ratio": 1.0,
        "pre_encode_images": False,
    }
    config = {
        "source_type": "file",
        "source_config": {"root_path": folder, "rank": 0, "world_size": 1},
        "image_config": image_config,
        "limit": len(paths),
        "prefetch_buffer_size": 64,
        "samples_buffer_size": 64,
    }

    def images():
        client = DatagoClient(json.dumps(config))
        for _ in paths:
            if (sample := client.get_sample()) is None:
                break
            yield pixels(sample.image)

    return lambda: map(np.stack, in_groups(images(), 64))


if __name__ == "__main__":
    serve_images(make)
