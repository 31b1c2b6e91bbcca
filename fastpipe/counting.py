"""What is among values, how often and where: top_k, unique, counts, histograms, searching.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fastpipe.integers import integers
from fastpipe.shapes import dtype_of
from fastpipe.spec import as_tensor, dtype_name
from fastpipe.tracing import call, convert, unified

__all__ = [
    "TopK", "Unique", "UniqueWithCounts", "bincount", "confusion_matrix", "histogram_fixed_width",
    "histogram_fixed_width_bins", "in_top_k", "invert_permutation", "searchsorted", "top_k",
    "unique", "unique_with_counts",
]  # fmt: skip


class TopK(NamedTuple):
    """The values and their positions."""

    values: Any
    indices: Any


class Unique(NamedTuple):
    """The different values, and the position among them of each value."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """The same, and how often each value appears."""

    y: Any
    idx: Any
    count: Any


def top_k(
    input: object,
    k: object = 1,
    sorted: bool = True,
    index_type: object = "int32",
    name: str | None = None,
) -> TopK:
    """The `k` greatest values of each row, the last axis, and their positions.

    Args:
        input: numbers of one axis or more.
        k: how many; rows have at least as many values.
        sorted: has no meaning: the values come from the greatest down, equal ones in their order.
        index_type: int16, int32 or int64.

    >>> values, places = top_k([3, 1, 4], 2)
    >>> values.tolist(), places.tolist()
    ([4, 3], [2, 0])
    """
    attrs, inputs = integers("k", k)
    values, indices = call("top_k", [input, *inputs], **attrs)
    if dtype_name(index_type) != "int32":
        indices = call("cast", [indices], dtype=dtype_name(index_type))
    return TopK(values, indices)


def unique(x: object, out_idx: object = "int32", name: str | None = None) -> Unique:
    """The different values of a vector, as they appear, and the position among them of each value.

    Args:
        x: a vector of any dtype.
        out_idx: int32 or int64.

    >>> y, idx = unique([4, 4, 7])
    >>> y.tolist(), idx.tolist()
    ([4, 7], [0, 0, 1])
    """
    y, idx, _ = call("unique", [x], out_idx=dtype_name(out_idx))
    return Unique(y, idx)


def unique_with_counts(
    x: object, out_idx: object = "int32", name: str | None = None
) -> UniqueWithCounts:
    """The same as `unique`, and how often each value appears.

    >>> y, idx, count = unique_with_counts([4, 4, 7])
    >>> y.tolist(), count.tolist()
    ([4, 7], [2, 1])
    """
    return UniqueWithCounts(*call("unique", [x], out_idx=dtype_name(out_idx)))


def bincount(
    arr: object,
    weights: object = None,
    minlength: int | None = None,
    maxlength: int | None = None,
    dtype: object = "int32",
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Any:
    """How often each of the integers 0, 1, ... occurs, or the sum of its weights.

    Args:
        arr: integers >= 0.
        weights: of the shape of `arr`; the result has their dtype.
        minlength: the least size of the result.
        maxlength: the greatest: larger integers are left out.
        dtype: of the counts: int32, int64 or a float.
        name: has no meaning here.
        axis: None or 0 counts in all of `arr`, -1 in each row of a matrix.
        binary_output: 1 instead of how often.

    >>> bincount([1, 1, 3]).tolist()
    [0, 2, 0, 1]
    """
    inputs = [arr] if weights is None else [arr, weights]
    return call(
        "bincount",
        inputs,
        minlength=int(minlength or 0),
        maxlength=-1 if maxlength is None else int(maxlength),
        dtype=dtype_name(dtype),
        rows=axis == -1,
        binary=binary_output,
    )


def histogram_fixed_width_bins(
    values: object,
    value_range: object,
    nbins: int = 100,
    dtype: object = "int32",
    name: str | None = None,
) -> Any:
    """The bin of each value when the range is cut into `nbins` equal ones; int32 or int64.

    Values outside the range go to the first or the last bin.

    >>> histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0], [0.0, 5.0], nbins=5).tolist()
    [0, 0, 1, 2, 4]
    """
    values = convert(values)
    if np.ndim(value_range) == 1 and not hasattr(value_range, "dtype"):  # type: ignore[arg-type]
        value_range = as_tensor(value_range, dtype_of(values))
    span = convert(value_range)
    low, high = (call("gather", [span, np.int32(i)], axis=0) for i in (0, 1))
    share = call("divide", [call("subtract", [values, low]), call("subtract", [high, low])])
    scaled = call("floor", [call("multiply", unified(share, float(nbins)))])
    last = call("clip", [scaled, 0.0, float(nbins - 1)], unify=True)
    return call("cast", [last], dtype=dtype_name(dtype))


def histogram_fixed_width(
    values: object,
    value_range: object,
    nbins: int = 100,
    dtype: object = "int32",
    name: str | None = None,
) -> Any:
    """How many values each of `nbins` equal bins of the range holds; int32 or int64.

    >>> histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0], [0.0, 5.0], nbins=5).tolist()
    [2, 1, 1, 0, 1]
    """
    bins = histogram_fixed_width_bins(values, value_range, nbins)
    return bincount(bins, minlength=nbins, maxlength=nbins, dtype=dtype)


def searchsorted(
    sorted_sequence: object,
    values: object,
    side: str = "left",
    out_type: object = "int32",
    name: str | None = None,
) -> Any:
    """Where each value would go among the rows of a sorted tensor, so that they stay in order.

    Args:
        sorted_sequence: numbers in order along the last axis.
        values: of the same dtype and shape, but for the last axis.
        side: "left" of equal values, or "right" of them.
        out_type: int32 or int64.

    >>> searchsorted([1, 3, 5], [3, 6]).tolist(), searchsorted([1, 3], [3], side="right").tolist()
    ([1, 3], [2])
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', got {side!r}")
    inputs = unified(sorted_sequence, values)
    return call("searchsorted", inputs, right=side == "right", out_type=dtype_name(out_type))


