"""Builds the native test binary from csrc/ and tests/native/, and runs it on request.

python tests/native/build.py [--sanitize address|thread] [--run [DOCTEST_ARGUMENT ...]]
python tests/native/build.py --extension

prints the path of the binary, or replaces itself by a run of it. Without a sanitizer it is linked
from the very objects of the extension, so that little is compiled twice: only what holds fault
points (csrc/core/fault_points.h) is. --extension builds a test extension, fastpipe._core with fault
points, and prints its path; tests/faults.py loads it.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from build_native import (  # noqa: E402
    Builder,
    BuildError,
    extension_unit,
    units_under,
    variant,
    with_fault_points,
)

_SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "exitcode=66:second_deadlock_stack=1",
}


def build(sanitize: str = "") -> Path:
    """The path of the up-to-date test binary. Raises BuildError with the compiler's output."""
    chosen = variant(sanitize)
    builder = Builder(chosen)
    with builder.lock():
        # doctest's assertions expand to much code, which is run once: do not optimise it.
        tests = [
            *units_under("tests/native", ("-O0",)),
            *units_under("tests/fuzz/targets", ("-O0",)),
        ]
        units = [*units_under("csrc"), *tests]
        if sanitize == "thread":
            # Kernels know nothing of threads, and are half of what there is to compile.
            units = [unit for unit in units if "kernels" not in unit.source.parts]
        objects = builder.compile(with_fault_points(units))
        binary = Path("build") / f"native-{chosen.name}" / "native_tests"
        builder.link(objects, binary, shared=False)
    return ROOT / binary


def build_extension(sanitize: str = "") -> Path:
    """The path of the up-to-date test extension. Raises BuildError with the compiler's output."""
    chosen = variant(sanitize)
    builder = Builder(chosen)
    with builder.lock():
        objects = builder.compile(with_fault_points([extension_unit(), *units_under("csrc")]))
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        extension = Path("build") / f"extension-{chosen.name}-with-fault-points" / f"_core{suffix}"
        builder.link(objects, extension, shared=True)
    return ROOT / extension


def command(binary: Path, sanitize: str = "") -> list[str]:
    """How to start the binary. gcc 12's ThreadSanitizer cannot map its shadow memory under the
    stronger address randomisation of newer kernels, so that is turned off where it is on."""
    bits = Path("/proc/sys/vm/mmap_rnd_bits")
    if sanitize == "thread" and bits.exists() and int(bits.read_text()) > 28:
        return ["setarch", platform.machine(), "-R", str(binary)]
    return [str(binary)]


def environment() -> dict[str, str]:
    return {**_SANITIZER_OPTIONS, **os.environ}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--sanitize", default="", choices=["", "address", "thread", "undefined", "coverage"]
    )
    parser.add_argument("--extension", action="store_true", help="build the test extension")
    parser.add_argument("--run", nargs=argparse.REMAINDER, help="run it with these arguments")
    options = parser.parse_args()
    os.chdir(ROOT)
    try:
        binary = (build_extension if options.extension else build)(options.sanitize)
    except BuildError as error:
        sys.exit(str(error))
    if options.run is None:
        print(binary)
        return
    line = [*command(binary, options.sanitize), *options.run]
    os.execvpe(line[0], line, environment())


if __name__ == "__main__":
    main()
