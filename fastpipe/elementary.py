"""Functions of one tensor of floats: roots, powers, logarithms, angles and their like.

Each takes floats of any shape and returns the same dtype and shape, unless it says otherwise.
Another dtype raises InvalidArgumentError.

`name`, which TensorFlow gives to nodes of its graphs, has no meaning.
"""

from __future__ import annotations

from typing import Any

from fastpipe.tracing import call, convert

__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "digamma", "erf", "erfc",
    "erfinv", "exp", "expm1", "is_finite", "is_inf", "is_nan", "lgamma", "log", "log1p",
    "log_sigmoid", "logit", "reciprocal", "reciprocal_no_nan", "rsqrt", "sigmoid", "sin", "sinh",
    "softplus", "softsign", "sqrt", "tan", "tanh",
]  # fmt: skip


def reciprocal(x: object, name: str | None = None) -> Any:
    """1 / x.

    >>> reciprocal([2.0, 4.0]).tolist()
    [0.5, 0.25]
    """
    return call("reciprocal", [x])


def sqrt(x: object, name: str | None = None) -> Any:
    """The square root.

    >>> sqrt([4.0, 9.0]).tolist()
    [2.0, 3.0]
    """
    return call("sqrt", [x])


def rsqrt(x: object, name: str | None = None) -> Any:
    """1 / sqrt(x).

    >>> rsqrt([4.0, 16.0]).tolist()
    [0.5, 0.25]
    """
    return call("rsqrt", [x])


def exp(x: object, name: str | None = None) -> Any:
    """e to the power of x.

    >>> exp([0.0]).tolist()
    [1.0]
    """
    return call("exp", [x])


def log(x: object, name: str | None = None) -> Any:
    """The natural logarithm.

    >>> log([1.0]).tolist()
    [0.0]
    """
    return call("log", [x])


def log1p(x: object, name: str | None = None) -> Any:
    """log(1 + x), exact for small x.

    >>> log1p([0.0]).tolist()
    [0.0]
    """
    return call("log1p", [x])


def sin(x: object, name: str | None = None) -> Any:
    """The sine of an angle in radians.

    >>> sin([0.0]).tolist()
    [0.0]
    """
    return call("sin", [x])


def cos(x: object, name: str | None = None) -> Any:
    """The cosine of an angle in radians.

    >>> cos([0.0]).tolist()
    [1.0]
    """
    return call("cos", [x])


def tanh(x: object, name: str | None = None) -> Any:
    """The hyperbolic tangent.

    >>> tanh([0.0]).tolist()
    [0.0]
    """
    return call("tanh", [x])


def sigmoid(x: object, name: str | None = None) -> Any:
    """1 / (1 + exp(-x)).

    >>> sigmoid([0.0]).tolist()
    [0.5]
    """
    return call("sigmoid", [x])


def is_nan(x: object, name: str | None = None) -> Any:
    """Whether x is NaN, as bool.

    >>> is_nan([1.0, float("nan")]).tolist()
    [False, True]
    """
    return call("is_nan", [x])


def is_inf(x: object, name: str | None = None) -> Any:
    """Whether x is infinite, as bool.

    >>> is_inf([1.0, float("inf")]).tolist()
    [False, True]
    """
    return call("is_inf", [x])


def is_finite(x: object, name: str | None = None) -> Any:
    """Whether x is neither infinite nor NaN, as bool.

    >>> is_finite([1.0, float("inf")]).tolist()
    [True, False]
    """
    return call("is_finite", [x])


def tan(x: object, name: str | None = None) -> Any:
    """The tangent of an angle in radians.

    >>> tan([0.0]).tolist()
    [0.0]
    """
    return call("tan", [x])


def asin(x: object, name: str | None = None) -> Any:
    """The angle whose sine is x, in radians.

    >>> asin([0.0]).tolist()
    [0.0]
    """
    return call("asin", [x])


