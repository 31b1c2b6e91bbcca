"""Matrices and norms: `tf.linalg`, on symbols and on real values.

The last two axes of a tensor are a matrix.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastpipe.einsum import einsum
from fastpipe.making import eye, ones_like, range_, zeros_like
from fastpipe.reductions import Axis, reduce_euclidean_norm, reduce_max, reduce_sum
from fastpipe.shapes import dtype_of, expand_dims, reshape, shape, squeeze, static_rank
from fastpipe.tracing import call, convert, has_symbol, unified

__all__ = [
    "band_part", "diag", "diag_part", "einsum", "eye", "l2_normalize", "matmul",
    "matrix_transpose", "matvec", "norm", "set_diag", "tensordot", "trace",
]  # fmt: skip


def matmul(
    a: object,
    b: object,
    transpose_a: bool = False,
    transpose_b: bool = False,
    name: str | None = None,
) -> Any:
    """The matrix product of the last two axes; the axes before them broadcast.

    Args:
        a, b: floats, int32 or int64 of two axes or more, one dtype.
        transpose_a, transpose_b: swap the last two axes first.

    >>> matmul([[1, 2]], [[3], [4]]).tolist()
    [[11]]
    """
    inputs = unified(a, b)
    return call("matmul", inputs, transpose_a=transpose_a, transpose_b=transpose_b)


def matvec(a: object, b: object, transpose_a: bool = False, name: str | None = None) -> Any:
    """The product of a matrix and a vector, the last axis of `b`.

    >>> matvec([[1, 2], [3, 4]], [1, 1]).tolist()
    [3, 7]
    """
    a, b = unified(a, b)
    return squeeze(matmul(a, expand_dims(b, -1), transpose_a=transpose_a), -1)


def tensordot(a: object, b: object, axes: int | Sequence[Any], name: str | None = None) -> Any:
    """The sum of products over axes of both.

    Args:
        a, b: numbers of known rank, one dtype.
        axes: how many last axes of `a` and first of `b`; or a list of axes of each.

    >>> tensordot([1, 2], [3, 4], 1)
    np.int32(11)
    """
    a, b = unified(a, b)
    ranks = [static_rank(a), static_rank(b)]
    if None in ranks:
        raise ValueError("tensordot takes tensors of known rank")
    rank_a, rank_b = (rank or 0 for rank in ranks)
    if isinstance(axes, int):
        of_a, of_b = list(range(rank_a - axes, rank_a)), list(range(axes))
    else:
        of_a, of_b = (
            [int(each) for each in (part if isinstance(part, (list, tuple)) else [part])]
            for part in axes
        )
    of_a, of_b = [each % rank_a for each in of_a], [each % rank_b for each in of_b]
    if len(of_a) != len(of_b):
        raise ValueError(f"tensordot sums over as many axes of both, got {of_a} and {of_b}")
    kept_a = [each for each in range(rank_a) if each not in of_a]
    kept_b = [each for each in range(rank_b) if each not in of_b]
    sizes_a, sizes_b = shape(a), shape(b)
    a = call("transpose", [a], perm=kept_a + of_a)
    b = call("transpose", [b], perm=of_b + kept_b)
    inner = _product([sizes_a[each] for each in of_a])
    left = _product([sizes_a[each] for each in kept_a])
    product = matmul(reshape(a, [left, inner]), reshape(b, [inner, -1]))
    return reshape(
        product, [*(sizes_a[each] for each in kept_a), *(sizes_b[each] for each in kept_b)]
    )


def _product(sizes: list[Any]) -> Any:
    total: Any = 1
    for size in sizes:
        total = size if isinstance(total, int) else call("multiply", [total, size])
    return total


def matrix_transpose(a: object, name: str | None = None) -> Any:
    """The last two axes swapped.

    >>> matrix_transpose([[1, 2], [3, 4]]).tolist()
    [[1, 3], [2, 4]]
    """
    a = convert(a)
    rank = static_rank(a)
    if rank is None or rank < 2:
        raise ValueError(f"matrix_transpose takes a tensor of known rank >= 2, got {rank}")
    return call("transpose", [a], perm=[*range(rank - 2), rank - 1, rank - 2])


def diag(diagonal: object, name: str | None = None) -> Any:
    """Square matrices of zeros with the last axis on the diagonal.

    >>> diag([1, 2]).tolist()
    [[1, 0], [0, 2]]
    """
    values = convert(diagonal)
    size = shape(values)[-1]
    on = eye(size, dtype="bool")
    rows = expand_dims(values, -2)
    return call("where", [on, rows, zeros_like(rows)])


def diag_part(input: object, name: str | None = None) -> Any:
    """The diagonal of each matrix; numbers.

    >>> diag_part([[1, 2], [3, 4]]).tolist()
    [1, 4]
    """
    matrix = convert(input)
    sizes = shape(matrix)
    on = eye(sizes[-2], sizes[-1], dtype="bool")
    kept = reduce_sum(call("where", [on, matrix, zeros_like(matrix)]), -1)
    last = [sizes[-2], sizes[-1]]
    shorter = call("minimum", last) if has_symbol(last) else min(last)
    return call("gather", [kept, range_(shorter)], axis=-1)


def set_diag(input: object, diagonal: object, name: str | None = None) -> Any:
    """Each matrix with another diagonal.

    >>> set_diag([[1, 2], [3, 4]], [8, 9]).tolist()
    [[8, 2], [3, 9]]
    """
    matrix, values = unified(input, diagonal)
    sizes = shape(matrix)
    on = eye(sizes[-2], sizes[-1], dtype="bool")
    # A column for each row suffices, since only the diagonal is taken.
    last = call("subtract", unified(shape(values)[-1], 1))
    least = call("minimum", [range_(sizes[-2]), last])
    rows = expand_dims(call("gather", [values, least], axis=-1), -1)
    return call("where", [on, rows, matrix])


def trace(x: object, name: str | None = None) -> Any:
    """The sum of the diagonal of each matrix; numbers.

    >>> int(trace([[1, 2], [3, 4]]))
    5
    """
    return reduce_sum(diag_part(x), -1)


def band_part(input: object, num_lower: int, num_upper: int, name: str | None = None) -> Any:
    """Matrices with zeros outside a band around the diagonal.

    Args:
        input: of two axes or more.
        num_lower, num_upper: how many diagonals stay below and above; negative keeps all.

    >>> band_part([[1, 2], [3, 4]], 0, -1).tolist()
    [[1, 2], [0, 4]]
    """
    matrix = convert(input)
    sizes = shape(matrix)
    rows = expand_dims(range_(sizes[-2]), 1)
    offset = call("subtract", [range_(sizes[-1]), rows])
    inside = ones_like(offset, "bool")
    if num_lower >= 0:
        lower = call("greater_equal", [offset, -num_lower], unify=True)
        inside = call("logical_and", [inside, lower])
    if num_upper >= 0:
        upper = call("less_equal", [offset, num_upper], unify=True)
        inside = call("logical_and", [inside, upper])
    return call("where", [inside, matrix, zeros_like(matrix)])


def norm(
    tensor: object,
    ord: object = "euclidean",
    axis: Axis = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """The norm of vectors, over `axis` or all of the tensor; floats.

    Args:
        tensor: floats.
        ord: "euclidean", 1, 2, infinity, or another p > 0.
        axis: an axis or a list of them, None for all.
        keepdims: leave the axes with size 1.

    >>> float(norm([3.0, 4.0])), float(norm([3.0, -4.0], ord=1))
    (5.0, 7.0)
    """
    tensor = convert(tensor)
    if ord in ("euclidean", 2, "fro"):
        return reduce_euclidean_norm(tensor, axis, keepdims)
    if isinstance(axis, (list, tuple)) and len(axis) > 1:
        raise NotImplementedError(f"norm: a matrix norm of order {ord!r} is not supported")
    size = call("abs", [tensor])
    if ord == float("inf"):
        return reduce_max(size, axis, keepdims)
    if not isinstance(ord, (int, float)) or ord <= 0:
        raise ValueError(f"norm: ord must be 'euclidean' or a number > 0, got {ord!r}")
    if ord == 1:
        return reduce_sum(size, axis, keepdims)
    powers = call("power", unified(size, float(ord)))
    return call("power", unified(reduce_sum(powers, axis, keepdims), 1.0 / ord))


def l2_normalize(
    x: object, axis: Axis = None, epsilon: float = 1e-12, name: str | None = None
) -> Any:
    """x divided by the square root of max(sum(x ** 2), epsilon) along `axis`; floats.

    >>> l2_normalize([3.0, 4.0]).astype("float64").round(3).tolist()
    [0.6, 0.8]
    """
    x = convert(x)
    total = reduce_sum(call("square", [x]), axis, keepdims=True)
    inverse = call("rsqrt", [call("maximum", unified(total, float(epsilon)))])
    return call("multiply", [x, inverse])


def clip_by_norm(t: object, clip_norm: object, axes: Axis = None) -> Any:
    """t scaled down so that its norm over `axes` is at most `clip_norm`; floats.

    >>> clip_by_norm([3.0, 4.0], 1.0).astype("float64").round(3).tolist()
    [0.6, 0.8]
    """
    t = convert(t)
    t, limit = unified(t, clip_norm)
    squares = reduce_sum(call("square", [t]), axes, keepdims=True)
    positive = call("greater", unified(squares, 0.0))
    safe = call("where", [positive, squares, ones_like(squares)])
    length = call("where", [positive, call("sqrt", [safe]), squares])
    scaled = call("multiply", [t, limit])
    return call("divide", [scaled, call("maximum", [length, limit])])


def global_norm(t_list: Sequence[object]) -> Any:
    """The norm of all values of several tensors; floats.

    >>> float(global_norm([[3.0], [4.0]]))
    5.0
    """
    total: Any = None
    for each in t_list:
        part = reduce_sum(call("square", [convert(each)]))
        total = part if total is None else call("add", [total, part])
    return call("sqrt", [total])


def clip_by_global_norm(
    t_list: Sequence[object], clip_norm: object, use_norm: object = None
) -> tuple[list[Any], Any]:
    """Tensors scaled down together so that their global norm is at most `clip_norm`; and the norm.

    >>> clipped, norm = clip_by_global_norm([[3.0], [4.0]], 1.0)
    >>> [round(float(each[0]), 3) for each in clipped], float(norm)
    ([0.6, 0.8], 5.0)
    """
    length = global_norm(t_list) if use_norm is None else convert(use_norm)
    length, limit = unified(length, clip_norm)
    scale = call("divide", [limit, call("maximum", [length, limit])])
    scaled = []
    for each in t_list:
        value = convert(each)
        factor = scale
        if dtype_of(value) != dtype_of(scale):
            factor = call("cast", [scale], dtype=dtype_of(value))
        scaled.append(call("multiply", [value, factor]))
    return scaled, length
