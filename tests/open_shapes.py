"""Kernels when shapes, only ranks, or nothing is known of their inputs while tracing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from laws import check_element_spec

import fastpipe as fp
from fastpipe import errors
from fastpipe.functions import arguments_of, trace


def _shape(value: Any) -> tuple[int, ...]:
    return () if isinstance(value, bytes) else np.shape(value)


def _dtype(value: Any) -> Any:
    return "string" if isinstance(value, bytes) else np.asarray(value).dtype


def traced(function: Callable[..., Any], inputs: Sequence[Any], shapes: Sequence[Any]) -> Any:
    """The dataset of one element: `function` of inputs of which only `shapes` are known."""
    signature = tuple(fp.TensorSpec(s, _dtype(value)) for s, value in zip(shapes, inputs))
    source = fp.Dataset.from_generator(lambda: iter([tuple(inputs)]), output_signature=signature)
    return _native(source, function)


def _native(source: Any, function: Callable[..., Any]) -> Any:
    """source.map(function), or the error that kept the function from being traced."""
    try:
        trace(function, [arguments_of(source)])
    except errors.TracingError as error:
        raise error.__cause__ or error from None
    return source.map(function)


def spec_of(function: Callable[..., Any], *inputs: tuple[Any, str]) -> Any:
    """The shape of the result for inputs given as (shape, dtype); nothing runs."""
    signature = tuple(fp.TensorSpec(*each) for each in inputs)
    source = fp.Dataset.from_generator(lambda: iter([]), output_signature=signature)
    return _native(source, function).element_spec.shape


def check(
    function: Callable[..., Any], inputs: Sequence[Any], expected: Any, tol: float = 0
) -> None:
    """`expected` comes out, with its dtype, eagerly and however much of the shapes is known."""
    results = [function(*inputs)]
    full = [_shape(value) for value in inputs]
    for shapes in (full, [(None,) * len(shape) for shape in full], [None] * len(full)):
        dataset = traced(function, inputs, shapes)
        (result,) = list(dataset)
        check_element_spec(dataset.element_spec, result)
        results.append(result)
    for result in results:
        if isinstance(expected, (list, tuple)) and isinstance(result, (list, tuple)):
            assert len(result) == len(expected)
            for got, want in zip(result, expected):
                _same(got, want, tol)
        else:
            _same(result, expected, tol)


def _same(got: Any, want: Any, tol: float) -> None:
    assert _dtype(got) == _dtype(want), f"dtype {_dtype(got)}, expected {_dtype(want)}"
    assert _shape(got) == _shape(want), f"shape {_shape(got)}, expected {_shape(want)}"
    if _dtype(want) in (object, "string"):
        assert np.asarray(got, object).tolist() == np.asarray(want, object).tolist()
    else:
        np.testing.assert_allclose(got, want, rtol=tol, atol=tol)
