"""What every dataset has: its node, its native twin, its structure, and how it is iterated."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from fastpipe import _core
from fastpipe.errors import TracingError
from fastpipe.iterator import Iterator, start
from fastpipe.node import Node
from fastpipe.options import Options
from fastpipe.python_callable import PythonCallable
from fastpipe.spec import DatasetSpec, TensorSpec
from fastpipe.structure import LEAF, DatasetLeaf, leaf_structures, unflatten
from fastpipe.tracing import (
    BoundFunction,
    Function,
    Symbol,
    call,
    current_tracer,
    has_symbol,
    native_args,
    user_line,
)

if TYPE_CHECKING:
    from typing_extensions import Self

INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class DatasetBase:
    """An immutable description of a pipeline. Made by its methods, never directly.

    Attributes:
        node: the description.
        native: the native op, built and checked when this object was made.
        structure: nesting of an element; see fastpipe.structure.
        symbol: set while a function is traced, if the dataset exists only when that runs.
    """

    _concrete: ClassVar[Any]  # the one class that datasets are instances of

    def __init__(self) -> None:
        raise TypeError("make datasets with Dataset.range, Dataset.from_tensor_slices, ...")

    node: Node
    native: Any
    structure: Any
    symbol: Symbol | None
    _options: Options
    _runs: int
    _owner: DatasetBase | None  # what yielded it, whose Python callables it may need

    @classmethod
    def _wrap(
        cls, node: Node, native: Any, structure: Any, symbol: Symbol | None, options: Options
    ) -> Self:
        dataset: Self = cls._concrete.__new__(cls._concrete)
        dataset.node = node
        dataset.native = native
        dataset.structure = structure
        dataset.symbol = symbol
        dataset._options = options
        dataset._runs = 0
        dataset._owner = None
        return dataset

    @classmethod
    def _make(
        cls, op: str, args: dict[str, Any], inputs: Sequence[DatasetBase], structure: Any
    ) -> Self:
        """Builds the op, natively checked, here or as an instruction of the function traced."""
        where = user_line()
        options = Options()
        for item in inputs:
            options = options.merge(item._options)
        node = Node(op, args, tuple(item.node for item in inputs), where)
        tracer = current_tracer()
        # A dataset that counts its passes begins to count anew whenever the function runs.
        counts = tracer is not None and bool(args.get("reshuffle_each_iteration"))
        if (
            counts
            or any(item.symbol is not None for item in inputs)
            or any(_is_symbolic(value) for value in args.values())
        ):
            if tracer is None:
                raise TracingError(f"{op}: a symbol was used outside the function it was traced in")
            if args.get("seed", 0) is None:
                # Drawn for the element that the function runs for, so that replaying it draws it
                # again.
                drawn = call("element_seed", [], number=next(tracer.numbers))
                args = {**args, "seed": drawn[0]}
            sources = [item.symbol if item.symbol is not None else item for item in inputs]
            symbol = tracer.dataset(op, args, sources, where)
            return cls._of_symbol(symbol, structure, node, options)
        native = _core.build_dataset(op, native_args(args), [item.native for item in inputs], where)
        return cls._wrap(node, native, structure, None, options)

    @classmethod
    def _of_symbol(
        cls,
        symbol: Symbol,
        structure: Any,
        node: Node | None = None,
        options: Options | None = None,
    ) -> Self:
        """The dataset that `symbol` will be when the function runs."""
        native = _core.placeholder(symbol._tracer.builder, symbol._slot)
        return cls._wrap(node or Node("argument"), native, structure, symbol, options or Options())

    @classmethod
    def _of_native(cls, native: Any, structure: Any, owner: DatasetBase | None) -> Self:
        """A dataset that came out of the pipeline `owner`, as `window` yields them."""
        dataset = cls._wrap(
            Node("element"), native, structure, None, owner._options if owner else Options()
        )
        dataset._owner = owner
        return dataset

    # ---- what an element is ----

    @property
    def element_spec(self) -> Any:
        """TensorSpecs in the structure of an element.

        >>> import fastpipe as fp
        >>> fp.Dataset.range(5).batch(2).element_spec
        TensorSpec(shape=(None,), dtype=fp.int64)
        """
        specs = [
            _public_spec(spec, leaf)
            for spec, leaf in zip(self.native.specs, leaf_structures(self.structure), strict=True)
        ]
        return _unflatten_specs(self.structure, specs)

    def cardinality(self) -> Any:
        """Number of elements, INFINITE_CARDINALITY (-1) or UNKNOWN_CARDINALITY (-2).

        An int; of a dataset that exists only when a traced function runs, a scalar int64 tensor.
        """
        if self.symbol is not None:
            return call("dataset_cardinality", [self.symbol])
        return int(self.native.cardinality)

    def __len__(self) -> int:
        """Number of elements.

        Raises:
            TypeError: it is unknown or infinite.
        """
        if self.symbol is not None:
            raise TypeError("len() of a dataset in a traced function: use its cardinality()")
        size: int = self.cardinality()
        if size == INFINITE_CARDINALITY:
            raise TypeError("the dataset is infinite")
        if size == UNKNOWN_CARDINALITY:
            raise TypeError("the length of the dataset is unknown until it has been iterated")
        return size

    def __bool__(self) -> bool:
        return True

    # ---- iterating ----

    def __iter__(self) -> Iterator:
        return self.iterator()

    def as_numpy_iterator(self) -> Iterator:
        """The same as iter(): elements are NumPy values anyway."""
        return self.iterator()

    def iterator(self, state: bytes | str | os.PathLike[str] | None = None) -> Iterator:
        """A new pass; from where `state` was taken.

        Args:
            state: what Iterator.save() returned, or the path of a file of Iterator.save_file().

        Raises:
            FailedPreconditionError: `state` belongs to another pipeline or version.
            DataLossError: `state` is damaged.
            OSError: the file cannot be read.

        >>> import fastpipe as fp
        >>> ds = fp.Dataset.range(5)
        >>> it = ds.iterator()
        >>> next(it), next(it)
        (np.int64(0), np.int64(1))
        >>> [int(x) for x in ds.iterator(it.save())]
        [2, 3, 4]
        """
        if self.symbol is not None:
            raise TracingError(
                "a dataset that is an argument of a traced function cannot be iterated there; use "
                "its methods"
            )
        if self._options.native_only:
            for function in python_callables(self.node):
                raise TracingError(
                    f"Options(native_only=True), but {function.origin!r} runs as a Python function"
                )
        run, self._runs = self._runs, self._runs + 1
        return start(self, element_unflatten(self.structure, self), self._options, run, state)

    # ---- options ----

    def options(self) -> Options:
        """The options of this dataset and its inputs. They cannot be changed."""
        options = self._options.merge(Options())
        options.fix()
        return options

    def with_options(self, options: Options, name: str | None = None) -> Self:
        """The same dataset with `options` on top of those of its inputs."""
        if not isinstance(options, Options):
            raise TypeError(f"with_options takes Options, got {type(options).__name__}")
        merged = self._options.merge(options)
        return self._wrap(self.node, self.native, self.structure, self.symbol, merged)

    def canonical(self, tuning: bool = True) -> bytes:
        """Bytes that are equal for equal descriptions; see Node.canonical."""
        return self.node.canonical(tuning)

    def fingerprint(self) -> bytes:
        """16 bytes that identify what the pipeline yields, whatever its parallelism."""
        return self.node.fingerprint()

    def __repr__(self) -> str:
        return f"<Dataset {self.node!r} element_spec={self.element_spec!r}>"

    def __reduce__(self) -> Any:
        if self.symbol is not None:
            raise TypeError("a dataset inside a traced function cannot be pickled")
        return _rebuild, (self.node, self.structure, self._options)


def _rebuild(node: Node, structure: Any, options: Options) -> Any:
    def build(item: Node) -> Any:
        inputs = [build(source) for source in item.inputs]
        return _core.build_dataset(item.op, native_args(dict(item.args)), inputs, item.where)

    return DatasetBase._wrap(node, build(node), structure, None, options)


def _is_symbolic(value: Any) -> bool:
    return has_symbol(value) or (isinstance(value, Function) and bool(value.capture_symbols))


def _public_spec(spec: tuple[str, Any, Any], leaf: Any) -> Any:
    dtype, shape, nested = spec
    if not isinstance(leaf, DatasetLeaf):
        return TensorSpec(shape, dtype)
    specs = [
        _public_spec(item, inner)
        for item, inner in zip(nested, leaf_structures(leaf.structure), strict=True)
    ]
    return DatasetSpec(_unflatten_specs(leaf.structure, specs))


def _unflatten_specs(structure: Any, specs: list[Any]) -> Any:
    return unflatten(structure, specs, lambda node, leaves: node.kind.spec_from_leaves(leaves))


def python_callables(node: Node) -> list[PythonCallable]:
    """The Python functions that a pipeline calls, in nested functions too."""
    found = [item for source in node.inputs for item in python_callables(source)]
    return found + [item for value in node.args.values() for item in python_callables_in(value)]


def python_callables_in(value: Any) -> list[PythonCallable]:
    """Those of an argument of an op."""
    if isinstance(value, PythonCallable):
        return [value]
    if isinstance(value, BoundFunction):
        return python_callables_in(value.function)
    if isinstance(value, DatasetBase):
        return python_callables(value.node)
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in python_callables_in(part)]
    if isinstance(value, dict):
        return [item for part in value.values() for item in python_callables_in(part)]
    if isinstance(value, Function):
        return [item for record in value.records for item in python_callables_in(record)]
    return []


def leaf_structure(value: Any) -> Any:
    """LEAF, or the DatasetLeaf of a dataset."""
    return DatasetLeaf(value.structure) if isinstance(value, DatasetBase) else LEAF


def element_unflatten(
    structure: Any, owner: DatasetBase | None = None
) -> Callable[[list[Any]], Any]:
    """Makes elements of `structure` from the leaves that `owner`, if it is known, delivers."""
    leaves = leaf_structures(structure)
    if not any(isinstance(leaf, DatasetLeaf) for leaf in leaves):
        return lambda values: unflatten(structure, values)
    return lambda values: unflatten(
        structure,
        [
            DatasetBase._of_native(value, leaf.structure, owner)
            if isinstance(leaf, DatasetLeaf)
            else value
            for value, leaf in zip(values, leaves, strict=True)
        ],
    )
