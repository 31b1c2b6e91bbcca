"""Options of a dataset: what changes how it runs, and where its data seems to lie."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any


@dataclass
class AutotuneOptions:
    """What AUTOTUNE may do.

    Attributes:
        enabled: False leaves every AUTOTUNE knob where it starts. Default True.
        cpu_budget: cores it may fill; default: affinity and cgroup quota.
        ram_budget: bytes that finished results may hold per stage; default: a quarter of what is
            available.
    """

    enabled: bool | None = None
    cpu_budget: int | None = None
    ram_budget: int | None = None


@dataclass
class SimulatedStorage:
    """Slow storage, simulated natively: for benchmarks and tests.

    Attributes:
        open_delay: seconds that opening a file takes.
        read_delay: seconds that each read takes.
        bytes_per_second: bandwidth of each file; 0 for no limit.
        max_read: the most bytes one read returns; 0 for no limit.
        fail_open: the number (from 1) of the open that fails; 0 for none.
        fail_read: the number (from 1) of the read that fails; 0 for none.
    """

    open_delay: float = 0.0
    read_delay: float = 0.0
    bytes_per_second: int = 0
    max_read: int = 0
    fail_open: int = 0
    fail_read: int = 0

    def native(self) -> tuple[int, int, int, int, int, int]:
        """As _core takes it: delays in nanoseconds."""
        return (
            int(self.open_delay * 1e9),
            int(self.read_delay * 1e9),
            self.bytes_per_second,
            self.max_read,
            self.fail_open,
            self.fail_read,
        )


@dataclass
class Options:
    """Set attributes, then `ds.with_options(options)`; unset ones keep what the input had.

    Attributes:
        deterministic: order of stages that do not say themselves; None means True.
        autotune: see AutotuneOptions.
        native_only: True makes a function that cannot be traced an error instead of a
            PythonFallbackWarning.
        storage: reads through a SimulatedStorage.

    >>> options = Options()
    >>> options.deterministic = False
    >>> options.autotune.cpu_budget = 1
    """

    deterministic: bool | None = None
    autotune: AutotuneOptions = field(default_factory=AutotuneOptions)
    native_only: bool | None = None
    storage: SimulatedStorage | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dataclass_fields__:
            known = ", ".join(sorted(self.__dataclass_fields__))
            raise AttributeError(f"Options has no {name!r}; it has {known}")
        super().__setattr__(name, value)

    def merge(self, other: Options) -> Options:
        """These options, with what `other` sets on top."""
        return _merge(self, other)  # type: ignore[no-any-return]

    def native(self) -> tuple[bool, bool, int, int]:
        """As _core takes it."""
        return (
            self.deterministic is not False,
            self.autotune.enabled is not False,
            self.autotune.cpu_budget or 0,
            self.autotune.ram_budget or 0,
        )


def _merge(base: Any, over: Any) -> Any:
    merged = copy.deepcopy(base)
    for item in fields(over):
        value = getattr(over, item.name)
        if value is None:
            continue
        current = getattr(merged, item.name)
        both = is_dataclass(value) and is_dataclass(current)
        setattr(merged, item.name, _merge(current, value) if both else copy.deepcopy(value))
    return merged
