"""What a task reports: a Markdown table, a verdict on each figure that was asked for, a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.contenders import Contender, fastest
from benchmarks.pixels import Difference


@dataclass
class Panel:
    """One picture of a chart.

    Attributes:
        title: above it.
        unit: of the values.
        bars: (name, value, least, most), from top to bottom; or else
        lines: by name, the points (x, value).
        x: what lines run over.
        logarithmic: which axes are, "", "x", "y" or "xy".
    """

    title: str
    unit: str
    bars: list[tuple[str, float, float, float]] = field(default_factory=list)
    lines: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    x: str = ""
    logarithmic: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Report:
    """A table, verdicts, and what is drawn.

    Attributes:
        header: names of the columns; the first is text.
        rows: as they are printed.
        verdicts: (what, measured, needed, whether it is reached).
        notes: lines below the verdicts, such as who was left out.
        panels: of the chart, if there is one.
        versions: of what the rivals ran with.
    """

    header: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    verdicts: list[tuple[str, str, str, bool]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)

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

    def rate_at_least(self, contender: Contender, needed: float, unit: str) -> None:
        """Records a rate that must be reached."""
        if not contender.readings or contender.failure:
            self.notes.append(f"{unit}/s of {contender.name}: not measured (needed {needed:,.0f})")
        else:
            self.at_least(f"{unit}/s, {contender.name}", contender.rate, needed)

    def ratio_at_least(
        self, ours: Contender, rivals: Sequence[Contender], needed: float, remark: str = ""
    ) -> None:
        """Records the ratio of two rates that must be reached, to the fastest of the rivals.

        Besides, that of their CPU time, which changes less on a busy machine.
        """
        running = [each for each in rivals if each.readings and not each.failure]
        names = " or ".join(each.name for each in rivals)
        if not running or not ours.readings or ours.failure:
            self.notes.append(f"{ours.name} to {names}: not measured (needed {needed:g})")
            return
        best = fastest(running)
        what = f"{ours.name} to {best.name}{remark}"
        if ours.cpu_ms > 0:
            what += f" (by CPU time {best.cpu_ms / ours.cpu_ms:.2f})"
        self.at_least(what, ours.rate / best.rate, needed)

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
        return [*lines, *(f"- {note}" for note in self.notes), ""]


def report_on(
    contenders: Sequence[Contender],
    unit: str,
    compared: Sequence[Contender] = (),
    pixels: Mapping[str, Difference | None] | None = None,
) -> Report:
    """Medians, spread, CPU time and memory of each; ratios to each of `compared`; one panel a
    group. With `pixels`, how far each is from Pillow; those without are shown by dashes."""
    compared = [each for each in compared if each in contenders and each.readings]
    report = Report(
        [
            "contender",
            f"{unit}/s",
            "min",
            "max",
            f"CPU ms/{unit.removesuffix('s')}",
            "peak MB",
            *([] if pixels is None else ["mean abs(d)", "p99", "max"]),
            *(f"of {other.name}" for other in compared),
        ]
    )
    running = [each for each in contenders if each.readings and not each.failure]
    for each in running:
        rates = [each.rate, min(each.rates), max(each.rates)]
        distance = (pixels or {}).get(each.name)
        report.rows.append(
            [
                each.name,
                *(f"{rate:,.0f}" if rate >= 100 else f"{rate:.1f}" for rate in rates),
                f"{each.cpu_ms:.2g}" if each.cpu_ms < 0.1 else f"{each.cpu_ms:.2f}",
                f"{each.peak_bytes / 1e6:,.0f}",
                *([] if pixels is None else distance.cells() if distance else ["-"] * 3),
                *(f"{each.rate / other.rate:.2f}" for other in compared),
            ]
        )
    for group in dict.fromkeys(each.group for each in running):
        bars = [
            (each.name.removesuffix(f", {group}"), each.rate, min(each.rates), max(each.rates))
            for each in running
            if each.group == group
        ]
        report.panels.append(Panel(group, f"{unit}/s", bars=bars))
    for each in contenders:
        if each.failure:
            report.notes.append(f"{each.name} is left out: {each.failure}")
    return report
