"""What a task prints: a Markdown table, and each figure that was asked for with its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.contenders import Contender


@dataclass
class Report:
    """A table and verdicts.

    Attributes:
        header: names of the columns; the first is text.
        rows: as they are printed.
        verdicts: (what, measured, needed, whether it is reached).
    """

    header: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    verdicts: list[tuple[str, str, str, bool]] = field(default_factory=list)

    def at_least(self, what: str, measured: float, needed: float) -> None:
        """Records a figure that must not be less than `needed`."""
        number = f"{measured:.2f}", f"{needed:g}"
        if needed >= 100:
            number = f"{measured:,.0f}", f"{needed:,.0f}"
        self.verdicts.append((what, number[0], f">= {number[1]}", measured >= needed))

    def less_than(self, what: str, measured: float, limit: float) -> None:
        """Records a figure that must be less than `limit`."""
        self.verdicts.append((what, f"{measured:.2f}", f"< {limit:g}", measured < limit))

    def at_most(self, what: str, measured: float, limit: float) -> None:
        """Records a figure that must not be more than `limit`."""
        self.verdicts.append((what, f"{measured:.2f}", f"<= {limit:g}", measured <= limit))

    @property
    def met(self) -> bool:
        return all(verdict[3] for verdict in self.verdicts)

    def lines(self) -> list[str]:
        lines = [
            "| " + " | ".join(self.header) + " |",
            "|---|" + "---:|" * (len(self.header) - 1),
            *("| " + " | ".join(row) + " |" for row in self.rows),
            "",
        ]
        for what, measured, needed, reached in self.verdicts:
            lines.append(f"- {what}: {measured} (needed {needed}) {'yes' if reached else 'NO'}")
        return [*lines, ""]


def report_on(contenders: Sequence[Contender], unit: str, compared: Sequence[Contender]) -> Report:
    """Medians, spread and CPU time of each, and ratios to each of `compared`."""
    report = Report(
        [
            "contender",
            f"{unit}/s",
            "min",
            "max",
            f"CPU ms/{unit.removesuffix('s')}",
            *(f"of {other.name}" for other in compared),
        ]
    )
    for each in contenders:
        rates = [each.rate, min(each.rates), max(each.rates)]
        report.rows.append(
            [
                each.name,
                *(f"{rate:,.0f}" for rate in rates),
                f"{each.cpu_ms:.4f}" if each.cpu_ms < 0.1 else f"{each.cpu_ms:.2f}",
                *(f"{each.rate / other.rate:.2f}" for other in compared),
            ]
        )
    return report
