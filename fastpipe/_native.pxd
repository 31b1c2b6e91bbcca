# Declarations of csrc/api.h, nothing else. `except +`: it may run out of memory, a MemoryError.
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        string_view()
        string_view(const char*, size_t)
        const char* data()
        size_t size()


cdef extern from "api.h" namespace "fastpipe" nogil:
    cdef enum class Code(uint8_t):
        kOk
        kEndOfSequence
        kCancelled

    cdef cppclass Status:
        Status()
        cbool ok()
        cbool end_of_sequence()
        Code code()
        const shared_ptr[void]& payload()
        @staticmethod
        Status EndOfSequence()
        @staticmethod
        Status OutOfMemory()
        @staticmethod
        Status PythonError(string, shared_ptr[void]) except +

    const char* CodeName(Code)
    Status InvalidArgument(string) except +

    cdef enum class DType(uint8_t):
        kInvalid
        kString
        kDataset

    const char* DTypeName(DType)
    size_t DTypeSize(DType)

    cdef cppclass Object:
        pass

    cdef cppclass Ref[T]:
        Ref()
        Ref(const Ref[T]&)

    cdef cppclass Tensor:
        Tensor()
        Tensor(const Tensor&)
        DType dtype()
        int rank()
        int64_t dim(int)
        int64_t num_elements()
        size_t num_bytes()
        const uint8_t* raw()
        string_view str()
        string_view str(int64_t)
        const Ref[Object]& buffer()
        Tensor Row(int64_t) except +
        @staticmethod
        Tensor String(string_view) except +

    cdef cppclass StringArrayBuilder:
        StringArrayBuilder() except +
        void Append(string_view) except +
        Tensor Build(const vector[int64_t]&) except +

    cdef cppclass TensorSpec:
        DType dtype
        cbool known_rank
        vector[int64_t] dims
        shared_ptr[const vector[TensorSpec]] element

    cdef cppclass Element:
        Element()
        size_t size()
        Tensor& operator[](size_t)
        void clear()

    cdef cppclass Limits "fastpipe::Limits":
        int64_t image_pixels, image_scans, record_bytes, decompression_ratio

    cdef cppclass RunOptions "fastpipe::RunOptions":
        RunOptions()
        cbool deterministic, autotune
        int64_t cpu_budget, ram_budget, initial_threads, min_threads, max_threads, thread_limit
        cbool fusion
        Limits limits
        int64_t read_timeout_ns

    cdef cppclass NativeDataset "fastpipe::Dataset":
        const vector[TensorSpec]& spec()
        int64_t Cardinality() except +
        cbool GivesBlocks(const RunOptions&) except +
        cbool TakesBlocks(const RunOptions&) except +
        const string& label()
        const vector[shared_ptr[const NativeDataset]]& inputs()

    ctypedef shared_ptr[const NativeDataset] DatasetRef
    Tensor TensorOf(DatasetRef) except +
    const DatasetRef& DatasetOf(const Tensor&)
    TensorSpec DatasetSpec(const vector[TensorSpec]&) except +
    DatasetRef PlaceholderDataset(const vector[TensorSpec]&) except +

    cdef cppclass Value:
        Value()

    cdef cppclass Args:
        Args(string) except +
        void Set(const string&, Value) except +

    cdef cppclass NativeProgram "fastpipe::Program":
        const vector[TensorSpec]& output_specs()
        vector[string] Rewrites() except +

    cdef cppclass ProgramBuilder:
        ProgramBuilder() except +
        int AddArg(TensorSpec) except +
        int AddCapture(TensorSpec) except +
        int AddConstant(Tensor) except +
        const TensorSpec& spec(int)
        shared_ptr[const NativeProgram] Finish(vector[int]) except +

    cdef cppclass PythonHooks:
        Status (*call)(int64_t, const vector[Tensor]&, const vector[TensorSpec]&,
                       vector[Tensor]*) noexcept
        Status (*start_generator)(int64_t, const vector[Tensor]&, shared_ptr[void]*) noexcept
        Status (*next_generated)(void*, const vector[TensorSpec]&, vector[Tensor]*) noexcept
        Status (*save_generator)(void*, string*, string*) noexcept
        Status (*restore_generator)(void*, string_view) noexcept
        Status (*tell)(int64_t, const Status&) noexcept
        void (*drop)(void*) noexcept
        void* (*make_thread_state)() noexcept
        void (*enter_thread_state)(void*) noexcept
        void (*leave_thread_state)(void*) noexcept

    void SetPythonHooks(const PythonHooks&)
    ctypedef cbool (*InterruptHook)() noexcept
    InterruptHook SwapThreadInterruptHook(InterruptHook hook)
    int64_t InterruptAtCheck(int64_t check) except +
    vector[string] RegisteredOps() except +
    vector[string] RegisteredKernels() except +


