"""Compiles and links the native sources: in parallel, and only what changed.

setup.py builds the extension with it, tests/native/build.py the native test binary; both share the
objects under build/objects/<variant>/. Only extension_unit needs more than the standard library.

Environment:
  FASTPIPE_WERROR=1              warnings are errors (release variant, hand-written sources)
  FASTPIPE_SANITIZE=address      AddressSanitizer and UndefinedBehaviorSanitizer
  FASTPIPE_SANITIZE=thread       ThreadSanitizer
  FASTPIPE_SANITIZE=undefined    UndefinedBehaviorSanitizer alone
  FASTPIPE_SANITIZE=fuzz         for libFuzzer: tests/fuzz/run.py
  FASTPIPE_SANITIZE=coverage     counts for gcov: tests/native/coverage_report.py
  CC, CXX                        other compilers
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent
LIBRARIES = ("deflate", "gif", "jpeg", "png", "re2", "webp", "webpdemux", "z", "zstd")

# -ffp-contract=off: a result must not depend on whether the compiler found a fused multiply-add.
_BASE_FLAGS = ("-fPIC", "-pthread", "-fvisibility=hidden", "-ffp-contract=off", "-Icsrc")
_C_FLAGS = ("-std=gnu11",)
_CXX_FLAGS = ("-std=c++20", "-fvisibility-inlines-hidden")
_WARNINGS = ("-Wall", "-Wextra")
# gcc 12 is wrong about these where it inlines moves of std::string and of inline storage.
_FALSE_GCC_WARNINGS = ("-Wno-restrict", "-Wno-maybe-uninitialized")

# What reads bytes that others wrote. Resizing, encoding and encryption read none.
PARSERS = re.compile(
    r"csrc/codec/(bmp|decompress|gif|jpeg|jpeg_entropy\w*|jpeg_shim|plain_png|png|png_shim"
    r"|png_unfilter|wav|webp|zlib_stream|zstd_stream)\.(cc|c|h)"
    r"|csrc/io/(block_reader|csv\w*|decompressor|element_bytes|example_wire|fixed_reader"
    r"|input_stream|json_example|line_reader|record_reader|saved_dataset|tensor_wire|text)\.(cc|h)"
    r"|csrc/core/position\.(cc|h)"
)

# What most sources include, and the compiler spends a third of its time to read.
_COMMON_HEADERS = (
    *("algorithm", "array", "atomic", "bit", "chrono", "cmath", "condition_variable", "cstdint"),
    *("cstring", "deque", "functional", "limits", "map", "memory", "mutex", "optional", "span"),
    *("string", "string_view", "unordered_map", "utility", "vector"),
)
# Precompiling them takes as long as reading them in some six sources; a spare core waits for it.
_MANY_SOURCES = 12


class BuildError(Exception):
    """A compiler or the linker failed; the message holds what it printed."""


@dataclass(frozen=True)
class Variant:
    """One way to compile everything. Objects of different variants never mix."""

    name: str
    compile_flags: tuple[str, ...]
    link_flags: tuple[str, ...]
    # Instrumented code makes gcc warn falsely, so only the release variant takes -Werror.
    may_werror: bool = False
    parser_flags: tuple[str, ...] = ()  # of PARSERS, in C++


def _sanitized(name: str, *flags: str, link_flags: tuple[str, ...] = ()) -> Variant:
    checks = ("-O1", "-g1", "-fno-omit-frame-pointer", "-fno-wrapv", "-UNDEBUG")
    return Variant(name, (*checks, "-D_GLIBCXX_ASSERTIONS", *flags), link_flags or flags)


# Checks of undefined behaviour are much code: by -Og it is compiled in two thirds of the time.
# FASTPIPE_SCHEDULED lets a test decide which thread runs (csrc/core/scheduler.h): there, because a
# rare interleaving often shows as a use of what is gone.
_VARIANTS = {
    "": Variant("release", ("-O3", "-g0", "-DNDEBUG"), ("-s",), may_werror=True),
    "address": _sanitized(
        "address",
        *("-Og", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
        "-DFASTPIPE_SCHEDULED",
    ),
    "thread": _sanitized("thread", "-fsanitize=thread"),
    "undefined": _sanitized(
        "undefined", "-Og", "-fsanitize=undefined", "-fno-sanitize-recover=all"
    ),
    # For libFuzzer, so by clang, which also checks what core/mutex.h says of locks. Slow inputs are
    # found sooner where the code is as fast as can be.
    "fuzz": _sanitized(
        "fuzz",
        *("-O2", "-Wthread-safety"),
        *("-fsanitize=fuzzer-no-link,address,undefined", "-fno-sanitize-recover=all"),
        link_flags=("-fsanitize=fuzzer,address,undefined",),
    ),
    # Not optimised, so that each branch of the source is one of the code.
    "coverage": Variant(
        "coverage",
        ("-O0", "-g1", "-UNDEBUG", "--coverage", "-fprofile-update=atomic"),
        ("--coverage",),
        # An exception only passes through them. Where it may, gcc counts two branches a call.
        parser_flags=("-fno-exceptions",),
    ),
}


def variant(sanitize: str | None = None) -> Variant:
    """The variant named by `sanitize`, by default by the environment's FASTPIPE_SANITIZE."""
    name = os.environ.get("FASTPIPE_SANITIZE", "") if sanitize is None else sanitize
    if name not in _VARIANTS:
        known = ", ".join(filter(None, _VARIANTS))
        raise BuildError(f"FASTPIPE_SANITIZE={name!r}: expected nothing or one of {known}")
    return _VARIANTS[name]


