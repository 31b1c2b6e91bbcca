"""csrc/kernels/py_call.cc: Python callables inside traced functions."""

import numpy as np
import pytest

import fastpipe as fp


def over(function, dtype, values=(1, 2, 3), **how):
    ds = fp.Dataset.from_tensor_slices(np.array(values))
    return list(ds.map(lambda x: fp.py_function(function, [x], dtype), **how))


@pytest.mark.parametrize("threads", [None, 1, 4])
def test_the_function_gets_values_and_its_results_flow_on(threads):
    assert over(lambda v: v * 2, fp.int64, num_parallel_calls=threads) == [2, 4, 6]


def test_a_python_number_takes_the_promised_dtype():
    results = over(lambda v: float(v), fp.float32)
    assert [r.dtype for r in results] == [np.float32] * 3


def test_several_results_come_as_a_list():
    ds = fp.Dataset.range(2).map(
        lambda x: tuple(fp.py_function(lambda v: (v, str(v)), [x], [fp.int64, fp.string]))
    )
    assert [(int(a), b) for a, b in ds] == [(0, b"0"), (1, b"1")]


def test_another_dtype_than_promised_is_refused():
    with pytest.raises(fp.errors.InvalidArgumentError, match="float64.*int64"):
        over(lambda v: np.float64(v), fp.int64)


def test_another_shape_than_promised_is_refused():
    spec = fp.TensorSpec((2,), "int64")
    with pytest.raises(fp.errors.InvalidArgumentError, match=r"\[3\].*\[2\]"):
        over(lambda v: np.zeros(3, np.int64), spec)


def test_another_number_of_results_is_refused():
    ds = fp.Dataset.range(1).map(
        lambda x: tuple(fp.py_function(lambda v: [v], [x], [fp.int64, fp.int64]))
    )
    with pytest.raises(fp.errors.InvalidArgumentError, match="1 values.*2"):
        list(ds)


def test_an_exception_keeps_its_type_and_the_next_element_arrives():
    class Odd(Exception):
        pass

    def fail_on_two(value):
        if value == 2:
            raise Odd("two")
        return value

    ds = fp.Dataset.range(1, 4).map(lambda x: fp.py_function(fail_on_two, [x], fp.int64))
    iterator = iter(ds)
    assert next(iterator) == 1
    with pytest.raises(Odd, match="two"):
        next(iterator)
    assert next(iterator) == 3


def test_numpy_function_is_the_same():
    ds = fp.Dataset.range(3).map(lambda x: fp.numpy_function(np.negative, [x], fp.int64))
    assert [int(x) for x in ds] == [0, -1, -2]
