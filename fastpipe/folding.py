"""Functions that carry state over elements, and datasets that become one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastpipe.base import DatasetBase, leaf_structure
from fastpipe.errors import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from fastpipe.functions import argument, arguments_of, trace
from fastpipe.structure import LEAF, flatten, leaf_structures, unflatten
from fastpipe.tracing import Function, call, convert, current_tracer


class Folding(DatasetBase):
    """Mixed into Dataset."""

    def scan(
        self, initial_state: Any, scan_func: Callable[[Any, Any], Any], name: str | None = None
    ) -> Any:
        """A map that carries state: scan_func(state, element) -> (state, result).

        The state keeps its structure and dtypes; shapes that change become unknown.

        Raises:
            TypeError: `scan_func` returns another structure or other dtypes.

        >>> import numpy as np, fastpipe as fp
        >>> sums = fp.Dataset.range(4).scan(np.int64(0), lambda s, x: (s + x, s + x))
        >>> [int(x) for x in sums]
        [0, 1, 3, 6]
        """
        state, structure = _state_of(initial_state)
        specs = [_spec_of(value) for value in state]
        function, _ = trace_with_state("scan_func", scan_func, specs, structure, self, pair=True)
        arguments = {"function": function, "initial_state": state}
        return self._make("scan", arguments, (self,), function.structure[1])

    def reduce(
        self, initial_state: Any, reduce_func: Callable[[Any, Any], Any], name: str | None = None
    ) -> Any:
        """Folds all elements into one value: reduce_func(state, element) -> state.

        The state keeps its structure and dtypes; shapes that change become unknown. In a traced
        function the result is computed when that runs.

        Raises:
            TypeError: `reduce_func` returns another structure or other dtypes.
            InvalidArgumentError: the dataset is infinite.

        >>> import numpy as np, fastpipe as fp
        >>> int(fp.Dataset.range(5).reduce(np.int64(0), lambda s, x: s + x))
        10
        >>> pairs = fp.Dataset.range(4).window(2)
        >>> [int(x) for x in pairs.map(lambda w: w.reduce(np.int64(0), lambda s, x: s + x))]
        [1, 5]
        """
        state, structure = _state_of(initial_state)
        specs = [_spec_of(value) for value in state]
        function, _ = trace_with_state("reduce_func", reduce_func, specs, structure, self)
        arguments = {"function": function, "initial_state": state}
        return self._make("reduce", arguments, (self,), structure).get_single_element()

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element. In a traced function it is computed when that runs.

        Raises:
            InvalidArgumentError: there is none, or more than one.

        >>> import fastpipe as fp
        >>> fp.Dataset.range(3).batch(3).get_single_element().tolist()
        [0, 1, 2]
        """
        if current_tracer() is not None:
            value = self.symbol if self.symbol is not None else self
            leaves = call("get_single_element", [value])
            parts = leaves if isinstance(leaves, tuple) else (leaves,)
            kinds = leaf_structures(self.structure)
            return unflatten(self.structure, [argument(p, k) for p, k in zip(parts, kinds)])
        with self.iterator() as iterator:
            elements = [element for element, _ in zip(iterator, range(2), strict=False)]
        if len(elements) != 1:
            found = "none" if not elements else "more than one"
            raise InvalidArgumentError(f"get_single_element: expected one element, found {found}")
        return elements[0]

    def at(self, index: Any) -> Any:
        """Element number `index`, from 0.

        Passes over the elements before it, which costs sources and maps nothing.

        Raises:
            OutOfRangeError: there is no such element.

        >>> import fastpipe as fp
        >>> int(fp.Dataset.range(10, 20).map(lambda x: x * 2).at(3))
        26
        """
        rest = self._make("skip", {"count": index}, (self,), self.structure)
        if current_tracer() is not None:
            one = self._make("take", {"count": 1}, (rest,), self.structure)
            return one.get_single_element()
        if int(index) < 0:
            raise OutOfRangeError(f"at: the index must be >= 0, got {int(index)}")
        with rest.iterator() as iterator:
            for element in iterator:
                return element
        raise OutOfRangeError(f"at: there is no element {int(index)}")

    def group_by_reducer(self, key_func: Callable[..., Any], reducer: Any) -> Any:
        """One value for each key, in the order of the keys: a fold over the elements that have it.

        Args:
            key_func: a scalar int64 for each element.
            reducer: a Reducer.

        >>> import numpy as np, fastpipe as fp
        >>> total = fp.experimental.Reducer(
        ...     lambda key: np.int64(0), lambda state, x: state + x, lambda state: state)
        >>> [int(x) for x in fp.Dataset.range(6).group_by_reducer(lambda x: x % 2, total)]
        [6, 9]
        """
        key = trace(
            lambda *element: call("cast", [key_func(*element)], dtype="int64"), [arguments_of(self)]
        )
        init = trace(reducer.init_func, [(LEAF, [("int64", (), None)])])
        reduce, specs = trace_with_state(
            "reduce_func", reducer.reduce_func, init.program.output_specs, init.structure, self
        )
        finalize = trace(reducer.finalize_func, [(init.structure, specs)])
        arguments = {"key": key, "init": init, "reduce": reduce, "finalize": finalize}
        return self._make("group_by_reducer", arguments, (self,), finalize.structure)


