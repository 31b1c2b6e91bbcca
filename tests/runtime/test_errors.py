"""Bad input: the right class, a message that says where, and the next element still arrives."""

import sys
import traceback

import numpy as np
import pytest
from laws import FAILED, outcomes

import fastpipe as fp
from fastpipe import errors

PARALLEL = [None, 1, 2, 8]


def read(paths, calls):
    return fp.Dataset.from_tensor_slices(paths).map(fp.io.read_file, num_parallel_calls=calls)


@pytest.mark.parametrize("calls", PARALLEL)
def test_a_missing_file_is_named_and_the_next_one_read(write, calls):
    iterator = iter(read([write("a", b"1"), "/no/such/file.jpg", write("b", b"2")], calls))
    assert next(iterator) == b"1"
    with pytest.raises(errors.NotFoundError, match="/no/such/file.jpg") as caught:
        next(iterator)
    assert isinstance(caught.value, FileNotFoundError)
    text = str(caught.value)
    assert "read_file" in text and "map" in text and "element 1" in text
    assert "test_errors.py" in text, "the user's line is missing"
    assert outcomes(iterator) == [b"2"]


@pytest.mark.parametrize("calls", PARALLEL)
def test_a_directory_is_named_and_the_next_file_read(write, tmp_path, calls):
    iterator = iter(read([str(tmp_path), write("b", b"2")], calls))
    with pytest.raises(errors.FailedPreconditionError, match=str(tmp_path)) as caught:
        next(iterator)
    assert isinstance(caught.value, IsADirectoryError)
    assert outcomes(iterator) == [b"2"]


@pytest.mark.parametrize("calls", PARALLEL)
@pytest.mark.parametrize(
    "damage",
    [
        lambda jpeg: b"",
        lambda jpeg: b"not a picture",
        lambda jpeg: jpeg[:200],
        lambda jpeg: jpeg[:2],
    ],
    ids=["empty", "text", "truncated", "header"],
)
def test_a_corrupt_jpeg_costs_one_picture(write, photographs, calls, damage):
    with open(photographs[0], "rb") as file:
        jpeg = file.read()
    paths = [write("0.jpg", jpeg), write("bad.jpg", damage(jpeg)), write("2.jpg", jpeg)]
    ds = fp.Dataset.from_tensor_slices(paths).map(
        lambda path: fp.io.decode_jpeg(fp.io.read_file(path), channels=3), num_parallel_calls=calls
    )
    iterator = iter(ds)
    first = next(iterator)
    with pytest.raises((errors.InvalidArgumentError, errors.DataLossError)) as caught:
        next(iterator)
    assert isinstance(caught.value, ValueError)
    assert "decode_jpeg" in str(caught.value) and "element 1" in str(caught.value)
    np.testing.assert_array_equal(next(iterator), first)
    with pytest.raises(StopIteration):
        next(iterator)


class OwnError(Exception):
    pass


def fail_on_two(x):
    if x == 2:
        raise OwnError("two is wrong")
    return x


@pytest.mark.parametrize("calls", PARALLEL)
@pytest.mark.parametrize("how", ["py_function", "fallback", "signature"])
def test_an_exception_of_a_python_function_keeps_type_and_traceback(calls, how):
    ds = fp.Dataset.range(5)
    if how == "py_function":
        ds = ds.map(lambda x: fp.py_function(fail_on_two, [x], fp.int64), num_parallel_calls=calls)
    elif how == "fallback":
        with pytest.warns(fp.PythonFallbackWarning):
            ds = ds.map(fail_on_two, num_parallel_calls=calls)
    else:
        spec = fp.TensorSpec((), "int64")
        ds = ds.map(fail_on_two, num_parallel_calls=calls, output_signature=spec)
    iterator = iter(ds)
    assert [int(next(iterator)), int(next(iterator))] == [0, 1]
    with pytest.raises(OwnError, match="two is wrong") as caught:
        next(iterator)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert any(frame.name == "fail_on_two" for frame in frames)
    assert any("map" in note for note in getattr(caught.value, "__notes__", ["map"]))
    assert [int(x) for x in iterator] == [3, 4]


