# cython: language_level=3, boundscheck=False, wraparound=False
# distutils: language=c++
"""The whole boundary between Python and native code.

Wraps pointers, makes NumPy views, calls Python functions, raises. Flat in the number of ops and
kernels: arguments travel as plain values.
"""

import weakref

import numpy as np

cimport numpy as cnp
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject, PyTypeObject
from cython.operator cimport dereference
from libcpp.utility cimport move

from fastpipe._native cimport *

from fastpipe import errors as _errors

cnp.import_array()

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1

cdef extern from "numpy/arrayobject.h":
    object PyArray_Scalar(void*, cnp.dtype, object)
    object PyArray_NewFromDescr(PyTypeObject*, cnp.dtype, int, cnp.npy_intp*, cnp.npy_intp*, void*, int,
                                object)

cdef extern from "<string.h>" nogil:
    void* memcpy(void*, const void*, size_t)


# ---- dtypes ----

cdef list _NAMES = [
    "invalid", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "bfloat16", "string", "dataset",
]
cdef int _STRING = 14
cdef int _DATASET = 15
cdef int _BFLOAT16 = 13
cdef list _DESCRS = [
    np.dtype(name) if 1 <= i < 13 else None for i, name in enumerate(_NAMES)
]
cdef dict _CODES = {name: i for i, name in enumerate(_NAMES)}


cdef cnp.dtype _descr(int code):
    if code == _BFLOAT16 and _DESCRS[code] is None:
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError(
                "NumPy has no bfloat16: pip install ml_dtypes, or cast to float32"
            ) from None
        _DESCRS[code] = np.dtype(ml_dtypes.bfloat16)
    return _DESCRS[code]


# ---- errors ----

cdef object _text(string_view view):
    return PyBytes_FromStringAndSize(view.data(), view.size()).decode("utf-8", "replace")


cdef int _check(const Status& status) except -1:
    """Raises what `status` says; the one place where errors become exceptions."""
    if status.ok():
        return 0
    if status.end_of_sequence():
        raise StopIteration
    if status.code() == Code.kCancelled:
        _raise_interrupt()
    trail = TrailOf(status).decode("utf-8", "replace")
    if status.payload().get() != NULL:
        raise _errors.with_trail(<object><PyObject*>status.payload().get(), trail)
    raise _errors.from_status(CodeName(status.code()).decode(), _text(MessageOf(status)), trail)


# What a signal handler raised while native code was running: KeyboardInterrupt, as a rule.
cdef object _interrupt = None


cdef int _raise_interrupt() except -1:
    global _interrupt
    if _interrupt is not None:
        pending, _interrupt = _interrupt, None
        raise pending
    return 0


cdef cbool _interrupted() noexcept with gil:
    """Runs pending signal handlers; true if one of them raised."""
    global _interrupt
    if _interrupt is not None:
        return True
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        _interrupt = error
        return True
    return False


# ---- tensors ----

cdef string _bytes(object text):
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogateescape")
    return <string>text


cdef int _fill_tensor(object value, Tensor* out) except -1:
    """A NumPy array (or what as_tensor made of the user's value) as a native tensor, copied."""
    cdef cnp.ndarray array
    cdef vector[int64_t] dims
    cdef StringArrayBuilder builder
    cdef int i
    if isinstance(value, Dataset):
        out[0] = TensorOf((<Dataset>value)._ref)
        return 0
    if isinstance(value, bytes):
        out[0] = Tensor.String(string_view(PyBytes_AsString(value), PyBytes_GET_SIZE(value)))
        return 0
    array = np.asarray(value)
    for i in range(array.ndim):
        dims.push_back(array.shape[i])
    if array.dtype.kind in "OSU":
        for item in array.ravel().tolist():
            if isinstance(item, str):
                item = item.encode("utf-8", "surrogateescape")
            if not isinstance(item, bytes):
                raise TypeError(
                    f"expected numbers, strings or bytes, got an array that holds "
                    f"{type(item).__name__}: {item!r}"
                )
            builder.Append(string_view(PyBytes_AsString(item), PyBytes_GET_SIZE(item)))
        out[0] = builder.Build(dims)
        return 0
    code = _CODES.get(array.dtype.name)
    if code is None:
        raise TypeError(f"fastpipe has no dtype for NumPy's {array.dtype}")
    array = np.ascontiguousarray(array).reshape((<object>array).shape)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    out[0] = CopyTensor(<DType><int>code, dims, cnp.PyArray_DATA(array))
    return 0


cdef class _Payload:
    """Keeps the buffer of an array alive."""

    cdef Tensor tensor


