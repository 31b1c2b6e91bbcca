import gc
import weakref

import numpy as np
import pytest
from laws import check_op, outcomes, plain

import fastpipe as fp
from fastpipe.errors import FastpipeError, UnimplementedError

INT = fp.TensorSpec((), "int64")


def dataset(generator, signature=INT, **arguments):
    return fp.Dataset.from_generator(generator, output_signature=signature, **arguments)


@pytest.mark.parametrize("values", [[], [7], [*range(50)]])
def test_elements_are_what_the_function_yields(values):
    check_op(
        lambda: dataset(lambda: iter(values)),
        values,
        pickles=False,
        savable=False,
        cardinality=fp.UNKNOWN_CARDINALITY,
    )


def test_any_iterable_will_do():
    assert outcomes(iter(dataset(lambda: [1, 2]))) == [1, 2]
    assert outcomes(iter(dataset(lambda: range(3)))) == [0, 1, 2]
    assert outcomes(iter(dataset(lambda: np.arange(3)))) == [0, 1, 2]


def test_structures_and_dtypes_follow_the_signature():
    signature = {"a": fp.TensorSpec((None,), "float32"), "b": (fp.TensorSpec((), "string"), INT)}

    def generate():
        yield {"a": [1, 2.5], "b": ("x", 1)}
        yield {"a": np.zeros(0, np.float32), "b": (b"\xff", np.int64(2))}

    elements = list(dataset(generate, signature))
    assert [plain(e) for e in elements] == [
        {"a": [1.0, 2.5], "b": (b"x", 1)},
        {"a": [], "b": (b"\xff", 2)},
    ]
    assert elements[0]["a"].dtype == np.float32


def test_the_older_types_and_shapes_still_work():
    ds = fp.Dataset.from_generator(lambda: [(1, "a")], (fp.int32, fp.string), ((), ()))
    assert ds.element_spec == (fp.TensorSpec((), "int32"), fp.TensorSpec((), "string"))
    assert [plain(e) for e in ds] == [(1, b"a")]


def test_arguments_arrive_as_numpy_values():
    def generate(n, text):
        assert text == b"text"
        yield from range(int(n))

    assert outcomes(iter(dataset(generate, args=(3, "text")))) == [0, 1, 2]


def test_it_is_called_anew_for_every_pass():
    calls = []

    def generate():
        calls.append(1)
        yield len(calls)

    ds = dataset(generate)
    assert outcomes(iter(ds)) == [1] and outcomes(iter(ds)) == [2]


def test_it_is_not_called_before_the_first_next():
    calls = []
    iter(dataset(lambda: calls.append(1) or []))
    assert calls == []


def test_an_exception_keeps_its_type_and_ends_the_generator():
    def generate():
        yield 1
        raise KeyError("lost")

    it = iter(dataset(generate))
    assert next(it) == 1
    with pytest.raises(KeyError, match="lost"):
        next(it)
    with pytest.raises(StopIteration):
        next(it)


@pytest.mark.parametrize("wrong", ["text", [1, 2], (1, 2), {"a": 1}])
def test_an_element_of_another_kind_is_an_error(wrong):
    it = iter(dataset(lambda: iter([wrong])))
    with pytest.raises((FastpipeError, TypeError, ValueError)):
        next(it)


def test_threads_above_may_pull_from_it():
    ds = dataset(lambda: iter(range(200)))
    ds = ds.map(lambda x: x + 1, num_parallel_calls=4).prefetch(2)
    assert outcomes(iter(ds)) == list(range(1, 201))


def test_a_dropped_pass_closes_the_generator():
    closed = []

    def generate():
        try:
            yield from range(100)
        finally:
            closed.append(True)

    it = iter(dataset(generate))
    next(it)
    del it
    gc.collect()
    assert closed == [True]


def test_the_function_lives_as_long_as_its_dataset():
    def make():
        def generate():
            yield 1

        return generate

    generate = make()
    alive = weakref.ref(generate)
    ds = dataset(generate)
    del generate
    gc.collect()
    assert outcomes(iter(ds)) == [1]
    it = iter(ds)
    del ds
    gc.collect()
    assert outcomes(it) == [1]
    del it
    gc.collect()
    assert alive() is None


def test_a_position_in_a_generator_is_refused_by_name():
    it = iter(dataset(lambda: iter(range(3))))
    next(it)
    with pytest.raises(UnimplementedError, match="from_generator"):
        it.save()


@pytest.mark.parametrize("generator", [None, 3, [1, 2]])
def test_only_callables_are_accepted(generator):
    with pytest.raises(TypeError, match="callable"):
        dataset(generator)


def test_a_signature_is_needed():
    with pytest.raises(TypeError, match="output_signature"):
        fp.Dataset.from_generator(lambda: [1])


def test_what_is_yielded_takes_the_dtype_of_the_signature():
    signature = (fp.TensorSpec((), "int64"), fp.TensorSpec((None,), "float32"))
    ds = fp.Dataset.from_generator(
        lambda: [(np.int32(3), np.array([1.5, 2.5])), (True, [1])], output_signature=signature
    )
    assert outcomes(iter(ds)) == [(3, [1.5, 2.5]), (1, [1.0])]


@pytest.mark.parametrize("yielded", [None, "a", [1, 2], {"a": 1}])
def test_what_cannot_be_converted_is_an_invalid_argument(yielded):
    ds = fp.Dataset.from_generator(lambda: [yielded], output_signature=fp.TensorSpec((), "int32"))
    with pytest.raises(fp.errors.InvalidArgumentError):
        list(ds)


def test_a_generator_must_return_an_iterable():
    ds = fp.Dataset.from_generator(lambda: 5, output_signature=fp.TensorSpec((), "int32"))
    with pytest.raises(fp.errors.InvalidArgumentError, match="iterable"):
        list(ds)


def test_a_signature_is_given_in_one_way():
    spec = fp.TensorSpec((), "int32")
    with pytest.raises(TypeError, match="not both"):
        fp.Dataset.from_generator(lambda: [1], output_types="int32", output_signature=spec)
