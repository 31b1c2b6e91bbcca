# Part of _core.pyx: Python callables, called from native threads.

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
    return Owned(<void*><PyObject*>value)


cdef Status _python_error(error) noexcept:
    cdef bytes message
    try:
        message = f"{type(error).__name__}: {error}".encode("utf-8", "replace")
    except BaseException:  # of its __str__; what the user gets is the exception itself
        message = b"an exception that cannot be printed"
    try:
        return Status.PythonError(message, _own(error))
    except MemoryError:
        return Status.OutOfMemory()


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


cdef Status _save_generator(void* generator, string* state, string* refused) noexcept with gil:
    cdef Status ok
    try:
        saved = (<object><PyObject*>generator).save()
        if isinstance(saved, bytes):
            state[0] = <string>saved
        else:
            refused[0] = <string>saved.encode("utf-8", "replace")
    except BaseException as error:
        return _python_error(error)
    return ok


cdef Status _restore_generator(void* generator, string_view state) noexcept with gil:
    cdef Status ok
    try:
        (<object><PyObject*>generator).restore(<bytes>state.data()[:state.size()])
    except BaseException as error:
        return _python_error(error)
    return ok


cdef Status _tell_python(int64_t handle, const Status& error) noexcept with gil:
    cdef Status ok
    try:
        function = _callables.get(handle)
        if function is None:
            raise RuntimeError("the dataset that owned this Python function no longer exists")
        function([_exception(error)])
    except BaseException as raised:
        return _python_error(raised)
    return ok


cdef void* _make_thread_state() noexcept nogil:
    if PyGILState_GetThisThreadState() != NULL:
        return NULL
    return PyThreadState_New(PyInterpreterState_Main())


cdef void _enter_thread_state(void* state) noexcept nogil:
    PyEval_AcquireThread(<PyThreadState*>state)


cdef void _leave_thread_state(void* state) noexcept nogil:
    PyThreadState_Clear(<PyThreadState*>state)
    PyThreadState_DeleteCurrent()


cdef PythonHooks _hooks
_hooks.call = _call_python
_hooks.start_generator = _start_generator
_hooks.next_generated = _next_generated
_hooks.save_generator = _save_generator
_hooks.restore_generator = _restore_generator
_hooks.tell = _tell_python
_hooks.drop = _drop
_hooks.make_thread_state = _make_thread_state
_hooks.enter_thread_state = _enter_thread_state
_hooks.leave_thread_state = _leave_thread_state
SetPythonHooks(_hooks)
