"""Kernels that stand for several: rewrites plan them, and nobody calls them by name.

Each gives what the kernels that it stands for give one after the other, to the bit.
"""

from __future__ import annotations

from typing import Any

from fastpipe.integers import integers_argument
from fastpipe.tracing import call


def decode_resize_jpeg(
    contents: Any, size: Any, box: Any = None, *, resizer: str = "resize", **attrs: Any
) -> Any:
    """`io.decode_jpeg`, `image.crop_to_bounding_box` if there is a box, and a resize.

    Args:
        contents: The encoded image, a scalar string.
        size: The new height and width, two integers.
        box: The rectangle that is resized: y, x, height and width, or None for the whole image.
        resizer: "resize" (`image.resize`) or "resize_like_pillow" (`image.resize_pillow`).
        attrs: Attributes of the kernels.

    Returns:
        float32 or uint8 [new height, new width, channels], as the resize gives it.
    """
    new_size, inputs = integers_argument("size", size)
    attrs |= {"size": new_size, "resizer": resizer}
    if box is not None:
        attrs["box"], box_inputs = integers_argument("box", box)
        attrs["crop"] = "crop_image"
        inputs = box_inputs + inputs
    return call("decode_resize_jpeg", [contents, *inputs], **attrs)
