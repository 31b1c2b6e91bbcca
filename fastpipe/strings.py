"""Kernels on strings: `tf.strings`, on symbols and on real values.

Strings are bytes; `str` is taken as UTF-8. Unless a function says otherwise, it treats each string
of a tensor of any shape by itself and returns a tensor of that shape.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastpipe.errors import InvalidArgumentError
from fastpipe.ragged import RaggedTensor
from fastpipe.rows import rows_of_each
from fastpipe.spec import dtype_name
from fastpipe.tracing import call, convert
from fastpipe.unicode import (
    unicode_decode,
    unicode_decode_with_offsets,
    unicode_encode,
    unicode_split,
    unicode_split_with_offsets,
    unicode_transcode,
)

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
    "unicode_split",
    "unicode_split_with_offsets",
    "unicode_transcode",
    "upper",
]


def split(
    input: object, sep: str | bytes | None = None, maxsplit: int = -1, name: str | None = None
) -> object:
    """Splits strings as Python's `str.split` does.

    Args:
        input: Strings of any shape, or a RaggedTensor of them. A symbol of unknown rank must turn
            out to be a scalar.
        sep: What separates the pieces; None or "" means runs of ASCII white space.
        maxsplit: How many times to split at most; negative means without limit.

    Returns:
        The pieces: of a scalar a string tensor of shape [n], else a RaggedTensor with one more
        axis, whose rows are the pieces of each string.

    Raises:
        InvalidArgumentError: `input` is not a string.

    >>> split("a,b,,c", ",").tolist()
    [b'a', b'b', b'', b'c']
    """

    def pieces(texts: object) -> Any:
        return call("string_split", [texts], sep=sep, maxsplit=maxsplit, ragged=True)

    value = convert(input)
    if isinstance(value, RaggedTensor):
        return rows_of_each(value, pieces)
    rank = 0 if isinstance(value, bytes) else value.ndim
    if not rank:
        return call("string_split", [value], sep=sep, maxsplit=maxsplit, ragged=False)
    return rows_of_each(value, pieces)


def length(input: object, unit: str = "BYTE", name: str | None = None) -> object:
    """The number of bytes, or with `unit="UTF8_CHAR"` of characters, as int32.

    Raises:
        InvalidArgumentError: `unit` is neither "BYTE" nor "UTF8_CHAR".

    >>> length("añ", unit="UTF8_CHAR").item()
    2
    """
    return call("string_length", [input], unit=unit)


def join(inputs: Sequence[object], separator: str | bytes = "", name: str | None = None) -> object:
    """Joins string tensors element by element.

    Args:
        inputs: String tensors of one shape; scalars among them serve every element.
        separator: What stands between the parts.

    Raises:
        InvalidArgumentError: The shapes differ.

    >>> join([["a", "b"], "x"], separator="-").tolist()
    [b'a-x', b'b-x']
    """
    return call("string_join", list(inputs), separator=separator)


def lower(input: object, encoding: str = "", name: str | None = None) -> object:
    """Letters in lower case.

    Args:
        input: Strings of any shape.
        encoding: "" changes ASCII letters and leaves all other bytes; "utf-8" changes all letters
            of Unicode, and replaces malformed text by U+FFFD.

    Raises:
        InvalidArgumentError: `encoding` is something else.

    >>> lower("AbC")
    b'abc'
    """
    return call("string_lower", [input], encoding=encoding)


def upper(input: object, encoding: str = "", name: str | None = None) -> object:
    """Letters in upper case.

    Args:
        input: Strings of any shape.
        encoding: "" changes ASCII letters and leaves all other bytes; "utf-8" changes all letters
            of Unicode, and replaces malformed text by U+FFFD.

    Raises:
        InvalidArgumentError: `encoding` is something else.

    >>> upper("AbC")
    b'ABC'
    """
    return call("string_upper", [input], encoding=encoding)


def strip(input: object, name: str | None = None) -> object:
    """Drops ASCII white space at both ends.

    >>> strip("  pad ")
    b'pad'
    """
    return call("string_strip", [input])


def to_number(input: object, out_type: object = "float32", name: str | None = None) -> object:
    """Reads each string as a number.

    White space around the number is allowed. Floating-point text may be hexadecimal, "inf" or
    "nan"; integers are decimal.

    Args:
        input: A string tensor of any shape.
        out_type: float32, float64, int32, int64, uint32 or uint64.

    Raises:
        InvalidArgumentError: A string is not a number of that type; the message quotes it.

    >>> to_number([" 1", "-2"], "int32").tolist()
    [1, -2]
    """
    return call("string_to_number", [input], out_type=dtype_name(out_type))


def as_string(
    input: object,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> object:
    """Formats numbers and bools as C's `printf` does.

    Args:
        input: A tensor of numbers, bools or strings.
        precision: Digits after the point (significant ones with `shortest`); floats only.
        scientific: Write floats as 1.5e+00.
        shortest: Write floats as `%g` does.
        width: The least number of characters.
        fill: A `printf` flag: "0", " ", "-", "+" or "#".

    Raises:
        InvalidArgumentError: The options contradict each other or do not fit the dtype.

    >>> as_string(3.14159, precision=2)
    b'3.14'
    """
    return call(
        "as_string",
        [input],
        precision=precision,
        scientific=scientific,
        shortest=shortest,
        width=width,
        fill=fill,
    )


def substr(
    input: object, pos: object, len: object, unit: str = "BYTE", name: str | None = None
) -> object:
    """`len` bytes (or characters, with `unit="UTF8_CHAR"`) of each string from `pos` on.

    Args:
        input: A string tensor.
        pos: Where to start, int32 or int64; negative counts from the end. Broadcasts with `input`.
        len: How much to take, of the shape of `pos`; less if the string ends before.
            Negative takes all bytes that are left, but no UTF-8 characters (as TensorFlow).
        unit: "BYTE" or "UTF8_CHAR".

    Raises:
        InvalidArgumentError: `pos` is outside a string; the message quotes the string.

    >>> substr("hello", 1, 3)
    b'ell'
    """
    return call("string_substr", [input, pos, len], unit=unit)


def regex_full_match(input: object, pattern: str | bytes, name: str | None = None) -> object:
    """Whether the whole of each string matches `pattern`, in RE2 syntax, as bool.

    Raises:
        InvalidArgumentError: The pattern is not a regular expression.

    >>> regex_full_match(["a.jpg", "b.png"], r".*jpg").tolist()
    [True, False]
    """
    return call("regex_full_match", [input], pattern=pattern)


def regex_replace(
    input: object,
    pattern: str | bytes,
    rewrite: str | bytes,
    replace_global: bool = True,
    name: str | None = None,
) -> object:
    r"""Replaces what matches `pattern`, in RE2 syntax.

    Args:
        input: A string tensor of any shape.
        pattern: What to replace.
        rewrite: What to put there; `\1` to `\9` stand for groups, `\0` for the whole match.
        replace_global: Replace every match, not only the first.

    Raises:
        InvalidArgumentError: The pattern is not a regular expression, or `rewrite` names a group
            it does not have.

    >>> regex_replace("a1b22", "[0-9]+", "#")
    b'a#b#'
    """
    return call(
        "regex_replace", [input], pattern=pattern, rewrite=rewrite, replace_global=replace_global
    )


def reduce_join(
    inputs: object,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    separator: str | bytes = "",
    name: str | None = None,
) -> object:
    """Joins the strings along `axis`.

    Args:
        inputs: A string tensor.
        axis: One axis or several, the one to join along first coming first; None joins all strings
            in row-major order.
        keepdims: Keep the joined axes with length 1.
        separator: What stands between the strings.

    Raises:
        InvalidArgumentError: An axis is out of range or named twice.

    >>> reduce_join([["a", "b"], ["c", "d"]], axis=0, separator="-").tolist()
    [b'a-c', b'b-d']
    """
    axes = [axis] if isinstance(axis, int) else axis
    return call(
        "string_reduce_join",
        [inputs],
        axis=None if axes is None else list(axes),
        keepdims=keepdims,
        separator=separator,
    )


def to_hash_bucket_fast(input: object, num_buckets: int, name: str | None = None) -> object:
    """The FarmHash fingerprint of each string modulo `num_buckets`, as int64.

    The result is the same on every machine and in every version.

    Raises:
        InvalidArgumentError: `num_buckets` is less than 1.

    >>> to_hash_bucket_fast(["k", "v"], 1000).tolist()
    [829, 321]
    """
    return call("string_to_hash_bucket_fast", [input], num_buckets=num_buckets)


def to_hash_bucket(input: object, num_buckets: int, name: str | None = None) -> object:
    """A hash of each string modulo `num_buckets`, as int64, equal to that of TensorFlow.

    Raises:
        InvalidArgumentError: `num_buckets` is less than 1.

    >>> 0 <= int(to_hash_bucket("k", 10)) < 10
    True
    """
    return call("string_to_hash_bucket", [input], num_buckets=num_buckets)


def to_hash_bucket_strong(
    input: object, num_buckets: int, key: Sequence[int], name: str | None = None
) -> object:
    """A hash of each string under a secret key modulo `num_buckets`, as int64.

    Args:
        input: A string tensor of any shape.
        num_buckets: How many buckets there are.
        key: Two integers. Without them nobody can choose strings for one bucket.

    Raises:
        InvalidArgumentError: `num_buckets` is less than 1, or `key` does not hold two integers.

    >>> 0 <= int(to_hash_bucket_strong("k", 10, key=[1, 2])) < 10
    True
    """
    attrs: dict[str, Any] = {"num_buckets": num_buckets, "key": [int(each) for each in key]}
    return call("string_to_hash_bucket_strong", [input], **attrs)


def bytes_split(input: object, name: str | None = None) -> object:
    """The bytes of each string, as strings.

    Args:
        input: Strings of any known rank, or a RaggedTensor of them.

    Returns:
        Of a scalar a vector, else a RaggedTensor with one more axis.

    >>> bytes_split("ab").tolist()
    [b'a', b'b']
    """
    return rows_of_each(input, lambda texts: call("string_bytes", [texts]))


def ngrams(
    data: Any,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> object:
    """Runs of neighbouring strings, joined.

    Args:
        data: A vector of strings, a matrix of them, or a RaggedTensor with one sequence a row.
        ngram_width: How many strings a run has; or several such numbers, whose runs follow each
            other.
        separator: What stands between the strings.
        pad_values: A string put at both ends of a sequence, or a pair of them; None puts none.
        padding_width: How many stand at each end; one less than the run if None.
        preserve_short_sequences: A sequence too short for any run gives one of all its strings.

    Returns:
        Of a vector a vector, of a matrix a matrix, else a RaggedTensor; one row a sequence.

    >>> ngrams(["a", "b", "c"], 2).tolist()
    [b'a b', b'b c']
    """
    widths = [ngram_width] if isinstance(ngram_width, int) else list(ngram_width)
    pads = pad_values if isinstance(pad_values, (list, tuple)) else (pad_values, pad_values)
    attrs: dict[str, Any] = {
        "widths": widths,
        "separator": separator,
        "left_pad": "" if pads[0] is None else pads[0],
        "right_pad": "" if pads[1] is None else pads[1],
        "pad_width": 0 if pad_values is None else -1 if padding_width is None else padding_width,
        "preserve_short": preserve_short_sequences,
    }
    if isinstance(data, RaggedTensor):
        return RaggedTensor(*call("string_ngrams", [data.values, data.row_splits], **attrs))
    text = convert(data)
    rank = 0 if isinstance(text, bytes) else text.ndim
    if rank not in (1, 2):
        raise InvalidArgumentError(f"ngrams: expected a vector or a matrix, got rank {rank}")
    sizes = call("shape", [text], out_type="int64")
    rows = call("strided_slice", [sizes], items=[0]) if rank == 2 else np.int64(1)
    columns = call("strided_slice", [sizes], items=[rank - 1])
    end = call("add", [rows, np.int64(1)])
    splits = call("multiply", [call("range", [np.int64(0), end, np.int64(1)]), columns])
    flat = call("reshape", [text], shape=[-1])
    values, splits = call("string_ngrams", [flat, splits], **attrs)
    if rank == 1:
        return values
    width = call("strided_slice", [call("shape", [values], out_type="int64")], items=[0])
    width = call("floor_divide", [width, call("maximum", [rows, np.int64(1)])])
    return call("reshape", [values, rows, width], shape=["input", "input"])


def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> object:
    """The template with each placeholder replaced by the text of a tensor.

    Args:
        template: Text with as many placeholders as there are inputs.
        inputs: A tensor, or a list or tuple of them.
        placeholder: What to replace.
        summarize: How many entries at each end of an axis to show; -1 shows all.

    Raises:
        InvalidArgumentError: There are more or fewer placeholders than inputs.

    >>> format("x = {}", [1, 2][0])
    b'x = 1'
    """
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    attrs: dict[str, Any] = {
        "template": template,
        "placeholder": placeholder,
        "summarize": summarize,
    }
    return call("string_format", values, **attrs)
