"""Whatever a Python callable raises is what the user gets, and costs its element only."""

import threading

import pytest

import fastpipe as fp
from fastpipe import errors

SPEC = fp.TensorSpec((), "int64")


class OddError(BaseException):
    pass


class HoldingError(Exception):
    """Keeps the pipeline alive that it came from."""

    def __init__(self, held):
        super().__init__("held")
        self.held = held


RAISED = {
    "StopIteration": StopIteration("no end"),
    "StopAsyncIteration": StopAsyncIteration("no end"),
    "GeneratorExit": GeneratorExit("no exit"),
    "KeyboardInterrupt": KeyboardInterrupt("no key"),
    "SystemExit": SystemExit(3),
    "a BaseException": OddError("odd"),
    "CancelledError": errors.CancelledError("not closed"),
}


@pytest.mark.parametrize("calls", [None, 2])
@pytest.mark.parametrize("name", RAISED)
def test_an_exception_of_a_function_arrives_and_the_next_element_follows(name, calls):
    def function(value):
        if value == 1:
            raise RAISED[name]
        return value

    ds = fp.Dataset.range(4).map(function, num_parallel_calls=calls, output_signature=SPEC)
    iterator, results = iter(ds), []
    for _ in range(4):
        try:
            results.append(int(next(iterator)))
        except BaseException as error:
            if name == "StopIteration":  # next() itself must not seem to have ended
                assert type(error) is RuntimeError
                assert error.__cause__ is RAISED[name]
            else:
                assert error is RAISED[name]
            results.append(None)
    assert results == [0, None, 2, 3]
    with pytest.raises(StopIteration):
        next(iterator)


@pytest.mark.parametrize("name", [name for name in RAISED if name != "StopIteration"])
def test_an_exception_of_a_generator_arrives_and_ends_it(name):
    def generator():
        yield 0
        raise RAISED[name]

    iterator = iter(fp.Dataset.from_generator(generator, output_signature=SPEC))
    assert next(iterator) == 0
    with pytest.raises(type(RAISED[name])):
        next(iterator)
    with pytest.raises(StopIteration):
        next(iterator)


def test_an_exception_may_hold_the_pipeline_that_it_came_from():
    made = []

    def function(value):
        raise HoldingError(made)

    ds = fp.Dataset.range(3).map(function, num_parallel_calls=2, output_signature=SPEC)
    made.append(iter(ds))
    with pytest.raises(HoldingError) as raised:
        next(made[0])
    assert raised.value.held is made
    made.clear()


def test_threads_that_share_an_iterator_get_each_element_once():
    iterator = iter(fp.Dataset.range(2000).map(lambda x: x + 1, num_parallel_calls=2).prefetch(2))
    got = [[] for _ in range(3)]

    def consume(mine):
        for element in iterator:
            mine.append(int(element))

    threads = [threading.Thread(target=consume, args=(mine,)) for mine in got]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sum(got, [])) == list(range(1, 2001))
    assert all(mine == sorted(mine) for mine in got)


@pytest.mark.parametrize("calls", [None, 2])
def test_closing_ends_a_next_that_blocks_in_another_thread(write, calls):
    options = fp.Options(storage=fp.SimulatedStorage(open_delay=3600.0))
    lines = fp.TextLineDataset(write("lines", b"a\n")).map(lambda x: x, num_parallel_calls=calls)
    iterator = iter(lines.with_options(options))
    raised = []
    begun = threading.Event()

    def block():
        begun.set()
        try:
            next(iterator)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=block)
    thread.start()
    begun.wait()
    iterator.close()
    thread.join()
    assert [type(error) for error in raised] == [errors.CancelledError]