def in_top_k(targets: object, predictions: object, k: object, name: str | None = None) -> Any:
    """For each row whether the value at its target is among the `k` greatest; False if not finite.

    Args:
        targets: an integer for each row.
        predictions: a matrix of floats.
        k: an integer.

    >>> in_top_k([0, 1], [[3.0, 1.0], [2.0, 1.0]], 1).tolist()
    [True, False]
    """
    rows, scores = convert(targets), convert(predictions)
    score = call("gather", [scores, call("expand_dims", [rows], axis=1)], axis=1, batch_dims=1)
    better = call("cast", [call("greater", [scores, score])], dtype="int64")
    count = call("reduce_sum", [better], axis=[1], keepdims=False)
    finite = call("squeeze", [call("is_finite", [score])], axis=[1])
    return call("logical_and", [call("less", unified(count, k)), finite])


def invert_permutation(x: object, name: str | None = None) -> Any:
    """The vector y with y[x[i]] == i.

    >>> invert_permutation([2, 0, 1]).tolist()
    [1, 2, 0]
    """
    return call("argsort", [x], axis=0, descending=False)


def confusion_matrix(
    labels: object,
    predictions: object,
    num_classes: object = None,
    weights: object = None,
    dtype: object = "int32",
    name: str | None = None,
) -> Any:
    """How often each label met each prediction: rows are labels, columns predictions.

    Args:
        labels, predictions: vectors of integers.
        num_classes: how many classes there are; one more than the greatest number if None.
        weights: of the same size: added in place of 1.
        dtype: of the result.

    >>> confusion_matrix([0, 1, 1], [1, 1, 1]).tolist()
    [[0, 1], [0, 2]]
    """
    pairs = call("cast", [call("stack", unified(labels, predictions), axis=1)], dtype="int64")
    if num_classes is None:
        greatest = call("reduce_max", [pairs], axis=None, keepdims=False)
        num_classes = call("add", unified(greatest, 1))
    if weights is None:
        weights = call("ones_like", [call("gather", [pairs, np.int32(0)], axis=1)])
    added = call("cast", [weights], dtype=dtype_name(dtype))
    attrs, inputs = integers("shape", [num_classes, num_classes])
    return call("scatter_nd", [pairs, added, *inputs], **attrs)
