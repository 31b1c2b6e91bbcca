"""Each task of tests/endurance holds in a few rounds; `make endurance` tries them at length."""

import importlib.util
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location(
    "endurance_run", Path(__file__).parent / "endurance" / "run.py"
)
assert _SPEC is not None and _SPEC.loader is not None
endurance = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(endurance)

ROUNDS = {
    "resume": 8,
    "order": 2,
    "interrupt": 8,
    "exit": 8,
    "fork": 20,
    "leaks": 1000,
    "hostile": 40,
    "faults": 12,
    "limits": 1,
    "soak": 4,
}


@pytest.mark.parametrize("task", ROUNDS)
def test_what_must_hold_for_weeks_holds_in_a_few_rounds(task):
    missed = [str(verdict) for verdict in endurance.run(task, ROUNDS[task]) if not verdict.met]
    assert missed == []


def test_every_task_has_a_short_form_but_those_that_need_pytorch_or_an_hour_of_compiling():
    assert set(endurance.TASKS) == {*ROUNDS, "torch", "sanitizers"}


def test_a_verdict_counts_what_failed_and_shows_some_of_it():
    verdict = endurance.importlib.import_module("verdict").all_of("it works", 3, ["a", "b"])
    assert not verdict.met
    assert str(verdict) == "it works in 1 of 3: NO\n    a\n    b"
