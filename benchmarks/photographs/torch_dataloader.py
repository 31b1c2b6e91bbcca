"""PyTorch: a DataLoader whose worker processes decode and resize with Pillow."""

import sys

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from benchmarks.contenders import serve


class Photographs(Dataset):
    def __init__(self, paths):
        self.paths = np.array(paths)  # one object: workers do not copy it page by page

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        with Image.open(str(self.paths[index])) as image:
            resized = image.convert("RGB").resize((224, 224), Image.Resampling.BILINEAR)
        return torch.from_numpy(np.array(resized))


def main() -> None:
    with open(sys.argv[1]) as file:
        paths = file.read().splitlines()
    torch.set_num_threads(1)
    loader = DataLoader(
        Photographs(paths),
        batch_size=64,
        num_workers=int(sys.argv[2]),
        persistent_workers=True,
        prefetch_factor=2,
    )

    def epoch() -> int:
        count = 0
        for batch in loader:
            batch[:, 0, 0].sum()
            count += len(batch)
        return count

    serve(epoch)


if __name__ == "__main__":
    main()
