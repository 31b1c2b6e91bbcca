"""WebDataset: reads tars, made before, in worker processes; Pillow decodes and resizes."""

import io
import os
import tempfile

import numpy as np
import webdataset
from PIL import Image

from benchmarks.serving import serve_images


def load(sample):
    image = Image.open(io.BytesIO(sample["jpg"])).convert("RGB")
    return np.asarray(image.resize((224, 224), Image.Resampling.BILINEAR))


def pack(paths, shards):
    folder = tempfile.mkdtemp()
    tars = [os.path.join(folder, f"{shard}.tar") for shard in range(shards)]
    share = -(-len(paths) // shards)
    for shard, tar in enumerate(tars):
        with webdataset.TarWriter(tar) as writer:
            for index, path in enumerate(paths[shard * share : (shard + 1) * share]):
                with open(path, "rb") as file:
                    writer.write({"__key__": f"{index:08}", "jpg": file.read()})
    return tars


def make(paths, threads):
    shards = threads if len(paths) > 64 else 1
    dataset = webdataset.WebDataset(pack(paths, shards), shardshuffle=False).map(load)
    dataset = dataset.batched(64, collation_fn=np.stack, partial=True)
    workers = min(threads, shards)  # one without a tar is an error
    loader = webdataset.WebLoader(
        dataset, batch_size=None, num_workers=workers, persistent_workers=True
    )
    return lambda: loader


if __name__ == "__main__":
    serve_images(make)
