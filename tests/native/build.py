"""Builds the native test binary from csrc/ and tests/native/, and runs it on request.

python tests/native/build.py [--sanitize VARIANT ...] [--short] [--run [DOCTEST_ARGUMENT ...]]
python tests/native/build.py --extension

prints the path of the binary, or runs it; those of several variants run side by side. Without a
sanitizer it is linked from the very objects of the extension, so that little is compiled twice:
only what holds fault points (csrc/core/fault_points.h) is. --extension builds a test extension,
fastpipe._core with fault points, and prints its path; tests/faults.py loads it.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
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

# What one thread computes and takes a sanitizer long.
_LEFT_OUT_IF_SHORT = {
    "address": ["-tce=model: 600*"],
    "thread": ["-tce=every processor*,model: 600*"],
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


def run(binaries: dict[str, Path], arguments: list[str], short: bool) -> bool:
    """Runs the binary of each variant, side by side: most tests use one core. What they print comes
    one after the other. Whether all passed."""
    runs = []
    for sanitize, binary in binaries.items():
        left_out = _LEFT_OUT_IF_SHORT.get(sanitize, []) if short else []
        line = [*command(binary, sanitize), *arguments, *left_out]
        output = None if len(binaries) == 1 else subprocess.PIPE
        errors = None if output is None else subprocess.STDOUT
        runs.append(subprocess.Popen(line, env=environment(), stdout=output, stderr=errors))
    with ThreadPoolExecutor(len(runs)) as pool:
        for sanitize, printed in zip(binaries, pool.map(lambda each: each.communicate()[0], runs)):
            if printed is not None:
                print(f"== {sanitize}", printed.decode(errors="replace"), sep="\n", flush=True)
    return all(each.returncode == 0 for each in runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    variants = ["", "address", "thread", "undefined", "coverage"]
    parser.add_argument("--sanitize", nargs="+", default=[""], choices=variants)
    parser.add_argument("--extension", action="store_true", help="build the test extension")
    parser.add_argument("--short", action="store_true", help="without what takes a sanitizer long")
    parser.add_argument("--run", nargs=argparse.REMAINDER, help="run it with these arguments")
    options = parser.parse_args()
    os.chdir(ROOT)
    make = build_extension if options.extension else build
    try:
        binaries = {sanitize: make(sanitize) for sanitize in options.sanitize}
    except BuildError as error:
        sys.exit(str(error))
    if options.run is None:
        print(*binaries.values(), sep="\n")
    elif not run(binaries, options.run, options.short):
        sys.exit(1)


if __name__ == "__main__":
    main()
