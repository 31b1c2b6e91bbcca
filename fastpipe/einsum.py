"""Sums of products over named axes.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from typing import Any

from fastpipe.shapes import reshape, shape, static_rank
from fastpipe.tracing import call, unified


def einsum(equation: str, *inputs: object, name: str | None = None) -> Any:
    """The sum of products that Einstein's notation names.

    Args:
        equation: "ij,jk->ik": the axes of each input and of the result by letters. Without an arrow
            the result has the letters that stand once, in alphabetic order. Spaces do not count.
        inputs: numbers of known rank and of one dtype.

    Raises:
        ValueError: the letters do not fit the inputs.
        UnimplementedError: `...`, or a letter that stands twice in one input.

    >>> einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1]).tolist()
    [3, 7]
    """
    terms, result = _parsed(equation, len(inputs))
    tensors = unified(*inputs)
    for letters, tensor in zip(terms, tensors, strict=True):
        rank = static_rank(tensor)
        if rank != len(letters):
            raise ValueError(f"einsum: {letters!r} of {equation!r} names {rank} axes of an input")
    letters, total = terms[0], tensors[0]
    for i in range(1, len(tensors)):
        later = set(result).union(*terms[i + 1 :])
        letters, total = _joined(letters, total, terms[i], tensors[i], later)
    summed = [axis for axis, letter in enumerate(letters) if letter not in result]
    if summed:
        total = call("reduce_sum", [total], axis=summed, keepdims=False)
        letters = "".join(letter for letter in letters if letter in result)
    return call("transpose", [total], perm=[letters.index(letter) for letter in result])


def _parsed(equation: str, count: int) -> tuple[list[str], str]:
    text = equation.replace(" ", "")
    if "." in text:
        raise NotImplementedError(f"einsum: ... is not supported, got {equation!r}")
    left, arrow, result = text.partition("->")
    terms = left.split(",")
    if len(terms) != count:
        raise ValueError(f"einsum: {equation!r} names {len(terms)} inputs, got {count}")
    for term in terms:
        if not (term.isalpha() or not term):
            raise ValueError(f"einsum: axes are letters, got {term!r}")
        if len(set(term)) != len(term):
            raise NotImplementedError(f"einsum: a letter stands twice in {term!r}")
    if not arrow:
        whole = "".join(terms)
        result = "".join(sorted(letter for letter in set(whole) if whole.count(letter) == 1))
    if len(set(result)) != len(result) or not set(result) <= set("".join(terms)):
        raise ValueError(f"einsum: the result {result!r} names other axes than the inputs")
    return terms, result


def _joined(a: str, x: Any, b: str, y: Any, later: set[str]) -> tuple[str, Any]:
    """The product of two inputs, summed over the letters that nothing later needs: one matmul."""
    batch = [letter for letter in a if letter in b and letter in later]
    summed = [letter for letter in a if letter in b and letter not in later]
    left = [letter for letter in a if letter not in b]
    right = [letter for letter in b if letter not in a]
    sizes_x, sizes_y = shape(x), shape(y)
    x = call("transpose", [x], perm=[a.index(letter) for letter in batch + left + summed])
    y = call("transpose", [y], perm=[b.index(letter) for letter in batch + summed + right])

    def sizes(letters: list[str]) -> list[Any]:
        return [sizes_x[a.index(c)] if c in a else sizes_y[b.index(c)] for c in letters]

    def size(letters: list[str]) -> Any:
        total: Any = 1
        for each in sizes(letters):
            total = each if isinstance(total, int) else call("multiply", [total, each])
        return total

    x = reshape(x, [*sizes(batch), size(left), size(summed)])
    y = reshape(y, [*sizes(batch), size(summed), size(right)])
    product = call("matmul", [x, y], transpose_a=False, transpose_b=False)
    letters = batch + left + right
    return "".join(letters), reshape(product, sizes(letters))
