"""An iterator used where it cannot wait: by its functions, its threads, a signal handler."""

import pytest
from process import eventually, run

import fastpipe as fp
from fastpipe import _core


@pytest.mark.parametrize("calls", [None, 2])
def test_a_function_may_close_its_own_iterator(calls):
    """Later elements say that the iterator is closed, and nothing of it stays behind."""
    result = run(
        f"""
        import fastpipe as fp
        from fastpipe import _core
        holder = []
        def close(x):
            if x == 3:
                holder[0].close()
            return x
        ds = fp.Dataset.range(1000).map(
            lambda x: fp.py_function(close, [x], fp.int64), num_parallel_calls={calls})
        holder.append(iter(ds))
        seen = []
        try:
            for x in holder[0]:
                seen.append(int(x))
        except fp.errors.CancelledError:
            print("closed")
        assert seen == list(range(len(seen))), seen
        list(fp.Dataset.range(3))
        print(_core.running_threads())
        """
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["closed", "0"]


def test_garbage_collection_on_a_worker_may_drop_its_own_iterator():
    result = run(
        """
        import gc
        class Job:
            def __init__(self):
                self.ds = fp.Dataset.range(100_000).map(
                    lambda x: fp.py_function(self.work, [x], fp.int64), num_parallel_calls=2)
                self.it = iter(self.ds)
            def work(self, x):
                if x > 10:
                    gc.collect()
                return x
        def use():
            job = Job()
            next(job.it)
        gc.disable()
        for _ in range(20):
            use()
        gc.collect()
        print(sum(1 for _ in fp.Dataset.range(5)))
        """
    )
    assert (result.returncode, result.stdout.strip()) == (0, "5"), result.stderr


@pytest.mark.parametrize("use", ["next(holder[0])", "holder[0].save()"])
def test_a_function_that_uses_its_own_iterator_gets_an_error(use):
    result = run(
        f"""
        holder = []
        def again(x):
            {use}
            return x
        holder.append(iter(fp.Dataset.range(3).map(
            lambda x: fp.py_function(again, [x], fp.int64))))
        try:
            next(holder[0])
        except fp.errors.FailedPreconditionError as error:
            print("own next()" in str(error))
        """
    )
    assert (result.returncode, result.stdout.strip()) == (0, "True"), result.stderr


def test_an_exhausted_iterator_has_stopped_its_threads():
    """Also those below an input of zip that had more to give."""
    before = _core.running_threads()
    longer = fp.Dataset.range(1_000_000).map(lambda x: x + 1, num_parallel_calls=4)
    iterator = iter(fp.Dataset.zip(fp.Dataset.range(3), longer))
    assert [int(b) for _, b in iterator] == [1, 2, 3]
    assert eventually(lambda: _core.running_threads() == before)
    with pytest.raises(StopIteration):
        next(iterator)
    assert list(longer.take(2).iterator(None)) == [1, 2]


def test_a_position_saved_at_the_end_is_the_end():
    ds = fp.Dataset.range(3).prefetch(1)
    iterator = iter(ds)
    assert len(list(iterator)) == 3
    assert list(ds.iterator(iterator.save())) == []


def test_a_position_is_restored_only_into_a_new_iterator():
    ds = fp.Dataset.range(9)
    state = iter(ds).save()
    iterator = iter(ds)
    next(iterator)
    with pytest.raises(fp.errors.FailedPreconditionError, match="has been used"):
        super(type(iterator), iterator).restore(state)


def test_an_interrupt_ends_no_other_thread_early():
    """What a function calls on a worker must not take the main thread's signal for its own."""
    result = run(
        """
        import signal
        class Interrupted(Exception):
            pass
        def interrupt(*_):
            raise Interrupted
        def work(x):
            fp.cast(x, fp.float32)
            return x
        signal.signal(signal.SIGALRM, interrupt)
        ds = fp.Dataset.range(3000).map(lambda x: x).map(
            lambda x: fp.py_function(work, [x], fp.int64), num_parallel_calls=2)
        seen = []
        iterator = iter(ds)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        while True:
            if len(seen) == 2000:
                signal.setitimer(signal.ITIMER_REAL, 0)
            try:
                seen.append(int(next(iterator)))
            except Interrupted:
                continue
            except StopIteration:
                break
        print(seen[-1])
        """
    )
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) == 2999


def test_a_position_saved_after_an_interrupted_first_next_is_the_start():
    result = run(
        """
        import signal, threading
        class Interrupted(Exception):
            pass
        def interrupt(*_):
            raise Interrupted
        signal.signal(signal.SIGALRM, interrupt)
        gate = threading.Event()
        def wait(x):
            gate.wait()
            return x
        ds = fp.Dataset.range(5).map(lambda x: fp.py_function(wait, [x], fp.int64)).prefetch(2)
        iterator = iter(ds)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            next(iterator)
        except Interrupted:
            pass
        state = iterator.save()
        gate.set()
        print([int(x) for x in ds.iterator(state)])
        """
    )
    assert (result.returncode, result.stdout.strip()) == (0, "[0, 1, 2, 3, 4]"), result.stderr


def test_children_of_a_process_with_busy_threads_run_their_own_pipelines():
    """No lock of the process is copied while a thread of the parent holds it."""
    result = run(
        """
        import os, signal
        busy = iter(fp.Dataset.range(10**9).map(
            lambda x: fp.zeros([5000]) + fp.cast(x, fp.float32), num_parallel_calls=4))
        next(busy)
        for _ in range(60):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                total = 0
                for part in fp.Dataset.range(8).map(
                        lambda x: fp.zeros([5000]) + fp.cast(x, fp.float32), num_parallel_calls=2):
                    total += int(part[0])
                os._exit(0 if total == 28 else 1)
            next(busy)
            status = os.waitpid(child, 0)[1]
            assert status == 0, status
        print("done")
        """
    )
    assert (result.returncode, result.stdout.strip()) == (0, "done"), result.stderr
