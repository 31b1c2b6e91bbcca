"""TensorFlow's answers, case by case, through the drop-in names.

Cases run in worker processes: one that crashes or hangs costs itself.
"""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conformance import answers
from process import ROOT

CASE_SECONDS = 20
WORKERS = 2

# The cases that differ on purpose, each with its reason; see docs/from-tf-data.md.
DIFFERENT = {
    "image_ops-0524": "a string outside a trace is Python's bytes, which can be sliced",
}


class Outcome(NamedTuple):
    case: dict[str, Any]
    passed: bool
    why: str

    @property
    def kind(self) -> str:
        return str(self.case["id"]).rpartition("-")[0]


class Worker:
    """A process that judges one case at a time; replaced when it dies or takes too long."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", answers.__file__],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )

    def judge(self, case: dict[str, Any]) -> Outcome:
        pipes = self.process
        assert pipes.stdin is not None and pipes.stdout is not None
        answer = b""
        try:
            pipes.stdin.write(json.dumps(case).encode() + b"\n")
            while not answer.endswith(b"\n"):
                if not select.select([pipes.stdout], [], [], CASE_SECONDS)[0]:
                    self.restart()
                    return Outcome(case, False, f"no answer in {CASE_SECONDS} s")
                part = pipes.stdout.read(1 << 16)
                if not part:
                    break
                answer += part
        except BrokenPipeError:
            answer = b""
        if not answer:
            code = pipes.wait()
            self.restart()
            return Outcome(case, False, f"the process died with exit code {code}")
        passed, why = json.loads(answer)
        return Outcome(case, passed, why)

    def restart(self) -> None:
        self.stop()
        self.process = self._start()

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


def run_cases(cases: list[dict[str, Any]], folder: Path) -> list[Outcome]:
    waiting: queue.SimpleQueue[tuple[int, dict[str, Any]]] = queue.SimpleQueue()
    for item in enumerate(cases):
        waiting.put(item)
    found: dict[int, Outcome] = {}

    def work() -> None:
        worker = Worker(folder)
        try:
            while True:
                number, case = waiting.get_nowait()
                found[number] = worker.judge(case)
        except queue.Empty:
            pass
        finally:
            worker.stop()

    threads = [threading.Thread(target=work) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[number] for number in range(len(cases))]


def table(outcomes: list[Outcome]) -> list[str]:
    lines = [f"{'kind':<14}{'passed':>8}{'of':>6}"]
    for kind in sorted({outcome.kind for outcome in outcomes}):
        results = [outcome.passed for outcome in outcomes if outcome.kind == kind]
        lines.append(f"{kind:<14}{sum(results):>8}{len(results):>6}")
    lines.append(f"{'all':<14}{sum(o.passed for o in outcomes):>8}{len(outcomes):>6}")
    failing = [o for o in outcomes if not o.passed]
    lines += [f"{o.case['id']} {o.case['expr']:.90} | {o.why:.110}" for o in failing]
    return lines


@pytest.fixture(scope="module")
def results(shared, summary):
    folder = shared / "conformance"
    with open(folder / "cases.jsonl") as lines:
        outcomes = run_cases([json.loads(line) for line in lines], folder)
    report = table(outcomes)
    print("\n".join(report))
    summary("conformance", report)
    return outcomes


def test_every_case_has_the_answer_of_tensorflow(results):
    failing = [o for o in results if not o.passed and o.case["id"] not in DIFFERENT]
    assert failing == [], "\n".join(
        f"{o.case['id']}: {o.case['expr']}\n    {o.why}" for o in failing
    )


def test_cases_that_differ_on_purpose_are_few_and_do_differ(results):
    assert len(DIFFERENT) <= 5
    assert {o.case["id"] for o in results if not o.passed} >= set(DIFFERENT)


# ---- the judge is judged ----


def judged(tmp_path, expr, **case):
    (outcome,) = run_cases([{"id": "x-1", "expr": expr, **case}], tmp_path)
    return outcome


def test_a_wrong_answer_fails(tmp_path):
    two = {"dtype": "int64", "shape": [], "data": [2]}
    assert judged(tmp_path, "np.int64(2)", expect=two).passed
    assert not judged(tmp_path, "np.int64(3)", expect=two).passed
    assert not judged(tmp_path, "np.int32(2)", expect=two).passed
    assert not judged(tmp_path, "np.int64([2])", expect=two).passed
    assert judged(tmp_path, "tf.data.Dataset.range(2, 3)", expect=[two]).passed
    assert not judged(tmp_path, "tf.data.Dataset.range(2, 4)", expect=[two]).passed


def test_a_wrong_error_fails(tmp_path):
    refused = "tf.data.Dataset.range(3).batch(0)"
    assert judged(tmp_path, refused, error="InvalidArgumentError").passed
    assert not judged(tmp_path, refused, error="NotFoundError").passed
    assert not judged(tmp_path, "1", error="InvalidArgumentError").passed


def test_a_crash_or_a_hang_costs_one_case(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "CASE_SECONDS", 2)
    one = {"dtype": "int64", "shape": [], "data": [1]}
    good = {"id": "x-2", "expr": "np.int64(1)", "expect": one}
    crash = {
        "id": "x-0",
        "expr": "__import__('os').kill(__import__('os').getpid(), 9)",
        "expect": one,
    }
    hang = {"id": "x-1", "expr": "__import__('threading').Event().wait()", "expect": one}
    outcomes = run_cases([crash, hang, good, good], tmp_path)
    assert [outcome.passed for outcome in outcomes] == [False, False, True, True]
    assert "died" in outcomes[0].why and "no answer" in outcomes[1].why
