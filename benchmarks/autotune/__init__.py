"""AUTOTUNE against the best of a grid of fixed settings, and against tf.data's.

Each scenario searches its grid once, then measures the best few and AUTOTUNE in turn. "cores" is
CPU time of the process in a second; "0.9 after s" when a window of 250 ms first had 0.9 of the
final rate. `--scenario NAME` runs only that one; it may be given more than once.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.report import Report


@dataclass
class Summary:
    """What of each scenario was measured and needed; the tables were printed as they were made."""

    rows: list[str] = field(default_factory=list)
    met: bool = True

    def add(self, name: str, report: Report) -> None:
        for what, measured, needed, reached in report.verdicts:
            verdict = "yes" if reached else "NO"
            self.rows.append(f"| {name} | {what} | {measured} | {needed} | {verdict} |")
        self.met = self.met and report.met

    def lines(self) -> list[str]:
        title = "| scenario | figure | measured | needed | met |"
        return [title, "|---|---|---:|---:|---|", *self.rows, ""]


def scenarios() -> dict[str, Callable[[argparse.Namespace], Report]]:
    """Every scenario by its name."""
    # Not above: `list` and a rival's interpreter import this package without fastpipe.
    from benchmarks.autotune import economy, memory, rivals, sharing, throughput

    made = [
        throughput.photographs,
        throughput.interleave,
        throughput.interleave_small,
        throughput.read_files,
        throughput.mixed,
        throughput.storage_changes,
        economy.slow_consumer,
        economy.cheap_function,
        memory.growing_elements,
        sharing.two_pipelines,
        economy.one_core,
        economy.at_rest,
        rivals.tensorflow_photographs,
        rivals.tensorflow_interleave,
    ]
    return {scenario.__name__: scenario for scenario in made}


def run(arguments: argparse.Namespace) -> Summary:
    known = scenarios()
    wanted = arguments.scenario or list(known)
    if unknown := [name for name in wanted if name not in known]:
        raise SystemExit(f"no scenario {', '.join(unknown)}; there are {', '.join(known)}")
    summary = Summary()
    for name in wanted:
        print(f"scenario {name}", file=sys.stderr, flush=True)
        start = time.perf_counter()
        report = known[name](arguments)
        seconds = time.perf_counter() - start
        description = (known[name].__doc__ or "").strip().replace("\n    ", "\n")
        print(f"### {name}, {seconds:.0f} s\n\n{description}\n", flush=True)
        print("\n".join(report.lines()), flush=True)
        summary.add(name, report)
    return summary
