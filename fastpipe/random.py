"""Random numbers: `tf.random`, on symbols and on real values.

The `stateless_*` functions compute TensorFlow's numbers, bit for bit, from a seed that is an
argument. The others take care of the seed themselves:

* In a function that a dataset calls (`map`, `filter`, `interleave`, ...) the numbers belong to the
  element. They are a function of the seed, of where the pass stands (which epoch under `repeat`,
  which element of an `interleave` around it) and of the number of the element in it. So elements
  and epochs differ, and nothing else matters: threads, their number, `deterministic`, and whether
  the pass was saved and restored. With a seed, every iterator over the dataset draws the same
  (the epochs of a `repeat` do not); without one, each draws its own.
* On real values each call draws new numbers; after `set_seed` the sequence of them is the same.

Two functions that are given one seed draw the same numbers for one element: an image and its mask
are cropped at the same place.

>>> import fastpipe as fp
>>> ds = fp.Dataset.range(4).map(lambda x: fp.random.uniform([], seed=1), num_parallel_calls=2)
>>> first = [float(x) for x in ds]
>>> len(set(first)), first == [float(x) for x in ds]
(4, True)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fastpipe.array import stack
from fastpipe.errors import InvalidArgumentError
from fastpipe.integers import integers_argument
from fastpipe.seed import call_seed, op_seed, set_seed
from fastpipe.spec import DType, as_dtype
from fastpipe.tracing import Symbol, call, convert, current_tracer

__all__ = [
    "categorical",
    "element_seed",
    "fold_in",
    "index_shuffle",
    "normal",
    "set_seed",
    "shuffle",
    "split",
    "stateless_categorical",
    "stateless_normal",
    "stateless_shuffle",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]


def element_seed(seed: int | None = None) -> Any:
    """A seed for the stateless functions that belongs to the element a function is called for.

    It is what the functions that are not stateless use. Take it where several numbers of one
    element are to be tied together, or to split it.

    Args:
        seed: An integer; None takes one from the global seed, or one that differs from run to run.

    Returns:
        int64 [2]. Outside of functions that datasets call, a new one at each call.

    >>> import fastpipe as fp
    >>> def pair(x):
    ...     seed = fp.random.element_seed(3)
    ...     return fp.random.stateless_uniform([], seed) == fp.random.uniform([], seed=3)
    >>> [bool(x) for x in fp.Dataset.range(3).map(pair)]
    [True, True, True]
    """
    tracer = current_tracer()
    if tracer is None:
        return np.array(call_seed(seed), np.int64)
    own = op_seed(seed)
    if own is None:
        return call("element_seed", [], number=next(tracer.numbers))
    return call("element_seed", [], seed=own)


# ---- numbers ----

_FLOATS = ("float16", "bfloat16", "float32", "float64")
_INTEGERS = ("int32", "int64", "uint32", "uint64")


def _dtype_among(names: tuple[str, ...], dtype: object) -> DType:
    found = as_dtype(dtype)
    if found.name in names:
        return found
    raise InvalidArgumentError(f"dtype must be one of {', '.join(names)}, got {found.name}")


def _check_algorithm(alg: object) -> None:
    name = str(getattr(alg, "name", alg)).strip().lower().replace("-", "").replace("_", "")
    if name not in ("philox", "autoselect", "1", "3"):
        raise InvalidArgumentError(f"alg must be 'philox' or 'auto_select', got {alg!r}")


def _of_dtype(value: Any, dtype: DType) -> Any:
    """A number as a tensor; what is a tensor stays what it is."""
    if dtype.name != "bfloat16" or isinstance(value, Symbol):
        return convert(value, dtype.name)
    return call("cast", [convert(value, "float32")], dtype=dtype.name)  # NumPy has none


def _is_literal(value: Any, number: float) -> bool:
    return isinstance(value, (int, float)) and value == number


def _moved(numbers: Any, scale: Any, offset: Any) -> Any:
    """numbers * scale + offset in the dtype of `numbers`."""
    dtype = as_dtype(numbers.dtype)
    if not _is_literal(scale, 1):
        numbers = call("multiply", [numbers, _of_dtype(scale, dtype)])
    if not _is_literal(offset, 0):
        numbers = call("add", [numbers, _of_dtype(offset, dtype)])
    return numbers


def _uniform(shape: Any, minval: Any, maxval: Any, dtype: object) -> Callable[[Any], Any]:
    """What draws uniform numbers from a seed; the arguments are checked before one is taken."""
    found = _dtype_among(_FLOATS + _INTEGERS, dtype)
    dims, inputs = integers_argument("shape", shape)
    if found.is_integer:
        if (minval is None) != (maxval is None):
            raise InvalidArgumentError(
                f"for {found.name} either both or neither of minval and maxval must be given, got "
                f"minval {minval!r} and maxval {maxval!r}"
            )
        if minval is None:
            return lambda seed: call("random_bits", [seed, *inputs], shape=dims, dtype=found.name)
        if found.name.startswith("uint"):
            raise InvalidArgumentError(
                f"{found.name} has no minval and maxval: cast int32 or int64, or give None for both"
            )
        bounds = [_of_dtype(minval, found), _of_dtype(maxval, found)]
        return lambda seed: call("random_integers", [seed, *bounds, *inputs], shape=dims)
    if minval is None:
        raise InvalidArgumentError(f"for {found.name} minval must be a number, got None")
    scale = 1 if maxval is None else maxval
    if not _is_literal(minval, 0):
        scale = call("subtract", [_of_dtype(scale, found), _of_dtype(minval, found)])
    return lambda seed: _moved(
        call("random_uniform", [seed, *inputs], shape=dims, dtype=found.name), scale, minval
    )


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: object = "float32",
    name: str | None = None,
    alg: object = "auto_select",
) -> Any:
    """Uniform random numbers in [minval, maxval), a function of `seed`: TensorFlow's, bit for bit.

    Args:
        shape: Integers.
        seed: Two integers, int32 or int64.
        minval: Of `dtype`; for floats any shape that fits. None, with `maxval` None, takes all
            values of an integer dtype.
        maxval: Likewise; by default 1 for floats.
        dtype: float16, bfloat16, float32, float64, int32 or int64; without bounds also uint32 and
            uint64.
        name: Has no effect.
        alg: "philox" or "auto_select", which is the same.

    Raises:
        InvalidArgumentError: The seed is not two integers, the dtype is another one, only one bound
            is given for integers, or they are not in order.

    >>> stateless_uniform([2], seed=[1, 2], minval=0, maxval=100, dtype="int32").tolist()
    [40, 49]
    """
    _check_algorithm(alg)
    return _uniform(shape, minval, maxval, dtype)(convert(seed))


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: object = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Uniform random numbers in [minval, maxval). What `seed` means: see this module.

    Args:
        shape: Integers.
        minval: Of `dtype`; for floats any shape that fits.
        maxval: Likewise; by default 1 for floats. Integers need it.
        dtype: float16, bfloat16, float32, float64, int32 or int64.
        seed: An integer.
        name: Has no effect.

    Raises:
        InvalidArgumentError: The dtype is another one, or the bounds are not in order.

    >>> x = uniform([1000], 2, 5, seed=1)
    >>> x.dtype.name, bool((x >= 2).all() and (x < 5).all())
    ('float32', True)
    """
    if as_dtype(dtype).is_integer and maxval is None:
        raise InvalidArgumentError(f"for {as_dtype(dtype).name} maxval must be given")
    return _uniform(shape, minval, maxval, dtype)(element_seed(seed))