@dataclass(frozen=True)
class Unit:
    """A source to compile, its path from the root, with flags of its own.

    `generated` code gets no -Wextra and no -Werror: its warnings are not ours to mend.
    """

    source: Path
    flags: tuple[str, ...] = ()
    generated: bool = False
    folder: str = ""  # of its object, below that of the variant


def units_under(folder: str, flags: tuple[str, ...] = (), root: Path = ROOT) -> list[Unit]:
    """Every C and C++ source under `folder`."""
    found = [path for ending in ("cc", "c") for path in root.glob(f"{folder}/**/*.{ending}")]
    return [Unit(path.relative_to(root), flags) for path in sorted(found)]


def with_fault_points(units: Iterable[Unit], root: Path = ROOT) -> list[Unit]:
    """The same units for a test build: those that hold fault points are compiled with them, apart
    from the objects that everybody gets; the others are these very objects."""
    return [_with_points(unit) if _holds_points(root / unit.source) else unit for unit in units]


def _with_points(unit: Unit) -> Unit:
    return replace(unit, flags=(*unit.flags, "-DFASTPIPE_FAULT_POINTS"), folder="fault-points")


def _holds_points(source: Path) -> bool:
    return '#include "core/fault_points.h"' in source.read_text(encoding="utf-8")


def extension_unit() -> Unit:
    """The C++ that Cython makes of the door. It lies under build/, out of source tree and wheel."""
    import numpy
    from Cython.Build import cythonize
    from setuptools import Extension

    (generated,) = cythonize(
        [Extension("fastpipe._core", ["fastpipe/_core.pyx"], language="c++")],
        build_dir="build/cython",
        compiler_directives={"language_level": 3},
        quiet=True,
    )
    folders = (*map(sysconfig.get_config_var, ("INCLUDEPY", "CONFINCLUDEPY")), numpy.get_include())
    includes = [f"-I{folder}" for folder in dict.fromkeys(folders)]
    flags = (*includes, "-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION")
    return Unit(Path(generated.sources[0]), flags, generated=True)


@dataclass(frozen=True)
class _Step:
    """One run of a compiler or linker that makes `output` from `inputs`; paths from the root."""

    output: Path
    command: tuple[str, ...]
    inputs: tuple[Path, ...]
    record: Path  # the fingerprint of the run that made the output
    depfile: Path | None = None
    werror: bool = False
    # How the compiler is called, if a precompiled header made by the same call may serve it.
    dialect: tuple[str, ...] = ()


