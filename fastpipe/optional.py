"""Optional: a value that may be missing."""

from __future__ import annotations

from typing import Any

from fastpipe.errors import InvalidArgumentError


class Optional:
    """An element, or none: what Iterator.get_next_as_optional gives.

    >>> Optional.from_value(3).get_value()
    3
    >>> Optional.empty(None).has_value()
    False
    """

    __slots__ = ("_element_spec", "_values")

    def __init__(self, values: tuple[Any, ...], element_spec: Any) -> None:
        self._values = values
        self._element_spec = element_spec

    @classmethod
    def from_value(cls, value: Any) -> Optional:
        """One that holds `value`, a nested structure of tensors."""
        from fastpipe.dataset import Dataset

        return cls((value,), Dataset.from_tensors(value).element_spec)

    @classmethod
    def empty(cls, element_spec: Any) -> Optional:
        """One that holds nothing, where `element_spec` would have been."""
        return cls((), element_spec)

    def has_value(self, name: str | None = None) -> bool:
        """Whether there is a value."""
        return bool(self._values)

    def get_value(self, name: str | None = None) -> Any:
        """The value.

        Raises:
            InvalidArgumentError: there is none.
        """
        if not self._values:
            raise InvalidArgumentError("get_value: this Optional has no value")
        return self._values[0]

    @property
    def element_spec(self) -> Any:
        """TensorSpecs in the structure of the value."""
        return self._element_spec

    def __repr__(self) -> str:
        held = f"value={self._values[0]!r}" if self._values else "empty"
        return f"<Optional {held}>"