def _drawn(kernel: str, shape: Any, seed: Any, mean: Any, stddev: Any, dtype: object) -> Any:
    found = _dtype_among(_FLOATS, dtype)
    dims, inputs = integers_argument("shape", shape)
    numbers = call(kernel, [seed, *inputs], shape=dims, dtype=found.name)
    return _moved(numbers, stddev, mean)


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: object = "float32",
    name: str | None = None,
    alg: object = "auto_select",
) -> Any:
    """Normal random numbers, a function of `seed`: TensorFlow's, up to the last bits.

    Args:
        shape: Integers.
        seed: Two integers, int32 or int64.
        mean: Of `dtype`.
        stddev: Standard deviation, of `dtype`.
        dtype: float16, bfloat16, float32 or float64.
        name: Has no effect.
        alg: As in `stateless_uniform`.

    Raises:
        InvalidArgumentError: The seed is not two integers, or the dtype is another one.

    >>> stateless_normal([2], seed=[1, 2]).round(4).tolist()
    [0.54..., 0.20...]
    """
    _check_algorithm(alg)
    return _drawn("random_normal", shape, convert(seed), mean, stddev, dtype)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: object = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Normal random numbers. What `seed` means: see this module. The rest: `stateless_normal`.

    >>> normal([3, 2], seed=1).shape
    (3, 2)
    """
    _dtype_among(_FLOATS, dtype)
    return _drawn("random_normal", shape, element_seed(seed), mean, stddev, dtype)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: object = "float32",
    name: str | None = None,
    alg: object = "auto_select",
) -> Any:
    """Like `stateless_normal`; numbers two deviations or more from the mean are drawn again.

    >>> bool((abs(stateless_truncated_normal([1000], seed=[1, 2])) < 2).all())
    True
    """
    _check_algorithm(alg)
    return _drawn("random_truncated_normal", shape, convert(seed), mean, stddev, dtype)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: object = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Like `normal`; numbers two deviations or more from the mean are drawn again.

    >>> bool((abs(truncated_normal([1000], 10, 3, seed=1) - 10) <= 6).all())
    True
    """
    _dtype_among(_FLOATS, dtype)
    return _drawn("random_truncated_normal", shape, element_seed(seed), mean, stddev, dtype)