class Builder:
    """Compiles and links one variant. Hold `lock()` around its use."""

    def __init__(self, variant: Variant, root: Path = ROOT, werror: bool | None = None) -> None:
        if werror is None:
            werror = os.environ.get("FASTPIPE_WERROR", "") not in ("", "0")
        self._root = root
        self._variant = variant
        self._werror = werror and variant.may_werror
        self._objects = Path("build/objects") / variant.name
        self._digests: dict[Path, str] = {}

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Two builds of one tree at the same time would write the same objects."""
        build = self._root / "build"
        build.mkdir(exist_ok=True)
        with open(build / ".lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def compile(self, units: Iterable[Unit]) -> list[Path]:
        """Compiles what is not up to date; returns the objects of all `units` in their order."""
        steps = [self._compile_step(unit) for unit in units]
        stale = [step for step in steps if not self._is_current(step)]
        # The largest first, so that no long compilation is left alone at the end.
        stale.sort(key=lambda step: -(self._root / step.inputs[0]).stat().st_size)
        failures = []
        pool = ThreadPoolExecutor(os.cpu_count() or 1)
        with pool, self._precompiled(stale, pool) as options:
            runs = pool.map(lambda step: self._compile(step, options.get(step.dialect)), stale)
            try:
                for number, failure in enumerate(runs, 1):
                    print(f"[{number}/{len(stale)}] {stale[number - 1].inputs[0]}", file=sys.stderr)
                    if failure:
                        failures.append(failure)
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                raise
        if failures:
            raise BuildError("\n".join(failures))
        return [step.output for step in steps]

    def link(self, objects: Sequence[Path], output: Path, *, shared: bool) -> None:
        """Links `objects` to a Python extension (`shared`) or to a program, if not up to date."""
        linker = _tool("LDCXXSHARED", "g++ -shared") if shared else _tool("CXX", "g++")
        command = (
            *linker,
            *map(str, objects),
            *("-pthread", *self._variant.link_flags),
            *(f"-l{library}" for library in LIBRARIES),
            *("-o", str(output)),
        )
        # Not beside the output, whose folder goes into the wheel as it is.
        name = hashlib.sha256(str(output).encode()).hexdigest()[:16]
        step = _Step(output, command, tuple(objects), Path(f"build/objects/{name}.link"))
        if not self._is_current(step):
            failure = self._run(step)
            if failure:
                raise BuildError(failure)

    def _compile_step(self, unit: Unit) -> _Step:
        base = self._objects / unit.folder / unit.source
        output, record, depfile = (base.with_name(base.name + end) for end in (".o", ".ok", ".d"))
        is_c = unit.source.suffix == ".c"
        is_parser = PARSERS.fullmatch(unit.source.as_posix())
        compiler = _tool("CC", "gcc") if is_c else _tool("CXX", "g++")
        dialect = (
            *compiler,
            *(_C_FLAGS if is_c else _CXX_FLAGS),
            *_BASE_FLAGS,
            *self._variant.compile_flags,
            *(self._variant.parser_flags if is_parser and not is_c else ()),
            *(_WARNINGS[:1] if unit.generated else _WARNINGS),
            *(() if "clang" in compiler[0] else _FALSE_GCC_WARNINGS),
            *unit.flags,
        )
        files = ("-MMD", "-MF", str(depfile), "-c", str(unit.source), "-o", str(output))
        werror = self._werror and not unit.generated
        if is_c or not _gains_by_precompiling(compiler[0]):
            return _Step(output, (*dialect, *files), (unit.source,), record, depfile, werror)
        return _Step(output, (*dialect, *files), (unit.source,), record, depfile, werror, dialect)

    @contextlib.contextmanager
    def _precompiled(
        self, stale: Sequence[_Step], pool: ThreadPoolExecutor
    ) -> Iterator[dict[tuple[str, ...], tuple[str, ...]]]:
        """The options by which steps of a dialect read the common headers precompiled.

        Only a large build does so, and it leaves nothing behind: the options are no part of a
        step's fingerprint, and a changed source, compiled alone, must include all it uses.
        """
        counts = Counter(step.dialect for step in stale if step.dialect)
        dialects = [dialect for dialect, count in counts.items() if count >= _MANY_SOURCES]
        folder = self._objects / "precompiled"
        headers = [folder / f"common_{number}.h" for number in range(len(dialects))]
        shutil.rmtree(self._root / folder, ignore_errors=True)
        (self._root / folder).mkdir(parents=True)
        try:
            yield dict(zip(dialects, pool.map(self._precompile, dialects, headers)))
        finally:
            shutil.rmtree(self._root / folder)

    def _precompile(self, dialect: tuple[str, ...], header: Path) -> tuple[str, ...]:
        includes = "".join(f"#include <{name}>\n" for name in _COMMON_HEADERS)
        (self._root / header).write_text(includes)
        command = (*dialect, "-x", "c++-header", str(header), "-o", f"{header}.gch")
        # Should it fail, the header is read as it is.
        subprocess.run(command, cwd=self._root, stdin=subprocess.DEVNULL)
        # A folder of the system's headers: the compiler does not list them as inputs.
        return ("-isystem", str(header.parent), "-include", header.name)

    def _compile(self, step: _Step, options: tuple[str, ...] | None) -> str | None:
        """What it printed, if it failed. What fails by `options` is compiled again without: gcc
        forgets which warnings a header turns off for itself when it precompiles it."""
        if options and self._run(step, options) is None:
            return None
        return self._run(step)

    def _run(self, step: _Step, options: tuple[str, ...] = ()) -> str | None:
        """Runs one step, by `options` that are no part of its fingerprint; what it printed, if it
        failed."""
        for path in (step.output, step.record):
            (self._root / path).parent.mkdir(parents=True, exist_ok=True)
        (self._root / step.record).unlink(missing_ok=True)
        started = time.time_ns()
        done = subprocess.run(
            [*step.command, *options, *(("-Werror",) if step.werror else ())],
            cwd=self._root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode != 0:
            return f"cannot make {step.output}:\n{done.stdout}"
        if done.stdout:
            print(done.stdout, file=sys.stderr, end="")
        # A source saved while it was compiled: leave no record, so that the next build looks again.
        if all((self._root / path).stat().st_mtime_ns <= started for path in self._inputs(step)):
            text = f"{self._fingerprint(step)} {int(step.werror)}\n"
            (self._root / step.record).write_text(text)
        return None

    def _is_current(self, step: _Step) -> bool:
        try:
            fingerprint, werror = (self._root / step.record).read_text().split()
            # What compiled under -Werror also serves without it, not the other way round.
            if not (self._root / step.output).exists() or (step.werror and werror == "0"):
                return False
            return fingerprint == self._fingerprint(step)
        except (OSError, ValueError):  # no record, or an input is gone: run, and see
            return False

    def _inputs(self, step: _Step) -> list[Path]:
        """What the output was made from, by the compiler's own account where there is one."""
        if step.depfile is None:
            return list(step.inputs)
        text = (self._root / step.depfile).read_text()
        return [Path(word) for word in shlex.split(text.replace("\\\n", " "))[1:]]

    def _fingerprint(self, step: _Step) -> str:
        """Of contents, not times: a fresh checkout of the same sources needs no rebuild."""
        whole = hashlib.sha256(shlex.join(step.command).encode())
        for path in self._inputs(step):
            if path not in self._digests:
                content = (self._root / path).read_bytes()
                self._digests[path] = hashlib.sha256(content).hexdigest()
            whole.update(f"{path}\0{self._digests[path]}\0".encode())
        return whole.hexdigest()


def _gains_by_precompiling(program: str) -> bool:
    """Not clang, whose precompiled headers are others; and ccache, which keeps nothing that was
    compiled with one, gains more by itself."""
    path = shutil.which(program)
    return path is not None and "clang" not in program and Path(path).resolve().name != "ccache"


@cache
def _tool(name: str, fallback: str) -> tuple[str, ...]:
    """A compiler as Python was built with; CC and CXX in the environment win."""
    words = shlex.split(sysconfig.get_config_var(name) or fallback)
    program = os.environ.get("CC" if name == "CC" else "CXX")
    return (*shlex.split(program), *words[1:]) if program else tuple(words)
