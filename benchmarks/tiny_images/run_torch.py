"""PyTorch: a DataLoader whose worker processes decode with Pillow."""

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from benchmarks.serving import serve_images


class Images(Dataset):
    def __init__(self, paths):
        self.paths = np.array(paths)  # one object: workers do not copy it page by page

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        with Image.open(str(self.paths[index])) as image:
            return torch.from_numpy(np.array(image.convert("RGB")))


def make(paths, threads):
    loader = DataLoader(
        Images(paths),
        batch_size=256,
        num_workers=threads,
        persistent_workers=True,
        prefetch_factor=2,
    )
    return lambda: loader


if __name__ == "__main__":
    torch.set_num_threads(1)
    serve_images(make)
