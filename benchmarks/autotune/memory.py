"""Elements that grow a hundredfold: what is buffered stays within ram_budget.

As a program it runs one pass, in a process whose memory nothing else has filled.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

import fastpipe as fp
from benchmarks.autotune import threads
from benchmarks.autotune.measuring import name_of, say_round
from benchmarks.environments import ROOT
from benchmarks.report import Report

_BUDGET = 200_000_000
_SMALL, _LARGE = 20_000, 2_000_000  # bytes of an element
_PAUSE = 0.002  # of the consumer, for each element
_BURSTS = (1, 100)  # elements that it takes in one go; many make it worth while to buffer many
_GROWS_AT, _ELEMENTS = 1000, 1800
_PERIOD = 0.001
_FIXED = ((1, 1), (2, 64))  # of map and prefetch


def growing_elements(arguments: argparse.Namespace) -> Report:
    """Elements grow from 20 KB to 2 MB, with a ram_budget of 200 MB. The consumer takes 2 ms for
    each, one by one or in bursts of 100."""
    rounds = max(1, arguments.rounds // 2)
    report = Report(["map and prefetch", "elements/s", "MB buffered at most", "MB more resident"])
    for burst in _BURSTS:
        how = "one by one" if burst == 1 else f"bursts of {burst}"
        for setting in _FIXED:
            report.rows.append(_row(f"{name_of(setting)}, {how}", [_measure(setting, burst)]))
        tuned = []
        for number in range(rounds):
            tuned.append(_measure((fp.AUTOTUNE, fp.AUTOTUNE), burst))
            say_round(number, rounds)
        report.rows.append(_row(f"AUTOTUNE, {how}", tuned))
        buffered = max(made["buffered"] for made in tuned)
        resident = max(made["resident"] for made in tuned)
        report.at_most(f"MB buffered at most, {how}", buffered / 1e6, _BUDGET / 1e6)
        report.at_most(f"MB more resident, {how}", resident / 1e6, 1.2 * _BUDGET / 1e6)
    return report


def _row(name: str, passes: list[dict[str, float]]) -> list[str]:
    rate = statistics.median(made["rate"] for made in passes)
    most = [max(made[what] for made in passes) for what in ("buffered", "resident")]
    return [name, f"{rate:,.0f}", *(f"{each / 1e6:,.1f}" for each in most)]


def _measure(setting: tuple[int, int], burst: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.autotune.memory", *map(str, (*setting, burst))]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, cwd=ROOT)
    made: dict[str, float] = json.loads(run.stdout)
    return made


def _element(index: Any) -> Any:
    size = fp.where(index < _GROWS_AT, _SMALL, _LARGE)
    return fp.fill([size], fp.cast(index % 256, fp.uint8))


def main() -> None:
    calls, ahead, burst = map(int, sys.argv[1:])
    options = fp.Options()
    options.autotune.ram_budget = _BUDGET
    elements = fp.Dataset.range(_ELEMENTS).map(_element, num_parallel_calls=calls)
    for _ in elements.take(10):
        pass  # what is loaded at the first use is no part of what grows
    resident = threads.resident_bytes()
    with elements.prefetch(ahead).with_options(options).iterator() as iterator:

        def buffered() -> float:
            return float(sum(stage["buffered_bytes"] for stage in iterator.stats()))

        start = time.perf_counter()
        with (
            threads.sampled(buffered, _PERIOD) as held,
            threads.sampled(threads.resident_bytes, _PERIOD) as sizes,
        ):
            for number, _ in enumerate(iterator, 1):
                if number % burst == 0:
                    time.sleep(burst * _PAUSE)
        seconds = time.perf_counter() - start
    answer = {
        "rate": _ELEMENTS / seconds,
        "buffered": max(held),
        "resident": max(sizes) - resident,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