@pytest.mark.parametrize("calls", PARALLEL)
def test_an_exception_has_its_place_in_the_order(calls):
    def odd_fails(x):
        if x % 2:
            raise ValueError(int(x))
        return x

    ds = fp.Dataset.range(100).map(
        lambda x: fp.py_function(odd_fails, [x], fp.int64), num_parallel_calls=calls
    )
    got: list[int] = []
    iterator = iter(ds)
    while True:
        try:
            got.append(int(next(iterator)))
        except ValueError as error:
            got.append(-error.args[0])
        except StopIteration:
            break
    assert got == [-x if x % 2 else x for x in range(100)]


@pytest.mark.parametrize("calls", PARALLEL)
@pytest.mark.parametrize("wrong", [(1, 2), {"a": 1}, "text", [1, 2], None, object()])
def test_a_python_function_that_returns_something_else_is_an_error(calls, wrong):
    def change(x):
        return wrong if int(x) == 1 else x

    spec = fp.TensorSpec((), "int64")
    ds = fp.Dataset.range(3).map(change, num_parallel_calls=calls, output_signature=spec)
    iterator = iter(ds)
    assert next(iterator) == 0
    with pytest.raises((errors.InvalidArgumentError, TypeError, ValueError)):
        next(iterator)
    assert [int(x) for x in iterator] == [2]


def test_other_structures_from_the_same_function_are_named():
    def change(x):
        return x if int(x) == 0 else (x, x)

    with pytest.warns(fp.PythonFallbackWarning):
        ds = fp.Dataset.range(2).map(change)
    iterator = iter(ds)
    assert next(iterator) == 0
    with pytest.raises(errors.InvalidArgumentError, match="structure"):
        next(iterator)


def test_the_element_number_counts_from_zero_and_includes_errors():
    texts = ["x", "1", "x"]
    iterator = iter(fp.Dataset.from_tensor_slices(texts).map(fp.strings.to_number))
    numbers = []
    for _ in texts:
        try:
            next(iterator)
        except errors.InvalidArgumentError as error:
            numbers.append([n for n in range(3) if f"element {n}" in str(error)])
    assert numbers == [[0], [2]]


def test_the_trail_lists_kernel_and_op_innermost_first():
    ds = fp.Dataset.from_tensor_slices(["x"]).map(lambda s: fp.strings.to_number(s) + 1).batch(2)
    with pytest.raises(errors.InvalidArgumentError) as caught:
        next(iter(ds))
    trail = caught.value.trail
    assert "string_to_number" in trail[0]
    assert any("map" in place for place in trail)
    assert all(place in str(caught.value) for place in trail)


@pytest.mark.parametrize(
    "make",
    [
        lambda ds: ds.batch(-1),
        lambda ds: ds.batch(0),
        lambda ds: ds.shuffle(0),
        lambda ds: ds.prefetch(-3),
        lambda ds: ds.window(-1),
        lambda ds: ds.shard(-1, 0),
        lambda ds: ds.shard(2, 2),
        lambda ds: ds.interleave(lambda x: fp.Dataset.range(x), cycle_length=-3),
        lambda ds: ds.interleave(lambda x: fp.Dataset.range(x), block_length=0),
        lambda ds: ds.map(lambda x: x, num_parallel_calls=-5),
        lambda ds: ds.batch(2, num_parallel_calls=0),
    ],
)
def test_sizes_out_of_range_are_refused_when_the_pipeline_is_built(make):
    with pytest.raises(errors.InvalidArgumentError) as caught:
        make(fp.Dataset.range(5))
    assert isinstance(caught.value, ValueError)
    assert "got" in str(caught.value)