cdef extern from "api.h" namespace "fastpipe::api" nogil:
    Value NoneValue() except +
    Value BoolValue(cbool) except +
    Value IntValue(int64_t) except +
    Value DoubleValue(double) except +
    Value StringValue(string) except +
    Value TensorValue(Tensor) except +
    Value SpecValue(TensorSpec) except +
    Value SlotValue(int, TensorSpec) except +
    Value DatasetValue(DatasetRef) except +
    Value ListValue(vector[Value]) except +
    Value FunctionOf(shared_ptr[const NativeProgram], vector[Value]) except +

    TensorSpec MakeSpec(const string&, cbool, const vector[int64_t]&) except +
    Tensor CopyTensor(DType, const vector[int64_t]&, const void*) except +
    uint8_t* UnsharedPayload(Tensor*)
    shared_ptr[void] Owned(void*) except +
    string_view MessageOf(const Status&)
    string TrailOf(const Status&) except +

    Status BuildDataset(const Args&, const vector[DatasetRef]&, const string&, DatasetRef*) except +
    Status AddKernel(ProgramBuilder*, const Args&, const vector[int]&, const string&,
                     vector[int]*) except +
    Status AddDataset(ProgramBuilder*, const Args&, const vector[Value]&, const string&,
                      int*) except +
    Status RunKernel(const Args&, const vector[Tensor]&, vector[Tensor]*) except +

    cdef cppclass StageReport:
        string label
        int64_t op, threads, window
        cbool tuned, direct, feeds_program
        int64_t elements, delivered, busy_ns, cpu_ns, core_wait_ns
        int64_t input_wait_ns, lock_wait_ns, full_wait_ns, empty_wait_ns
        int64_t buffered, buffered_bytes, byte_limit, age_ns

    cdef cppclass Faults "fastpipe::Faults":
        Faults()
    Faults MakeFaults(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t) except +
    int64_t OpOf(const DatasetRef&)

    RunOptions BudgetsOf(const RunOptions&) except +

    cdef cppclass PipelineOptions:
        PipelineOptions()
        RunOptions run
        cbool simulate_storage
        Faults faults
        uint64_t run_index

    cdef cppclass Pipeline:
        Status Next(Element*) except +
        void Cancel() except +
        void Close() except +
        Status Save(const string&, string*) except +
        Status Restore(const string&, const string&) except +
        vector[StageReport] Stages() except +
        RunOptions Budgets() except +
        vector[string] TunerLog() except +
        string Bottleneck() except +
        void SetKnobs(int64_t, int64_t, int64_t) except +
        void SetStorage(const Faults&) except +
        int ThreadCount() except +
        int64_t IgnoredErrors() except +

    shared_ptr[Pipeline] StartPipeline(DatasetRef, const PipelineOptions&, Status*) except +
    void DropPipeline(shared_ptr[Pipeline]) except +
    int64_t AbandonedPipelines() except +
    void SetExiting() except +

    cdef cppclass RecordFile:
        Status Write(string_view) except +
        Status Flush() except +
        Status Close() except +

    Status OpenRecordFile(const string&, const string&, int, int, int, int,
                          shared_ptr[RecordFile]*) except +

    int CpuCount()
    int RunningThreads()
    int64_t HungCalls()
    int64_t SimulatedHungCalls()
    int64_t LiveBufferBytes()
    int64_t IdleBufferBytes()
    void TrimBuffers() except +
    void SetThreadCap(int)
