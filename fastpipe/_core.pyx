# cython: language_level=3, boundscheck=False, wraparound=False
# distutils: language=c++
"""The whole boundary between Python and native code.

Wraps pointers, makes NumPy views, calls Python functions, raises. Flat in the number of ops and
kernels: arguments travel as plain values. The parts that are included below read as one file.
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
    unsigned long PyThread_get_thread_ident()
    ctypedef struct PyThreadState:
        pass
    ctypedef struct PyInterpreterState:
        pass
    PyThreadState* PyGILState_GetThisThreadState() nogil
    PyInterpreterState* PyInterpreterState_Main() nogil
    PyThreadState* PyThreadState_New(PyInterpreterState*) nogil
    void PyEval_AcquireThread(PyThreadState*) nogil
    void PyThreadState_Clear(PyThreadState*) nogil
    void PyThreadState_DeleteCurrent() nogil

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
        if _exiting:
            # A thread that still iterates while Python exits ends quietly.
            raise SystemExit
    raise _exception(status)


cdef object _exception(const Status& status):
    trail = TrailOf(status).decode("utf-8", "replace")
    if status.payload().get() != NULL:
        return _errors.with_trail(<object><PyObject*>status.payload().get(), trail)
    return _errors.from_status(CodeName(status.code()).decode(), _text(MessageOf(status)), trail)


cdef bint _exiting = False


def set_exiting():
    """From now on iterators are closed because the process exits."""
    global _exiting
    _exiting = True
    SetExiting()


# What a signal handler raised while native code was running, KeyboardInterrupt as a rule, and the
# thread that will raise it again. Others must not take it for their own.
cdef object _interrupt = None
cdef unsigned long _interrupted_thread = 0


cdef int _raise_interrupt() except -1:
    global _interrupt
    if _interrupt is not None and _interrupted_thread == PyThread_get_thread_ident():
        pending, _interrupt = _interrupt, None
        raise pending
    return 0


cdef cbool _interrupted() noexcept with gil:
    """Runs pending signal handlers; true if one of them raised."""
    global _interrupt, _interrupted_thread
    if _interrupt is not None:
        return _interrupted_thread == PyThread_get_thread_ident()
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        _interrupt = error
        _interrupted_thread = PyThread_get_thread_ident()
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
    cdef cnp.npy_intp shape[64]  # kMaxRank
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
            <PyTypeObject*>cnp.ndarray, descr, rank, shape, NULL, NULL, 0, None)  # 0: row-major
        _copy_payload(tensor, array)
        return array
    payload = _Payload.__new__(_Payload)
    payload.tensor = tensor[0]
    array = PyArray_NewFromDescr(
        <PyTypeObject*>cnp.ndarray, descr, rank, shape, NULL, data, cnp.NPY_ARRAY_DEFAULT, None)
    cnp.set_array_base(array, payload)
    return array


# Bytes from which a copy lets other Python threads run meanwhile.
cdef size_t _LARGE_COPY = 1 << 16


cdef int _copy_payload(Tensor* tensor, cnp.ndarray array) except -1:
    cdef size_t size = tensor.num_bytes()
    cdef const uint8_t* source = tensor.raw()
    cdef void* target = cnp.PyArray_DATA(array)
    if size > _LARGE_COPY:
        with nogil:
            memcpy(target, source, size)
    elif size > 0:
        memcpy(target, source, size)
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


include "_values.pxi"
include "_running.pxi"
include "_callables.pxi"
include "_writing.pxi"


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


def abandoned_iterators():
    """Closed iterators with threads that hang, in a call to storage or to Python."""
    cdef int64_t count
    with nogil:
        count = AbandonedPipelines()
    return count


def hung_calls():
    """Calls to storage that exceeded Options.read_timeout and have not returned yet."""
    return HungCalls()


def stalled_calls():
    """Calls to storage that a SimulatedStorage makes hang at present."""
    return SimulatedHungCalls()


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
