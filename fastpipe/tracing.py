"""Tracing: a user's function is called once with symbols and becomes a native program.

`call` is the one way in which fastpipe's own functions reach kernels: on symbols it appends an
instruction, on values it computes at once.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from fastpipe import _core
from fastpipe.errors import TracingError
from fastpipe.literals import adapted, same_values
from fastpipe.node import Node, SlotIndex, untuned
from fastpipe.python_callable import PythonCallable
from fastpipe.spec import ALL, DType, Shape, TensorSpec, as_shape, as_tensor

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class _State(threading.local):
    tracer: Tracer | None = None


_state = _State()


def current_tracer() -> Tracer | None:
    """The tracer of the function that is being traced on this thread."""
    return _state.tracer


def user_line() -> str:
    """ "file.py:12": the innermost line of the stack that is not fastpipe's own."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_back is None:
            return ""
        frame = frame.f_back
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


class Symbol:
    """A tensor that exists only when the traced function runs.

    Supports Python's operators, comparison, slicing, `dtype`, `shape` and `set_shape`. Whatever
    needs a value (a branch, a loop, NumPy, PIL) raises TracingError.
    """

    __slots__ = ("_tracer", "_slot")

    def __init__(self, tracer: Tracer, slot: int) -> None:
        self._tracer = tracer
        self._slot = slot

    @property
    def dtype(self) -> DType:
        """The dtype, always known."""
        return ALL[self._spec[0]]

    @property
    def shape(self) -> Shape:
        """Sizes with None where unknown; None if the rank is unknown."""
        return as_shape(self._spec[1])

    @property
    def _spec(self) -> Any:
        if self._tracer.ended:
            raise TracingError("a symbol was used outside the function it was traced in")
        return self._tracer.builder.spec(self._slot)

    @property
    def ndim(self) -> int | None:
        """Number of dimensions, None if unknown."""
        return None if self.shape is None else len(self.shape)

    def set_shape(self, shape: Sequence[int | None]) -> None:
        """States the shape, which is checked when the function runs."""
        dims = [-1 if d is None else int(d) for d in shape]
        self._slot = call("ensure_shape", [self], shape=dims)._slot

    def __repr__(self) -> str:
        if self._tracer.ended:
            return "<symbol of a function that has been traced>"
        return f"<symbol {self.dtype.name} {self.shape}>"

    def _untraceable(self, what: str) -> NoReturn:
        self._tracer.untraceable = what
        raise TracingError(
            f"{what} needs a value, but this function is being traced and {self!r} has none yet"
        )

    def __bool__(self) -> bool:
        self._untraceable("a branch (if, while, and, or, not) on a tensor")

    def __iter__(self) -> NoReturn:
        self._untraceable("a loop over a tensor")

    def __len__(self) -> int:
        shape = self.shape
        if not shape or shape[0] is None:
            self._untraceable("len() of a tensor of unknown size")
        return shape[0]

    def __int__(self) -> int:
        self._untraceable("int()")

    def __index__(self) -> int:
        self._untraceable("use as a Python integer")

    def __float__(self) -> float:
        self._untraceable("float()")

    def __bytes__(self) -> bytes:
        self._untraceable("bytes()")

    def __fspath__(self) -> str:
        self._untraceable("use as a path by Python code")

    def __format__(self, spec: str) -> str:
        self._untraceable("formatting into a string")

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._untraceable("conversion to a NumPy array")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        kernel = _UFUNCS.get(ufunc.__name__)
        if kernel is None or method != "__call__" or kwargs:
            self._untraceable(f"NumPy's {ufunc.__name__}")
        return _apply(kernel, inputs)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._tracer.untraceable = f"the attribute .{name}"
        raise AttributeError(
            f"a symbolic tensor has no attribute {name!r}: this function is being traced"
        )

    def __getitem__(self, key: Any) -> Any:
        return _indexing[0](self, key)

    __hash__ = object.__hash__


# NumPy functions with a kernel of the same meaning.
_UFUNCS = {
    "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide",
    "true_divide": "divide", "floor_divide": "floor_divide", "remainder": "floor_mod",
    "power": "power", "minimum": "minimum", "maximum": "maximum", "equal": "equal",
    "not_equal": "not_equal", "less": "less", "less_equal": "less_equal", "greater": "greater",
    "greater_equal": "greater_equal", "bitwise_and": "and", "bitwise_or": "or",
    "bitwise_xor": "xor", "matmul": "matmul",
}  # fmt: skip

