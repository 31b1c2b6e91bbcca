"""What needs Pillow, in its own environment: pictures to measure with, and pixels to compare with.

pillow_images.py reference LIST OUT [WIDTH HEIGHT]: the images of LIST as one array in OUT.
pillow_images.py tiny|large|sized LIST FOLDER COUNT ...: makes images of the photographs of LIST.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

BILINEAR = Image.Resampling.BILINEAR  # Pillow's is antialiased


def opened(path):
    with Image.open(path) as image:
        return image.convert("RGB")


def reference(paths, out, *size):
    size = tuple(map(int, size))
    images = (opened(path) for path in paths)
    if size:
        images = (image.resize(size, BILINEAR) for image in images)
    np.save(out, np.stack([np.asarray(image) for image in images]))


def tiny(paths, folder, count):
    """32x32: a 128x128 part of a photograph, each time another one; PNG and JPEG by turns."""
    images = {}
    for index in range(int(count)):
        path = paths[index % len(paths)]
        if path not in images:
            images[path] = opened(path)
        image = images[path]
        left = 37 * index % max(1, image.width - 128)
        top = 23 * index % max(1, image.height - 128)
        part = image.resize((32, 32), BILINEAR, box=_inside(image, left, top))
        if index % 2 == 0:
            part.save(folder / f"{index:05}.png")
        else:
            part.save(folder / f"{index:05}.jpg", quality=90)


def _inside(image, left, top):
    return left, top, min(left + 128, image.width), min(top + 128, image.height)


def large(paths, folder, count):
    """4000x3000, 12 megapixels."""
    for index in range(int(count)):
        image = opened(paths[index % len(paths)])
        image.resize((4000, 3000), Image.Resampling.BICUBIC).save(
            folder / f"{index:05}.jpg", quality=90
        )


def sized(paths, folder, count, width):
    """So many pixels wide, three quarters of that high."""
    for index in range(int(count)):
        image = opened(paths[index % len(paths)])
        image.resize((int(width), int(width) * 3 // 4), Image.Resampling.BICUBIC).save(
            folder / f"{index:05}.jpg", quality=90
        )


if __name__ == "__main__":
    what, listed, target, *rest = sys.argv[1:]
    lines = Path(listed).read_text().splitlines()
    if what == "reference":
        reference(lines, target, *rest)
    else:
        {"tiny": tiny, "large": large, "sized": sized}[what](lines, Path(target), *rest)
