"""Tensors made of little: ranges, constants, one-hot codes, grids and masks.

A shape may be a list in which symbols stand for some of the sizes, or one tensor. What does not fit
raises InvalidArgumentError, when it is traced if the values are known then, else when it runs.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from typing import Any

from fastpipe import _core
from fastpipe.errors import InvalidArgumentError
from fastpipe.indexing import constant
from fastpipe.integers import integers
from fastpipe.shapes import dtype_of, expand_dims, reshape, shape, static_rank
from fastpipe.spec import as_tensor, dtype_name
from fastpipe.tracing import Symbol, call, convert, has_symbol, unified

__all__ = [
    "eye", "fill", "linspace", "meshgrid", "one_hot", "ones", "ones_like", "range_",
    "sequence_mask", "zeros", "zeros_like",
]  # fmt: skip


def range_(
    start: object,
    limit: object = None,
    delta: object = 1,
    dtype: object = None,
    name: str | None = None,
) -> Any:
    """start, start + delta, ... before limit; from 0 to start if limit is None.

    Without `dtype` the result has the widest dtype of the three: int32, int64, float32, float64.

    >>> range_(3).tolist(), range_(5, 0, -2).tolist()
    ([0, 1, 2], [5, 3, 1])
    """
    if limit is None:
        start, limit = 0, start
    bounds = [convert(each) for each in (start, limit, delta)]
    if dtype is None:
        order = ["int32", "int64", "float32", "float64"]
        names = [dtype_of(each) for each in bounds]
        other = [name for name in names if name not in order]
        dtype = other[0] if other else max(names, key=order.index)
    name = dtype_name(dtype)

    def cast(each: Any) -> Any:
        return call("cast", [each], dtype=name)

    if has_symbol(bounds):
        return call("range", [each if dtype_of(each) == name else cast(each) for each in bounds])
    # At once, so that the size is known.
    bounds = [_core.run_kernel("cast", {"dtype": name}, [each])[0] for each in bounds]
    return constant(_core.run_kernel("range", {}, bounds)[0])


def fill(dims: object, value: object, name: str | None = None) -> Any:
    """A tensor of shape `dims` that holds the scalar `value` everywhere.

    >>> fill([2, 2], 7).tolist()
    [[7, 7], [7, 7]]
    """
    attrs, inputs = integers("dims", dims)
    return call("fill", [value, *inputs], **attrs)


def zeros(shape: object, dtype: object = "float32", name: str | None = None) -> Any:
    """A tensor of 0, False or b"".

    >>> zeros([2]).tolist()
    [0.0, 0.0]
    """
    name = dtype_name(dtype)
    return fill(shape, b"" if name == "string" else as_tensor(0, name))


def ones(shape: object, dtype: object = "float32", name: str | None = None) -> Any:
    """A tensor of 1 or True.

    >>> ones([2], "int32").tolist()
    [1, 1]
    """
    return fill(shape, as_tensor(1, dtype))


def zeros_like(input: object, dtype: object = None, name: str | None = None) -> Any:
    """A tensor of the same shape that holds 0, False or b"".

    >>> zeros_like([1, 2]).tolist()
    [0, 0]
    """
    return _like("zeros_like", input, dtype)


def ones_like(input: object, dtype: object = None, name: str | None = None) -> Any:
    """A tensor of the same shape that holds 1 or True.

    >>> ones_like([5, 6], "bool").tolist()
    [True, True]
    """
    return _like("ones_like", input, dtype)


def _like(kernel: str, input: object, dtype: object) -> Any:
    input = convert(input)
    if dtype is None or dtype_name(dtype) == dtype_of(input):
        return call(kernel, [input])
    # By way of bools, which any tensor gives and any dtype but string comes from.
    mask = call(kernel, [call("equal", [input, input])])
    if dtype_name(dtype) == "string":
        return call("where", [mask, b"", b""])
    return call("cast", [mask], dtype=dtype_name(dtype))


def one_hot(
    indices: object,
    depth: object,
    on_value: object = None,
    off_value: object = None,
    axis: int | None = None,
    dtype: object = None,
    name: str | None = None,
) -> Any:
    """A new axis of size `depth` that holds `on_value` at the index and `off_value` elsewhere.

    Args:
        indices: integers; one outside 0 .. depth - 1 gives `off_value` everywhere.
        depth: an integer scalar.
        on_value: 1 if None.
        off_value: 0 if None.
        axis: where the new axis goes, the end if None.
        dtype: of the result; without it that of the values, or float32.

    >>> one_hot([2, 0], 3, dtype="int32").tolist()
    [[0, 0, 1], [1, 0, 0]]
    """
    attrs, inputs = integers("depth", depth)
    given = [convert(each) for each in (on_value, off_value) if each is not None]
    name = dtype_name(dtype) if dtype else (dtype_of(given[0]) if given else "float32")
    for each in (on_value, off_value):
        kind = None if each is None else dtype_of(convert(each))
        if (
            kind is not None
            and kind != name
            and (hasattr(each, "dtype") or not _adapts(kind, name))
        ):
            raise TypeError(f"one_hot: expected values of dtype {name}, got {each!r}")
    values = [
        each if isinstance(each, Symbol) else as_tensor(each, name)
        for each in (1 if on_value is None else on_value, 0 if off_value is None else off_value)
    ]
    at = -1 if axis is None else int(axis)
    return call("one_hot", [indices, *values, *inputs], axis=at, **attrs)


def _adapts(literal: str, name: str) -> bool:
    """True if a literal of dtype `literal` may become one of dtype `name`."""
    if literal.startswith("int"):
        return name not in ("bool", "string")
    return literal.startswith("float") and "float" in name


def linspace(
    start: object, stop: object, num: object, axis: int = 0, name: str | None = None
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    Args:
        start, stop: floats of one dtype, of any shape that broadcasts; integers become float64.
        num: how many.
        axis: where the new axis goes.

    >>> linspace(0.0, 1.0, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    first, last = unified(start, stop)
    if "float" not in dtype_of(first):
        first, last = (call("cast", [each], dtype="float64") for each in (first, last))
    name = dtype_of(first)
    count: Any = num if isinstance(num, Symbol) else int(num)  # type: ignore[call-overload]
    if not isinstance(count, Symbol) and count < 0:
        raise InvalidArgumentError(f"linspace: num must be >= 0, got {count}")
    gaps: Any = count - 1
    gaps = call("cast", [call("maximum", unified(gaps, 1))], dtype=name)
    step = call("divide", [call("subtract", [last, first]), gaps])
    places = call("cast", [range_(count)], dtype=name)
    spaced = [expand_dims(each, axis) for each in (first, step, last)]
    rank = static_rank(step)
    if rank is None:
        raise InvalidArgumentError("linspace: start and stop need a known rank")
    at = axis % (rank + 1)
    shaped = reshape(places, [1] * at + [-1] + [1] * (rank - at))
    line = call("add", [spaced[0], call("multiply", [spaced[1], shaped])])
    # The last is exactly `stop`, however the steps were rounded.
    ends = call("equal", [shaped, call("subtract", unified(call("cast", [count], dtype=name), 1))])
    more = call("greater", unified(count, 1))
    return call("where", [call("logical_and", [ends, more]), spaced[2], line])


def eye(
    num_rows: object,
    num_columns: object = None,
    batch_shape: object = None,
    dtype: object = "float32",
    name: str | None = None,
) -> Any:
    """Matrices with 1 on the diagonal and 0 elsewhere.

    Args:
        num_rows, num_columns: integers; square if `num_columns` is None.
        batch_shape: the axes before those of the matrix.
        dtype: of the result.

    >>> eye(2, dtype="int32").tolist()
    [[1, 0], [0, 1]]
    """
    columns = num_rows if num_columns is None else num_columns
    rows = call("reshape", [range_(num_rows)], shape=[-1, 1])
    on = call("equal", [rows, range_(columns)])
    matrix = on if dtype_name(dtype) == "bool" else call("cast", [on], dtype=dtype_name(dtype))
    if batch_shape is None:
        return matrix
    sizes = [*batch_shape, num_rows, columns]  # type: ignore[misc]
    attrs, inputs = integers("shape", sizes)
    return call("broadcast_to", [matrix, *inputs], **attrs)


def sequence_mask(
    lengths: object, maxlen: object = None, dtype: object = "bool", name: str | None = None
) -> Any:
    """For each length a row whose first values, as many as that, are True.

    Args:
        lengths: integers of any shape.
        maxlen: the size of the rows; the greatest length if None.
        dtype: of the result.

    >>> sequence_mask([1, 3], 3).tolist()
    [[True, False, False], [True, True, True]]
    """
    sizes = convert(lengths)
    if maxlen is None:
        maxlen = call("reduce_max", [sizes], axis=None, keepdims=False)
        maxlen = call("maximum", unified(maxlen, 0))
    bound = convert(maxlen)
    places = range_(bound if dtype_of(bound) == dtype_of(sizes) else _same(bound, sizes))
    mask = call("less", [places, expand_dims(sizes, -1)])
    return mask if dtype_name(dtype) == "bool" else call("cast", [mask], dtype=dtype_name(dtype))


def _same(value: Any, other: Any) -> Any:
    name = dtype_of(other)
    return (
        call("cast", [value], dtype=name) if isinstance(value, Symbol) else as_tensor(value, name)
    )


def meshgrid(*args: object, indexing: str = "xy", name: str | None = None) -> list[Any]:
    """The coordinates of a grid: one tensor for each vector, all of the grid's shape.

    Args:
        args: vectors or scalars.
        indexing: "xy" lets the second vector run along the first axis, "ij" keeps their order.

    >>> [each.tolist() for each in meshgrid([1, 2, 3], [4, 5])]
    [[[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', got {indexing!r}")
    vectors = [reshape(each, [-1]) for each in args]
    axes = list(range(len(vectors)))
    if indexing == "xy" and len(axes) > 1:
        axes[:2] = [1, 0]
    sizes: list[Any] = [None] * len(vectors)
    for vector, axis in zip(vectors, axes, strict=True):
        sizes[axis] = shape(vector)[0]
    grid = []
    for vector, axis in zip(vectors, axes, strict=True):
        placed = reshape(vector, [-1 if each == axis else 1 for each in range(len(vectors))])
        attrs, inputs = integers("shape", sizes)
        grid.append(call("broadcast_to", [placed, *inputs], **attrs))
    return grid