@pytest.mark.parametrize("size", [1.5, "3", [1, 2], None])
def test_sizes_of_a_wrong_type_are_refused(size):
    with pytest.raises((TypeError, ValueError)):
        fp.Dataset.range(5).batch(size)


@pytest.mark.parametrize("calls", PARALLEL)
def test_sizes_out_of_range_inside_a_function_cost_one_element(calls):
    ds = fp.Dataset.from_tensor_slices(np.array([2, 0, 3], np.int64)).interleave(
        lambda n: fp.Dataset.range(6).batch(n).map(lambda b: fp.size(b)),
        cycle_length=8,
        num_parallel_calls=calls,
    )
    got = outcomes(iter(ds))
    assert got.count(FAILED) == 1
    assert sorted(x for x in got if x is not FAILED) == [2, 2, 2, 3, 3]


@pytest.mark.parametrize("calls", PARALLEL)
def test_a_missing_file_inside_interleave_costs_only_itself(write, calls):
    paths = [write("a", b"1\n2\n"), "/no/such/file", write("b", b"3\n4\n")]
    ds = fp.Dataset.from_tensor_slices(paths).interleave(
        fp.TextLineDataset, cycle_length=8, num_parallel_calls=calls
    )
    iterator = iter(ds)
    assert next(iterator) == b"1"
    with pytest.raises(errors.NotFoundError, match="/no/such/file"):
        next(iterator)
    assert outcomes(iterator) == [b"3", b"2", b"4"]


def test_an_error_passes_through_every_stage():
    def make():
        ds = fp.Dataset.from_tensor_slices(["1", "x", "3", "4"])
        ds = ds.map(fp.strings.to_number, num_parallel_calls=2).prefetch(1).enumerate()
        return ds.map(lambda i, x: x, num_parallel_calls=2).prefetch(2)

    assert outcomes(iter(make())) == [1.0, FAILED, 3.0, 4.0]


@pytest.mark.parametrize("calls", PARALLEL)
def test_errors_do_not_stop_the_threads_nor_leak_them(calls):
    ds = fp.Dataset.from_tensor_slices(["x"] * 500).map(
        fp.strings.to_number, num_parallel_calls=calls
    )
    assert outcomes(iter(ds)) == [FAILED] * 500


def test_keyboard_interrupt_in_a_python_function_reaches_the_user():
    def interrupt(x):
        raise KeyboardInterrupt

    ds = fp.Dataset.range(2).map(
        lambda x: fp.py_function(interrupt, [x], fp.int64), num_parallel_calls=2
    )
    with pytest.raises(KeyboardInterrupt):
        next(iter(ds))


@pytest.mark.parametrize("calls", [None, 2])
def test_an_exception_that_cannot_be_printed_arrives_as_it_is(calls):
    class Unprintable(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    def fail(x):
        raise Unprintable

    ds = fp.Dataset.range(2).map(
        lambda x: fp.py_function(fail, [x], fp.int64), num_parallel_calls=calls
    )
    iterator = iter(ds)
    for _ in range(2):
        with pytest.raises(Unprintable):
            next(iterator)
    with pytest.raises(StopIteration):
        next(iterator)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes")
def test_an_exception_raised_for_many_elements_says_where_it_was_raised_last():
    same = ValueError("again")

    def fail(x):
        raise same

    iterator = iter(fp.Dataset.range(9).map(lambda x: fp.py_function(fail, [x], fp.int64)))
    for _ in range(9):
        with pytest.raises(ValueError, match="again"):
            next(iterator)
    (note,) = same.__notes__
    assert "element 8" in note


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: fp.Dataset.range(3).batch(2**63), "batch: batch_size"),
        (lambda: fp.Dataset.range(3).take(10**30), "take: count"),
        (lambda: fp.Dataset.range(10**30), "range: stop"),
    ],
)
def test_a_number_beyond_64_bits_is_named(make, argument):
    with pytest.raises(OverflowError, match=f"{argument} must fit into 64 bits, got [0-9]+$"):
        make()
