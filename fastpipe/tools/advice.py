"""From a table of measurements to what to do about it, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastpipe.tools.work import Variant

DISK, SLOW = "as it is", "slow"
TOLERANCE = 0.05  # what is less apart counts as equal
_MOST_TOLERANCE = 0.15  # however much the rounds differ
# Of equal variants the first is taken. AUTOTUNE before a number: nothing to choose, and it adapts.
_SIMPLER_FIRST = (
    ("sequential", "none"),
    ("interleave", "none"),
    ("map", "AUTOTUNE"),
    ("map", "fixed"),
    ("interleave", "AUTOTUNE"),
    ("interleave", "fixed"),
    ("python map", "fixed"),
)
_PLACES = {DISK: "on this disk", SLOW: "on slow storage"}


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        storage: DISK or SLOW.
        variant: how the work was written.
        rate: elements a second.
        cpu_ms: CPU time of the process for an element, in milliseconds.
        threads: the most worker threads seen.
        noise: half the range of the rounds, as a part of `rate`.
        queued: part of the time that other processes kept the consumer's thread from running.
    """

    storage: str
    variant: Variant
    rate: float
    cpu_ms: float
    threads: int
    noise: float = 0.0
    queued: float = 0.0

    @property
    def cores(self) -> float:
        """How many cores were busy."""
        return self.rate * self.cpu_ms / 1000


@dataclass(frozen=True)
class Advice:
    """What to use.

    Attributes:
        variants: storage -> the variant to use there; one and the same where that costs nothing.
        text: the same in plain words, with the reason.
    """

    variants: Mapping[str, Variant]
    text: str


def advise(rows: Sequence[Row]) -> Advice:
    """The best variant on each storage; of those that are equal, the simplest.

    Args:
        rows: every variant once for each storage; among them "sequential".
    """
    tables = {
        storage: [row for row in rows if row.storage == storage]
        for storage in dict.fromkeys(row.storage for row in rows)
    }
    picks = {storage: _simplest(equal_to_best(table)) for storage, table in tables.items()}
    shared = _good_everywhere(tables)
    if shared is not None:
        picks = {storage: _row(table, shared) for storage, table in tables.items()}
        text = _same_everywhere(picks, tables)
    else:
        text = _different(picks, tables)
    return Advice({storage: row.variant for storage, row in picks.items()}, text)


def equal_to_best(table: Sequence[Row]) -> list[Row]:
    """The rows of one storage that are as good as the best, up to 5 % or the noise."""
    best = max(table, key=lambda row: row.rate)
    return [row for row in table if _equal(row, best)]


def cost_of_python(rows: Sequence[Row]) -> str:
    """What the same work costs as a Python function on as many threads; "" if not measured."""
    parts = []
    for storage, place in _PLACES.items():
        table = [row for row in rows if row.storage == storage]
        python = [row for row in table if row.variant.method == "python map"]
        native = [
            row
            for row in table
            if python and row.variant == Variant("map", python[0].variant.threads)
        ]
        if native and native[0].rate > 0 and native[0].cpu_ms > 0:
            parts.append(
                f"{place} {python[0].rate / native[0].rate:.2f} times the speed at "
                f"{python[0].cpu_ms / native[0].cpu_ms:.1f} times the CPU time"
            )
    if not parts:
        return ""
    return (
        f"As a Python function with Pillow, which shares the GIL, the same work reaches "
        f"{', '.join(parts)}, compared with the native map on as many threads."
    )


def _equal(row: Row, better: Row) -> bool:
    tolerance = max(TOLERANCE, min(_MOST_TOLERANCE, max(row.noise, better.noise)))
    return row.rate >= (1 - tolerance) * better.rate


def _rank(variant: Variant) -> int:
    return _SIMPLER_FIRST.index((variant.method, variant.parallelism))


def _simplest(rows: Sequence[Row]) -> Row:
    return min(rows, key=lambda row: _rank(row.variant))


def _row(table: Sequence[Row], variant: Variant) -> Row:
    return next(row for row in table if row.variant == variant)


def _sequential(table: Sequence[Row]) -> Row:
    return _row(table, Variant("sequential"))


def _good_everywhere(tables: Mapping[str, Sequence[Row]]) -> Variant | None:
    """The simplest variant that is equal to the best on every storage."""
    good = [{row.variant for row in equal_to_best(table)} for table in tables.values()]
    common = set.intersection(*good)
    return min(common, key=_rank) if common else None


