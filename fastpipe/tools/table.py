"""The table that people read."""

from __future__ import annotations

from collections.abc import Sequence

from fastpipe.tools.advice import Row
from fastpipe.tools.work import Variant

_HEADER = (
    "data",
    "storage",
    "variant",
    "elements/s",
    "+/-",
    "speed-up",
    "CPU ms/element",
    "threads",
)
_LEFT = 3  # columns of text; the others are numbers


def table_lines(tables: Sequence[tuple[str, Sequence[Row]]]) -> list[str]:
    """The rows of all data, aligned; the name of the data and the storage only where they change.

    Args:
        tables: name of the data and its rows.
    """
    lines: list[tuple[str, ...]] = []
    breaks = set()
    for name, rows in tables:
        base = {row.storage: row.rate for row in rows if row.variant == Variant("sequential")}
        previous = ("", "")
        for row in rows:
            if row.storage != previous[1]:
                breaks.add(len(lines))
            lines.append(
                (
                    "" if name == previous[0] else name,
                    "" if row.storage == previous[1] else row.storage,
                    row.variant.name,
                    _number(row.rate),
                    f"{row.noise:.0%}",
                    f"{row.rate / base[row.storage]:.2f}x" if base[row.storage] else "-",
                    f"{row.cpu_ms:.4f}" if row.cpu_ms < 0.1 else f"{row.cpu_ms:.2f}",
                    str(row.threads),
                )
            )
            previous = (name, row.storage)
    widths = [
        max(len(line[column]) for line in [_HEADER, *lines]) for column in range(len(_HEADER))
    ]
    rule = "  ".join("-" * width for width in widths)
    printed = [_aligned(_HEADER, widths)]
    for index, line in enumerate(lines):
        if index in breaks:
            printed.append(rule)
        printed.append(_aligned(line, widths))
    return printed


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    aligned = [
        cell.ljust(width) if column < _LEFT else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths))
    ]
    return "  ".join(aligned).rstrip()


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
