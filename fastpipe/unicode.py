"""Unicode text by code points: `tf.strings.unicode_*`.

`errors` says what malformed text becomes: "replace" puts `replacement_char` there, "ignore" leaves
it out, "strict" raises InvalidArgumentError.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastpipe.errors import InvalidArgumentError
from fastpipe.ragged import RaggedTensor
from fastpipe.rows import rows_of_each
from fastpipe.tracing import call, convert

__all__ = [
    "unicode_decode", "unicode_decode_with_offsets", "unicode_encode", "unicode_split",
    "unicode_split_with_offsets", "unicode_transcode",
]  # fmt: skip

_REPLACEMENT = 0xFFFD


def _decoded(input: object, offsets: bool, **attrs: Any) -> Any:
    found: list[Any] = []

    def decode(texts: object) -> Any:
        found[:] = call("unicode_decode", [texts], **attrs)
        return found[:2]

    rows = rows_of_each(input, decode)
    if not offsets:
        return rows
    return rows, rows_of_each(input, lambda texts: (found[2], found[1]))


def unicode_decode(
    input: object,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of each string, as int32.

    Args:
        input: strings of any known rank, or a RaggedTensor of them.
        input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE", or another of the usual ones.
        errors: "replace", "ignore" or "strict".
        replacement_char: a code point.
        replace_control_characters: treats U+0000 to U+001F as malformed.

    Returns:
        Of a scalar a vector, else a RaggedTensor with one more axis.

    >>> unicode_decode("añ", "UTF-8").tolist()
    [97, 241]
    """
    return _decoded(
        input,
        False,
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
    )


def unicode_decode_with_offsets(
    input: object,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The same as `unicode_decode`, and at which byte each character starts, as int64.

    >>> points, starts = unicode_decode_with_offsets("ñb", "UTF-8")
    >>> points.tolist(), starts.tolist()
    ([241, 98], [0, 2])
    """
    return _decoded(
        input,
        True,
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
    )


def unicode_split(
    input: object,
    input_encoding: str = "UTF-8",
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """The characters of each string, as strings.

    Args:
        input: strings of any known rank, or a RaggedTensor of them.
        input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE", also that of the characters.
        errors: "replace", "ignore" or "strict".
        replacement_char: a code point.

    Returns:
        Of a scalar a vector, else a RaggedTensor with one more axis.

    >>> [character.decode() for character in unicode_split("añ")]
    ['a', 'ñ']
    """
    return _decoded(
        input,
        False,
        pieces=True,
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
    )


def unicode_split_with_offsets(
    input: object,
    input_encoding: str = "UTF-8",
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """The same as `unicode_split`, and at which byte each character starts, as int64.

    >>> characters, starts = unicode_split_with_offsets("ñb")
    >>> starts.tolist()
    [0, 2]
    """
    return _decoded(
        input,
        True,
        pieces=True,
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
    )


def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """Strings made of code points.

    Args:
        input: an int32 vector of code points, a matrix of them, or a RaggedTensor with one row for
            each string.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what a number that is no code point becomes.
        replacement_char: a code point.

    Returns:
        Of a vector one string, of rows a vector of strings.

    >>> unicode_encode([97, 241], "UTF-8").decode()
    'añ'
    """
    attrs: dict[str, Any] = {
        "output_encoding": output_encoding,
        "errors": errors,
        "replacement_char": replacement_char,
    }
    if isinstance(input, RaggedTensor):
        return call("unicode_encode", [input.values, input.row_splits], **attrs)
    points = convert(input)
    rank = points.ndim
    if rank not in (1, 2):
        raise InvalidArgumentError(f"expected code points of one or two axes, got {rank}")
    if rank == 1:
        size = call("size", [points], out_type="int64")
        splits = call("stack", [np.int64(0), size], axis=0)
        encoded = call("unicode_encode", [points, splits], **attrs)
        return call("reshape", [encoded], shape=[])
    sizes = call("shape", [points], out_type="int64")
    rows, columns = (call("strided_slice", [sizes], items=[i]) for i in (0, 1))
    end = call("add", [rows, np.int64(1)])
    splits = call("multiply", [call("range", [np.int64(0), end, np.int64(1)]), columns])
    return call("unicode_encode", [call("reshape", [points], shape=[-1]), splits], **attrs)


def unicode_transcode(
    input: object,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Each string in another encoding.

    Args:
        input: strings of any shape.
        input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE", or another of the usual ones.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: "replace", "ignore" or "strict".
        replacement_char: a code point.
        replace_control_characters: treats U+0000 to U+001F as malformed.

    >>> unicode_transcode("a", "UTF-8", "UTF-16-BE")
    b'\\x00a'
    """
    return call(
        "unicode_transcode",
        [input],
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
    )
