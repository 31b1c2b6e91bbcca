import pytest
from laws import check_op, check_transformation, numbers, outcomes

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


def test_elements_that_fail_are_left_out():
    check_transformation(lambda ds: ds.ignore_errors(), lambda values: values, failing=False)
    for place in range(4):
        check_op(lambda place=place: numbers([1, 2, 3], place).ignore_errors(), [1, 2, 3])


@pytest.mark.parametrize("calls", [None, 1, 2, 8])
def test_many_errors_in_parallel_are_left_out(calls):
    def make():
        ds = fp.Dataset.from_tensor_slices([b"x" if i % 3 else b"%d" % i for i in range(60)])
        ds = ds.map(lambda s: fp.strings.to_number(s, fp.int32), num_parallel_calls=calls)
        return ds.ignore_errors()

    check_op(make, range(0, 60, 3))


@pytest.mark.parametrize("calls", [None, 2])
def test_missing_files_cost_only_themselves_and_it_ends(calls, write):
    names = [write("a.txt", b"1\n2\n"), "/no/such/file", write("b.txt", b"3\n")]
    direct = fp.TextLineDataset(names).ignore_errors()
    assert outcomes(iter(direct)) == [b"1", b"2", b"3"]
    nested = fp.Dataset.from_tensor_slices(names).interleave(
        fp.TextLineDataset, cycle_length=3, num_parallel_calls=calls
    )
    assert outcomes(iter(nested.ignore_errors())) == [b"1", b"3", b"2"]


def test_only_errors_give_nothing():
    ds = fp.Dataset.from_tensor_slices(["x"] * 100).map(lambda s: fp.strings.to_number(s))
    assert outcomes(iter(ds.ignore_errors())) == []


def test_an_exception_in_python_is_an_error_too():
    def fail(x):
        raise KeyError(int(x))

    ds = fp.Dataset.range(3).map(lambda x: fp.py_function(fail, [x], fp.int64)).ignore_errors()
    assert outcomes(iter(ds)) == []


def test_the_cardinality_is_unknown():
    assert fp.Dataset.range(3).ignore_errors().cardinality() == fp.UNKNOWN_CARDINALITY


def test_errors_are_counted_and_told():
    told = []
    it = iter(numbers([1, 2, 3], failing=1).ignore_errors(on_error=told.append))
    assert outcomes(it) == [1, 2, 3] and it.ignored_errors() == 1
    assert [type(error) for error in told] == [InvalidArgumentError]
    assert "no number" in str(told[0])


def test_an_exception_of_python_is_told_as_it_is():
    def fail(x):
        raise KeyError(int(x))

    told = []
    ds = fp.Dataset.range(3).map(lambda x: fp.py_function(fail, [x], fp.int64))
    assert outcomes(iter(ds.ignore_errors(on_error=told.append))) == []
    assert [type(error) for error in told] == [KeyError] * 3 and told[2].args == (2,)


def test_whoever_is_told_may_object():
    def object_to(error):
        raise RuntimeError("no more")

    it = iter(numbers([1, 2], failing=1).ignore_errors(on_error=object_to))
    assert next(it) == 1
    with pytest.raises(RuntimeError, match="no more"):
        next(it)
    assert next(it) == 2