# What array.py installs for Symbol.__getitem__: indexing is a family of kernels of its own.
_indexing: list[Callable[[Any, Any], Any]] = []


def set_indexing(index: Callable[[Any, Any], Any]) -> None:
    """Installs the function behind `symbol[key]`."""
    _indexing[:] = [index]


# Operators that mean one thing on bools and another on integers.
_BY_KIND = {
    "and": ("logical_and", "bitwise_and"),
    "or": ("logical_or", "bitwise_or"),
    "xor": ("logical_xor", "bitwise_xor"),
    "invert": ("logical_not", "bitwise_not"),
    "multiply": ("logical_and", "multiply"),
}


def _apply(operation: str, inputs: Sequence[Any]) -> Any:
    if operation in _BY_KIND:
        numbers = any(getattr(x, "dtype", "bool") != "bool" for x in inputs)
        operation = _BY_KIND[operation][numbers]
    return call(operation, inputs, unify=True)


_BINARY = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv",
    "floor_divide": "floordiv", "floor_mod": "mod", "power": "pow", "less": "lt",
    "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne",
    "and": "and", "or": "or", "xor": "xor", "matmul": "matmul",
}  # fmt: skip
_UNARY = {"negative": "neg", "abs": "abs", "invert": "invert"}
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def install_operators(kind: type) -> None:
    """Gives a class of tensors Python's operators, as kernels."""
    for operation, name in _BINARY.items():
        setattr(kind, f"__{name}__", lambda x, y, kernel=operation: _apply(kernel, [x, y]))
        if name not in _COMPARISONS:
            setattr(kind, f"__r{name}__", lambda x, y, kernel=operation: _apply(kernel, [y, x]))
    for operation, name in _UNARY.items():
        setattr(kind, f"__{name}__", lambda x, kernel=operation: _apply(kernel, [x]))


install_operators(Symbol)


def has_symbol(value: Any) -> bool:
    """True if `value` is a Symbol or a list or tuple with one inside."""
    if not isinstance(value, (list, tuple)):
        return isinstance(value, Symbol)
    plain = set(map(type, value)) <= {str, bytes, int, float}  # soon, for a million paths
    return not plain and any(map(has_symbol, value))


def convert(value: Any, dtype: object = None) -> Any:
    """A Symbol as it is, a list with Symbols inside stacked, anything else as bytes or an array."""
    if isinstance(value, Symbol) or hasattr(type(value), "apply_kernel"):
        return value
    if isinstance(value, (list, tuple)) and has_symbol(value):
        return call("stack", value, unify=True, axis=0)
    return as_tensor(value, dtype)


def call(kernel: str, inputs: Sequence[Any], *, unify: bool = False, **attrs: Any) -> Any:
    """Applies a kernel: appends it to the function being traced, or computes at once.

    Args:
        kernel: its native name.
        inputs: Symbols or values.
        unify: Python literals among the inputs take the dtype of the tensors beside them.
        attrs: plain values.

    Returns:
        One Symbol or NumPy value; a tuple of them for a kernel with several results.
    """
    for value in inputs:  # a tensor made of several says itself what the kernel means for it
        if hasattr(type(value), "apply_kernel"):
            return value.apply_kernel(kernel, inputs, unify, attrs)
    values = _unified(inputs) if unify else [convert(value) for value in inputs]
    if (tracer := _state.tracer) is not None:
        slots = [tracer.slot_of(value) for value in values]
        outputs: list[Any] = tracer.kernel(kernel, attrs, slots, user_line())
    else:
        for value in values:
            if isinstance(value, Symbol):
                raise TracingError(f"{value!r} was used outside the function it was traced in")
        outputs = _core.run_kernel(kernel, native_args(attrs), values)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def unified(*values: Any) -> list[Any]:
    """The values, literals in the dtype of the tensor, or else the first literal, beside them."""
    first, *rest = values
    if not any(hasattr(value, "dtype") or has_symbol(value) for value in values):
        first = convert(first)
    return _unified([first, *rest])