def _state_of(initial_state: Any) -> tuple[list[Any], Any]:
    """The tensors of a state, and its structure."""
    leaves, structure = flatten(initial_state, leaf_structure)
    return [convert(leaf) for leaf in leaves], structure


def _spec_of(value: Any) -> Any:
    if isinstance(value, bytes):
        return "string", (), None
    dtype = "string" if value.dtype == object else value.dtype.name
    return dtype, None if value.shape is None else tuple(value.shape), None


def trace_with_state(
    what: str,
    function: Callable[[Any, Any], Any],
    specs: list[Any],
    structure: Any,
    dataset: DatasetBase,
    *,
    pair: bool = False,
) -> tuple[Function, list[Any]]:
    """Traces function(state, element), as often as it takes until the state it returns fits the
    state it is given: what changes its shape gets an unknown one.

    Args:
        what: the name of the function in messages.
        function: the user's; returns the next state, or (state, result) if `pair`.
        specs: of the state at first.
        structure: of the state.
        dataset: has the elements.

    Returns:
        The function, and the specs of the state it takes.
    """
    while True:
        group = (structure, dataset.structure), specs + dataset.native.specs
        traced = trace(function, [group])
        returned = traced.structure
        if pair:
            if type(returned) is not tuple or len(returned) != 2:
                raise InvalidTypeError(f"{what} must return (state, result)")
            returned = returned[0]
        _check_state(what, structure, specs, returned, traced)
        wider = _widened(specs, traced.program.output_specs)
        if wider == specs:
            return traced, specs
        specs = wider


def _check_state(
    what: str, structure: Any, specs: list[Any], returned: Any, traced: Function
) -> None:
    if returned != structure:
        raise InvalidTypeError(
            f"{what} returned a state of the structure {returned!r}, the initial state has "
            f"{structure!r}"
        )
    for number, (want, got) in enumerate(zip(specs, traced.program.output_specs, strict=False)):
        if want[0] != got[0]:
            raise InvalidTypeError(
                f"{what} returned {got[0]} as component {number} of the state, which is {want[0]} "
                f"at first"
            )


def _widened(specs: list[Any], returned: list[Any]) -> list[Any]:
    """Specs that are fit for both: unknown where they differ."""
    wider = []
    for (dtype, mine, nested), (_, theirs, _) in zip(specs, returned, strict=False):
        if mine is None or theirs is None or len(mine) != len(theirs):
            shape = None
        else:
            shape = tuple(a if a == b else None for a, b in zip(mine, theirs, strict=True))
        wider.append((dtype, shape, nested))
    return wider