# ---- choices ----


def stateless_shuffle(
    value: Any, seed: Any, alg: object = "auto_select", name: str | None = None
) -> Any:
    """A tensor with its rows, along axis 0, in random order: TensorFlow's order for `seed`.

    Args:
        value: Of any dtype and shape.
        seed: Two integers, int32 or int64.
        alg: As in `stateless_uniform`.
        name: Has no effect.

    >>> stateless_shuffle([[1, 2], [3, 4], [5, 6]], seed=[8, 9]).tolist()
    [[5, 6], [1, 2], [3, 4]]
    """
    _check_algorithm(alg)
    return call("random_shuffle", [value, seed])


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """A tensor with its rows in random order. What `seed` means: see this module.

    >>> sorted(shuffle([1, 2, 3], seed=1).tolist())
    [1, 2, 3]
    """
    return call("random_shuffle", [value, element_seed(seed)])


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """Where indices go in a random permutation of 0 ... max_index: TensorFlow's for `seed`.

    No memory is taken, however many there are.

    Args:
        index: An integer between 0 and `max_index`, or a vector of them: int32, int64, uint32 or
            uint64.
        seed: Two integers, or two for each index.
        max_index: Like `index`.

    Returns:
        The dtype of `index`; a scalar if no argument holds several.

    Raises:
        InvalidArgumentError: An index is larger than `max_index`, or the dtypes or sizes differ.

    >>> index_shuffle([0, 1, 2, 3], seed=[5, 9], max_index=3).tolist()
    [2, 0, 1, 3]
    """
    seed = convert(seed)
    if hasattr(index, "dtype"):
        max_index = convert(max_index, None if hasattr(max_index, "dtype") else index.dtype)
    elif hasattr(max_index, "dtype"):
        index = convert(index, max_index.dtype)
    return call("index_shuffle", [index, seed, max_index])


def _categorical(logits: Any, num_samples: Any, seed: Any, dtype: object) -> Any:
    found = _dtype_among(("int32", "int64"), "int64" if dtype is None else dtype)
    count, inputs = integers_argument("num_samples", [num_samples])
    return call("random_categorical", [logits, seed, *inputs], num_samples=count, dtype=found.name)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: object = "int64", name: str | None = None
) -> Any:
    """Random classes by their probabilities, a function of `seed`.

    Args:
        logits: Unnormalised log probabilities [batch, classes], of a floating dtype.
        num_samples: How many classes to draw for each row, an integer.
        seed: Two integers, int32 or int64.
        dtype: int32 or int64.
        name: Has no effect.

    Returns:
        [batch, num_samples].

    >>> stateless_categorical([[0.0, -1000.0], [-1000.0, 0.0]], 3, seed=[1, 2]).tolist()
    [[0, 0, 0], [1, 1, 1]]
    """
    return _categorical(logits, num_samples, seed, dtype)


def categorical(
    logits: Any,
    num_samples: Any,
    dtype: object = "int64",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Random classes by their probabilities. What `seed` means: see this module.

    >>> categorical([[0.0, -1000.0]], 2).tolist()
    [[0, 0]]
    """
    return _categorical(logits, num_samples, element_seed(seed), dtype)


# ---- seeds of seeds ----


def split(seed: Any, num: Any = 2, alg: object = "auto_select") -> Any:
    """`num` new seeds from one.

    Args:
        seed: Two integers, int32 or int64.
        num: An integer.
        alg: As in `stateless_uniform`.

    Returns:
        [num, 2], in the dtype of `seed`.

    >>> split([1, 2], num=2).tolist()
    [[1105988140, 1738052849], [-335576002, 370444179]]
    """
    seed = convert(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


def fold_in(seed: Any, data: Any, alg: object = "auto_select") -> Any:
    """A new seed from a seed and a number, such as that of a worker.

    Args:
        seed: Two integers, int32 or int64.
        data: An integer scalar, int32 or int64.
        alg: As in `stateless_uniform`.

    Returns:
        [2], in the dtype of `data`.

    >>> fold_in([1, 2], 3).tolist()
    [1105988140, 3]
    """
    data = convert(data)
    drawn = stateless_uniform([], seed, None, None, data.dtype, alg=alg)
    return stack([drawn, data])
