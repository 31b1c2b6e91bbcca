// The facade: everything that fastpipe/_core.pyx knows of native code.
//
// Contract: values in, Status out. Build a dataset or a program piece by piece, run one kernel,
// start a Pipeline on a dataset. Nothing here grows with the number of ops or kernels. Thread rule:
// datasets and programs are immutable; a builder belongs to one thread; a Pipeline may be called by
// any thread, one call at a time runs and the others wait; Close may come at any time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/args.h"
#include "core/dataset.h"
#include "core/interrupt_checks.h"
#include "core/program.h"
#include "core/python_hooks.h"
#include "core/registry.h"
#include "io/file_system.h"
#include "io/record_writer.h"
#include "runtime/context.h"
#include "runtime/threads.h"

namespace fastpipe {

class Tuner;

namespace api {

// ---- values ----

using ProgramRef = std::shared_ptr<const Program>;

inline Value NoneValue() { return Value{}; }
inline Value BoolValue(bool value) { return Value{value}; }
inline Value IntValue(int64_t value) { return Value{value}; }
inline Value DoubleValue(double value) { return Value{value}; }
inline Value StringValue(std::string value) { return Value{std::move(value)}; }
inline Value TensorValue(Tensor value) { return Value{std::move(value)}; }
inline Value SpecValue(TensorSpec value) { return Value{std::move(value)}; }
inline Value SlotValue(int index, TensorSpec spec) { return Value{Slot{index, std::move(spec)}}; }
inline Value DatasetValue(DatasetRef value) { return Value{std::move(value)}; }
inline Value ListValue(ValueList value) { return Value{std::move(value)}; }
inline Value FunctionOf(ProgramRef program, ValueList captures) {
  return Value{FunctionValue{std::move(program), std::move(captures)}};
}

TensorSpec MakeSpec(const std::string& dtype, bool known_rank, const std::vector<int64_t>& dims);
// A numeric tensor that copies `bytes`.
Tensor CopyTensor(DType dtype, const std::vector<int64_t>& dims, const void* bytes);
// Bytes of the payload that Python may use in place: null unless nobody else shares it.
uint8_t* UnsharedPayload(Tensor* tensor);

// Takes over one reference to a Python object, and gives it back in the end.
std::shared_ptr<void> Owned(void* object);
std::string_view MessageOf(const Status& status);  // without the trail
std::string TrailOf(const Status& status);         // "a\nb"

// ---- datasets, programs, kernels ----

Status BuildDataset(const Args& args, const std::vector<DatasetRef>& inputs,
                    const std::string& where, DatasetRef* dataset);
Status AddKernel(ProgramBuilder* builder, const Args& attrs, const std::vector<int>& inputs,
                 const std::string& where, std::vector<int>* outputs);
Status AddDataset(ProgramBuilder* builder, const Args& args, const ValueList& inputs,
                  const std::string& where, int* output);
// Plans and runs one kernel at once.
Status RunKernel(const Args& attrs, const std::vector<Tensor>& inputs,
                 std::vector<Tensor>* outputs);

// ---- running ----

struct PipelineOptions {
  RunOptions run;
  bool simulate_storage = false;
  Faults faults;
  uint64_t run_index = 0;
};

// Delays in nanoseconds; 0 or less leaves a fault out.
Faults MakeFaults(int64_t open_delay, int64_t read_delay, int64_t bytes_per_second,
                  int64_t max_read, int64_t fail_open, int64_t fail_read, int64_t stall_open,
                  int64_t stall_read);

struct StageReport {
  std::string label;
  int64_t op;  // identifies its Dataset: see OpOf
  int64_t threads, window;
  bool tuned;
  bool direct;         // its consumer computes at present, and its threads rest
  bool feeds_program;  // its consumer is no thread of another stage
  int64_t elements, delivered;
  int64_t busy_ns, cpu_ns, core_wait_ns;  // summed over the threads, like the waits of workers
  int64_t input_wait_ns, lock_wait_ns, full_wait_ns;
  int64_t empty_wait_ns;  // of the consumer
  int64_t buffered, buffered_bytes, byte_limit;
  // Since the run's first Next, or since the stage was made if that was later; until the end.
  int64_t age_ns;
};

// `options` with the budgets that a run would find now.
RunOptions BudgetsOf(const RunOptions& options);
// The identity of a dataset, as reports of its stages name it.
int64_t OpOf(const DatasetRef& dataset);

// How long closing waits for threads that hang in a call to storage or to Python.
constexpr std::chrono::seconds kCloseBound(2);

// One pass. Used by any thread, by one at a time: others wait their turn. What is called from
// inside its own Next (a function of the pipeline, a signal handler) gets an error instead of a
// deadlock.
class Pipeline : public std::enable_shared_from_this<Pipeline> {
 public:
  Pipeline(DatasetRef dataset, const PipelineOptions& options, uint64_t random_seed);
  ~Pipeline();

