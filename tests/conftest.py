"""What all tests share: the folder of real files, and that no test leaves anything running."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
from process import ROOT, eventually, open_files, os_threads

from fastpipe import _core

hypothesis.settings.register_profile(
    "fastpipe", deadline=None, database=None, print_blob=True, derandomize=False
)
hypothesis.settings.load_profile("fastpipe")

_passed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.stash[_passed] = report.passed
    return report


@pytest.fixture(autouse=True)
def leaves_nothing_behind(request) -> Iterator[None]:
    """No native thread and no file descriptor outlives a test."""
    native, threads, files = _core.running_threads(), os_threads(), set(open_files())

    def clean() -> bool:
        return (
            _core.running_threads() <= native
            and os_threads() <= threads
            and set(open_files()) <= files
        )

    yield
    # A failed test keeps its iterators alive in the traceback.
    if clean() or not request.node.stash.get(_passed, False):
        return
    gc.collect()
    if eventually(clean):
        return
    leaked = {number: name for number, name in open_files().items() if number not in files}
    pytest.fail(
        f"left behind: {_core.running_threads() - native} native threads, "
        f"{os_threads() - threads} threads of the process, files {leaked}"
    )


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of images, mission and conformance cases beside the repository."""
    folder = Path(os.environ.get("FASTPIPE_SHARED", ROOT.parent / "shared"))
    if not (folder / "conformance").is_dir():
        pytest.fail(
            f"{folder} with the real files of the tests is missing: put it beside the repository "
            f"or name it in FASTPIPE_SHARED"
        )
    return folder


@pytest.fixture(scope="session")
def photographs(shared) -> list[str]:
    """Paths of real JPEGs, sorted."""
    return sorted(str(path) for path in (shared / "images").glob("*.JPEG"))


@pytest.fixture
def write(tmp_path) -> Callable[[str, bytes], str]:
    """write(name, content) makes a temporary file and returns its path."""

    def write_file(name: str, content: bytes) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return str(path)

    return write_file


_sections: list[tuple[str, list[str]]] = []


@pytest.fixture(scope="session")
def summary() -> Callable[[str, list[str]], None]:
    """summary(title, lines) adds a section to the end of the report."""
    return lambda title, lines: _sections.append((title, lines))


def pytest_terminal_summary(terminalreporter):
    for title, lines in _sections:
        terminalreporter.section(title)
        for line in lines:
            terminalreporter.line(line)
