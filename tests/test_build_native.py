"""build_native.py compiles what changed and nothing else."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from native.build import Builder, BuildError, units_under, variant, with_fault_points

import build_native

HEADER = "#pragma once\nint answer();\n"
ANSWER = '#include "answer.h"\nint answer() { return 42; }\n'
MAIN = '#include "answer.h"\nint main() { return answer(); }\n'

Build = Callable[..., int]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    source = tmp_path / "csrc"
    source.mkdir()
    (source / "answer.h").write_text(HEADER)
    (source / "answer.cc").write_text(ANSWER)
    (source / "main.cc").write_text(MAIN)
    (source / "unused.c").write_text("int restrict_is_c(int* restrict p);\n")
    return tmp_path


@pytest.fixture
def build(root: Path, capsys: pytest.CaptureFixture[str]) -> Build:
    """Builds the program and returns how many sources were compiled."""

    def run(*, werror: bool = False, flags: tuple[str, ...] = ()) -> int:
        builder = Builder(variant(""), root, werror)
        capsys.readouterr()
        with builder.lock():
            objects = builder.compile(units_under("csrc", flags, root))
            builder.link(objects, Path("build/program"), shared=False)
        return sum(line.startswith("[") for line in capsys.readouterr().err.splitlines())

    return run


def answer(root: Path) -> int:
    return subprocess.run([root / "build" / "program"]).returncode


def test_builds_c_and_cxx_once(root: Path, build: Build) -> None:
    assert build() == 3
    assert answer(root) == 42
    linked = (root / "build" / "program").stat().st_mtime_ns
    assert build() == 0
    assert (root / "build" / "program").stat().st_mtime_ns == linked


def test_a_changed_source_is_compiled_alone(root: Path, build: Build) -> None:
    build()
    (root / "csrc" / "answer.cc").write_text(ANSWER.replace("42", "43"))
    assert build() == 1
    assert answer(root) == 43


def test_a_changed_header_reaches_all_that_include_it(root: Path, build: Build) -> None:
    build()
    (root / "csrc" / "answer.h").write_text(HEADER + "// changed\n")
    assert build() == 2


def test_the_same_contents_written_again_are_no_change(root: Path, build: Build) -> None:
    build()
    (root / "csrc" / "answer.h").write_text(HEADER)
    assert build() == 0


def test_other_flags_compile_again(build: Build) -> None:
    build()
    assert build(flags=("-DOTHER",)) == 3


def test_only_what_holds_fault_points_is_compiled_again_for_tests(root: Path, build: Build) -> None:
    (root / "csrc" / "core").mkdir()
    (root / "csrc" / "core" / "fault_points.h").write_text("#define FASTPIPE_FAULT(kind) 0\n")
    (root / "csrc" / "main.cc").write_text('#include "core/fault_points.h"\n' + MAIN)
    build()
    units = units_under("csrc", root=root)
    builder = Builder(variant(""), root, werror=False)
    with builder.lock():
        normal, test = builder.compile(units), builder.compile(with_fault_points(units, root))
    changed = [unit.source.name for unit, a, b in zip(units, normal, test) if a != b]
    assert changed == ["main.cc"]


def test_a_removed_source_leaves_the_program(root: Path, build: Build) -> None:
    build()
    (root / "csrc" / "answer.cc").unlink()
    with pytest.raises(BuildError, match="answer"):
        build()


def test_a_removed_header_is_reported(root: Path, build: Build) -> None:
    build()
    (root / "csrc" / "answer.h").unlink()
    with pytest.raises(BuildError, match=r"answer\.h"):
        build()


def test_a_failed_source_is_tried_again(root: Path, build: Build) -> None:
    (root / "csrc" / "answer.cc").write_text("broken")
    for _ in range(2):
        with pytest.raises(BuildError, match="broken"):
            build()
    (root / "csrc" / "answer.cc").write_text(ANSWER)
    assert build() == 1
    assert answer(root) == 42


def test_warnings_are_errors_only_on_request(root: Path, build: Build) -> None:
    (root / "csrc" / "answer.cc").write_text(ANSWER.replace("return", "int unused; return"))
    assert build() == 3
    with pytest.raises(BuildError, match="unused"):
        build(werror=True)


def test_objects_that_passed_werror_serve_without_it(build: Build) -> None:
    assert build(werror=True) == 3
    assert build(werror=False) == 0


def test_the_environment_names_the_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTPIPE_SANITIZE", "address")
    assert variant().name == "address"
    monkeypatch.setenv("FASTPIPE_SANITIZE", "adress")
    with pytest.raises(BuildError, match="adress"):
        variant()


IS_PRECOMPILED = """
#ifndef _GLIBCXX_CSTDINT
#error not precompiled
#endif
"""


@pytest.fixture
def large_build_by(
    root: Path, build: Build, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Build]:
    """large_build_by(program) builds with g++ under that name; two sources are many for it."""
    find = build_native._tool
    monkeypatch.setattr(build_native, "_MANY_SOURCES", 2)
    monkeypatch.setattr(build_native, "_COMMON_HEADERS", ("cstdint",))

    def use(program: str) -> Build:
        script = root / program
        script.write_text('#!/bin/sh\nexec g++ "$@"\n')
        script.chmod(0o755)
        monkeypatch.setattr(
            build_native, "_tool", lambda *name: (str(script),) if "CXX" in name else find(*name)
        )
        return build

    return use


def test_a_large_build_reads_common_headers_precompiled(
    root: Path, large_build_by: Callable[[str], Build]
) -> None:
    (root / "csrc" / "answer.cc").write_text(ANSWER + IS_PRECOMPILED)
    build = large_build_by("compiler")
    # A precompiled header that the compiler does not accept is a warning, which is an error here.
    assert build(werror=True, flags=("-Winvalid-pch",)) == 3
    assert answer(root) == 42


def test_a_precompiled_header_leaves_no_trace(
    root: Path, large_build_by: Callable[[str], Build]
) -> None:
    build = large_build_by("compiler")
    assert build() == 3
    assert build() == 0
    assert not list(root.glob("build/**/*.gch"))
    inputs = (root / "build/objects/release/csrc/answer.cc.d").read_text()
    assert "answer.h" in inputs and "common" not in inputs


def test_what_fails_with_a_precompiled_header_is_compiled_without(
    root: Path, large_build_by: Callable[[str], Build]
) -> None:
    fails = IS_PRECOMPILED.replace("ifndef", "ifdef")
    (root / "csrc" / "answer.cc").write_text(ANSWER + fails)
    build = large_build_by("compiler")
    assert build(werror=True) == 3
    assert answer(root) == 42
    assert build(werror=True) == 0


def test_a_source_changed_alone_must_include_what_it_uses(
    root: Path, large_build_by: Callable[[str], Build]
) -> None:
    (root / "csrc" / "answer.cc").write_text(ANSWER + "std::int8_t small;\n")
    build = large_build_by("compiler")
    assert build() == 3
    (root / "csrc" / "answer.cc").write_text(ANSWER + "std::int8_t small, smaller;\n")
    with pytest.raises(BuildError, match="int8_t"):
        build()


def test_a_compiler_cache_gets_no_precompiled_header(
    root: Path, large_build_by: Callable[[str], Build]
) -> None:
    """It could keep nothing of such a build."""
    (root / "csrc" / "answer.cc").write_text(ANSWER + IS_PRECOMPILED)
    with pytest.raises(BuildError, match="not precompiled"):
        large_build_by("ccache")()