cdef object _to_python(Tensor* tensor):
    """A NumPy scalar, an array, bytes, an array of bytes, or a Dataset.

    A large array that nothing else shares is a view on native memory; otherwise it is a copy, so
    that writing to it changes nothing else.
    """
    cdef int code = <int>tensor.dtype()
    cdef cnp.npy_intp shape[32]
    cdef int rank = tensor.rank()
    cdef int i
    cdef uint8_t* data
    cdef _Payload payload
    cdef cnp.dtype descr
    if code == _STRING:
        return _strings_to_python(tensor)
    if code == _DATASET:
        return Dataset._wrap(DatasetOf(tensor[0]))
    descr = _descr(code)
    if rank == 0:
        return PyArray_Scalar(<void*>tensor.raw(), descr, None)
    for i in range(rank):
        shape[i] = tensor.dim(i)
    data = UnsharedPayload(tensor)
    Py_INCREF(descr)
    if data == NULL:
        array = PyArray_NewFromDescr(
            <PyTypeObject*>cnp.ndarray, descr, rank, shape, NULL, NULL, cnp.NPY_ARRAY_DEFAULT, None)
        _copy_payload(tensor, array)
        return array
    payload = _Payload.__new__(_Payload)
    payload.tensor = tensor[0]
    array = PyArray_NewFromDescr(
        <PyTypeObject*>cnp.ndarray, descr, rank, shape, NULL, data, cnp.NPY_ARRAY_DEFAULT, None)
    cnp.set_array_base(array, payload)
    return array


cdef int _copy_payload(Tensor* tensor, cnp.ndarray array) except -1:
    cdef size_t size = tensor.num_bytes()
    cdef const uint8_t* source = tensor.raw()
    if size > 0:
        memcpy(cnp.PyArray_DATA(array), source, size)
    return 0


cdef object _strings_to_python(Tensor* tensor):
    cdef string_view text
    cdef int64_t i
    cdef int64_t count
    cdef int axis
    if tensor.rank() == 0:
        text = tensor.str()
        return PyBytes_FromStringAndSize(text.data(), text.size())
    count = tensor.num_elements()
    flat = np.empty(count, dtype=object)
    cdef object[:] items = flat
    for i in range(count):
        text = tensor.str(i)
        items[i] = PyBytes_FromStringAndSize(text.data(), text.size())
    return flat.reshape([tensor.dim(axis) for axis in range(tensor.rank())])


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
            self.args.Set(name.encode(), _to_value(value))

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
    cdef size_t i
    tensors.resize(len(inputs))
    for i in range(tensors.size()):
        _fill_tensor(inputs[i], &tensors[i])
    SetThreadInterruptHook(_interrupted)
    with nogil:
        status = RunKernel(arguments.args[0], tensors, &outputs)
    _check(status)
    tensors.clear()
    return [_to_python(&outputs[i]) for i in range(outputs.size())]


# ---- iterating ----

cdef class Iterator:
    """One pass over a dataset. `shape` says how leaves become an element: see __next__."""

    cdef shared_ptr[Pipeline] _pipeline
    cdef Element _element
    cdef object _unflatten
    cdef int _leaves  # -1: the element is its only leaf; n: a flat tuple; -2: call _unflatten
    cdef bytes _fingerprint
    cdef object __weakref__

    def __cinit__(self, Dataset dataset, options, storage, run_index, int leaves, unflatten,
                  bytes fingerprint):
        cdef PipelineOptions settings
        settings.run_index = run_index
        SetRunOptions(&settings, options[0], options[1], options[2], options[3])
        if storage is not None:
            SetSimulatedStorage(&settings, storage[0], storage[1], storage[2], storage[3],
                                storage[4], storage[5])
        self._leaves = leaves
        self._unflatten = unflatten
        self._fingerprint = fingerprint
        with nogil:
            self._pipeline = StartPipeline(dataset._ref, settings)

    def __dealloc__(self):
        # Joins threads that may need the GIL to end.
        with nogil:
            self._pipeline.reset()

    def __iter__(self):
        return self

    def __next__(self):
        cdef Status status
        cdef Element element
        cdef Pipeline* pipeline = self._pipeline.get()
        cdef size_t i
        cdef tuple values
        SetThreadInterruptHook(_interrupted)
        with nogil:
            status = pipeline.Next(&element)
        if not status.ok():
            _check(status)
        if self._leaves == -1:
            return _to_python(&element[0])
        if self._leaves == -2:
            return self._unflatten([_to_python(&element[i]) for i in range(element.size())])
        return tuple([_to_python(&element[i]) for i in range(element.size())])

    def close(self):
        cdef Pipeline* pipeline = self._pipeline.get()
        with nogil:
            pipeline.Close()

    def save(self):
        cdef Status status
        cdef string state
        cdef string fingerprint = self._fingerprint
        cdef Pipeline* pipeline = self._pipeline.get()
        with nogil:
            status = pipeline.Save(fingerprint, &state)
        _check(status)
        return <bytes>state

    def restore(self, bytes state):
        cdef Status status
        cdef string saved = state
        cdef string fingerprint = self._fingerprint
        cdef Pipeline* pipeline = self._pipeline.get()
        SetThreadInterruptHook(_interrupted)
        with nogil:
            status = pipeline.Restore(fingerprint, saved)
        _check(status)

    def stages(self):
        cdef vector[StageReport] reports
        cdef Pipeline* pipeline = self._pipeline.get()
        with nogil:
            reports = pipeline.Stages()
        return [
            {
                "label": r.label.decode("utf-8", "replace"), "threads": r.threads,
                "window": r.window, "autotuned": r.tuned, "elements": r.elements,
                "delivered": r.delivered, "busy_ns": r.busy_ns, "cpu_ns": r.cpu_ns,
                "input_wait_ns": r.input_wait_ns, "full_wait_ns": r.full_wait_ns,
                "empty_wait_ns": r.empty_wait_ns, "buffered": r.buffered,
                "buffered_bytes": r.buffered_bytes,
            }
            for r in reports
        ]

    def tuner_log(self):
        cdef vector[string] lines
        cdef Pipeline* pipeline = self._pipeline.get()
        with nogil:
            lines = pipeline.TunerLog()
        return [line.decode("utf-8", "replace") for line in lines]

    def thread_count(self):
        cdef int count
        cdef Pipeline* pipeline = self._pipeline.get()
        with nogil:
            count = pipeline.ThreadCount()
        return count


