# Part of _core.pyx: iterators.

cdef RunOptions _run_options(options) except *:
    cdef RunOptions run
    (run.deterministic, run.autotune, run.cpu_budget, run.ram_budget, run.initial_threads,
     run.min_threads, run.max_threads, run.thread_limit, run.fusion, limits,
     run.read_timeout_ns) = options
    pixels, scans, record_bytes, ratio = limits
    if pixels:
        run.limits.image_pixels = pixels
    if scans:
        run.limits.image_scans = scans
    if record_bytes:
        run.limits.record_bytes = record_bytes
    if ratio:
        run.limits.decompression_ratio = ratio
    return run


cdef Faults _faults(storage) except *:
    return MakeFaults(storage[0], storage[1], storage[2], storage[3], storage[4], storage[5],
                      storage[6], storage[7])


def budgets(options):
    """(cores, bytes) that AUTOTUNE would have in a run that started now."""
    cdef RunOptions found = BudgetsOf(_run_options(options))
    return found.cpu_budget, found.ram_budget


# ---- iterating ----

def interrupt_at(int64_t check):
    """Makes this thread's look number `check` for a signal find one; 0 ends that. For tests.

    Returns how many looks were left.
    """
    return InterruptAtCheck(check)


cdef object _nested_to_python(object structure, Element& element, size_t* next):
    """Tuples and dicts of leaves, which are taken from number `next[0]` on."""
    cdef list items
    cdef dict named
    if type(structure) is tuple:
        items = []
        for item in <tuple>structure:
            items.append(_nested_to_python(item, element, next))
        return tuple(items)
    if type(structure) is dict:
        named = {}
        for key, item in (<dict>structure).items():
            named[key] = _nested_to_python(item, element, next)
        return named
    next[0] += 1
    return _to_python(&element[next[0] - 1])


cdef class Iterator:
    """One pass over a dataset. `shape` says how leaves become an element: see __next__."""

    cdef shared_ptr[Pipeline] _pipeline
    cdef object _unflatten
    # -1: the element is its only leaf; n: a flat tuple; -2: call _unflatten; -3: _unflatten is the
    # structure, of tuples and dicts
    cdef int _leaves
    cdef object _fingerprint  # a function: it reads all data of the pipeline
    cdef object __weakref__

    def __cinit__(self, Dataset dataset, options, storage, run_index, int leaves, unflatten,
                  fingerprint):
        cdef PipelineOptions settings
        cdef Status status
        settings.run_index = run_index
        settings.run = _run_options(options)
        if storage is not None:
            settings.simulate_storage = True
            settings.faults = _faults(storage)
        self._leaves = leaves
        self._unflatten = unflatten
        self._fingerprint = fingerprint
        with nogil:
            self._pipeline = StartPipeline(dataset._ref, settings, &status)
        _check(status)

    def __dealloc__(self):
        # Joins threads that may need the GIL to end.
        with nogil:
            DropPipeline(move(self._pipeline))

    def __iter__(self):
        return self

    def __next__(self):
        cdef Status status
        cdef Element element
        cdef Pipeline* pipeline = self._pipeline.get()
        cdef size_t i
        cdef InterruptHook hook
        if pipeline == NULL:
            raise _errors.CancelledError("the iterator was never started")
        hook = SwapThreadInterruptHook(_interrupted)
        try:
            with nogil:
                status = pipeline.Next(&element)
        finally:
            SwapThreadInterruptHook(hook)
        if not status.ok():
            _check(status)
        if self._leaves == -1:
            return _to_python(&element[0])
        if self._leaves == -3:
            i = 0
            return _nested_to_python(self._unflatten, element, &i)
        if self._leaves == -2:
            return self._unflatten([_to_python(&element[i]) for i in range(element.size())])
        return tuple([_to_python(&element[i]) for i in range(element.size())])

    def cancel(self):
        """Tells its threads to stop, without waiting."""
        cdef Pipeline* pipeline = self._pipeline.get()
        if pipeline == NULL:
            return
        with nogil:
            pipeline.Cancel()

    def close(self):
        cdef Pipeline* pipeline = self._pipeline.get()
        if pipeline == NULL:  # it could not be made
            return
        with nogil:
            pipeline.Close()

    def save(self):
        cdef Status status
        cdef string state
        cdef string fingerprint = self._fingerprint()
        cdef Pipeline* pipeline = self._pipeline.get()
        cdef InterruptHook hook = SwapThreadInterruptHook(_interrupted)
        try:
            with nogil:
                status = pipeline.Save(fingerprint, &state)
        finally:
            SwapThreadInterruptHook(hook)
        _check(status)
        return <bytes>state

    def restore(self, bytes state):
        cdef Status status
        cdef InterruptHook hook
        cdef string saved = state
        cdef string fingerprint = self._fingerprint()
        cdef Pipeline* pipeline = self._pipeline.get()
        hook = SwapThreadInterruptHook(_interrupted)
        try:
            with nogil:
                status = pipeline.Restore(fingerprint, saved)
        finally:
            SwapThreadInterruptHook(hook)
        _check(status)

    def stages(self):
        cdef vector[StageReport] reports
        cdef Pipeline* pipeline = self._pipeline.get()
        with nogil:
            reports = pipeline.Stages()
        return [
            {
                "label": r.label.decode("utf-8", "replace"), "op": r.op, "threads": r.threads,
                "window": r.window, "autotuned": r.tuned, "direct": r.direct,
                "feeds_program": r.feeds_program, "elements": r.elements,
                "delivered": r.delivered, "busy_ns": r.busy_ns, "cpu_ns": r.cpu_ns,
                "core_wait_ns": r.core_wait_ns, "input_wait_ns": r.input_wait_ns,
                "lock_wait_ns": r.lock_wait_ns, "full_wait_ns": r.full_wait_ns,
                "empty_wait_ns": r.empty_wait_ns, "buffered": r.buffered,
                "buffered_bytes": r.buffered_bytes, "byte_limit": r.byte_limit,
                "age_ns": r.age_ns,
            }
            for r in reports
        ]

    def budgets(self):
        """(cores, bytes) that AUTOTUNE has in this run."""
        cdef Pipeline* pipeline = self._pipeline.get()
        cdef RunOptions found
        with nogil:
            found = pipeline.Budgets()
        return found.cpu_budget, found.ram_budget

    def tuner_log(self):
        cdef vector[string] lines
        cdef Pipeline* pipeline = self._pipeline.get()
        with nogil:
            lines = pipeline.TunerLog()
        return [line.decode("utf-8", "replace") for line in lines]

    def bottleneck(self):
        cdef string sentence
        cdef Pipeline* pipeline = self._pipeline.get()
        with nogil:
            sentence = pipeline.Bottleneck()
        return sentence.decode("utf-8", "replace")

    def set_knobs(self, int64_t op, int64_t threads, int64_t window):
        """Sets the knobs of a stage by hand, within their bounds: for tests."""
        cdef Pipeline* pipeline = self._pipeline.get()
        with nogil:
            pipeline.SetKnobs(op, threads, window)

    def change_storage(self, storage):
        cdef Pipeline* pipeline = self._pipeline.get()
        cdef Faults faults = _faults(storage)
        with nogil:
            pipeline.SetStorage(faults)

    def ignored_errors(self):
        """How many errors ignore_errors left out so far."""
        cdef int64_t count
        cdef Pipeline* pipeline = self._pipeline.get()
        with nogil:
            count = pipeline.IgnoredErrors()
        return count

    def thread_count(self):
        cdef int count
        cdef Pipeline* pipeline = self._pipeline.get()
        with nogil:
            count = pipeline.ThreadCount()
        return count
