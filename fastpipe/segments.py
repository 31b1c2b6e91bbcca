"""Slices of a tensor folded where their ids are equal: `tf.math.segment_*`.

`data` holds numbers; `segment_ids` integers. The sorted functions take a vector of ids in order,
one for each slice along axis 0, and give as many segments as the last id says; a segment without
slices is 0 (1 for a product). The unsorted ones take ids in any order and of the first sizes of
`data`; a negative id leaves its slice out. What does not fit raises InvalidArgumentError.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from typing import Any

from fastpipe.integers import integers
from fastpipe.shapes import dtype_of
from fastpipe.spec import as_dtype
from fastpipe.tracing import call, convert

__all__ = [
    "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_min",
    "unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sum",
]  # fmt: skip


def _unsorted(kernel: str, data: object, segment_ids: object, num_segments: object) -> Any:
    attrs, inputs = integers("num_segments", num_segments)
    return call(kernel, [data, segment_ids, *inputs], unsorted=True, **attrs)


def segment_sum(data: object, segment_ids: object, name: str | None = None) -> Any:
    """The sum of each segment.

    >>> segment_sum([1, 2, 3], [0, 0, 1]).tolist()
    [3, 3]
    """
    return call("segment_sum", [data, segment_ids])


def segment_mean(data: object, segment_ids: object, name: str | None = None) -> Any:
    """The mean of each segment.

    >>> segment_mean([1, 2, 3], [0, 0, 1]).tolist()
    [1, 3]
    """
    return call("segment_mean", [data, segment_ids])


def segment_prod(data: object, segment_ids: object, name: str | None = None) -> Any:
    """The product of each segment.

    >>> segment_prod([1, 2, 3], [0, 0, 1]).tolist()
    [2, 3]
    """
    return call("segment_prod", [data, segment_ids])


def segment_min(data: object, segment_ids: object, name: str | None = None) -> Any:
    """The least value of each segment.

    >>> segment_min([1, 2, 3], [0, 0, 1]).tolist()
    [1, 3]
    """
    return call("segment_min", [data, segment_ids])


def segment_max(data: object, segment_ids: object, name: str | None = None) -> Any:
    """The greatest value of each segment.

    >>> segment_max([1, 2, 3], [0, 0, 1]).tolist()
    [2, 3]
    """
    return call("segment_max", [data, segment_ids])


def unsorted_segment_sum(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """The sum of each segment.

    >>> unsorted_segment_sum([1, 2, 3], [1, 1, 0], 2).tolist()
    [3, 3]
    """
    return _unsorted("segment_sum", data, segment_ids, num_segments)


def unsorted_segment_mean(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """The mean of each segment; integers of 8 and 16 bits give float32, wider ones float64.

    >>> unsorted_segment_mean([1, 2, 3], [1, 1, 0], 2).tolist()
    [3.0, 1.5]
    """
    values = convert(data)
    name = dtype_of(values)
    if "float" not in name:
        wide = as_dtype(name).itemsize >= 4
        values = call("cast", [values], dtype="float64" if wide else "float32")
    return _unsorted("segment_mean", values, segment_ids, num_segments)


def unsorted_segment_prod(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """The product of each segment.

    >>> unsorted_segment_prod([1, 2, 3], [1, 1, 0], 2).tolist()
    [3, 2]
    """
    return _unsorted("segment_prod", data, segment_ids, num_segments)


def unsorted_segment_min(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """The least value of each segment; of no slices the greatest of the dtype.

    >>> unsorted_segment_min([1, 2, 3], [1, 1, 0], 2).tolist()
    [3, 1]
    """
    return _unsorted("segment_min", data, segment_ids, num_segments)


def unsorted_segment_max(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """The greatest value of each segment; of no slices the least of the dtype.

    >>> unsorted_segment_max([1, 2, 3], [1, 1, 0], 2).tolist()
    [3, 2]
    """
    return _unsorted("segment_max", data, segment_ids, num_segments)


def unsorted_segment_sqrt_n(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """The sum of each segment divided by the square root of how many there are; floats.

    >>> unsorted_segment_sqrt_n([1.0, 1.0, 1.0, 1.0], [0, 0, 0, 0], 1).tolist()
    [2.0]
    """
    return _unsorted("segment_sqrt_n", data, segment_ids, num_segments)
