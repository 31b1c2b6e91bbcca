"""Sources: datasets made of values, numbers, generators and file names."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fastpipe.base import DatasetBase, leaf_structure
from fastpipe.errors import InvalidTypeError
from fastpipe.functions import signature_of
from fastpipe.generating import Generated
from fastpipe.python_callable import PythonCallable
from fastpipe.seed import dataset_seed
from fastpipe.spec import TensorSpec, as_dtype, as_tensor, dtype_name, int64
from fastpipe.structure import (
    LEAF,
    flatten,
    has_composites,
    map_leaves,
    parts_argument,
    unstacked,
)
from fastpipe.tracing import convert


def _components(tensors: Any) -> tuple[list[Any], Any]:
    leaves, structure = flatten(tensors, leaf_structure)
    return [leaf if isinstance(leaf, DatasetBase) else convert(leaf) for leaf in leaves], structure


def _components_as_is(leaves: list[Any]) -> list[Any]:
    # A component that is a dataset travels as a tensor that holds it.
    return [leaf.symbol or leaf if isinstance(leaf, DatasetBase) else leaf for leaf in leaves]


def _column(items: list[Any]) -> Any:
    """Tensors of equal dtype and shape as one, along a new first axis."""
    for item in items:
        same = np.shape(item) == np.shape(items[0]) and _kind(item) == _kind(items[0])
        if not same:
            raise InvalidTypeError(
                f"elements differ in dtype or shape: {items[0]!r:.80} and {item!r:.80}"
            )
    return as_tensor(np.stack(items))


def _kind(item: Any) -> str:
    return dtype_name(getattr(item, "dtype", "string"))


class Sources(DatasetBase):
    """Mixed into Dataset."""

    @classmethod
    def range(cls, *args: Any, output_type: Any = int64, name: str | None = None) -> Any:
        """Numbers as Python's range yields them: range(stop), (start, stop) or (start, stop, step).

        Raises:
            InvalidArgumentError: step is 0.

        >>> from fastpipe import Dataset
        >>> [int(x) for x in Dataset.range(1, 6, 2)]
        [1, 3, 5]
        """
        if not 1 <= len(args) <= 3:
            raise InvalidTypeError(f"range takes 1 to 3 numbers, got {len(args)}")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        arguments = {"start": start, "stop": stop, "step": step, "dtype": dtype_name(output_type)}
        return cls._make("range", arguments, (), LEAF)

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Any:
        """One element: `tensors`.

        >>> from fastpipe import Dataset
        >>> [x.tolist() for x in Dataset.from_tensors([1, 2])]
        [[1, 2]]
        """
        leaves, structure = _components(tensors)
        return cls._make("from_tensors", {"components": _components_as_is(leaves)}, (), structure)

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Any:
        """One element for each row of axis 0 of all components, which have equal length.

        Raises:
            InvalidArgumentError: a component is a scalar, or lengths differ.

        >>> from fastpipe import Dataset
        >>> [(int(x), y) for x, y in Dataset.from_tensor_slices(([1, 2], ["a", "b"]))]
        [(1, b'a'), (2, b'b')]
        """
        leaves, structure = _components(tensors)
        arguments = {"components": leaves, **parts_argument(structure)}
        return cls._make("from_tensor_slices", arguments, (), unstacked(structure))

    @classmethod
    def from_list(cls, elements: Sequence[Any], name: str | None = None) -> Any:
        """The elements of a list, which have equal structure and shapes."""
        if not elements:
            raise ValueError("from_list needs at least one element")
        rows = [flatten(element, leaf_structure) for element in elements]
        structure = rows[0][1]
        for _, other in rows:
            if other != structure:
                raise InvalidTypeError(f"elements differ in structure: {structure!r} and {other!r}")
        if has_composites(structure):
            ones = [cls.from_tensors(element) for element in elements]
            return functools.reduce(lambda ds, one: ds.concatenate(one), ones)
        columns = zip(*[leaves for leaves, _ in rows], strict=True)
        components = [_column([as_tensor(item) for item in column]) for column in columns]
        return cls._make("from_tensor_slices", {"components": components}, (), structure)

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Any:
        """Elements that a Python function yields; it is called again for every pass.

        A pass can be saved (Iterator.save) if what the function returns has `state_dict()` and
        `load_state_dict(state)`: the first returns what JSON can hold, the second is called before
        the first element of a restored pass. A plain generator has neither.

        Args:
            generator: returns an iterable.
            output_signature: TensorSpecs in the structure of an element.
            output_types, output_shapes: the older way to say the same.
            args: values that `generator` is called with, as NumPy values.

        >>> from fastpipe import TensorSpec
        >>> signature = TensorSpec((), "int64")
        >>> from fastpipe import Dataset
        >>> [int(x) for x in Dataset.from_generator(lambda: [3, 5], output_signature=signature)]
        [3, 5]

        >>> class Squares:
        ...     n = 0
        ...     def __iter__(self):
        ...         return self
        ...     def __next__(self):
        ...         self.n += 1
        ...         return self.n**2
        ...     def state_dict(self):
        ...         return {"n": self.n}
        ...     def load_state_dict(self, state):
        ...         self.n = state["n"]
        >>> ds = Dataset.from_generator(Squares, output_signature=signature)
        >>> it = ds.iterator()
        >>> int(next(it)), int(next(it))
        (1, 4)
        >>> int(next(ds.iterator(it.save())))
        9
        """
        if not callable(generator):
            raise TypeError(f"generator must be callable, got {generator!r}")
        if output_signature is not None and (output_types is not None or output_shapes is not None):
            raise TypeError("give output_signature, or output_types and output_shapes, not both")
        if output_signature is None:
            if output_types is None:
                raise TypeError("from_generator needs an output_signature")
            output_signature = signature_of(output_types, output_shapes)
        specs, structure = flatten(output_signature, lambda leaf: LEAF)
        specs = [item if isinstance(item, TensorSpec) else TensorSpec(None, item) for item in specs]

        arguments = {
            "handle": PythonCallable(
                functools.partial(Generated, generator, specs, structure),
                generator,
                "it is a generator",
            ),
            "signature": specs,
            "args": [convert(value) for value in args or ()],
        }
        return cls._make("from_generator", arguments, (), structure)

    @classmethod
    def list_files(
        cls,
        file_pattern: Any,
        shuffle: bool | None = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> Any:
        """Paths that match one or several glob patterns, as bytes.

        Args:
            file_pattern: a string, a list of strings, or a string tensor.
            shuffle: True (default) draws a new order for every pass, False sorts.
            seed: makes the orders reproducible.

        Raises:
            InvalidArgumentError: no file matches.
        """
        arguments = {
            "patterns": convert(file_pattern),
            "shuffle": shuffle is None or bool(shuffle),
            "seed": dataset_seed(seed),
        }
        return cls._make("list_files", arguments, (), LEAF)

    @classmethod
    def counter(
        cls, start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None
    ) -> Any:
        """start, start + step, ... without end.

        >>> from fastpipe import Dataset
        >>> [float(x) for x in Dataset.counter(0.5, 0.25, "float32").take(3)]
        [0.5, 0.75, 1.0]
        """
        kind = as_dtype(dtype)
        if kind.is_floating:
            first, by = (
                np.asarray(start, kind.as_numpy_dtype),
                np.asarray(step, kind.as_numpy_dtype),
            )
            return cls.from_tensors(0).repeat().scan(first, lambda now, _: (now + by, now))
        arguments = {"start": start, "step": step, "dtype": dtype_name(dtype)}
        return cls._make("counter", arguments, (), LEAF)

    @classmethod
    def random(
        cls,
        seed: int | None = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """Pseudo-random int64 numbers from 0 to 2**32 - 1, without end.

        Args:
            seed: makes the numbers reproducible; they are those of tf.data.
            rerandomize_each_iteration: True gives each pass numbers of its own.

        >>> from fastpipe import Dataset
        >>> [int(x) for x in Dataset.random(seed=4).take(2)]
        [3128586565, 2023892699]
        """
        arguments = {
            "seed": dataset_seed(seed),
            "rerandomize_each_iteration": bool(rerandomize_each_iteration),
        }
        return cls._make("random", arguments, (), LEAF)

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """Elements of several datasets side by side, until the first of them ends.

        Takes datasets, or one nested structure of them.

        >>> from fastpipe import Dataset
        >>> a, b = Dataset.range(3), Dataset.range(10, 12)
        >>> [(int(x), int(y)) for x, y in Dataset.zip(a, b)]
        [(0, 10), (1, 11)]
        """
        if not args and datasets is None:
            raise TypeError("zip takes datasets, or one nested structure of them")
        if args and datasets is not None:
            raise TypeError("zip takes datasets by position or as `datasets`, not both")
        nest = datasets if not args else args[0] if len(args) == 1 else args
        parts, structure = flatten(nest, lambda leaf: leaf)
        for part in parts:
            if not isinstance(part, DatasetBase):
                raise TypeError(f"zip takes datasets, got {type(part).__name__}: {part!r:.80}")
        return cls._make("zip", {}, parts, _zipped(structure))


def _zipped(structure: Any) -> Any:
    return map_leaves(structure, lambda part: part.structure)
