"""The text of explain(): a tree of ops, what their stages did, what limits, what was decided.

Pure formatting of plain data: fastpipe.description makes it from a dataset, an Iterator adds a Run.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

_COLUMNS = 100
_DEEPEST = 20  # levels below are not indented any further
_LAST_DECISIONS = 3
_NO_LIMIT = 2**63 - 1


@dataclass(frozen=True)
class Op:
    """One op, in an order in which inputs follow their consumer.

    Attributes:
        title: "map load (train.py:12)".
        label: what its stage is called in reports: "map (train.py:12)".
        threads: of its stage, as the user asked for them; "" if it has none.
        stage_above: index of the op whose threads compute it if it has none of its own; None:
            the consumer's does.
        again: it was described further above, with its inputs.
        python: sentences on the Python functions that it calls.
        fused: sentences on what is computed together.
        op_id: as "op" in the reports of its stage.
        depth: below the op next to the consumer.
        last: no other input of its consumer follows.
        in_blocks: its consumer takes many elements at once.
        has_inputs: they follow.
        inner: ops of datasets that its functions make, by which it is known where stages that
            have no op in the tree belong.
    """

    title: str
    label: str
    threads: str = ""
    stage_above: int | None = None
    again: bool = False
    python: tuple[str, ...] = ()
    fused: tuple[str, ...] = ()
    op_id: int | None = None
    depth: int = 0
    last: bool = True
    in_blocks: bool = False
    has_inputs: bool = False
    inner: tuple[Op, ...] = ()


@dataclass(frozen=True)
class Run:
    """What an iterator knows of its pass: see its methods of these names."""

    stats: list[dict[str, Any]]
    autotune_log: list[str]
    bottleneck: str
    budgets: tuple[int, int]


@dataclass
class _Reports:
    """The reports of a run, taken out one by one as they find their place in the tree."""

    running: bool = False
    direct: set[Any] = field(default_factory=set)  # ids of ops that their consumers compute
    stages: dict[Any, list[dict[str, Any]]] = field(default_factory=dict)  # by op id, then label
    decisions: dict[str, str] = field(default_factory=dict)  # the last one, by label

    def take(self, key: Any) -> list[dict[str, Any]]:
        return self.stages.pop(key, [])


def explain(ops: Sequence[Op], options: Sequence[str], run: Run | None) -> str:
    """The tree, and below it what concerns all of it.

    Args:
        ops: of the pipeline.
        options: sentences on its options, but for the budgets.
        run: None explains the pipeline as such.
    """
    reports = _sorted_reports(ops, run)
    lines: list[str] = []
    for op, first, rest in _branches(ops):
        lines += _op(op, _runs_on(op, ops, reports), first, rest, reports)
    lines += _strays(reports)
    if run is not None:
        lines += _state(ops, run)
    lines += [line for sentence in options for line in _wrapped(sentence, "")]
    if run is not None:
        lines += _decisions(run.autotune_log)
    return "\n".join(lines)


def describe_budgets(budgets: tuple[int, int]) -> str:
    """Budgets as an Iterator or _core gives them, in words."""
    cores, memory = budgets
    return f"budgets of all stages together: {_count(cores, 'core')}, {size_text(memory)}"


# ---- the tree ----


def _branches(ops: Sequence[Op]) -> Iterator[tuple[Op, str, str]]:
    """Each op with what its line, and further lines about it, begin with."""
    more: list[bool] = []  # by level: siblings follow
    for op in ops:
        depth = min(op.depth, _DEEPEST)
        del more[depth:]
        more.append(not op.last)
        above = "".join("│  " if open_level else "   " for open_level in more[1:depth])
        branch = "" if depth == 0 else "└─ " if op.last else "├─ "
        beside = "" if depth == 0 else "   " if op.last else "│  "
        yield op, above + branch, above + beside + ("│  " if op.has_inputs else "   ")


def _runs_on(op: Op, ops: Sequence[Op], reports: _Reports) -> str:
    """Whose thread computes an op that has no stage."""
    if op.again:
        return "as above"
    above = op.stage_above
    while above is not None and ops[above].op_id in reports.direct:
        above = ops[above].stage_above
    if above is None:
        return "on the consumer's thread"
    return f"on a thread of {ops[above].label.partition(' ')[0]}"


def _op(op: Op, runs_on: str, first: str, rest: str, reports: _Reports) -> Iterator[str]:
    stages = reports.take(op.op_id)
    details = [*_figures(stages), *_decision(op, reports), *op.python, *op.fused]
    place = _threads(op, stages, reports) or runs_on
    blocks = ", in blocks" if op.in_blocks else ""
    yield from _wrapped(f"{op.title}: {place}{blocks}", first, rest + "   ")
    for detail in details:
        yield from _wrapped(detail, rest + " ")
    if op.inner:
        yield rest + " inside, for each element:"
    for inner in op.inner:
        stages = reports.take(inner.label)
        text = _threads(inner, stages, reports)
        yield from _wrapped(inner.title + (f": {text}" if text else ""), rest + "  · ", rest)
        for detail in (*_figures(stages), *_decision(inner, reports), *inner.python, *inner.fused):
            yield from _wrapped(detail, rest + "     ")


def _threads(op: Op, stages: list[dict[str, Any]], reports: _Reports) -> str:
    """What threads an op has; "" if none."""
    if not stages:
        idle = " (not running)" if op.threads and reports.running else ""
        return op.threads + idle
    threads = sum(stage["threads"] for stage in stages)
    parts = [_count(threads, "thread") if threads else "threads have ended"]
    if any(stage["autotuned"] for stage in stages):
        parts[0] += " (AUTOTUNE)"
    if len(stages) > 1:
        parts.append(f"{len(stages)} stages")
    if any(stage["direct"] for stage in stages):
        return ", ".join([*parts, "at rest: its consumer computes"])
    window = sum(stage["window"] for stage in stages)
    if op.label.startswith("interleave"):
        parts.append(f"opens {_count(window, 'dataset')} ahead")
    else:
        parts.append(f"{_count(window, 'chunk')} ahead")
    return ", ".join(parts)


def _wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    """Lines of `text` behind `first`; the second and later ones behind `rest`, a bit indented."""
    after = (first if rest is None else rest) + "  "
    width = max(_COLUMNS, len(after) + 40)
    text = " ".join(text.split())
    lines = textwrap.wrap(text, width - len(after), break_long_words=False, break_on_hyphens=False)
    if len(first) + len(text) <= width:
        lines = [text]
    return [(after if index else first) + line for index, line in enumerate(lines)]


# ---- what stages did ----


def _sorted_reports(ops: Sequence[Op], run: Run | None) -> _Reports:
    if run is None:
        return _Reports()
    reports = _Reports(running=bool(run.stats))
    reports.direct = {stage["op"] for stage in run.stats if stage["direct"]}
    ids = {op.op_id for op in ops}
    for stage in run.stats:
        key = stage["op"] if stage["op"] in ids else stage["label"]
        reports.stages.setdefault(key, []).append(stage)
    # Two ops of one label cannot be told apart in the log.
    labels = Counter(item.label for op in ops for item in (op, *op.inner))
    for line in run.autotune_log:
        found = re.match(r"([\d.]+ s) (.*? \(.*?\)|\w+): (.*)", line)
        if found and labels[found[2]] == 1:
            reports.decisions[found[2]] = f"AUTOTUNE at {found[1]}: {found[3]}"
    return reports


def _decision(op: Op, reports: _Reports) -> list[str]:
    return [reports.decisions[op.label]] if op.label in reports.decisions else []


def _figures(stages: list[dict[str, Any]]) -> Iterator[str]:
    """Two sentences on the stages of one op: what came out, where the threads' time went."""
    if not stages:
        return
    total = {
        name: sum(stage[name] for stage in stages)
        for name, value in stages[0].items()
        if name.endswith("_ns") or name.startswith("buffered") or name == "elements"
    }
    yield "; ".join(_output(stages, total))
    waits = [
        ("input", total["input_wait_ns"]),
        ("their turn at the input", total["lock_wait_ns"]),
        ("room", total["full_wait_ns"]),
    ]
    life = total["busy_ns"] + sum(ns for _, ns in waits)
    if life <= 0:
        return
    text = f"threads busy {_percent(total['busy_ns'] / life)}"
    waiting = [f"{what} {_percent(ns / life)}" for what, ns in waits if ns / life >= 0.005]
    text += f", waiting for {', '.join(waiting)}" if waiting else ""
    core, ready = total["cpu_ns"] / life, total["core_wait_ns"] / life
    if core + ready < 1.1:  # otherwise mostly from when the threads were starting
        text += f"; on a core {_percent(core)}"
        text += f", ready without one {_percent(ready)}" if ready >= 0.005 else ""
    yield text


