"""The test extension lets faults of the system strike, and the normal one holds nothing of them."""

from __future__ import annotations

import ctypes

import pytest
from faults import build_test_extension
from process import WITH_FAULTS, run

from fastpipe import _core

_PROGRAM = """
import errno
kind, *paths = sys.argv[1:]
faults.arm(kind, first=2, error=errno.EIO)
for path in paths:
    try:
        print(fp.io.read_file(path).decode())
    except fp.errors.UnavailableError as error:
        print(str(error).splitlines()[0])
print(faults.calls(kind))
"""


@pytest.mark.parametrize("kind", ["open", "stat"])
def test_one_file_cannot_be_opened_and_the_others_can(tmp_path, kind):
    paths = [tmp_path / name for name in ("a", "b", "c")]
    for path in paths:
        path.write_text(f"text of {path.name}")
    done = run(_PROGRAM, kind, *map(str, paths), header=WITH_FAULTS)
    assert done.returncode == 0, done.stderr
    first, second, third, calls = done.stdout.splitlines()
    assert (first, third, int(calls) >= 3) == ("text of a", "text of c", True)
    assert second.startswith(f"cannot open '{paths[1]}': Input/output error")


def test_a_read_that_stalls_gives_its_bytes_when_it_is_released(tmp_path):
    path = tmp_path / "a"
    path.write_text("its bytes")
    program = """
    import threading
    faults.arm("read", stall=faults.FOREVER)
    found = []
    reader = threading.Thread(target=lambda: found.append(fp.io.read_file(sys.argv[1])))
    reader.start()
    while not faults.calls("read"):
        pass
    print(found)
    faults.release()
    reader.join()
    print(found)
    """
    done = run(program, str(path), header=WITH_FAULTS)
    assert (done.stdout.splitlines(), done.stderr) == (["[]", "[b'its bytes']"], "")


def test_the_normal_extension_holds_no_fault_points():
    assert hasattr(ctypes.CDLL(str(build_test_extension())), "fastpipe_arm_fault")
    assert not hasattr(ctypes.CDLL(_core.__file__), "fastpipe_arm_fault")


# Each over numbers of which none is lost but for an error.
_PIPELINES = """
def numbers(*parts):
    return fp.Dataset.range(*parts)

pipelines = {
    "concatenate": numbers(3).concatenate(numbers(3, 6)).concatenate(numbers(6, 9)),
    "repeat": numbers(3).repeat(3),
    "shuffle": numbers(9).shuffle(4, seed=1).repeat(2),
    "map": numbers(9).map(lambda x: x + 1, num_parallel_calls=2),
    "interleave": numbers(3).interleave(
        lambda x: fp.Dataset.range(x, x + 3), cycle_length=2, num_parallel_calls=2
    ),
    "flat_map": numbers(3).flat_map(lambda x: fp.Dataset.range(x, x + 3)),
    "zip": fp.Dataset.zip(numbers(9), numbers(9)).map(lambda x, y: x),
    "cache": numbers(4).cache().repeat(2),
    "filter": numbers(9).filter(lambda x: x % 2 == 0),
    "window": numbers(9).window(3).flat_map(lambda x: x),
    "batch": numbers(9).batch(2, num_parallel_calls=2).unbatch(),
    "scan": numbers(9).scan(fp.constant(0, fp.int64), lambda s, x: (s + x, x)),
}
"""


def test_memory_that_lacks_once_on_a_worker_ends_nothing_and_loses_nothing_silently():
    program = _PIPELINES + (
        """
import collections, errno
def run(dataset):
    found, errors = collections.Counter(), []
    iterator = iter(dataset)
    while len(errors) < 9:
        try:
            found[int(next(iterator))] += 1
        except StopIteration:
            break
        except MemoryError as error:
            errors.append(error)
    return found, errors

for name, dataset in pipelines.items():
    dataset = dataset.prefetch(1)
    whole, _ = run(dataset)
    faults.disarm()
    run(dataset)
    calls = faults.calls("new")
    for first in range(1, calls + 1):
        faults.arm("new", first, error=errno.ENOMEM)
        found, errors = run(dataset)
        faults.disarm()
        missing, added = whole - found, found - whole
        if len(errors) > 1 or added or (missing and not errors):
            print(name, first, "of", calls, dict(missing), dict(added), errors)
    print(name, "tried" if calls > 5 else f"{calls} calls")
"""
    )
    done = run(program, header=WITH_FAULTS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(line.endswith(" tried") for line in done.stdout.splitlines()), done.stdout
