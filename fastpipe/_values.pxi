# Part of _core.pyx: argument values, datasets, programs, kernels run at once.

# ---- specs: (dtype name, dims or None, nested) ----

cdef object _spec_to_python(const TensorSpec& spec):
    cdef size_t i
    dims = None
    if spec.known_rank:
        dims = tuple([None if spec.dims[i] < 0 else spec.dims[i] for i in range(spec.dims.size())])
    nested = None
    if spec.element.get() != NULL:
        nested = _specs_to_python(dereference(spec.element))
    return DTypeName(spec.dtype).decode(), dims, nested


cdef list _specs_to_python(const vector[TensorSpec]& specs):
    cdef list result = []
    cdef size_t i
    for i in range(specs.size()):
        result.append(_spec_to_python(specs[i]))
    return result


cdef TensorSpec _spec_to_native(object spec) except *:
    cdef vector[int64_t] dims
    cdef vector[TensorSpec] elements
    dtype, shape, nested = spec
    if nested is not None:
        for item in nested:
            elements.push_back(_spec_to_native(item))
        return DatasetSpec(elements)
    for dim in shape or ():
        dims.push_back(-1 if dim is None else dim)
    return MakeSpec(dtype.encode(), shape is not None, dims)


# ---- argument values ----

class Spec(tuple):
    """(dtype name, dims or None, None): marks a tensor spec among argument values."""


class SlotRef:
    """Slot `index` of the program that `builder` makes, as an argument value."""

    __slots__ = ("builder", "index")

    def __init__(self, builder, index):
        self.builder = builder
        self.index = index


class FunctionRef:
    """A program and the values (or SlotRefs) it captured, as an argument value."""

    __slots__ = ("program", "captures")

    def __init__(self, program, captures):
        self.program = program
        self.captures = captures


cdef Value _to_value(object value) except *:
    cdef vector[Value] items
    cdef Tensor tensor
    if value is None:
        return NoneValue()
    if isinstance(value, bool):
        return BoolValue(value)
    if isinstance(value, int):
        return IntValue(value)
    if isinstance(value, float):
        return DoubleValue(value)
    if isinstance(value, (str, bytes)):
        return StringValue(_bytes(value))
    if isinstance(value, Spec):
        return SpecValue(_spec_to_native(value))
    if isinstance(value, SlotRef):
        return SlotValue(value.index, (<Builder>value.builder)._builder.spec(value.index))
    if isinstance(value, FunctionRef):
        for item in value.captures:
            items.push_back(_to_value(item))
        return FunctionOf((<Program>value.program)._ref, items)
    if isinstance(value, Dataset):
        return DatasetValue((<Dataset>value)._ref)
    if isinstance(value, (list, tuple)):
        for item in value:
            items.push_back(_to_value(item))
        return ListValue(items)
    _fill_tensor(value, &tensor)
    return TensorValue(tensor)


cdef class _Arguments:
    cdef Args* args

    def __cinit__(self, str owner, dict values):
        self.args = new Args(owner.encode())
        for name, value in values.items():
            try:
                self.args.Set(name.encode(), _to_value(value))
            except OverflowError:
                raise OverflowError(
                    f"{owner}: {name} must fit into 64 bits, got {value!r}") from None

    def __dealloc__(self):
        del self.args


# ---- datasets ----

cdef class Dataset:
    """A native dataset: immutable, shared."""

    cdef DatasetRef _ref
    cdef object __weakref__

    @staticmethod
    cdef Dataset _wrap(DatasetRef ref):
        cdef Dataset dataset = Dataset.__new__(Dataset)
        dataset._ref = ref
        return dataset

    @property
    def specs(self):
        return _specs_to_python(self._ref.get().spec())

    @property
    def cardinality(self):
        cdef int64_t result
        with nogil:
            result = self._ref.get().Cardinality()
        return result

    @property
    def op_id(self):
        """Names the op in the reports of its stages."""
        return OpOf(self._ref)

    def gives_blocks(self, options):
        """Whether in a run of these options a consumer may take its elements in blocks."""
        return self._ref.get().GivesBlocks(_run_options(options))

    def takes_blocks(self, options):
        """Whether in a run of these options it takes its input in blocks, whoever asks it."""
        return self._ref.get().TakesBlocks(_run_options(options))

    @property
    def inputs(self):
        """What it reads from, in the order of its node's inputs."""
        cdef size_t i
        return [
            Dataset._wrap(self._ref.get().inputs()[i])
            for i in range(self._ref.get().inputs().size())
        ]

    @property
    def label(self):
        return self._ref.get().label().decode("utf-8", "replace")


