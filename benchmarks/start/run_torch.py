"""PyTorch: seconds from its import to the first batch, with worker processes."""

import sys
import time

START = time.perf_counter()

import numpy as np  # noqa: E402
import torch  # noqa: E402
from PIL import Image  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402


class Photographs(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        with Image.open(self.paths[index]) as image:
            resized = image.convert("RGB").resize((224, 224), Image.Resampling.BILINEAR)
        return torch.from_numpy(np.array(resized))


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        loader = DataLoader(
            Photographs(file.read().splitlines()), batch_size=64, num_workers=int(sys.argv[2])
        )
    assert next(iter(loader)).shape == (64, 224, 224, 3)
    print(time.perf_counter() - START)
