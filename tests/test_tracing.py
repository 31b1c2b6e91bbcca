"""User functions become native programs, or say why not."""

import warnings

import numpy as np
import pytest
from laws import check_kernel, check_op, outcomes, plain
from process import run

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError, TracingError


def mapped(function, values=(5, 2)):
    ds = fp.Dataset.from_tensor_slices(np.array(values, np.int64)).map(function)
    return [plain(x) for x in ds]


# ---- operators on symbols ----


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + 3,
        lambda x: 3 + x,
        lambda x: x - 3,
        lambda x: 3 - x,
        lambda x: x * 3,
        lambda x: x // 2,
        lambda x: 7 // x,
        lambda x: -7 // x,
        lambda x: x % 3,
        lambda x: -x % 3,
        lambda x: x**2,
        lambda x: -x,
        lambda x: abs(-x),
        lambda x: x < 3,
        lambda x: x <= 5,
        lambda x: x > 3,
        lambda x: x >= 5,
        lambda x: x == 5,
        lambda x: x != 5,
        lambda x: 3 < x,
        lambda x: (x > 1) & (x < 4),
        lambda x: (x < 1) | (x > 4),
        lambda x: (x > 1) ^ (x > 4),
        lambda x: ~(x > 4),
        lambda x: np.int64(3) + x,
        lambda x: np.int64(3) * x,
        lambda x: x + np.array([1, 2]),
        lambda x: np.array([1, 2]) - x,
    ],
)
def test_operators_mean_what_numpy_means(function):
    assert mapped(function) == [plain(function(np.int64(value))) for value in (5, 2)]


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        (1, 2),
        slice(1, 3),
        slice(None, None, -1),
        slice(None, None, 2),
        (slice(None), 0),
        (slice(0, 2), slice(1, None)),
        (Ellipsis, 1),
        (None, 0),
        (slice(None), None),
        Ellipsis,
    ],
)
def test_indexing_means_what_numpy_means(key):
    array = np.arange(12).reshape(3, 4)
    (got,) = fp.Dataset.from_tensors(array).map(lambda x: x[key])
    np.testing.assert_array_equal(got, array[key])


def test_an_index_may_be_a_symbol():
    table = np.arange(10) * 10
    got = fp.Dataset.range(3).map(lambda i: fp.constant(table)[i])
    assert outcomes(iter(got)) == [0, 10, 20]


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        (lambda x: x + 1, "int64"),
        (lambda x: fp.cast(x, "float32") * 2.5, "float32"),
        (lambda x: fp.cast(x, "uint8") + 1, "uint8"),
        (lambda x: x > 1, "bool"),
        (lambda x: 7, "int32"),
        (lambda x: 7.0, "float32"),
        (lambda x: "text", "string"),
        (lambda x: np.float64(1), "float64"),
    ],
)
def test_literals_take_the_dtype_of_the_tensor_beside_them(function, dtype):
    assert fp.Dataset.range(2).map(function).element_spec.dtype == dtype


def test_a_float_beside_an_integer_is_refused():
    with pytest.raises(TypeError, match="cast"):
        fp.Dataset.range(2).map(lambda x: x + 1.5)


def test_tensors_of_different_dtypes_are_refused():
    with pytest.raises((TypeError, InvalidArgumentError), match="int64.*float32|float32.*int64"):
        fp.Dataset.range(2).map(lambda x: x + fp.cast(x, fp.float32))


# ---- what a symbol knows ----


def test_a_symbol_knows_dtype_and_shape():
    seen = []

    def look(x):
        seen.append((x.dtype, x.shape, x.ndim, len(x)))
        return x

    fp.Dataset.from_tensors(np.zeros((2, 3), np.float32)).map(look)
    assert seen == [(fp.float32, (2, 3), 2, 2)]


def test_a_function_is_traced_once_and_not_called_again():
    calls = []

    def function(x):
        calls.append(x)
        return x + 1

    ds = fp.Dataset.range(100).map(function, num_parallel_calls=2)
    list(ds)
    list(ds)
    assert len(calls) == 1


def test_set_shape_states_what_is_checked():
    def make(size):
        def function(x):
            row = fp.fill([x], x)
            row.set_shape([size])
            return row

        return fp.Dataset.from_tensors(np.int64(2)).map(function)

    assert make(2).element_spec.shape == (2,)
    assert outcomes(iter(make(2))) == [[2, 2]]
    with pytest.raises(InvalidArgumentError):
        list(make(3))


