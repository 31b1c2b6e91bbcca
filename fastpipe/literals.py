"""Python literals beside tensors: which dtype they take."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastpipe.spec import ALL, DType, as_tensor, dtype_name


def adapted(value: Any, dtype: Any) -> Any:
    """`value` in the dtype of the tensor beside it, as TensorFlow converts literals.

    Integers wrap around, bools count as 0 and 1. What does not fit (text, a float beside integers)
    keeps its own dtype or is an error.

    Raises:
        TypeError: `value` is a float, and `dtype` holds none.
    """
    natural = as_tensor(value)
    kind = getattr(natural, "dtype", np.dtype(object)).kind
    name = dtype.name if isinstance(dtype, DType) else dtype_name(dtype)
    if kind == "f" and "float" not in name:
        raise TypeError(
            f"{value!r} is a float, the tensor beside it is {name}: cast one of them first"
        )
    if kind == "O" or name in ("bool", "string", "dataset"):
        return natural
    return as_tensor(value, name)


def same_values(value: Any, dtype: Any) -> Any:
    """A NumPy value in another dtype if that changes no value of it, else as it is."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    name = dtype.name if isinstance(dtype, DType) else dtype_name(dtype)
    if value.dtype.kind not in "iuf" or name in ("bool", "string", "dataset"):
        return value
    with np.errstate(all="ignore"):
        cast = np.asarray(value).astype(ALL[name].as_numpy_dtype)
        return cast if np.array_equal(cast.astype(value.dtype), value) else value
