"""Pipelines stay within the cores, the memory and the descriptors that their process has.

Each limit in processes of its own: one core by affinity, 1.5 cores and 512 MiB by cgroups (files
that look like them), and 64 descriptors for 1,000 files.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from process import run as run_program
from verdict import Verdict, all_of

ROUNDS = 10
MOST_BUFFERED = (512 << 20) // 2

# Workers that are on a core or wait for one, seen again and again: nine looks of ten are to see no
# more than one beyond the budget, as those that are woken up are on their way to sleep. Another
# process looks, at any time: the consumer would look just when a result has woken up others.
_LOOKS = """
import os, sys, time
tasks = f"/proc/{sys.argv[1]}/task"
os.sched_setaffinity(0, range(os.cpu_count()))

def runnable():
    found = 0
    for task in os.listdir(tasks):
        try:
            with open(f"{tasks}/{task}/stat") as stat:
                name, _, fields = stat.read().partition(" (")[2].rpartition(") ")
        except OSError:
            continue
        found += name.startswith("fp-") and fields[0] == "R"
    return found

seen = []
end = time.monotonic() + 5.0
while time.monotonic() < end:
    seen.append(runnable())
    time.sleep(0.001)
seen.sort()
print(seen[len(seen) * 9 // 10])
"""
_CORES = f"""
import json, os, subprocess, sys
if len(sys.argv) > 1:
    os.environ["FASTPIPE_CGROUP_ROOT"] = sys.argv[1]
else:
    os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})

ds = fp.Dataset.counter().map(
    lambda x: fp.math.reduce_sum(fp.math.sqrt(fp.cast(fp.range(20_000), "float32"))) + 0.0,
    num_parallel_calls=fp.AUTOTUNE)
it = iter(ds.batch(4, num_parallel_calls=fp.AUTOTUNE).prefetch(fp.AUTOTUNE))
next(it)
looks = subprocess.Popen([sys.executable, "-c", {_LOOKS!r}, str(os.getpid())],
                         stdout=subprocess.PIPE)
while looks.poll() is None:
    next(it)
print(json.dumps({{"budget": fp._core.cpu_count(), "runnable": int(looks.stdout.read())}}))
"""
_MEMORY = """
import json, os, sys, time
os.environ["FASTPIPE_CGROUP_ROOT"] = sys.argv[1]
ds = fp.Dataset.counter().map(lambda x: fp.zeros([4 << 20]) + fp.cast(x, "float32"),
                              num_parallel_calls=fp.AUTOTUNE)
it = iter(ds.map(lambda x: x * 2.0, num_parallel_calls=fp.AUTOTUNE).prefetch(fp.AUTOTUNE))
most = 0
for _ in range(20):
    next(it)
    for _ in range(5):
        most = max(most, fp._core.buffer_bytes()[0])
        time.sleep(0.01)
print(json.dumps({"budget": it.budgets()[1], "most": most}))
"""
_FILES = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
lines = fp.Dataset.list_files(sys.argv[1] + "/*").interleave(
    fp.TextLineDataset, cycle_length=200, num_parallel_calls=fp.AUTOTUNE)
whole = fp.Dataset.list_files(sys.argv[1] + "/*").map(fp.io.read_file, num_parallel_calls=128)
print(json.dumps([len(set(lines.shuffle(100))), len(set(whole.shuffle(100)))]))
"""


def run(rounds: int) -> list[Verdict]:
    with tempfile.TemporaryDirectory() as name:
        system, files = Path(name) / "system", Path(name) / "files"
        groups = system / "sys/fs/cgroup/limited/inner"
        groups.mkdir(parents=True)
        (groups.parent / "cpu.max").write_text("150000 100000\n")
        (groups.parent / "memory.max").write_text(f"{512 << 20}\n")
        (groups / "cpu.max").write_text("max 100000\n")
        (system / "proc/self").mkdir(parents=True)
        (system / "proc/self/cgroup").write_text("0::/limited/inner\n")
        files.mkdir()
        for number in range(1000):
            (files / str(number)).write_text(f"{number}\n")
        return [
            _all("runnable workers <= cores + 1 on one core", rounds, lambda: _cores(1)),
            _all("the same with a quota of 1.5", rounds, lambda: _cores(2, str(system))),
            _all("buffers <= half of 512 MiB", rounds, lambda: _memory(str(system))),
            _all("1,000 files with 64 descriptors", rounds, lambda: _files(str(files))),
        ]


def _all(what: str, rounds: int, wrong: Callable[[], str]) -> Verdict:
    return all_of(what, rounds, [each for each in (wrong() for _ in range(rounds)) if each])


def _cores(most: int, *arguments: str) -> str:
    seen = _run(_CORES, *arguments)
    met = 1 <= seen["budget"] <= most and seen["runnable"] <= seen["budget"] + 1
    return "" if met else f"a budget of {seen['budget']}, {seen['runnable']} runnable"


def _memory(system: str) -> str:
    seen = _run(_MEMORY, system)
    met = seen["budget"] <= MOST_BUFFERED and seen["most"] <= MOST_BUFFERED
    return "" if met else f"a budget of {seen['budget']} bytes, {seen['most']} in buffers"


def _files(folder: str) -> str:
    seen = _run(_FILES, folder)
    return "" if seen == [1000, 1000] else f"{seen[0]} lines and {seen[1]} files"


def _run(program: str, *arguments: str) -> Any:
    done = run_program(program, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
