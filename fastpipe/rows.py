"""Functions that turn each string into a row: their results for strings of any shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastpipe.errors import InvalidArgumentError
from fastpipe.ragged import RaggedTensor
from fastpipe.tracing import convert

__all__ = ["rows_of_each"]


def rows_of_each(input: Any, function: Callable[[Any], Any]) -> Any:
    """The rows that `function` makes of each string.

    Args:
        input: strings of any known rank, or a RaggedTensor of them.
        function: takes a tensor of strings; returns the values of all rows in row-major order, and
            the int64 row splits, one more than there are strings.

    Returns:
        The values alone for a scalar, else a RaggedTensor with one more axis than `input`.

    Raises:
        InvalidArgumentError: the rank is not known.

    >>> from fastpipe.tracing import call
    >>> rows_of_each([["ab", ""]], lambda texts: call("string_bytes", [texts])).to_list()
    [[[b'a', b'b'], []]]
    """
    texts = convert(input)
    if isinstance(texts, RaggedTensor):
        return texts.with_flat_values(rows_of_each(texts.flat_values, function))
    rank = 0 if isinstance(texts, bytes) else texts.ndim
    if rank is None:
        raise InvalidArgumentError("expected strings of known rank")
    if rank > 1:
        return rows_of_each(RaggedTensor.from_tensor(texts, ragged_rank=rank - 1), function)
    values, splits = function(texts)
    return RaggedTensor(values, splits) if rank == 1 else values
