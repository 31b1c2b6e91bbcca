"""Builds the fuzzer by clang and runs its targets in turn, each for some time.

FUZZ_TARGET=png FUZZ_SECONDS=60 python tests/fuzz/run.py

Without FUZZ_TARGET all targets run; FUZZ_SECONDS is the time of each, by default 20 minutes. A
target starts from its committed corpus and from what earlier runs added in build/fuzz/TARGET.
An input that crashes, hangs or breaks a property is put into build/fuzz/findings and ends its
target; the others go on. To see one again: FUZZ_TARGET=png build/fuzz/fuzzer FILE.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path("tests/fuzz/corpus")
WORK = Path("build/fuzz")
FINDINGS = WORK / "findings"
sys.path.insert(0, str(ROOT))

from build_native import Builder, BuildError, Unit, units_under, variant  # noqa: E402

_SECONDS_OF_ONE_INPUT = 10
_MEGABYTES = 2560
_LONGEST_INPUT = 8192

# Of the kernels only those that targets call, which takes a third of the time to compile.
_KERNELS = ("csv", "example")
_SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def _is_needed(unit: Unit) -> bool:
    in_kernels = unit.source.parts[:2] == ("csrc", "kernels")
    return not in_kernels or any(word in unit.source.stem for word in _KERNELS)


def build() -> Path:
    """The path of the up-to-date fuzzer. Raises BuildError with the compiler's output."""
    for name, program in (("CC", "clang"), ("CXX", "clang++")):
        os.environ.setdefault(name, shutil.which(program) or f"{program}-14")
    builder = Builder(variant("fuzz"))
    with builder.lock():
        sources = [unit for unit in units_under("csrc") if _is_needed(unit)]
        objects = builder.compile([*sources, *units_under("tests/fuzz")])
        (ROOT / WORK).mkdir(parents=True, exist_ok=True)
        builder.link(objects, WORK / "fuzzer", shared=False)
    return ROOT / WORK / "fuzzer"


def targets(fuzzer: Path) -> list[str]:
    """The names of all targets."""
    environment = {name: value for name, value in os.environ.items() if name != "FUZZ_TARGET"}
    done = subprocess.run([fuzzer], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()


def fuzz(fuzzer: Path, target: str, seconds: int) -> bool:
    """Runs one target; whether it found nothing."""
    grown = WORK / target
    grown.mkdir(parents=True, exist_ok=True)
    FINDINGS.mkdir(parents=True, exist_ok=True)
    command = [
        str(fuzzer),
        f"-max_total_time={seconds}",
        f"-timeout={_SECONDS_OF_ONE_INPUT}",
        f"-rss_limit_mb={_MEGABYTES}",
        f"-max_len={_LONGEST_INPUT}",
        f"-artifact_prefix={FINDINGS}/{target}-",
        *("-use_value_profile=1", "-print_final_stats=1"),
        *(str(grown), str(CORPUS / target)),
    ]
    environment = {**_SANITIZER_OPTIONS, **os.environ, "FUZZ_TARGET": target}
    print(f"== {target}: {seconds} s", flush=True)
    return subprocess.run(command, env=environment).returncode == 0


def main() -> None:
    os.chdir(ROOT)
    try:
        fuzzer = build()
    except BuildError as error:
        sys.exit(str(error))
    known = targets(fuzzer)
    chosen = os.environ.get("FUZZ_TARGET", "")
    if chosen and chosen not in known:
        sys.exit(f"FUZZ_TARGET={chosen}: expected one of {', '.join(known)}")
    seconds = int(os.environ.get("FUZZ_SECONDS", "") or 1200)
    failed = [name for name in [chosen] if name] or known
    failed = [name for name in failed if not fuzz(fuzzer, name, seconds)]
    if failed:
        sys.exit(f"findings in {FINDINGS}: {', '.join(failed)}")


if __name__ == "__main__":
    main()
