"""`python -m benchmarks`: runs tasks and prints Markdown."""

import argparse
import importlib
import os
import platform
import sys
from pathlib import Path

TASKS = ("limit", "photographs", "gil", "small_elements", "start", "autotune")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    commands.add_parser("list", help="say what there is")
    run = commands.add_parser("run", help="run tasks, one after the other")
    run.add_argument("tasks", nargs="+", choices=[*TASKS, "all"], metavar="TASK")
    run.add_argument(
        "--images", type=Path, help="a folder of JPEGs; default: those fastpipe makes itself"
    )
    run.add_argument("--rounds", type=int, default=5, help="of all contenders; default: 5")
    run.add_argument("--threads", type=int, default=2, help="of each contender; default: 2")
    run.add_argument("--elements", type=int, default=1000, help="photographs a round")
    run.add_argument("--scenario", action="append", help="of autotune; default: all of them")
    arguments = parser.parse_args()
    if arguments.command == "list":
        for task in TASKS:
            print(f"{task}: {(_module(task).__doc__ or '').splitlines()[0]}")
        return 0
    names = TASKS if "all" in arguments.tasks else arguments.tasks
    print(f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores, ", end="")
    print(f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}\n", flush=True)
    met = True
    for task in names:
        module = _module(task)
        print(f"## {task}\n\n{module.__doc__}", flush=True)
        report = module.run(arguments)
        print("\n".join(report.lines()), flush=True)
        met = met and report.met
    return 0 if met else 1


def _module(task: str):
    return importlib.import_module(f"benchmarks.{task}")


if __name__ == "__main__":
    sys.exit(main())
