"""A process ends cleanly whatever still runs; a forked child gets a clear error."""

import pytest
from process import run

LIVE = {
    "parallel map": "fp.Dataset.range(10**9).map(lambda x: x + 1, num_parallel_calls=4)",
    "prefetch": "fp.Dataset.range(10**9).prefetch(10)",
    "autotune": "fp.Dataset.range(10**9).map(lambda x: x, num_parallel_calls=fp.AUTOTUNE)"
    ".prefetch(fp.AUTOTUNE)",
    "interleave": "fp.Dataset.range(10**9).interleave(lambda x: fp.Dataset.range(x), "
    "cycle_length=4, num_parallel_calls=4)",
    "python function": "fp.Dataset.range(10**9).map(lambda x: fp.py_function(lambda v: v, [x], "
    "fp.int64), num_parallel_calls=4)",
    "python fallback": "fp.Dataset.range(10**9).map(lambda x: int(x), num_parallel_calls=2)",
    "generator": "fp.Dataset.from_generator(lambda: iter(range(10**9)), "
    "output_signature=fp.TensorSpec((), 'int64')).prefetch(4)",
    "nested": "fp.Dataset.range(10**9).interleave(lambda x: fp.Dataset.range(x, x + 9).map("
    "lambda y: fp.py_function(lambda v: v, [y], fp.int64), num_parallel_calls=2), "
    "cycle_length=2, num_parallel_calls=2).batch(3).prefetch(2)",
}

ENDS = {
    "the end of the program": ("", 0),
    "sys.exit": ("import sys; sys.exit(3)", 3),
    "an exception": ("raise SystemExit('bye')", 1),
    "a thread that still iterates": (
        "import threading; threading.Thread(target=lambda: list(ds.take(100))).start()",
        0,
    ),
    "a cycle that holds the iterator": ("holder = [it]; holder.append(holder); del it", 0),
}


@pytest.mark.parametrize("pipeline", LIVE.values(), ids=LIVE.keys())
@pytest.mark.parametrize(("end", "code"), ENDS.values(), ids=ENDS.keys())
def test_a_process_ends_cleanly_with_a_live_iterator(pipeline, end, code):
    done = run(
        f"""
import warnings
warnings.simplefilter("ignore", fp.PythonFallbackWarning)
ds = {pipeline}
it = iter(ds)
next(it); next(it)
{end}
"""
    )
    assert done.returncode == code, done.stderr
    assert done.stderr == ("bye\n" if "bye" in end else "")


def test_iterators_in_globals_and_threads_end_together():
    done = run(
        """
        import threading
        its = [iter(fp.Dataset.range(10**9).map(lambda x: x, num_parallel_calls=2).prefetch(2))
               for _ in range(20)]
        for it in its:
            next(it)
        def consume():
            for _ in its[0]:
                pass
        threading.Thread(target=consume, daemon=True).start()
        print(len(its))
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "20\n", "")


FORK = """
import os, sys
ds = {pipeline}
it = iter(ds)
next(it)
pid = os.fork()
if pid == 0:
    try:
        next(it)
        print("no error", flush=True)
    except fp.errors.FailedPreconditionError as error:
        print("child:", "fork" in str(error), flush=True)
    mine = iter(ds)
    print("child:", int(next(mine)), int(next(mine)), flush=True)
    del mine, it
    sys.exit(0)
_, status = os.waitpid(pid, 0)
print("status", os.waitstatus_to_exitcode(status), flush=True)
print("parent:", int(next(it)), flush=True)
"""


@pytest.mark.parametrize(
    "pipeline",
    [
        "fp.Dataset.range(100)",
        "fp.Dataset.range(100).map(lambda x: x, num_parallel_calls=4)",
        "fp.Dataset.range(100).map(lambda x: x, num_parallel_calls=fp.AUTOTUNE).prefetch(2)",
        "fp.Dataset.range(100).interleave(lambda x: fp.Dataset.range(x, x + 1), cycle_length=4, "
        "num_parallel_calls=4)",
        "fp.Dataset.range(100).map(lambda x: fp.py_function(lambda v: v, [x], fp.int64), "
        "num_parallel_calls=2)",
    ],
    ids=["sequential", "parallel map", "autotune", "parallel interleave", "python function"],
)
def test_a_forked_child_gets_a_clear_error_and_can_start_anew(pipeline):
    done = run(FORK.format(pipeline=pipeline))
    assert done.stdout.splitlines() == ["child: True", "child: 0 1", "status 0", "parent: 1"], done
    assert done.returncode == 0
    lines = [line for line in done.stderr.splitlines() if "fork" not in line]
    assert lines == []


def test_worker_processes_can_run_their_own_pipelines():
    done = run(
        """
        import multiprocessing

        def total(count):
            ds = fp.Dataset.range(count).map(lambda x: x, num_parallel_calls=2)
            return sum(int(x) for x in ds)

        it = iter(fp.Dataset.range(100).prefetch(2))
        next(it)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(total, [10, 20, 30]))
        """
    )
    assert (done.returncode, done.stdout) == (0, "[45, 190, 435]\n"), done.stderr


def test_a_forked_child_is_told_nothing_of_stages_that_stayed_in_the_parent():
    """What it would read may be half written, under a lock that stays locked."""
    done = run(
        """
        import os
        ds = fp.Dataset.range(10**9).map(lambda x: x, num_parallel_calls=fp.AUTOTUNE)
        it = iter(ds.prefetch(fp.AUTOTUNE))
        next(it)
        print(len(it.stats()), flush=True)
        if os.fork() == 0:
            print(it.stats(), it.autotune_log(), "fork" in it.bottleneck(), flush=True)
            os._exit(0)
        os.wait()
        print(len(it.stats()), int(next(it)))
        """
    )
    assert done.stdout.splitlines() == ["2", "[] [] True", "2 1"], done
