"""Measures which lines and branches of csrc/ the native and the Python tests reach.

python tests/native/coverage_report.py [--report-only]

Works on a copy of the tree in build/coverage, so that objects and extension of the usual build stay
as they are. Prints a table by file, writes build/coverage/report.html with every line, and fails
if a test fails or if less is reached than must be.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from build_native import PARSERS  # noqa: E402

TREE = ROOT / "build/coverage/tree"
REPORT = ROOT / "build/coverage/report"

LEAST_LINES = 90.0  # percent, of csrc
LEAST_BRANCHES = 95.0  # percent, of what reads bytes that others wrote

# These build binaries of their own, or wait for what the clock says.
_LEFT_OUT = ("test_native", "test_build_native", "test_endurance", "test_benchmarks")
# Nothing does, compiled without optimisation.
_TOO_SLOW = (
    "runtime/test_autotune.py"
    "::test_elements_that_cost_less_than_handing_over_are_computed_by_the_consumer"
)


def copy_tree() -> None:
    """The files of the tree as they are, changed only where they differ: objects stay current."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    names = {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).exists()}
    for name in names:
        source, copy = ROOT / name, TREE / name
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)
    for folder in ("csrc", "tests", "fastpipe"):
        for path in (TREE / folder).rglob("*"):
            name = path.relative_to(TREE).as_posix()
            if path.suffix in (".cc", ".c", ".h", ".py") and name not in names:
                path.unlink()


def run_tests() -> bool:
    """Builds and runs everything; whether all tests passed."""
    environment = {
        "FASTPIPE_SHARED": str(ROOT.parent / "shared"),
        **os.environ,
        "FASTPIPE_SANITIZE": "coverage",
        "PYTHONPATH": str(TREE),
        # A process that is killed while it writes its counts leaves others a file they complain of,
        # on standard error, where tests want silence.
        "GCOV_ERROR_FILE": str(REPORT.parent / "gcov-errors"),
    }

    def run(*command: str) -> bool:
        return subprocess.run([sys.executable, *command], cwd=TREE, env=environment).returncode == 0

    if not run("setup.py", "--quiet", "build_ext", "--inplace"):
        sys.exit("the extension cannot be built")
    for counts in (TREE / "build/objects").rglob("*.gcda"):
        counts.unlink()
    native = run("tests/native/build.py", "--sanitize", "coverage", "--run")
    collect("native")
    left_out = [f"--ignore=tests/{name}.py" for name in _LEFT_OUT]
    left_out.append(f"--deselect=tests/{_TOO_SLOW}")
    python = run(
        "-m", "pytest", "-q", "--numprocesses=2", "--dist=loadfile", "--timeout=900", *left_out
    )
    collect("all")
    return native and python


def collect(name: str) -> None:
    """Puts what has been counted so far into a file, which no killed process can spoil any more."""
    _gcovr(
        *("--filter", "csrc/", "--exclude-throw-branches", "--exclude-unreachable-branches"),
        *("--gcov-ignore-parse-errors=all", "--json", f"{REPORT}-{name}.json"),
        # What holds fault points is compiled twice.
        *("build/objects/coverage/csrc", "build/objects/coverage/fault-points/csrc"),
    )


def _gcovr(*arguments: str) -> None:
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "gcovr", "--root", "."]
    subprocess.run(
        [*command, "--merge-mode-functions", "separate", *arguments], cwd=TREE, check=True
    )


def report() -> dict[str, dict[str, float]]:
    """What gcovr counts in each file: of a template, a line or branch counts once."""
    _gcovr(
        *(f"--add-tracefile={REPORT}-{name}.json" for name in ("native", "all")),
        *("--merge-lines", "--json-summary", f"{REPORT}.json", "--html-details", f"{REPORT}.html"),
    )
    files = json.loads(Path(f"{REPORT}.json").read_text())["files"]
    return {file["filename"]: file for file in files}


def percent(files: list[dict[str, float]], what: str) -> float:
    total = sum(file[f"{what}_total"] for file in files)
    return 100 * sum(file[f"{what}_covered"] for file in files) / max(total, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--report-only", action="store_true", help="of the tests run last")
    options = parser.parse_args()
    passed = True
    if not options.report_only:
        copy_tree()
        passed = run_tests()
    files = report()
    parsers = {name: file for name, file in files.items() if PARSERS.fullmatch(name)}
    for name, file in sorted(files.items()):
        mark = "parser" if name in parsers else ""
        lines, branches = percent([file], "line"), percent([file], "branch")
        print(f"{name:42} lines {lines:6.1f} %  branches {branches:6.1f} %  {mark}")
    lines = percent(list(files.values()), "line")
    branches = percent(list(parsers.values()), "branch")
    print(f"csrc: {lines:.1f} % of lines, must be {LEAST_LINES} %")
    print(f"parsers: {branches:.1f} % of branches, must be {LEAST_BRANCHES} %")
    print(f"line by line: {REPORT}.html")
    if not passed:
        sys.exit("tests failed: see above")
    if lines < LEAST_LINES or branches < LEAST_BRANCHES:
        sys.exit("less is reached than must be")


if __name__ == "__main__":
    main()