def _safest(tables: Mapping[str, Sequence[Row]]) -> Variant:
    """The variant that loses least where it loses most."""
    best = {storage: max(row.rate for row in table) for storage, table in tables.items()}

    def worst(variant: Variant) -> float:
        return min(_row(table, variant).rate / best[storage] for storage, table in tables.items())

    variants = [row.variant for row in next(iter(tables.values()))]
    return max(sorted(variants, key=_rank), key=worst)


# ---- in words ----


def _call(variant: Variant) -> str:
    threads = "AUTOTUNE" if variant.parallelism == "AUTOTUNE" else str(variant.threads)
    if variant.method == "sequential":
        return "a plain map without threads"
    if variant.method == "interleave" and variant.threads is None:
        return "interleave(...) without threads"
    method = "map" if variant.method == "python map" else variant.method
    call = f"{method}(..., num_parallel_calls={threads})"
    return f"{call} of the Python function" if variant.method == "python map" else call


def _gain(row: Row, table: Sequence[Row]) -> str:
    base = _sequential(table)
    if row.variant == base.variant:
        return "nothing is faster beyond the noise"
    if base.rate <= 0:
        return f"it delivers {row.rate:,.0f} elements/s"
    return f"it is {row.rate / base.rate:.1f}x sequential"


def _reason(row: Row, table: Sequence[Row]) -> str:
    """Why it is better than sequential, from where the sequential run spent its time."""
    base = _sequential(table)
    waiting = max(0.0, 1 - base.cores - base.queued)
    if row.variant == base.variant:
        if waiting > 0.3:
            return "it waits for the files, but no other way waits less"
        return (
            f"an element costs only {1000 * base.cpu_ms:,.0f} us of CPU time, less than handing it "
            "from thread to thread saves"
            if base.cpu_ms < 0.1
            else "there are no free cores to use"
        )
    workers = f"{row.threads} threads" if row.threads > 1 else "one thread"
    if waiting > 0.3:
        what = (
            f"{workers} wait at the same time"
            if row.threads > 1
            else "this waits less for each file"
        )
        return f"sequential waits for files {waiting:.0%} of the time, while {what}"
    if row.cores > 1.15 * base.cores:
        return f"the work is CPU time, and {workers} keep {row.cores:.1f} cores busy"
    return f"the work is CPU time, and {workers} overlap it with what the consumer does"


def _rival(row: Row, table: Sequence[Row]) -> str:
    """How the best of the other method does: "interleave is equal within noise"."""
    other = "map" if row.variant.method == "interleave" else "interleave"
    rivals = [each for each in table if each.variant.method == other]
    if not rivals or row.variant.method == "sequential" or row.rate <= 0:
        return ""
    rival = max(rivals, key=lambda each: each.rate)
    if _equal(rival, row):
        return f"{other} is equal within noise"
    return f"{other} reaches {rival.rate / row.rate:.2f} of that at best"


def _same_everywhere(picks: Mapping[str, Row], tables: Mapping[str, Sequence[Row]]) -> str:
    storages = list(picks)
    gains = ", ".join(
        f"{_PLACES[storage]} {_gain(picks[storage], tables[storage])}" for storage in storages
    )
    # The storage where it gains most says why.
    telling = max(
        storages,
        key=lambda storage: picks[storage].rate / max(_sequential(tables[storage]).rate, 1e-9),
    )
    text = f"Use {_call(picks[telling].variant)}: {gains}"
    text += f", because {_reason(picks[telling], tables[telling])}"
    rivals = {storage: _rival(picks[storage], tables[storage]) for storage in storages}
    return text + _joined_rivals(rivals) + "."


def _joined_rivals(rivals: Mapping[str, str]) -> str:
    said = {storage: rival for storage, rival in rivals.items() if rival}
    if not said:
        return ""
    if len(said) > 1 and len(set(said.values())) == 1:
        return f"; {next(iter(said.values()))} on both"
    return "; " + ", ".join(f"{_PLACES[storage]} {rival}" for storage, rival in said.items())


def _different(picks: Mapping[str, Row], tables: Mapping[str, Sequence[Row]]) -> str:
    parts = []
    for storage, row in picks.items():
        rival = _rival(row, tables[storage])
        parts.append(
            f"{_PLACES[storage]} use {_call(row.variant)}: {_gain(row, tables[storage])}, because "
            f"{_reason(row, tables[storage])}" + (f"; {rival}" if rival else "")
        )
    safe = _safest(tables)
    losses = ", ".join(
        f"{_row(table, safe).rate / max(row.rate for row in table):.2f} of the best "
        f"{_PLACES[storage]}"
        for storage, table in tables.items()
    )
    text = ". ".join(part[0].upper() + part[1:] for part in parts)
    return f"{text}. If you do not know where the files will lie, use {_call(safe)}: {losses}."