def build_dataset(str op, dict args, list inputs, str where):
    """Checks the arguments and makes the native op."""
    cdef _Arguments arguments = _Arguments(op, args)
    cdef vector[DatasetRef] refs
    cdef DatasetRef made
    cdef Status status
    cdef string place = where.encode()
    for dataset in inputs:
        refs.push_back((<Dataset>dataset)._ref)
    with nogil:
        status = BuildDataset(arguments.args[0], refs, place, &made)
    _check(status)
    return Dataset._wrap(made)


# ---- programs ----

cdef class Program:
    """A finished traced function."""

    cdef shared_ptr[const NativeProgram] _ref

    @property
    def output_specs(self):
        return _specs_to_python(self._ref.get().output_specs())

    @property
    def rewrites(self):
        """ "decode_jpeg + resize": the kernels that are computed as one, for each time."""
        cdef vector[string] names = self._ref.get().Rewrites()
        return [name.decode() for name in names]


cdef class Builder:
    """Adds the instructions of a traced function one by one."""

    cdef ProgramBuilder _builder

    def arg(self, spec):
        return self._builder.AddArg(_spec_to_native(spec))

    def capture(self, spec):
        return self._builder.AddCapture(_spec_to_native(spec))

    def constant(self, value):
        cdef Tensor tensor
        _fill_tensor(value, &tensor)
        return self._builder.AddConstant(tensor)

    def kernel(self, str name, dict attrs, list inputs, str where):
        cdef _Arguments arguments = _Arguments(name, attrs)
        cdef vector[int] slots = inputs
        cdef vector[int] outputs
        _check(AddKernel(&self._builder, arguments.args[0], slots, where.encode(), &outputs))
        return list(outputs)

    def dataset(self, str op, dict args, list inputs, str where):
        """A dataset whose arguments or inputs are known only when the program runs."""
        cdef _Arguments arguments = _Arguments(op, args)
        cdef vector[Value] values
        cdef int output = 0
        for item in inputs:
            values.push_back(_to_value(item))
        _check(AddDataset(&self._builder, arguments.args[0], values, where.encode(), &output))
        return output

    def spec(self, int slot):
        return _spec_to_python(self._builder.spec(slot))

    def finish(self, list outputs):
        cdef Program program = Program.__new__(Program)
        cdef vector[int] slots = outputs
        program._ref = self._builder.Finish(slots)
        return program


def placeholder(Builder builder, int slot):
    """A Dataset that stands for the one in `slot`: it has a spec but cannot be iterated."""
    cdef TensorSpec spec = builder._builder.spec(slot)
    return Dataset._wrap(PlaceholderDataset(dereference(spec.element)))


def run_kernel(str name, dict attrs, list inputs):
    """Runs one kernel at once on concrete values; returns the list of its results."""
    cdef _Arguments arguments = _Arguments(name, attrs)
    cdef vector[Tensor] tensors
    cdef vector[Tensor] outputs
    cdef Status status
    cdef InterruptHook hook
    cdef size_t i
    tensors.resize(len(inputs))
    for i in range(tensors.size()):
        _fill_tensor(inputs[i], &tensors[i])
    hook = SwapThreadInterruptHook(_interrupted)
    with nogil:
        status = RunKernel(arguments.args[0], tensors, &outputs)
    SwapThreadInterruptHook(hook)
    _check(status)
    tensors.clear()
    return [_to_python(&outputs[i]) for i in range(outputs.size())]
