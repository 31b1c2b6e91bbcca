import numpy as np
import pytest
from laws import check_op, numbers

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


def total(ds):
    return ds.reduce(np.int64(0), lambda s, x: s + x)


def test_the_result_is_the_last_state():
    assert total(fp.Dataset.range(5)) == 10
    assert fp.Dataset.range(0).reduce(np.int64(7), lambda s, x: s + x) == 7


def test_inside_a_function_it_is_computed_for_each_element():
    check_op(
        lambda: fp.Dataset.range(6).window(2).map(total, num_parallel_calls=2),
        [1, 5, 9],
        cardinality=3,
    )
    check_op(
        lambda: fp.Dataset.range(4).flat_map(
            lambda x: fp.Dataset.from_tensors(total(fp.Dataset.range(x)))
        ),
        [0, 0, 1, 3],
    )


def test_the_function_may_capture_what_is_around_it():
    ds = fp.Dataset.range(1, 4).map(lambda x: fp.Dataset.range(3).reduce(x, lambda s, y: s * x + y))
    assert [int(x) for x in ds] == [4, 20, 86]


def test_the_state_may_have_structure():
    ds = fp.Dataset.from_tensor_slices((["a", "b"], np.array([1, 2])))
    got = ds.reduce(
        {"names": "", "sum": np.int64(0)},
        lambda s, x: {"names": fp.strings.join([s["names"], x[0]]), "sum": s["sum"] + x[1]},
    )
    assert got == {"names": b"ab", "sum": 3}


def test_a_state_that_grows_gets_an_unknown_shape():
    grown = fp.Dataset.range(3).reduce(
        np.zeros([0], np.int64), lambda s, x: fp.concat([s, [x]], axis=0)
    )
    assert grown.tolist() == [0, 1, 2]
    spec = fp.Dataset.range(3).scan(
        np.zeros([1], np.int64), lambda s, x: (fp.concat([s, [x]], axis=0), s)
    )
    assert spec.element_spec == fp.TensorSpec([None], "int64")
    assert [x.tolist() for x in spec] == [[0], [0, 0], [0, 0, 1]]


def test_reduce_within_reduce():
    ds = fp.Dataset.range(9).window(3)
    got = ds.reduce(np.int64(1), lambda s, w: s * total(w))
    assert got == 3 * 12 * 21


def test_an_error_of_an_element_is_the_error_of_the_whole():
    with pytest.raises(InvalidArgumentError):
        total(numbers([1, 2, 3], failing=1))


@pytest.mark.parametrize(
    "function",
    [
        lambda s, x: (s, x),
        lambda s, x: {"s": s},
        lambda s, x: fp.cast(s, fp.float32),
    ],
)
def test_a_state_of_another_kind_is_refused(function):
    with pytest.raises(TypeError, match="reduce_func"):
        fp.Dataset.range(3).reduce(np.int64(0), function)


def test_an_infinite_dataset_is_refused():
    with pytest.raises(InvalidArgumentError, match="infinite"):
        total(fp.Dataset.range(3).repeat())


def test_it_can_be_left_in_the_middle():
    it = iter(fp.Dataset.range(1000).window(100).map(total, num_parallel_calls=2))
    next(it)
    it.close()
