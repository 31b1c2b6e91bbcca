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
        print(error)
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
