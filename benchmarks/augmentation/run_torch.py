"""PyTorch: worker processes; Pillow decodes, then crops and resizes in one step."""

import math
import random

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from benchmarks.augmentation.normalization import DEVIATION, MEAN
from benchmarks.serving import serve_images


def random_box(width, height):
    """As torchvision's RandomResizedCrop draws it."""
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            left, top = random.randint(0, width - w), random.randint(0, height - h)
            return left, top, left + w, top + h
    return 0, 0, width, height


class Photographs(Dataset):
    def __init__(self, paths):
        self.paths = np.array(paths)  # one object: workers do not copy it page by page
        self.mean, self.deviation = np.array(MEAN, np.float32), np.array(DEVIATION, np.float32)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        with Image.open(str(self.paths[index])) as image:
            image = image.convert("RGB")
        box = random_box(*image.size)
        image = image.resize((224, 224), Image.Resampling.BILINEAR, box=box)
        if random.random() < 0.5:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        return torch.from_numpy((np.asarray(image) - self.mean) / self.deviation)


def make(paths, threads):
    loader = DataLoader(
        Photographs(paths),
        batch_size=64,
        num_workers=threads,
        persistent_workers=True,
        prefetch_factor=2,
    )
    return lambda: loader


if __name__ == "__main__":
    torch.set_num_threads(1)
    serve_images(make)