  Status Next(Element* element);
  // Tells all threads to stop, without waiting.
  void Cancel();
  // Stops and joins all threads; the next Next says the iterator is closed. Idempotent. Waits at
  // most kCloseBound: a Pipeline whose threads hang is abandoned, which means that it is kept alive
  // until they come back, and joined by a later Pipeline that starts or closes. Called where it
  // cannot wait, inside its own Next or on one of its own threads, it only tells the threads to
  // stop, and the rest is done when that Next returns, or as for those that hang.
  void Close();
  // Stops a closed Pipeline if its threads come back within `most`: whether nothing is left to do.
  bool StopWithin(std::chrono::nanoseconds most);
  // The position, checked and versioned; `fingerprint` must be that of the pipeline.
  Status Save(const std::string& fingerprint, std::string* state);
  // REQUIRES: before the first Next.
  Status Restore(const std::string& fingerprint, const std::string& state);
  std::vector<StageReport> Stages();
  // The options of its run, with the budgets that it found.
  RunOptions Budgets();
  std::vector<std::string> TunerLog();
  // A sentence on what keeps the pipeline from going faster.
  std::string Bottleneck();
  // Sets a stage's knobs by hand, within their bounds; `op` as in its report. For tests.
  void SetKnobs(int64_t op, int64_t threads, int64_t window);
  // From now on, for files opened already too. REQUIRES: made with simulated storage.
  void SetStorage(const Faults& faults);
  // Native threads of its stages.
  int ThreadCount();
  // Results that ignore_errors left out so far.
  int64_t IgnoredErrors();

 private:
  class Turn;
  void Open(uint64_t run_index, DrawnSeeds seeds);
  bool Stop(std::chrono::steady_clock::time_point deadline);
  void StopOrAbandon(std::chrono::steady_clock::time_point deadline);
  void StopTuner();
  Status CheckUsable();
  std::shared_ptr<RunContext> CurrentRun();

  const DatasetRef dataset_;
  const PipelineOptions options_;
  const std::unique_ptr<FaultyFileSystem> storage_;  // the simulated one, if any
  const std::shared_ptr<CancelToken> cancel_;
  const int64_t fork_generation_;

  // Of the thread whose turn it is.
  std::shared_ptr<CancelToken> run_cancel_;    // below cancel_: the end of the run is no close
  std::unique_ptr<FileSystem> timed_storage_;  // if calls to storage have a time limit
  std::unique_ptr<Iterator> iterator_;
  // Drawn for each run, and saved with it: of random numbers in functions that have no seed.
  uint64_t random_seed_;
  bool used_ = false;         // a Next or a Restore was called
  bool metered_ = false;      // the run's CPU time is
  bool hung_ = false;         // closing waited for its threads in vain
  std::string end_position_;  // of the iterator, once it has ended; empty before

  std::atomic<int64_t> began_ns_{0};  // the first Next, in WallNanos; 0: not yet
  std::atomic<int64_t> ended_ns_{0};  // the end of the sequence

  Mutex mutex_;  // held briefly
  CondVar turn_;
  ThreadId user_ GUARDED_BY(mutex_) = nullptr;  // whose turn it is, if anybody's
  bool closing_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<RunContext> run_ GUARDED_BY(mutex_);
  std::unique_ptr<Tuner> tuner_ GUARDED_BY(mutex_);
  // Of a tuner that has stopped.
  std::vector<std::string> tuner_log_ GUARDED_BY(mutex_);
  std::string bottleneck_ GUARDED_BY(mutex_);
  std::unique_ptr<CancelToken::Waker> waker_;
};

std::shared_ptr<Pipeline> StartPipeline(DatasetRef dataset, const PipelineOptions& options,
                                        Status* status);
// Closes and drops a Pipeline that nobody else will use.
void DropPipeline(std::shared_ptr<Pipeline> pipeline);
// Those that are closed and still have a thread that hangs.
int64_t AbandonedPipelines();
// The process exits: from now on all closing together waits at most kCloseBound.
void SetExiting();

// ---- writing ----

// A TFRecord file that is being written; usable by several threads, one record at a time.
class RecordFile {
 public:
  explicit RecordFile(std::unique_ptr<RecordWriter> writer) : writer_(std::move(writer)) {}
  Status Write(std::string_view record);
  Status Flush();
  Status Close();

 private:
  Mutex mutex_;
  const std::unique_ptr<RecordWriter> writer_ GUARDED_BY(mutex_);
};

Status OpenRecordFile(const std::string& path, const std::string& compression, int level,
                      int window_bits, int memory_level, int strategy,
                      std::shared_ptr<RecordFile>* file);

// Process-wide facts.
int CpuCount();
int RunningThreads();
// Calls to storage that took longer than their time limit and have not returned yet.
int64_t HungCalls();
// Calls that a SimulatedStorage makes hang at present.
int64_t SimulatedHungCalls();
int64_t LiveBufferBytes();
int64_t IdleBufferBytes();
void TrimBuffers();
void SetThreadCap(int cap);

}  // namespace api
}  // namespace fastpipe
