"""Pipelines live within the descriptors of their process, whatever their cycles and threads."""

import pytest
from process import run

LIMIT = 64
FILES = 1000

_PROGRAM = """
import os, resource, tempfile
with tempfile.TemporaryDirectory() as folder:
    for number in range(files):
        path = f"{folder}/{number:04}"
        if records:
            with fp.io.TFRecordWriter(path) as writer:
                for record in range(3):
                    writer.write(b"%d %d" % (number, record))
        else:
            with open(path, "w") as file:
                file.write(f"{number}\\n" * 3)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    programs_own = [os.open("/dev/null", os.O_RDONLY) for _ in range(held)]
    names = fp.Dataset.list_files(folder + "/*")
    found = list(DATASET)
    print(sorted(found) == sorted(EXPECTED))
"""

LINES = "b'%d' % n for n in range(files) for _ in range(3)"
WHOLE = "(b'%d\\n' % n) * 3 for n in range(files)"
RECORDS = "b'%d %d' % (n, r) for n in range(files) for r in range(3)"

PIPELINES = {
    "interleave of more than there are": (
        "names.interleave(fp.TextLineDataset, cycle_length=200, num_parallel_calls=fp.AUTOTUNE)",
        LINES,
    ),
    "interleave on one thread": (
        "names.interleave(fp.TextLineDataset, cycle_length=200)",
        LINES,
    ),
    "interleave on more threads than there are": (
        "names.interleave(fp.TextLineDataset, cycle_length=100, "
        "num_parallel_calls=100, deterministic=False)",
        LINES,
    ),
    "map on more threads than there are": (
        "names.map(fp.io.read_file, num_parallel_calls=128).shuffle(100)",
        WHOLE,
    ),
    "records, shuffled": (
        "names.interleave(fp.TFRecordDataset, cycle_length=200, "
        "num_parallel_calls=fp.AUTOTUNE).shuffle(500).prefetch(fp.AUTOTUNE)",
        RECORDS,
    ),
}


@pytest.mark.parametrize(
    ("name", "held"),
    [("interleave of more than there are", 0), *((name, 50) for name in PIPELINES)],
)
def test_a_thousand_files_are_read_with_few_descriptors(name, held):
    dataset, expected = PIPELINES[name]
    facts = f"files, limit, held, records = {FILES}, {LIMIT}, {held}, {'TFRecord' in dataset}"
    program = _PROGRAM.replace("DATASET", dataset).replace("EXPECTED", expected)
    done = run(facts + program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_without_any_descriptor_the_error_names_the_file_and_the_limit(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("line\n")
    done = run(
        """
        import os, resource, sys
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        it = iter(fp.Dataset.from_tensor_slices([sys.argv[1]] * 2).map(fp.io.read_file))
        held = []
        try:
            while True:
                held.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            pass
        try:
            next(it)
        except fp.errors.ResourceExhaustedError as error:
            message = str(error)
        os.close(held.pop())
        read = next(it)
        for each in held:
            os.close(each)
        print(sys.argv[1] in message, "RLIMIT_NOFILE is 64" in message, "ulimit -n" in message)
        print(read)
        """,
        str(path),
    )
    assert done.stdout.splitlines() == ["True True True", "b'line\\n'"], done