# ---- Python callables, called from native threads ----

# handle -> callable(list of values) -> list of values. Whoever builds a pipeline keeps the callable
# alive: native code holds only the number, so that garbage collection sees every reference.
_callables = weakref.WeakValueDictionary()
cdef int64_t _next_handle = 1


def register_callable(function):
    """The number under which native code calls `function`, for as long as that is alive."""
    global _next_handle
    handle = _next_handle
    _next_handle += 1
    _callables[handle] = function
    return handle


cdef void _drop(void* object_) noexcept with gil:
    Py_DECREF(<object><PyObject*>object_)


cdef shared_ptr[void] _own(object value):
    Py_INCREF(value)
    return Owned(<void*><PyObject*>value, _drop)


cdef Status _python_error(error) noexcept:
    return Status.PythonError(
        f"{type(error).__name__}: {error}".encode("utf-8", "replace"), _own(error))


cdef list _values(const vector[Tensor]& tensors):
    cdef list values = []
    cdef size_t i
    cdef Tensor tensor
    for i in range(tensors.size()):
        tensor = tensors[i]
        values.append(_to_python(&tensor))
    return values


cdef int _fill_results(object results, const vector[TensorSpec]& specs,
                       vector[Tensor]* out) except -1:
    cdef size_t i
    out.resize(len(results))
    for i in range(out.size()):
        value = results[i]
        # A Python number has no dtype of its own: it takes the one that was promised.
        if i < specs.size() and not isinstance(value, (bytes, str, np.ndarray, np.generic)):
            code = <int>specs[i].dtype
            value = np.asarray(value, dtype=_descr(code) if code < _STRING else object)
        _fill_tensor(value, &dereference(out)[i])
    return 0


cdef Status _call_python(int64_t handle, const vector[Tensor]& inputs,
                         const vector[TensorSpec]& specs,
                         vector[Tensor]* results) noexcept with gil:
    cdef Status ok
    try:
        function = _callables.get(handle)
        if function is None:
            raise RuntimeError("the dataset that owned this Python function no longer exists")
        _fill_results(function(_values(inputs)), specs, results)
    except BaseException as error:
        return _python_error(error)
    return ok


cdef Status _start_generator(int64_t handle, const vector[Tensor]& args,
                             shared_ptr[void]* generator) noexcept with gil:
    cdef Status ok
    try:
        function = _callables.get(handle)
        if function is None:
            raise RuntimeError("the dataset that owned this generator no longer exists")
        generator[0] = _own(function(_values(args)))
    except BaseException as error:
        return _python_error(error)
    return ok


cdef Status _next_generated(void* generator, const vector[TensorSpec]& specs,
                            vector[Tensor]* element) noexcept with gil:
    cdef Status ok
    try:
        _fill_results(next(<object><PyObject*>generator), specs, element)
    except StopIteration:
        return Status.EndOfSequence()
    except BaseException as error:
        return _python_error(error)
    return ok


cdef PythonHooks _hooks
_hooks.call = _call_python
_hooks.start_generator = _start_generator
_hooks.next_generated = _next_generated
SetPythonHooks(_hooks)


# ---- facts ----

def registered_ops():
    return [name.decode() for name in RegisteredOps()]


def registered_kernels():
    return [name.decode() for name in RegisteredKernels()]


def cpu_count():
    """Cores this process may use: affinity and cgroup quota."""
    return CpuCount()


def running_threads():
    """Native threads of all live iterators."""
    return RunningThreads()


def buffer_bytes():
    """(bytes in use, bytes kept for reuse) of the buffer pool."""
    return LiveBufferBytes(), IdleBufferBytes()


def trim_buffers():
    """Gives memory kept for reuse back to the system."""
    with nogil:
        TrimBuffers()


def set_thread_cap(int cap):
    """Bounds the native threads of the whole process; each stage keeps at least one."""
    SetThreadCap(cap)
