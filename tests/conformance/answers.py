"""How equal is equal: the rules of the conformance cases, and a worker that applies them.

Run as a program in the folder of the cases, it reads a case a line on standard input and answers
each with [passed, what was wrong].
"""

from __future__ import annotations

import base64
import json
import os
import sys
from typing import Any

import numpy as np

# Images computed in floating point may differ a little, on a scale of 0 to 255.
COMPUTED_IMAGE = ("tf.image.", "decode_image")
IMAGE_TOLERANCE = 2e-3
TOLERANCE = 1e-5

# The classes that are as good as the one TensorFlow raises.
EQUALS = {
    "InvalidArgumentError": {"ValueError"},
    "NotFoundError": {"FileNotFoundError"},
    "DataLossError": {"ValueError", "EOFError"},
    "InternalError": {"TypeError", "ValueError", "RuntimeError"},
    "FailedPreconditionError": {"IsADirectoryError"},
    "ValueError": {"InvalidArgumentError"},
    "TypeError": {"ValueError"},
}


def difference(want: Any, got: Any, expr: str) -> str:
    """What keeps `got` from being the value `want` of a case; "" if nothing does."""
    if isinstance(want, list):
        return _sequence(want, got, expr, "elements")
    if "dataset" in want:
        return _sequence(want["dataset"], list(got), expr, "elements of a dataset")
    if "tuple" in want:
        if not isinstance(got, (tuple, list)):
            return f"expected a tuple, got {_short(got)}"
        return _sequence(want["tuple"], got, expr, "components")
    if "dict" in want:
        return _mapping(want["dict"], got, expr)
    if "spec" in want:
        return _spec(want["spec"], got)
    if "bytes" in want:
        return _text(base64.b64decode(want["bytes"]), got)
    if "strings" in want:
        return _texts(want, got)
    return _numbers(want, got, expr)


def _short(value: Any) -> str:
    return f"{value!r:.150}"


def _sequence(want: list[Any], got: Any, expr: str, what: str) -> str:
    if not isinstance(got, (tuple, list)) or len(got) != len(want):
        return f"expected {len(want)} {what}, got {_short(got)}"
    for number, (each, mine) in enumerate(zip(want, got)):
        found = difference(each, mine, expr)
        if found:
            return f"{number}: {found}"
    return ""


def _mapping(want: dict[str, Any], got: Any, expr: str) -> str:
    if not isinstance(got, dict) or set(got) != set(want):
        return f"expected the keys {sorted(want)}, got {_short(got)}"
    for key, each in want.items():
        found = difference(each, got[key], expr)
        if found:
            return f"{key}: {found}"
    return ""


def _spec(want: list[Any], got: Any) -> str:
    shape = None if got.shape is None else [None if d is None else int(d) for d in got.shape]
    mine = [getattr(got.dtype, "name", str(got.dtype)), shape]
    return "" if mine == want else f"expected the spec {want}, got {mine}"


def _text(want: bytes, got: Any) -> str:
    if isinstance(got, np.ndarray) and got.shape == ():
        got = got.item()
    if isinstance(got, str):
        got = got.encode()
    return "" if got == want else f"expected {_short(want)}, got {_short(got)}"


def _texts(want: dict[str, Any], got: Any) -> str:
    array = np.asarray(got, dtype=object)
    flat = [x.encode() if isinstance(x, str) else x for x in array.ravel().tolist()]
    expected = [base64.b64decode(text) for text in want["strings"]]
    if list(array.shape) == want["shape"] and flat == expected:
        return ""
    return f"expected {_short(expected)} of shape {want['shape']}, got {_short(got)}"


def _numbers(want: dict[str, Any], got: Any, expr: str) -> str:
    array = np.asarray(got)
    if "cardinality" in expr or expr.startswith("len("):
        return (
            "" if int(array) == int(want["data"][0]) else f"expected {want['data'][0]}, got {array}"
        )
    if array.dtype.name != want["dtype"] or list(array.shape) != want["shape"]:
        return (
            f"expected {want['dtype']} of shape {want['shape']}, got {array.dtype.name} of "
            f"{list(array.shape)}"
        )
    expected = np.array([float(x) if isinstance(x, str) else x for x in want["data"]])
    expected = expected.reshape(want["shape"])
    computed = any(name in expr for name in COMPUTED_IMAGE)
    if array.dtype.kind == "f" or array.dtype.name == "bfloat16":
        atol = IMAGE_TOLERANCE if computed else TOLERANCE
        if np.allclose(array.astype(float), expected, rtol=TOLERANCE, atol=atol, equal_nan=True):
            return ""
        worst = np.nanmax(np.abs(array.astype(float) - expected))
        return f"floats differ by up to {worst}"
    if array.dtype == np.uint8 and computed:
        off = np.abs(array.astype(int) - expected.astype(int))
        close = off.size == 0 or (off.max() <= 1 and (off > 0).mean() <= 0.01)
        return (
            "" if close else f"pixels differ by up to {off.max()}, {(off > 0).mean():.1%} of them"
        )
    if np.array_equal(array, expected.astype(array.dtype)):
        return ""
    return f"expected {_short(expected.tolist())}, got {_short(array.tolist())}"


def same_error(name: str, error: BaseException) -> bool:
    names = {kind.__name__ for kind in type(error).__mro__}
    return name in names or bool(EQUALS.get(name, set()) & names)


def judge(case: dict[str, Any]) -> tuple[bool, str]:
    """Runs a case: whether it passed, and what was wrong."""
    import fastpipe.compat.tf as tf

    try:
        result = eval(case["expr"], {"tf": tf, "np": np, "FILES": "files"})
        if isinstance(result, tf.data.Dataset):
            result = list(result)
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
        if "error" not in case:
            return False, got
        return same_error(case["error"], error), f"expected {case['error']}, got {got}"
    if "error" in case:
        return False, f"expected {case['error']}, got {_short(result)}"
    wrong = difference(case["expect"], result, case["expr"])
    return not wrong, wrong


def main() -> None:
    # What a case prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        answers.write(json.dumps(judge(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