def _unified(inputs: Sequence[Any]) -> list[Any]:
    values = [convert(value) if has_symbol(value) else value for value in inputs]
    dtypes = [value.dtype for value in values if hasattr(value, "dtype")]
    dtypes += [ALL["string"] for value in values if isinstance(value, bytes)]
    if not dtypes:
        return [convert(value) for value in values]
    symbolic = [value.dtype for value in values if isinstance(value, Symbol)]
    return [_beside(value, dtypes[0], symbolic) for value in values]


def _beside(value: Any, dtype: Any, symbolic: list[DType]) -> Any:
    if not hasattr(value, "dtype"):
        if getattr(dtype, "name", "") == "bfloat16":  # NumPy has none: by way of the kernel
            return call("cast", [adapted(value, ALL["float32"])], dtype="bfloat16")
        return adapted(value, dtype)
    # Beside a symbol an array that the user made counts as a literal; a `constant` does not.
    if symbolic and type(value).__name__ != "Constant":
        return same_values(value, symbolic[0])
    return value


# ---- functions ----


@dataclass(frozen=True)
class Function:
    """A traced function: the records of its instructions, and the native program made of them.

    Attributes:
        records: ("arg", spec) | ("capture", spec) | ("constant", value) |
            ("kernel", name, attrs, slots, where) | ("dataset", op, args, inputs, where), in order.
        outputs: slots of the results.
        structure: of the results.
        name: of the user's function, for explanations; "" where it is not known.
    """

    records: tuple[tuple[Any, ...], ...]
    outputs: tuple[int, ...]
    structure: Any
    program: Any = field(compare=False, repr=False)
    capture_symbols: tuple[Symbol, ...] = field(default=(), compare=False, repr=False)
    is_python: bool = False
    name: str = field(default="", compare=False, repr=False)

    def __repr__(self) -> str:
        names = [str(record[1]) for record in self.records if record[0] in ("kernel", "dataset")]
        return f"<function {' → '.join(names) or 'identity'}>"

    def canonical(self, tuning: bool = True) -> bytes:
        """Bytes that are equal for equal functions."""
        records = [_without_place(record, tuning) for record in self.records]
        body = Node("function", {"records": records})
        return body.canonical(tuning) + repr(self.outputs).encode()

    def __reduce__(self) -> Any:
        return _rebuild, (self.records, self.outputs, self.structure)


def _without_place(record: tuple[Any, ...], tuning: bool) -> tuple[Any, ...]:
    if record[0] == "dataset" and not tuning:
        return (*record[:2], untuned(record[1], record[2]), record[3])
    return record[:-1] if record[0] in ("kernel", "dataset") else record


