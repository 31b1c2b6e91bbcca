"""dtypes, and what is known of a tensor before it exists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastpipe.errors import InvalidTypeError

Shape = tuple[int | None, ...] | None


class DType:
    """A dtype by its name: `fp.float32`. Compares equal to its name and to NumPy's dtype.

    >>> import numpy as np
    >>> float32 == np.float32 and float32 == "float32"
    True
    >>> float32.itemsize
    4
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy dtype; object for string."""
        if self.name == "string":
            return np.dtype(object)
        if self.name == "bfloat16":
            import ml_dtypes  # type: ignore[import-not-found,unused-ignore]

            return np.dtype(ml_dtypes.bfloat16)
        return np.dtype(self.name)

    dtype = as_numpy_dtype  # lets np.dtype(fp.float32) work

    @property
    def itemsize(self) -> int:
        """Bytes of one value."""
        return int(self.as_numpy_dtype.itemsize)

    @property
    def is_integer(self) -> bool:
        """True for int8 to uint64."""
        return self.name.startswith(("int", "uint"))

    @property
    def is_floating(self) -> bool:
        """True for the float dtypes."""
        return "float" in self.name

    def _limit(self, which: str) -> Any:
        if self.name == "bool":
            return which == "max"
        info: Any = np.iinfo if self.is_integer else np.finfo
        return getattr(info(self.as_numpy_dtype), which)

    @property
    def max(self) -> Any:
        """The largest value."""
        return self._limit("max")

    @property
    def min(self) -> Any:
        """The smallest (most negative) value."""
        return self._limit("min")

    def __eq__(self, other: object) -> bool:
        try:
            return self.name == dtype_name(other)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"fp.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return DType, (self.name,)


bool_ = DType("bool")
int8 = DType("int8")
int16 = DType("int16")
int32 = DType("int32")
int64 = DType("int64")
uint8 = DType("uint8")
uint16 = DType("uint16")
uint32 = DType("uint32")
uint64 = DType("uint64")
float16 = DType("float16")
float32 = DType("float32")
float64 = DType("float64")
bfloat16 = DType("bfloat16")
string = DType("string")

ALL = {
    dtype.name: dtype
    for dtype in (
        bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
        float16, float32, float64, bfloat16, string, DType("dataset"),
    )
}  # fmt: skip
_ALIASES = {
    "double": "float64", "half": "float16", "float": "float32", "int": "int32", "str": "string",
}  # fmt: skip


def dtype_name(dtype: object) -> str:
    """The name of a dtype given as fastpipe's, NumPy's, Python's, or by name.

    Raises:
        TypeError: `dtype` is none of these.
    """
    if isinstance(dtype, DType):
        return dtype.name
    if isinstance(dtype, str):
        name = _ALIASES.get(dtype, dtype)
        if name in ALL:
            return name
    if dtype in (bytes, str, object):
        return "string"
    if dtype is float:
        return "float32"
    if dtype is None:
        raise TypeError("not a dtype: None")
    try:
        found = np.dtype(dtype)  # type: ignore[call-overload]
    except TypeError:
        raise TypeError(f"not a dtype: {dtype!r}") from None
    name = "string" if found.kind in "OSU" else found.name
    if name not in ALL:
        raise TypeError(f"fastpipe has no dtype {found}")
    return str(name)


def as_dtype(dtype: object) -> DType:
    """The DType for anything that names one."""
    return ALL[dtype_name(dtype)]


class TensorShape(tuple[int | None, ...]):
    """A shape of known rank: a tuple, with the names that TensorFlow has for what it tells.

    >>> shape = TensorShape((None, 3))
    >>> shape.rank, shape.as_list(), shape[1:].num_elements(), shape == (None, 3)
    (2, [None, 3], 3, True)
    """

    __slots__ = ()

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self)

    ndims = rank

    @property
    def dims(self) -> list[int | None]:
        """The sizes."""
        return list(self)

    def as_list(self) -> list[int | None]:
        """The sizes."""
        return list(self)

    def is_fully_defined(self) -> bool:
        """True if every size is known."""
        return None not in self

    def num_elements(self) -> int | None:
        """How many values, None if that is not known."""
        total = 1
        for size in self:
            if size is None:
                return None
            total *= size
        return total

    def is_compatible_with(self, other: object) -> bool:
        """True if a tensor can have both shapes."""
        dims = as_shape(other)
        return dims is None or (
            len(dims) == len(self)
            and all(a is None or b is None or a == b for a, b in zip(self, dims, strict=True))
        )

    def concatenate(self, other: object) -> TensorShape:
        """The sizes of both, one after the other."""
        return TensorShape((*self, *(as_shape(other) or ())))

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return TensorShape(found) if isinstance(key, slice) else found


def as_shape(shape: object) -> Shape:
    """A shape given as None, an int or a sequence, as a tuple with None for unknown dimensions."""
    if shape is None:
        return None
    if isinstance(shape, (int, np.integer)):
        return TensorShape((int(shape),))
    if not isinstance(shape, Sequence) and not isinstance(shape, np.ndarray):
        raise TypeError(f"not a shape: {shape!r}")
    return TensorShape(None if d is None or d == -1 else int(d) for d in shape)


@dataclass(frozen=True, init=False)
class TensorSpec:
    """dtype and shape of a component of an element.

    Args:
        shape: a sequence of sizes with None where unknown, or None for an unknown rank.
        dtype: anything that names a dtype.

    >>> TensorSpec((None, 3), "uint8")
    TensorSpec(shape=(None, 3), dtype=fp.uint8)
    """

    shape: Shape
    dtype: DType
    name: str | None

    def __init__(self, shape: object, dtype: object = float32, name: str | None = None) -> None:
        object.__setattr__(self, "shape", as_shape(shape))
        object.__setattr__(self, "dtype", as_dtype(dtype))
        object.__setattr__(self, "name", name)

    @property
    def rank(self) -> int | None:
        """Number of dimensions, None if unknown."""
        return None if self.shape is None else len(self.shape)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r})"


def as_tensor(value: object, dtype: object = None) -> Any:
    """A Python value as bytes or a NumPy array, by TensorFlow's rules for literals.

    int becomes int32 (int64 if it does not fit), float becomes float32, str becomes UTF-8 bytes;
    NumPy values keep their dtype; lists become arrays.

    Raises:
        TypeError: the value is no number, string, or array of them.
        ValueError: nested lists are ragged.
    """
    if isinstance(value, bytes) and dtype is None:
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if hasattr(value, "__fspath__"):
        return as_tensor(value.__fspath__())
    if dtype is not None:
        name = dtype_name(dtype)
        if name == "string":
            return _strings(np.asarray(value, dtype=object))
        return _numbers(value, name)
    if isinstance(value, (np.ndarray, np.generic)):
        return _strings(value) if value.dtype.kind in "OSU" else value
    if isinstance(value, (list, tuple)) and value and set(map(type, value)) <= {str, bytes}:
        return _strings(value)  # without asking each of a million paths what it is
    array = np.asarray(value)
    given = _numpy_dtypes(value)
    if len(given) == 1 and array.dtype.kind in "iuf":  # the literals beside them adapt
        return array.astype(given.pop())
    if array.dtype.kind in "SUO":
        return _strings(np.asarray(value, dtype=object))
    if array.dtype == np.int64 and not given:
        fits = array.size == 0 or (array.max() <= 2**31 - 1 and array.min() >= -(2**31))
        return array.astype(np.int32) if fits else array
    if array.dtype == np.float64 and not given:
        return array.astype(np.float32)
    return array


def _numbers(value: object, name: str) -> Any:
    """`value` as an array of a numeric dtype; integers wrap around."""
    target = as_dtype(name).as_numpy_dtype
    try:
        return np.asarray(value, dtype=target)
    except OverflowError:
        bits = 8 * target.itemsize
        wrapped = np.asarray(value, dtype=object) & (2**bits - 1)
        return np.asarray(wrapped, f"u{target.itemsize}").astype(target)


def _numpy_dtypes(value: object) -> set[Any]:
    """The dtypes of the leaves of nested lists that have one."""
    if isinstance(value, (list, tuple)):
        return {dtype for item in value for dtype in _numpy_dtypes(item)}
    return {value.dtype} if hasattr(value, "dtype") else set()


def _text(item: Any) -> Any:
    """A str or a path as bytes; anything else as it is."""
    if hasattr(item, "__fspath__"):
        item = item.__fspath__()
    return item.encode("utf-8", "surrogateescape") if isinstance(item, str) else item


def _strings(value: Any) -> Any:
    array = np.asarray(value, dtype=object)
    flat = array.ravel().tolist()
    kinds = set(map(type, flat))
    if kinds == {str}:
        flat = [item.encode("utf-8", "surrogateescape") for item in flat]
    elif kinds != {bytes}:
        flat = [_text(item) for item in flat]
        for item in flat:
            if not isinstance(item, bytes):
                raise InvalidTypeError(
                    f"expected numbers, or strings and bytes, got {type(item).__name__}: "
                    f"{item!r:.80} in {value!r:.80}"
                )
    if array.ndim == 0:
        return flat[0]
    out = np.empty(len(flat), dtype=object)
    out[:] = flat
    return out.reshape(array.shape)


@dataclass(frozen=True)
class DatasetSpec:
    """A component that is itself a dataset, as `window` makes them."""

    element_spec: Any
    dataset_shape: Any = ()

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The spec of a dataset."""
        return cls(value.element_spec)


@dataclass(frozen=True)
class IteratorSpec:
    """What an Iterator yields."""

    element_spec: Any

    @classmethod
    def from_value(cls, value: Any) -> IteratorSpec:
        """The spec of an iterator."""
        return cls(value.element_spec)
