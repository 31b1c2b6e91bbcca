"""The harness of the benchmarks: what it says of contenders that fail, and how it judges."""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import contenders, environments, pixels
from benchmarks.__main__ import TASKS, command_of, parser, write_summary
from benchmarks.contenders import Contender, measure
from benchmarks.report import Report, report_on

FOLDER = Path(environments.ROOT) / "benchmarks"

SERVING = "from benchmarks.serving import serve; "


def program(name: str, epoch: str) -> Contender:
    return Contender(name, [sys.executable, "-c", SERVING + epoch])


def arguments(**given: object) -> argparse.Namespace:
    return argparse.Namespace(**{"rounds": 2, "contender": None, **given})


@pytest.fixture(autouse=True)
def build_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(contenders, "BUILD", tmp_path)


def test_every_folder_is_a_task_and_every_task_says_what_it_shows():
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    assert folders == set(TASKS)
    for task in TASKS:
        module = importlib.import_module(f"benchmarks.{task}")
        assert module.__doc__ and callable(module.run)


def test_every_rival_says_what_it_is():
    programs = sorted(FOLDER.glob("*/run_*.py"))
    assert programs
    assert [path for path in programs if not ast.get_docstring(ast.parse(path.read_text()))] == []


def test_requirements_are_pinned_but_for_numpy():
    unpinned = {
        requirement
        for requirements in environments.REQUIREMENTS.values()
        for requirement in requirements
        if "==" not in requirement
    }
    assert unpinned == {"numpy"}


def test_tasks_take_the_options_of_the_runner():
    made = parser().parse_args(["run", "text", "--rounds", "1", "--contender", "fastpipe"])
    assert (made.tasks, made.rounds, made.contender) == (["text"], 1, ["fastpipe"])


def test_a_report_says_how_its_task_alone_is_run():
    given = ["run", "text", "start", "--images", "/some/photographs", "--contender", "tf data"]
    assert command_of("text", parser().parse_args([*given, "--out", "/else"])) == (
        "python -m benchmarks run text --images photographs --contender 'tf data'"
    )


def test_the_summary_has_the_verdicts_of_all_reports_in_its_folder(tmp_path):
    (tmp_path / "text.md").write_text("## text\n\n| a | b |\n- fast: 4.00 (needed >= 3) yes\n")
    write_summary(tmp_path)
    written = (tmp_path / "README.md").read_text()
    assert written.endswith("## [text](text.md)\n\n- fast: 4.00 (needed >= 3) yes\n")


def test_every_contender_runs_once_a_round():
    each = program("counts", "serve(lambda: 7)")
    measure([each], arguments())
    assert each.failure == ""
    assert [reading.elements for reading in each.readings] == [7, 7]
    assert each.peak_bytes > 0


def test_what_a_contender_prints_besides_is_no_answer():
    each = program("talks", "print('hello'); serve(lambda: print('epoch') or 3)")
    measure([each], arguments())
    assert [reading.elements for reading in each.readings] == [3, 3]


def test_a_contender_that_fails_is_left_out_with_its_reason_and_the_others_go_on():
    bad = program("bad", "serve(lambda: 1 / 0)")
    good = program("good", "serve(lambda: 5)")
    measured = measure([bad, good], arguments())
    assert len(good.readings) == 2
    lines = report_on(measured, "elements").lines()
    assert "- bad is left out: ZeroDivisionError: division by zero" in lines
    assert not any(line.startswith("| bad") for line in lines)


def test_an_environment_that_cannot_be_made_leaves_its_contender_out(monkeypatch):
    monkeypatch.setitem(environments._failed, "mlx", "pip: no such version")
    each = Contender("mlx-data", ["-c", "pass"], "mlx")
    measure([each], arguments())
    assert each.failure == "pip: no such version"


def test_a_missing_program_is_named_with_its_package(monkeypatch):
    monkeypatch.setitem(environments.PROGRAMS, "mlx", ("no-such-program", "some-package"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    each = Contender("mlx-data", ["-c", "pass"], "mlx")
    measure([each], arguments())
    assert each.failure == "it needs no-such-program; on Debian: apt-get install some-package"


def test_a_contender_that_delivers_nothing_has_failed():
    each = program("empty", "serve(lambda: 0)")
    measure([each], arguments())
    assert each.failure == "it delivered nothing"


def test_one_that_does_not_answer_is_given_up(monkeypatch):
    monkeypatch.setattr(contenders, "_PATIENCE", 0.5)
    each = program("hangs", "import threading; serve(threading.Event().wait)")
    measure([each], arguments())
    assert each.failure == "no answer within 0.5 s"


def test_only_the_contenders_asked_for_are_measured():
    one, two = program("one", "serve(lambda: 1)"), program("two", "serve(lambda: 1)")
    assert measure([one, two], arguments(contender=["TW"])) == [two]
    report = Report(["contender"])
    report.ratio_at_least(two, [one], 3)
    assert report.verdicts == []
    assert report.notes == ["two to one: not measured (needed 3)"]


def test_a_ratio_is_to_the_fastest_rival():
    ours, slow, fast = (Contender(name, []) for name in ("ours", "slow", "fast"))
    for each, seconds in ((ours, 1.0), (slow, 8.0), (fast, 4.0)):
        each.readings.append(contenders.Reading(8, seconds, 0.0))
    report = Report(["contender"])
    report.ratio_at_least(ours, [slow, fast], 5)
    assert report.lines()[-2] == "- ours to fast: 4.00 (needed >= 5) NO"
    assert not report.met


def test_memory_and_time_of_child_processes_count():
    own = contenders.bytes_of_tree(os.getpid(), "VmRSS")
    code = "import subprocess; child = subprocess.Popen(['sleep', '60']); "
    each = program("parent", code + "serve(lambda: 1); child.kill()")
    try:
        each.start()
        assert len(contenders._processes_of_tree(each.pid)) == 2
        assert 0 < contenders.bytes_of_tree(each.pid, "VmRSS") < 10 * own
    finally:
        each.close()


def test_pixels_are_compared_on_the_scale_of_bytes():
    reference = np.full((1, 2, 2, 3), 255, np.uint8)
    images = reference.astype(np.float32) / 255
    images[0, 0, 0, 0] -= 2 / 255
    found = pixels.difference(images, reference)
    assert found.most == pytest.approx(2, abs=1e-4)
    assert found.mean == pytest.approx(2 / 12, abs=1e-4)
    with pytest.raises(ValueError, match="images of"):
        pixels.difference(images[:, :1], reference)