# ---- structures and captures ----


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: (x, x + 1), (5, 6)),
        (lambda x: {"b": x, "a": (x, {"c": x})}, {"b": 5, "a": (5, {"c": 5})}),
        (lambda x: [x, x + 1], (5, 6)),  # as TensorFlow: not stacked
        (lambda x: (x,), (5,)),
        (lambda x: ((), x), ((), 5)),
        (lambda x: (x, 1, "t", [1, 2], 2.5), (5, 1, b"t", [1, 2], 2.5)),
    ],
)
def test_results_may_be_nested(function, expected):
    assert mapped(function, [5]) == [expected]


def test_an_outer_symbol_is_captured_through_two_functions():
    ds = fp.Dataset.range(1, 3).flat_map(
        lambda a: fp.Dataset.range(2).flat_map(
            lambda b: fp.Dataset.range(2).map(lambda c: 100 * a + 10 * b + c + 0 * a * b)
        )
    )
    check_op(lambda: ds, [100, 101, 110, 111, 200, 201, 210, 211])


def test_a_symbol_may_be_the_argument_of_a_dataset_op():
    ds = fp.Dataset.range(4).flat_map(lambda n: fp.Dataset.range(10).skip(n).take(n).batch(2))
    check_op(lambda: ds, [[1], [2, 3], [3, 4], [5]])


def test_a_dataset_from_outside_may_be_used_inside():
    outside = fp.Dataset.range(3).map(lambda x: x * 10)
    ds = fp.Dataset.range(2).flat_map(lambda x: outside.map(lambda y: y + x))
    check_op(lambda: ds, [0, 10, 20, 1, 11, 21])


def test_a_captured_array_is_a_copy():
    table = np.arange(3)
    ds = fp.Dataset.range(3).map(lambda i: fp.gather(table, i))
    table[:] = 9
    assert outcomes(iter(ds)) == [0, 1, 2]


@pytest.mark.parametrize(
    "use",
    [
        "kept + 1",
        "kept.shape",
        "kept.dtype",
        "kept[0]",
        "fp.strings.upper(kept)",
        "fp.Dataset.range(2).map(lambda x: x + kept)",
        "fp.Dataset.range(2).map(lambda x: kept)",
        "fp.Dataset.range(kept)",
    ],
)
def test_a_symbol_outside_its_function_is_refused(use):
    done = run(  # in a process of its own, so that a crash is an error like others
        f"""
        kept = None
        def function(x):
            global kept
            kept = x
            return x
        fp.Dataset.range(2).map(function)
        repr(kept)
        try:
            {use}
            print("accepted")
        except fp.errors.TracingError as error:
            print(str(error))
        """
    )
    assert done.returncode == 0, done.stderr
    assert "outside the function" in done.stdout


def test_a_dataset_argument_cannot_be_iterated_while_tracing():
    with pytest.raises(TracingError, match="iterated"):
        fp.Dataset.range(4).window(2).map(lambda w: list(w))


# ---- functions that cannot be traced ----


def branch(x):
    return x if x > 1 else -x


FALLBACKS = {
    "a branch": branch,
    "a loop": lambda x: sum(range(int(x))),
    "int": lambda x: int(x),
    "float": lambda x: float(x),
    "numpy": lambda x: np.cumsum(np.arange(3) + np.asarray(x)),
    "a method of arrays": lambda x: x.astype(np.float32),
    "formatting": lambda x: f"{x}",
    "a list index": lambda x: [5, 6, 7, 8][x],
}


@pytest.mark.parametrize("function", FALLBACKS.values(), ids=FALLBACKS.keys())
def test_what_needs_values_runs_as_python_and_says_so(function):
    with pytest.warns(fp.PythonFallbackWarning, match="test_tracing.py:"):
        ds = fp.Dataset.range(4).map(function)
    expected = [plain(function(np.int64(x))) for x in range(4)]
    expected = [x.encode() if isinstance(x, str) else x for x in expected]
    assert [plain(x) for x in ds] == expected


def test_the_warning_comes_once_and_points_at_the_users_line():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ds = fp.Dataset.range(4).map(branch)
        list(ds)
        list(ds)
    (warning,) = [w for w in caught if w.category is fp.PythonFallbackWarning]
    assert warning.filename == __file__
    assert "branch" in str(warning.message) and "py_function" in str(warning.message)


