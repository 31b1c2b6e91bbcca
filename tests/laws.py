"""What every op and every kernel must obey, whatever it does.

`check_op` and `check_transformation` hold an op to the laws: right elements, equal passes, several
passes at once, early stop, empty input, errors that cost one element, checkpoints at every
position, cardinality, element_spec, pickling. `check_kernel` holds a kernel to one meaning, eager
or traced.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest

import fastpipe as fp
from fastpipe import _core, errors
from fastpipe.structure import flatten

Make = Callable[[], Any]


class _Failed:
    def __repr__(self) -> str:
        return "FAILED"


FAILED = _Failed()  # takes the place of an error in a list of outcomes
ENDLESS = 100_000  # no test has so many results: an iterator that gives more never ends


def plain(value: Any) -> Any:
    """A value as Python numbers, bytes, lists, tuples and dicts; a dataset as its elements."""
    if isinstance(value, fp.Dataset):
        return [plain(element) for element in value]
    if isinstance(value, tuple):
        items = [plain(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "to_list"):
        return value.to_list()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value


def outcomes(iterator: Any, limit: int | None = None) -> list[Any]:
    """The results of a pass, or the first `limit`: an element in plain values, or FAILED."""
    results: list[Any] = []
    while limit is None or len(results) < limit:
        try:
            results.append(plain(next(iterator)))
        except StopIteration:
            break
        except errors.FastpipeError:
            results.append(FAILED)
        assert len(results) < ENDLESS, "the iterator does not end"
    return results


def elements(results: Iterable[Any]) -> list[Any]:
    """The outcomes that are no errors."""
    return [result for result in results if result is not FAILED]


def as_multiset(results: Iterable[Any]) -> list[Any]:
    return sorted(results, key=repr)


def numbers(values: Sequence[int], failing: int | None = None) -> Any:
    """A dataset of int64 scalars, with an element that fails before number `failing`."""
    if failing is None:
        return fp.Dataset.from_tensor_slices(np.array(values, np.int64))
    texts = [b"%d" % value for value in values]
    texts.insert(failing, b"no number")
    return fp.Dataset.from_tensor_slices(texts).map(
        lambda text: fp.strings.to_number(text, fp.int64)
    )


def check_op(
    make: Make,
    expected: Iterable[Any],
    *,
    failures: int = 0,
    endless: bool = False,
    ordered: bool = True,
    alike: bool = True,
    savable: bool = True,
    pickles: bool = True,
    cardinality: int | None = None,
    state_bytes: int = 2048,
) -> None:
    """Holds an op to every law.

    Args:
        make: makes the dataset anew, always the same.
        expected: plain elements of a pass; the first ones if endless.
        failures: errors that come besides.
        endless: the dataset does not end.
        ordered: False compares as multisets.
        alike: False lets each pass have an order of its own, that equal datasets repeat.
        savable: False expects positions to be refused.
        pickles: False expects pickling to be refused.
        cardinality: what the dataset must say; None lets it be unknown.
        state_bytes: the most that a position may take.
    """
    expected = list(expected)
    limit = len(expected) + failures if endless else None
    actual = outcomes(iter(make()), limit)
    same = ordered and alike

    def compare(got: list[Any], wanted: list[Any], law: str) -> None:
        assert ordered or not endless, "an endless unordered dataset has no expected elements"
        fair = got == wanted if ordered else as_multiset(got) == as_multiset(wanted)
        assert fair, f"{law}: got {got}, expected {wanted}"

    if same:
        compare(elements(actual), expected, "elements")
    else:
        assert as_multiset(elements(actual)) == as_multiset(expected), "elements"
    assert actual.count(FAILED) == failures, f"{actual.count(FAILED)} errors, expected {failures}"

    _check_passes(make, actual, limit, same)
    _check_early_stop(make, actual)
    _check_facts(make(), len(elements(actual)), endless, cardinality)
    if pickles:
        copy = pickle.loads(pickle.dumps(make()))
        compare(outcomes(iter(copy), limit), actual, "a pickled copy")
        assert copy.node == make().node and copy.fingerprint() == make().fingerprint()
    else:
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(make())
    if savable:
        _check_positions(make, actual, limit, pickles, state_bytes)
    elif actual:
        iterator = iter(make())
        outcomes(iterator, 1)
        with pytest.raises(errors.UnimplementedError):
            iterator.save()


def _check_passes(make: Make, actual: list[Any], limit: int | None, same: bool) -> None:
    dataset = make()
    passes = [outcomes(iter(dataset), limit) for _ in range(2)]
    view = list if same else as_multiset
    for number, got in enumerate(passes):
        assert view(got) == view(actual), f"pass {number}: got {got}, expected {actual}"
    # Two passes at once do not disturb each other.
    pair = [iter(dataset), iter(dataset)]
    mixed: list[list[Any]] = [[], []]
    for _ in range(len(actual)):
        for iterator, results in zip(pair, mixed):
            results += outcomes(iterator, 1)
    for got in mixed:
        assert view(got) == view(actual), f"two passes at once: got {got}, expected {actual}"
    if limit is None:
        for iterator in pair:
            for _ in range(3):
                with pytest.raises(StopIteration):
                    next(iterator)


def _check_early_stop(make: Make, actual: list[Any]) -> None:
    before = _core.running_threads()
    for count in (0, 1, 2):
        iterator = iter(make())
        outcomes(iterator, min(count, len(actual)))
        del iterator
        assert _core.running_threads() == before, f"threads run on after {count} elements"
    iterator = iter(make())
    outcomes(iterator, min(1, len(actual)))
    iterator.close()
    assert _core.running_threads() == before, "threads run on after close()"
    for _ in range(2):
        with pytest.raises((errors.CancelledError, StopIteration)):
            next(iterator)
    iterator.close()


def _check_facts(dataset: Any, size: int, endless: bool, cardinality: int | None) -> None:
    stated = dataset.cardinality()
    if cardinality is not None:
        assert stated == cardinality, f"cardinality: {stated}, expected {cardinality}"
    if stated == fp.INFINITE_CARDINALITY:
        assert endless, "the dataset says that it is infinite, but it ends"
    elif stated != fp.UNKNOWN_CARDINALITY:
        assert not endless and stated == size == len(dataset), f"says {stated}, has {size}"
    iterator = iter(dataset)
    for _ in range(min(size, 20)):
        try:
            check_element_spec(dataset.element_spec, next(iterator))
        except errors.FastpipeError:
            continue


def check_element_spec(spec: Any, element: Any) -> None:
    """`element` has the structure, dtypes and shapes that `spec` states."""
    if isinstance(element, fp.Dataset):
        assert isinstance(spec, fp.DatasetSpec)
        assert flatten(element.element_spec, repr)[1] == flatten(spec.element_spec, repr)[1]
        return
    if isinstance(element, (tuple, dict)):
        assert type(spec) is type(element) and len(spec) == len(element)
        keys = element if isinstance(element, dict) else range(len(element))
        for key in keys:
            check_element_spec(spec[key], element[key])
        return
    if hasattr(type(element), "to_leaves"):
        assert spec.value_type is type(element)
        check_element_spec(tuple(spec.to_leaves()), tuple(element.to_leaves()))
        return
    if isinstance(spec, fp.RaggedTensorSpec):  # without a ragged axis: a dense row
        spec = fp.TensorSpec(spec.shape, spec.dtype)
    assert isinstance(spec, fp.TensorSpec), f"{spec!r} for {element!r}"
    array = np.asarray(element, dtype=object if isinstance(element, bytes) else None)
    assert spec.dtype == (array.dtype if array.dtype != object else "string")
    if spec.shape is not None:
        fits = len(spec.shape) == array.ndim and all(
            want in (None, have) for want, have in zip(spec.shape, array.shape)
        )
        assert fits, f"element_spec says {spec.shape}, the element has {array.shape}"


def _some_positions(count: int) -> list[int]:
    """All of a short sequence; the beginning, the end and a spread of a long one."""
    if count <= 24:
        return list(range(count + 1))
    return sorted({0, 1, 2, 3, count - 1, count, *range(5, count, max(count // 16, 1))})


def _check_positions(
    make: Make, actual: list[Any], limit: int | None, pickles: bool, state_bytes: int
) -> None:
    dataset = make()
    copy = pickle.loads(pickle.dumps(dataset)) if pickles else make()
    iterator = iter(dataset)
    positions = set(_some_positions(len(actual)))
    middle = b""
    for passed in range(len(actual) + 1):
        if passed in positions:
            state = iterator.save()
            assert len(state) <= state_bytes, f"a position of {len(state)} bytes"
            for origin in (dataset, copy):
                rest = outcomes(origin.iterator(state), None if limit is None else limit - passed)
                assert rest == actual[passed:], (
                    f"restored after {passed}: got {rest}, expected {actual[passed:]}"
                )
            if passed <= max(len(actual) // 2, 0):
                middle = state
        if passed < len(actual):
            assert outcomes(iterator, 1) == actual[passed : passed + 1], (
                f"saving after {passed} results changed the pass"
            )
    _check_restored_saves(make(), actual)
    check_damaged_state(dataset, middle)


def _check_restored_saves(dataset: Any, actual: list[Any]) -> None:
    """A pass that is saved and restored before each result is the same pass."""
    results: list[Any] = []
    iterator = dataset.iterator()
    state = iterator.save()
    for _ in range(min(len(actual), 12)):
        iterator = dataset.iterator(state)
        results += outcomes(iterator, 1)
        state = iterator.save()
    assert results == actual[: len(results)], f"saved before each: got {results}"


def check_damaged_state(dataset: Any, state: bytes) -> None:
    """Nothing but an intact position of this pipeline is accepted."""
    refused = (errors.DataLossError, errors.FailedPreconditionError)
    step = max(len(state) // 40, 1)
    damaged = [b"", state[:-1], state + b"\0", state[: len(state) // 2]]
    for place in range(0, len(state), step):
        damaged.append(state[:place] + bytes([state[place] ^ 0x55]) + state[place + 1 :])
    for broken in damaged:
        with pytest.raises(refused):
            dataset.iterator(broken)
    other = fp.Dataset.range(9).take(8).skip(7)
    with pytest.raises(errors.FailedPreconditionError, match="another pipeline"):
        other.iterator(state)


INPUTS: tuple[list[int], ...] = ([], [7], [3, 1, 4, 1, 5, 9, 2, 6])


def check_transformation(
    apply: Callable[[Any], Any],
    model: Callable[[list[int]], Iterable[Any]],
    *,
    inputs: Iterable[list[int]] = INPUTS,
    failing: bool = True,
    **laws: Any,
) -> None:
    """check_op on `apply(dataset)` for several inputs, also when one of their elements fails.

    `model` says what comes out of a list of numbers. An element that fails costs itself and nothing
    else: one error comes, and what `model` says of the others.
    """
    for values in inputs:
        check_op(lambda values=values: apply(numbers(values)), model(values), **laws)
        places = sorted({0, len(values) // 2, len(values)}) if failing else []
        for place in places:
            cardinality_is_of_results = {k: v for k, v in laws.items() if k != "cardinality"}
            check_failing(
                lambda values=values, place=place: apply(numbers(values, place)),
                model(values),
                **cardinality_is_of_results,
            )


def check_failing(make: Make, expected: Iterable[Any], failures: int = 1, **laws: Any) -> None:
    """Errors take their place in the order; all else, and every position, is as without them."""
    expected = list(expected)
    actual = outcomes(iter(make()))
    got = elements(actual)
    if not (laws.get("ordered", True) and laws.get("alike", True)):
        got, expected = as_multiset(got), as_multiset(expected)
    assert got == expected, f"with an error among the input: got {actual}, expected {expected}"
    assert actual.count(FAILED) == failures, f"{failures} errors expected in {actual}"
    if laws.get("savable", True) and laws.get("ordered", True):
        pickles = laws.get("pickles", True)
        _check_positions(make, actual, None, pickles, laws.get("state_bytes", 2048))


def check_kernel(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    expected: Any,
    *,
    dtypes: Sequence[str] = (),
    wrong_dtypes: Sequence[str] = (),
    rtol: float = 0.0,
    atol: float = 0.0,
) -> None:
    """One meaning, eager and traced: equal values, dtypes and structure.

    Args:
        function: applies the kernel.
        inputs: its tensors, NumPy values or bytes.
        expected: the result for `inputs`.
        dtypes: the kernel gives the same numbers when all inputs are cast to these.
        wrong_dtypes: the first input cast to one of these is an error.
        rtol, atol: tolerance for floats.
    """
    _same(_eager_and_traced(function, inputs), expected, rtol, atol)
    for dtype in dtypes:
        cast = [np.asarray(value).astype(dtype) for value in inputs]
        _same(_eager_and_traced(function, cast), expected, max(rtol, 1e-2), max(atol, 1e-2))
    for dtype in wrong_dtypes:
        shape = np.shape(inputs[0])
        wrong = [np.full(shape, b"text", object) if dtype == "string" else np.ones(shape, dtype)]
        with pytest.raises((errors.InvalidArgumentError, TypeError)):
            function(*wrong, *inputs[1:])
        with pytest.raises((errors.InvalidArgumentError, TypeError)):
            _traced(function, [*wrong, *inputs[1:]])


def _traced(function: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    dataset = fp.Dataset.from_tensors(tuple(inputs)).map(function)
    (result,) = list(dataset)
    check_element_spec(dataset.element_spec, result)
    return result


def _eager_and_traced(function: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    eager, traced = function(*inputs), _traced(function, inputs)
    _same(traced, eager, 0.0, 0.0)
    for a, b in zip(_leaves(eager), _leaves(traced)):
        assert getattr(a, "dtype", bytes) == getattr(b, "dtype", bytes)
    return eager


def _leaves(value: Any) -> list[Any]:
    return flatten(value, lambda leaf: leaf)[0]


def _same(got: Any, expected: Any, rtol: float, atol: float) -> None:
    mine, theirs = _leaves(got), _leaves(expected)
    assert len(mine) == len(theirs), f"got {got!r}, expected {expected!r}"
    for a, b in zip(mine, theirs):
        if isinstance(a, bytes) or np.asarray(a).dtype == object:
            assert plain(a) == plain(b), f"got {a!r}, expected {b!r}"
        else:
            np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)
