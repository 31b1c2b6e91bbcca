"""`python -m benchmarks`: runs tasks, prints Markdown, and keeps it with a chart."""

import argparse
import datetime
import importlib
import json
import os
import platform
import shlex
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.environments import ROOT, Unavailable, python_of

TASKS = (
    "limit",
    "photographs",
    "augmentation",
    "small_elements",
    "text",
    "records",
    "record_photographs",
    "shuffle",
    "tiny_images",
    "large_photographs",
    "start",
    "memory",
    "scaling",
    "gil",
    "autotune",
)


def main() -> int:
    arguments = parser().parse_args()
    if arguments.command == "list":
        for task in TASKS:
            print(f"{task}: {(_module(task).__doc__ or '').splitlines()[0]}")
        return 0
    names = TASKS if "all" in arguments.tasks else arguments.tasks
    met = True
    for task in names:
        print(f"task {task}", file=sys.stderr, flush=True)
        met = run_task(task, arguments) and met
        write_summary(arguments.out)
    return 0 if met else 1


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks")
    commands = made.add_subparsers(metavar="COMMAND", dest="command", required=True)
    commands.add_parser("list", help="say what there is")
    run = commands.add_parser("run", help="run tasks, one after the other")
    run.add_argument("tasks", nargs="+", choices=[*TASKS, "all"], metavar="TASK")
    run.add_argument(
        "--images", type=Path, help="a folder of JPEGs; default: those fastpipe makes itself"
    )
    run.add_argument("--rounds", type=int, default=5, help="of all contenders; default: 5")
    run.add_argument("--threads", type=int, default=2, help="of each contender; default: 2")
    run.add_argument("--elements", type=int, default=1000, help="photographs a round")
    run.add_argument("--passes", type=int, default=50, help="of memory, over the photographs")
    run.add_argument(
        "--contender",
        action="append",
        metavar="NAME",
        help="only those whose name contains it; may be given more than once",
    )
    run.add_argument("--scenario", action="append", help="of autotune; default: all of them")
    run.add_argument(
        "--out",
        type=Path,
        default=ROOT / "benchmarks" / "results",
        help="the folder for TASK.md and TASK.png; default: benchmarks/results",
    )
    return made


def run_task(task: str, arguments: argparse.Namespace) -> bool:
    """Runs a task, prints its report and keeps it; whether all that is needed was reached."""
    module = _module(task)
    head = f"## {task}\n\n{module.__doc__.strip()}\n\n{_circumstances(task, arguments)}"
    print(head, flush=True)
    start = time.perf_counter()
    report = module.run(arguments)
    lines = report.lines()
    if versions := getattr(report, "versions", []):
        lines += [f"With {', '.join(versions)}.", ""]
    lines += [f"The task took {time.perf_counter() - start:.0f} s.", ""]
    print("\n".join(lines), flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    panels = [panel.as_dict() for panel in getattr(report, "panels", [])]
    if panels and _draw({"title": task, "panels": panels}, arguments.out / f"{task}.png"):
        lines += [f"![{task}]({task}.png)", ""]
    (arguments.out / f"{task}.md").write_text("\n".join([head, *lines]))
    return report.met


def write_summary(folder: Path) -> None:
    """One page of all verdicts that are in a folder of results, also those of earlier runs."""
    lines = ["# Results", "", "What was required of each task, and what was measured.", ""]
    for task in TASKS:
        path = folder / f"{task}.md"
        if path.exists():
            verdicts = [line for line in path.read_text().splitlines() if line.startswith("- ")]
            lines += [f"## [{task}]({path.name})", "", *verdicts, ""]
    (folder / "README.md").write_text("\n".join(lines))


def _draw(chart: dict, path: Path) -> bool:
    try:
        command = [str(python_of("matplotlib")), "-m", "benchmarks.draw", str(path.resolve())]
        subprocess.run(command, input=json.dumps(chart), text=True, check=True, cwd=ROOT)
    except (Unavailable, subprocess.SubprocessError) as error:
        print(f"no chart: {error}", file=sys.stderr, flush=True)
        return False
    return True


def _circumstances(task: str, arguments: argparse.Namespace) -> str:
    """Where, when and how this is measured."""
    import fastpipe

    now = datetime.datetime.now(datetime.timezone.utc)
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    )
    return (
        f"{_processor()}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}; "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}, "
        f"fastpipe {getattr(fastpipe, '__version__', '')} {described.stdout.strip()}; "
        f"{now:%Y-%m-%d %H:%M} UTC.\n\n"
        f"`{command_of(task, arguments)}`\n"
    )


def command_of(task: str, arguments: argparse.Namespace) -> str:
    """What runs this task alone, without the folder of results; folders by their names."""
    usual = vars(parser().parse_args(["run", task]))
    words = ["python", "-m", "benchmarks", "run", task]
    for name, value in vars(arguments).items():
        if name in ("command", "tasks", "out") or value == usual[name]:
            continue
        for each in value if isinstance(value, list) else [value]:
            words += [f"--{name}", each.name if isinstance(each, Path) else str(each)]
    return shlex.join(words)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _module(task: str):
    return importlib.import_module(f"benchmarks.{task}")


if __name__ == "__main__":
    sys.exit(main())