def test_a_mistake_is_reported_and_not_run_as_python():
    with pytest.raises(KeyError):
        fp.Dataset.from_tensor_slices({"a": [1]}).map(lambda e: e["b"])
    with pytest.raises(NameError):
        fp.Dataset.range(2).map(lambda x: not_defined)  # noqa: F821
    with pytest.raises(InvalidArgumentError):
        fp.Dataset.range(2).map(lambda x: fp.reshape(fp.fill([4], x), [3]))
    with pytest.raises(ZeroDivisionError):
        fp.Dataset.range(2).map(lambda x: 1 // 0)


def test_a_function_that_must_be_traced_is_an_error_where_it_cannot_be():
    with pytest.raises(TracingError, match="test_tracing.py"):
        fp.Dataset.range(2).flat_map(lambda x: fp.Dataset.range(int(x)))
    with pytest.raises(TracingError):
        fp.Dataset.range(2).flat_map(lambda x: fp.Dataset.range(2).map(lambda y: int(y)))


def test_an_empty_input_needs_a_signature():
    with pytest.raises(TracingError, match="output_signature"):
        fp.Dataset.range(0).map(branch)
    ds = fp.Dataset.range(0).map(branch, output_signature=fp.TensorSpec((), "int64"))
    assert list(ds) == []


# ---- py_function ----


def test_py_function_calls_python_on_values():
    seen = []

    def function(a, text):
        seen.append((type(a), type(text)))
        return a * 2, text + b"!"

    ds = fp.Dataset.from_tensor_slices(([1, 2], ["a", "b"])).map(
        lambda a, t: fp.py_function(function, [a, t], [fp.int32, fp.string])
    )
    assert [plain(x) for x in ds] == [[2, b"a!"], [4, b"b!"]] or [plain(x) for x in ds] == [
        (2, b"a!"),
        (4, b"b!"),
    ]
    assert seen[0] == (np.int32, bytes)


def test_py_function_runs_at_once_on_values():
    assert fp.py_function(lambda v: v + 1, [np.int64(2)], fp.int64) == 3


def test_py_function_checks_the_dtype_it_promised():
    ds = fp.Dataset.range(2).map(lambda x: fp.py_function(lambda v: np.float64(v), [x], fp.int64))
    with pytest.raises((InvalidArgumentError, TypeError)):
        next(iter(ds))


def test_results_of_py_function_can_be_used_natively():
    def function(x):
        y = fp.py_function(lambda v: v + 1, [x], fp.int64)
        return y * 10

    assert outcomes(iter(fp.Dataset.range(3).map(function))) == [10, 20, 30]


# ---- eager and traced are one ----


@pytest.mark.parametrize(
    ("function", "inputs", "expected"),
    [
        (lambda x, y: fp.math.add(x, y), [np.arange(3), np.arange(3)], [0, 2, 4]),
        (lambda x: fp.reduce_sum(x), [np.arange(4)], 6),
        (lambda x: fp.reshape(x, [2, 2]), [np.arange(4)], [[0, 1], [2, 3]]),
    ],
)
def test_kernels_mean_the_same_eager_and_traced(function, inputs, expected):
    check_kernel(function, inputs, np.array(expected), dtypes=["int32", "float32"])


def test_strings_mean_the_same_eager_and_traced():
    check_kernel(fp.strings.upper, [b"ab"], b"AB", wrong_dtypes=["int64"])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x & 3, [0, 1, 2, 3, 0]),
        (lambda x: 8 | x, [8, 9, 10, 11, 12]),
        (lambda x: x ^ 1, [1, 0, 3, 2, 5]),
        (lambda x: ~x, [-1, -2, -3, -4, -5]),
        (lambda x: np.int64(6) & x, [0, 0, 2, 2, 4]),
        (lambda x: (x > 1) & (x < 4), [False, False, True, True, False]),
        (lambda x: (x > 3) | ~(x > 0), [True, False, False, False, True]),
        (lambda x: (x > 1) ^ True, [True, True, False, False, False]),
    ],
)
def test_bit_operators_work_on_integers_and_on_bools(function, expected):
    assert [v.item() for v in fp.Dataset.range(5).map(function)] == expected
