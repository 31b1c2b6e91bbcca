"""What must hold for weeks, tried at length.

python tests/endurance/run.py list
python tests/endurance/run.py TASK... [--rounds N]      ('all' is every task)

Each task prints what it saw and what was needed; the exit status is 1 if something was missed.
Without --rounds a task runs at its full size; tests/test_endurance.py runs each in a few rounds.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from verdict import Verdict  # noqa: E402

TASKS = (
    "resume",
    "order",
    "faults",
    "limits",
    "hostile",
    "interrupt",
    "exit",
    "fork",
    "torch",
    "leaks",
    "sanitizers",
    "soak",
)


def run(task: str, rounds: int | None = None) -> list[Verdict]:
    """Runs a task in `rounds` rounds, by default all it has."""
    module = importlib.import_module(f"{task}_task")
    found: list[Verdict] = module.run(module.ROUNDS if rounds is None else rounds)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tasks", nargs="+", metavar="TASK", help="'list' names them")
    parser.add_argument("--rounds", type=int, help="default: the full size of the task")
    options = parser.parse_args()
    if options.tasks == ["list"]:
        for task in TASKS:
            doc = importlib.import_module(f"{task}_task").__doc__ or ""
            print(f"{task}: {doc.splitlines()[0]}")
        return
    met = True
    for task in TASKS if options.tasks == ["all"] else options.tasks:
        start = time.monotonic()
        for verdict in run(task, options.rounds):
            print(f"{task}: {verdict}", flush=True)
            met = met and verdict.met
        print(f"{task}: took {time.monotonic() - start:.0f} s", flush=True)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
