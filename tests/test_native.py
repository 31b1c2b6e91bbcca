"""Builds the native test binary once and runs each of its doctest cases as a pytest case."""

from __future__ import annotations

import functools
import re
import subprocess

import pytest
from native.build import ROOT, BuildError, build, command, environment


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command(build()), "--no-version", *arguments],
        cwd=ROOT,
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


@functools.cache
def _cases() -> list[str]:
    listing = _run("--list-test-cases").stdout.splitlines()
    return [line for line in listing if not line.startswith(("[doctest]", "===="))]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        try:
            cases = _cases()
        except BuildError:
            cases = []  # test_native_tests_build reports it
        metafunc.parametrize("case", cases)


def test_native_tests_build() -> None:
    try:
        build()
    except BuildError as error:
        pytest.fail(str(error), pytrace=False)
    assert _cases()


def test_case_names_are_unique() -> None:
    assert sorted(_cases()) == sorted(set(_cases()))


def test_native(case: str) -> None:
    # doctest splits its filter at commas and reads * and ? as wildcards: ? stands for both.
    done = _run(f"--test-case={re.sub(r'[,*]', '?', case)}")
    if done.returncode != 0:
        pytest.fail(done.stdout, pytrace=False)
    assert re.search(r"test cases:\s+[1-9]", done.stdout), f"the filter found no case: {case}"
