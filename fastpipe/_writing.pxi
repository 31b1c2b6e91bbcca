# Part of _core.pyx: files that Python writes record by record.

cdef class RecordWriter:
    """A TFRecord file that is being written."""

    cdef shared_ptr[RecordFile] _file

    def __cinit__(self, path, str compression, int level, int window_bits, int memory_level,
                  int strategy):
        cdef string where = _bytes(path)
        cdef string kind = compression.encode()
        cdef Status status
        with nogil:
            status = OpenRecordFile(where, kind, level, window_bits, memory_level, strategy,
                                    &self._file)
        _check(status)

    def write(self, bytes record):
        cdef string_view view = string_view(PyBytes_AsString(record), PyBytes_GET_SIZE(record))
        cdef RecordFile* file = self._file.get()
        cdef Status status
        with nogil:
            status = file.Write(view)
        _check(status)

    def flush(self):
        cdef RecordFile* file = self._file.get()
        cdef Status status
        with nogil:
            status = file.Flush()
        _check(status)

    def close(self):
        cdef RecordFile* file = self._file.get()
        cdef Status status
        with nogil:
            status = file.Close()
        _check(status)
