"""Pipelines in worker processes, however these are started, while the parent's are at full load."""

import multiprocessing
import pickle
from pathlib import Path

import pytest
from process import CHILD_SECONDS, run

import fastpipe as fp

METHODS = ("fork", "spawn", "forkserver")
ELEMENTS = 60


def tripled(value):
    return value * 3


def numbers(size=4):
    return iter(range(int(size)))


def native():
    ds = fp.Dataset.range(ELEMENTS).map(lambda x: x * 2 + 1, num_parallel_calls=2)
    return ds.shuffle(9, seed=1).batch(10, num_parallel_calls=2).prefetch(fp.AUTOTUNE)


def calling():
    ds = fp.Dataset.from_generator(numbers, output_signature=fp.TensorSpec((), "int64"), args=(5,))
    ds = ds.map(lambda x: fp.py_function(tripled, [x], fp.int64), num_parallel_calls=2)
    return ds.map(tripled, output_signature=fp.TensorSpec((), "int64"))


def flat(dataset):
    return [int(x) for batch in dataset for x in batch.ravel()]


def work(dataset, shard, results):
    results.put((shard, flat(dataset.shard(2, shard))))


def share(method):
    """Two workers read half of the batches each, while a pipeline of the parent runs."""
    busy = iter(native().repeat())
    next(busy)
    context = multiprocessing.get_context(method)
    results = context.Queue()
    workers = [context.Process(target=work, args=(native(), i, results)) for i in range(2)]
    for worker in workers:
        worker.start()
    got = dict(results.get(timeout=CHILD_SECONDS) for _ in workers)
    for worker in workers:
        worker.join(CHILD_SECONDS)
        assert worker.exitcode == 0
    batches = [batch.tolist() for batch in native()]
    for shard in range(2):
        assert got[shard] == [x for batch in batches[shard::2] for x in batch]
    assert len(next(busy)) == 10
    print("right")


# In a process of its own: the helpers of multiprocessing stay as long as the process does.
@pytest.mark.parametrize("method", METHODS)
def test_workers_read_their_shards_of_a_dataset_they_are_given(method):
    done = run(
        """
        import sys
        sys.path[:0] = sys.argv[2:]
        import test_worker_processes
        test_worker_processes.share(sys.argv[1])
        """,
        method,
        str(Path(__file__).parent),
        str(Path(__file__).parents[1]),
    )
    assert (done.stdout, done.returncode) == ("right\n", 0), done.stderr


def test_a_dataset_that_calls_functions_of_a_module_can_be_pickled():
    copy = pickle.loads(pickle.dumps(calling()))
    assert [int(x) for x in copy] == [0, 9, 18, 27, 36]
    assert copy.fingerprint() == calling().fingerprint()


def test_a_dataset_that_tells_of_errors_can_be_pickled():
    ds = fp.Dataset.range(3).ignore_errors(on_error=tripled)
    assert [int(x) for x in pickle.loads(pickle.dumps(ds))] == [0, 1, 2]


SPEC = fp.TensorSpec((), "int64")
UNPICKLABLE = {
    "py_function": lambda: fp.Dataset.range(3).map(
        lambda x: fp.py_function(lambda v: v, [x], fp.int64)
    ),
    "a map that runs as Python": lambda: fp.Dataset.range(3).map(
        lambda x: x, output_signature=SPEC
    ),
    "a generator": lambda: fp.Dataset.from_generator(lambda: [1], output_signature=SPEC),
    "on_error": lambda: fp.Dataset.range(3).ignore_errors(on_error=lambda error: None),
}


@pytest.mark.parametrize("name", UNPICKLABLE)
def test_a_dataset_that_calls_a_lambda_says_why_it_cannot_be_pickled(name):
    with pytest.raises(
        TypeError, match=r"Python function <function .*<lambda>.* cannot be pickled: .*of a module"
    ):
        pickle.dumps(UNPICKLABLE[name]())
