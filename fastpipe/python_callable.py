"""A Python function that native code calls."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from fastpipe import _core
from fastpipe.node import code_identity


class PythonCallable:
    """A Python function that native code calls by its handle; alive as long as a node holds it.

    `origin` is what the user gave; `reason` says why it is no native one.
    """

    __slots__ = ("__weakref__", "function", "handle", "origin", "reason")

    def __init__(self, function: Callable[[list[Any]], Any], origin: Any, reason: str) -> None:
        self.function = function
        self.origin = origin
        self.reason = reason
        self.handle: int = _core.register_callable(self)

    def __call__(self, values: list[Any]) -> Any:
        return self.function(values)

    def canonical(self, tuning: bool = True) -> bytes:
        return code_identity(self.origin)

    def __reduce__(self) -> Any:
        try:
            pickle.dumps(self.function)
        except Exception as error:
            raise TypeError(
                f"a dataset that calls the Python function {self.origin!r} cannot be pickled: "
                f"{error}. Make it a function of a module, no lambda and none of another function, "
                f"or one that can be traced"
            ) from error
        return PythonCallable, (self.function, self.origin, self.reason)