class Tracer:
    """Records the instructions of one function while it is being traced."""

    def __init__(self, outer: Tracer | None) -> None:
        self.outer = outer
        self.builder = _core.Builder()
        self.records: list[tuple[Any, ...]] = []
        self.captures: dict[tuple[int, int], int] = {}
        self.capture_symbols: list[Symbol] = []
        self.untraceable = ""
        self.ended = False
        # 0, 1, ... through the outermost function that is being traced and those inside it.
        self.numbers: Iterator[int] = outer.numbers if outer else itertools.count()

    def arg(self, spec: Any) -> Symbol:
        """A new argument; `spec` is (dtype name, dims, specs of the elements of a dataset)."""
        self.records.append(("arg", spec))
        return Symbol(self, self.builder.arg(spec))

    def slot_of(self, value: Any) -> int:
        """The slot of a Symbol, captured from an outer function if need be, or of a constant."""
        if not isinstance(value, Symbol):
            self.records.append(("constant", value))
            return int(self.builder.constant(getattr(value, "native", value)))
        if value._tracer is self:
            return value._slot
        if self.outer is None:
            raise TracingError(f"{value!r} was used outside the function it was traced in")
        outer_slot = self.outer.slot_of(value)
        key = (id(value._tracer), value._slot)
        if key not in self.captures:
            spec = self.outer.builder.spec(outer_slot)
            self.captures[key] = self.builder.capture(spec)
            self.records.append(("capture", spec))
            self.capture_symbols.append(Symbol(self.outer, outer_slot))
        return self.captures[key]

    def kernel(
        self, name: str, attrs: dict[str, Any], slots: list[int], where: str
    ) -> list[Symbol]:
        """Appends a kernel."""
        outputs = self.builder.kernel(name, native_args(attrs), slots, where)
        self.records.append(("kernel", name, attrs, slots, where))
        return [Symbol(self, slot) for slot in outputs]

    def dataset(self, op: str, args: dict[str, Any], inputs: list[Any], where: str) -> Symbol:
        """Appends a dataset op; Symbols among the arguments and inputs become slots."""
        args = {name: self._inside(value) for name, value in args.items()}
        inputs = [self._inside(value) for value in inputs]
        native = [native_value(value, self.builder) for value in inputs]
        slot = self.builder.dataset(op, native_args(args, self.builder), native, where)
        self.records.append(("dataset", op, args, inputs, where))
        return Symbol(self, slot)

    def _inside(self, value: Any) -> Any:
        """`value` with every Symbol replaced by its SlotIndex in this function."""
        if isinstance(value, Symbol):
            return SlotIndex(self.slot_of(value))
        if isinstance(value, (list, tuple)):
            return [self._inside(item) for item in value]
        if isinstance(value, Function) and value.capture_symbols:
            return BoundFunction(
                value, tuple(SlotIndex(self.slot_of(item)) for item in value.capture_symbols)
            )
        return value

    def finish(self, outputs: list[int], structure: Any, is_python: bool = False) -> Function:
        """Ends the function."""
        return Function(
            tuple(self.records),
            tuple(outputs),
            structure,
            self.builder.finish(list(outputs)),
            tuple(self.capture_symbols),
            is_python,
        )


@dataclass(frozen=True)
class BoundFunction:
    """A function together with the slots, in the function around, that it captured."""

    function: Function
    captures: tuple[SlotIndex, ...]

    def canonical(self, tuning: bool = True) -> bytes:
        """Bytes that are equal for equal functions."""
        return self.function.canonical(tuning) + repr(self.captures).encode()


class tracing:
    """`with tracing() as tracer:` makes a new tracer the current one of this thread."""

    def __enter__(self) -> Tracer:
        self.tracer = Tracer(_state.tracer)
        _state.tracer = self.tracer
        return self.tracer

    def __exit__(self, *exc: Any) -> None:
        self.tracer.ended = True
        _state.tracer = self.tracer.outer


def _rebuild(records: tuple[Any, ...], outputs: tuple[int, ...], structure: Any) -> Function:
    """The function that `records` describe, in this process."""
    builder = _core.Builder()
    for record in records:
        kind = record[0]
        if kind == "arg":
            builder.arg(record[1])
        elif kind == "capture":
            builder.capture(record[1])
        elif kind == "constant":
            builder.constant(getattr(record[1], "native", record[1]))
        elif kind == "kernel":
            builder.kernel(record[1], native_args(record[2]), list(record[3]), record[4])
        else:
            inputs = [native_value(value, builder) for value in record[3]]
            builder.dataset(record[1], native_args(record[2], builder), inputs, record[4])
    return Function(records, outputs, structure, builder.finish(list(outputs)))


# ---- plain values to native ones ----


def native_value(value: Any, builder: Any = None) -> Any:
    """An argument as _core takes it."""
    if isinstance(value, SlotIndex):
        return _core.SlotRef(builder, value.index)
    if isinstance(value, DType):
        return value.name
    if isinstance(value, TensorSpec):
        return _core.Spec((value.dtype.name, value.shape, None))
    if isinstance(value, Function):
        return _core.FunctionRef(value.program, ())
    if isinstance(value, BoundFunction):
        captures = [native_value(item, builder) for item in value.captures]
        return _core.FunctionRef(value.function.program, captures)
    if isinstance(value, PythonCallable):
        return value.handle
    if isinstance(value, (list, tuple)):
        return [native_value(item, builder) for item in value]
    return getattr(value, "native", value)


def native_args(args: dict[str, Any], builder: Any = None) -> dict[str, Any]:
    """native_value of every argument."""
    return {name: native_value(value, builder) for name, value in args.items()}