def _output(stages: list[dict[str, Any]], total: dict[str, int]) -> Iterator[str]:
    rates = [stage["elements"] / stage["age_ns"] * 1e9 for stage in stages if stage["age_ns"] > 0]
    yield f"{_count(total['elements'], 'element')} made" + (
        f", {_number(sum(rates))}/s" if rates else ""
    )
    held = f"{total['buffered']:,} of them ready, {size_text(total['buffered_bytes'])}"
    limit = min(stage["byte_limit"] for stage in stages)
    yield held + (f" (limit {size_text(limit)})" if limit < _NO_LIMIT else "")
    if total["age_ns"] > 0:
        yield f"its consumer waits {_percent(total['empty_wait_ns'] / total['age_ns'])}"


def _strays(reports: _Reports) -> Iterator[str]:
    """Stages of datasets that are seen nowhere in the pipeline's description."""
    for label, stages in reports.stages.items():
        op = Op(title=str(label), label=str(label))
        yield from _wrapped(f"elsewhere: {op.title}: {_threads(op, stages, reports)}", "")
        for sentence in _figures(stages):
            yield from _wrapped(sentence, "    ")


# ---- the whole ----


def _state(ops: Sequence[Op], run: Run) -> list[str]:
    if not any(item.threads for op in ops for item in (op, *op.inner)) and not run.stats:
        return ["no op has threads of its own: next() computes everything"]
    if run.stats:
        return _wrapped(f"bottleneck: {run.bottleneck}", "")
    return _wrapped(
        "no stage runs now: they start at the first next and stop when the iterator is closed", ""
    )


def _decisions(log: list[str]) -> list[str]:
    if not log:
        return []
    lines = [f"AUTOTUNE: {_count(len(log), 'decision')}, the last:"]
    for line in log[-_LAST_DECISIONS:]:
        lines += _wrapped(line, "    ")
    return lines


# ---- numbers ----


def size_text(size: int) -> str:
    """ "7.2 MB" """
    if size < 1000:
        return f"{size} B"
    power = min((len(str(size)) - 1) // 3, 3)
    value = size / 1000**power
    return f"{value:.1f} {'kMG'[power - 1]}B" if value < 10 else f"{value:.0f} {'kMG'[power - 1]}B"


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _percent(share: float) -> str:
    return f"{round(100 * min(share, 1))} %"