def acos(x: object, name: str | None = None) -> Any:
    """The angle whose cosine is x, in radians.

    >>> acos([1.0]).tolist()
    [0.0]
    """
    return call("acos", [x])


def atan(x: object, name: str | None = None) -> Any:
    """The angle whose tangent is x, in radians.

    >>> atan([0.0]).tolist()
    [0.0]
    """
    return call("atan", [x])


def sinh(x: object, name: str | None = None) -> Any:
    """The hyperbolic sine.

    >>> sinh([0.0]).tolist()
    [0.0]
    """
    return call("sinh", [x])


def cosh(x: object, name: str | None = None) -> Any:
    """The hyperbolic cosine.

    >>> cosh([0.0]).tolist()
    [1.0]
    """
    return call("cosh", [x])


def asinh(x: object, name: str | None = None) -> Any:
    """The inverse of the hyperbolic sine.

    >>> asinh([0.0]).tolist()
    [0.0]
    """
    return call("asinh", [x])


def acosh(x: object, name: str | None = None) -> Any:
    """The inverse of the hyperbolic cosine.

    >>> acosh([1.0]).tolist()
    [0.0]
    """
    return call("acosh", [x])


def atanh(x: object, name: str | None = None) -> Any:
    """The inverse of the hyperbolic tangent.

    >>> atanh([0.0]).tolist()
    [0.0]
    """
    return call("atanh", [x])


def expm1(x: object, name: str | None = None) -> Any:
    """exp(x) - 1, exact for small x.

    >>> expm1([0.0]).tolist()
    [0.0]
    """
    return call("expm1", [x])


def erf(x: object, name: str | None = None) -> Any:
    """The Gauss error function.

    >>> erf([0.0]).tolist()
    [0.0]
    """
    return call("erf", [x])


def erfc(x: object, name: str | None = None) -> Any:
    """1 - erf(x), exact for large x.

    >>> erfc([0.0]).tolist()
    [1.0]
    """
    return call("erfc", [x])


def lgamma(x: object, name: str | None = None) -> Any:
    """The logarithm of the absolute value of the gamma function.

    >>> lgamma([1.0]).tolist()
    [0.0]
    """
    return call("lgamma", [x])


def softplus(features: object, name: str | None = None) -> Any:
    """log(exp(x) + 1), without overflow.

    >>> softplus([0.0]).astype("float64").round(4).tolist()
    [0.6931]
    """
    return call("softplus", [features])


def softsign(features: object, name: str | None = None) -> Any:
    """x / (|x| + 1).

    >>> softsign([1.0, -3.0]).tolist()
    [0.5, -0.75]
    """
    x = convert(features)
    return call("divide", [x, call("add", [call("abs", [x]), 1], unify=True)])


def log_sigmoid(x: object, name: str | None = None) -> Any:
    """log(sigmoid(x)), without overflow.

    >>> log_sigmoid([0.0]).astype("float64").round(4).tolist()
    [-0.6931]
    """
    return call("negative", [call("softplus", [call("negative", [x])])])


def logit(x: object, name: str | None = None) -> Any:
    """log(x / (1 - x)), the inverse of the sigmoid.

    >>> logit([0.5]).tolist()
    [0.0]
    """
    x = convert(x)
    return call("log", [call("divide", [x, call("subtract", [1, x], unify=True)])])


def reciprocal_no_nan(x: object, name: str | None = None) -> Any:
    """1 / x, or 0 where x is 0.

    >>> reciprocal_no_nan([2.0, 0.0]).tolist()
    [0.5, 0.0]
    """
    x = convert(x)
    return call("divide_no_nan", [call("ones_like", [x]), x])


def erfinv(x: object, name: str | None = None) -> Any:
    """The inverse of erf.

    >>> erfinv([0.0]).tolist()
    [0.0]
    """
    return call("erfinv", [x])


def digamma(x: object, name: str | None = None) -> Any:
    """The derivative of lgamma.

    >>> digamma([1.0]).astype("float64").round(4).tolist()
    [-0.5772]
    """
    return call("digamma", [x])
