"""PyTorch: worker processes that decode and resize with Pillow, with or without its draft mode."""

import sys

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from benchmarks.serving import serve_images


class Photographs(Dataset):
    def __init__(self, paths):
        self.paths = np.array(paths)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        with Image.open(str(self.paths[index])) as image:
            if sys.argv[3] == "fast":
                image.draft("RGB", (224, 224))
            resized = image.convert("RGB").resize((224, 224), Image.Resampling.BILINEAR)
        return torch.from_numpy(np.array(resized))


def make(paths, threads):
    loader = DataLoader(
        Photographs(paths),
        batch_size=16,
        num_workers=threads,
        persistent_workers=True,
        prefetch_factor=2,
    )
    return lambda: loader


if __name__ == "__main__":
    torch.set_num_threads(1)
    serve_images(make)
