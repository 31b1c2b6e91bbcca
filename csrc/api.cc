#include "api.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>

#include "api_closing.h"
#include "autotune/tuner.h"
#include "core/guard.h"
#include "core/random.h"
#include "io/open_files.h"
#include "io/stalled_calls.h"
#include "io/timed_file_system.h"
#include "runtime/budget.h"
#include "runtime/clock.h"
#include "runtime/seed.h"
#include "runtime/threads.h"

namespace fastpipe::api {
namespace {

// Counts the forks between the first process and this one, so that an iterator can tell that its
// threads stayed behind in a parent.
std::atomic<int64_t> fork_generation{0};

void UnlockAfterFork(bool in_child) {
  UnlockPythonEntriesAfterFork();
  UnlockTunersAfterFork(in_child);
  if (in_child) {
    MemoryShare::ForgetAllAfterFork();
    StageRegistry::ForgetAllAfterFork();
  }
  CpuMeter::Get().UnlockAfterFork(in_child);
  ThreadBudget::Get().UnlockAfterFork(in_child);
  OpenFiles::Get().UnlockAfterFork(in_child);
  UnlockAbandonedAfterFork();
  BufferPool::Get().UnlockAfterFork();
}

// The process-wide locks are taken while the process is copied: a thread that held one would not
// exist in the child to give it back.
const int at_fork_registered = pthread_atfork(
    [] {
      LockTunersForFork();
      LockAbandonedForFork();
      OpenFiles::Get().LockForFork();
      BufferPool::Get().LockForFork();
      ThreadBudget::Get().LockForFork();
      CpuMeter::Get().LockForFork();
      LockPythonEntriesForFork();
    },
    [] { UnlockAfterFork(/*in_child=*/false); },
    [] {
      fork_generation.fetch_add(1, std::memory_order_relaxed);
      UnlockAfterFork(/*in_child=*/true);
    });

constexpr std::string_view kMagic = "fastpipe-position";
constexpr int64_t kVersion = 3;

uint64_t Checksum(std::string_view bytes) {
  uint64_t sum = bytes.size();
  for (char byte : bytes) sum = MixBits(sum ^ static_cast<uint8_t>(byte));
  return sum;
}

std::unique_ptr<FaultyFileSystem> SimulatedStorage(const PipelineOptions& options) {
  if (!options.simulate_storage) return nullptr;
  return NewFaultyFileSystem(PosixFileSystem(), options.faults);
}

}  // namespace

int64_t ForkGeneration() { return fork_generation.load(std::memory_order_relaxed); }

TensorSpec MakeSpec(const std::string& dtype, bool known_rank, const std::vector<int64_t>& dims) {
  auto parsed = DTypeFromName(dtype);
  return {parsed.ok() ? parsed.value() : DType::kInvalid, known_rank, dims, nullptr};
}

Tensor CopyTensor(DType dtype, const std::vector<int64_t>& dims, const void* bytes) {
  Tensor tensor = Tensor::Allocate(dtype, dims);
  if (tensor.num_bytes() > 0) std::memcpy(tensor.mutable_raw(), bytes, tensor.num_bytes());
  return tensor;
}

uint8_t* UnsharedPayload(Tensor* tensor) {
  return tensor->buffer() && tensor->buffer().unique() ? tensor->mutable_raw() : nullptr;
}

std::shared_ptr<void> Owned(void* object) {
  return {object, [](void* owned) { PythonEntry()->drop(owned); }};
}

std::string_view MessageOf(const Status& status) { return status.message(); }

std::string TrailOf(const Status& status) {
  std::string text;
  for (const std::string& place : status.trail()) text += (text.empty() ? "" : "\n") + place;
  return text;
}

Status BuildDataset(const Args& args, const std::vector<DatasetRef>& inputs,
                    const std::string& where, DatasetRef* dataset) {
  FASTPIPE_ASSIGN(*dataset, MakeDataset(args, inputs, where));
  return Status::Ok();
}

Status AddKernel(ProgramBuilder* builder, const Args& attrs, const std::vector<int>& inputs,
                 const std::string& where, std::vector<int>* outputs) {
  FASTPIPE_ASSIGN(*outputs, builder->AddKernel(attrs, inputs, where));
  return Status::Ok();
}

Status AddDataset(ProgramBuilder* builder, const Args& args, const ValueList& inputs,
                  const std::string& where, int* output) {
  FASTPIPE_ASSIGN(*output, builder->AddDataset(args, inputs, where));
  return Status::Ok();
}

Status RunKernel(const Args& attrs, const std::vector<Tensor>& inputs,
                 std::vector<Tensor>* outputs) {
  std::vector<TensorSpec> specs;
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) {
    specs.push_back(TensorSpec::Of(input));
    pointers.push_back(&input);
  }
  FASTPIPE_ASSIGN(KernelPlan plan, PlanKernel(attrs, specs));
  outputs->assign(plan.outputs.size(), Tensor());
  std::vector<Output> slots;
  for (Tensor& output : *outputs) slots.emplace_back(&output);
  KernelContext context{PosixFileSystem(), CancelToken::Root(), nullptr};
  // A kernel may run a traced function.
  FASTPIPE_ASSIGN(context.random.run, DrawSeed());
  Status status = Guarded([&] { return plan.kernel->Run(&context, pointers, slots); });
  status.AddTrail(attrs.owner());
  return status;
}

Faults MakeFaults(int64_t open_delay, int64_t read_delay, int64_t bytes_per_second,
                  int64_t max_read, int64_t fail_open, int64_t fail_read, int64_t stall_open,
                  int64_t stall_read) {
  return {std::chrono::nanoseconds(open_delay),
          std::chrono::nanoseconds(read_delay),
          bytes_per_second,
          static_cast<size_t>(std::max<int64_t>(max_read, 0)),
          fail_open,
          fail_read,
          stall_open,
          stall_read};
}

Pipeline::Pipeline(DatasetRef dataset, const PipelineOptions& options, uint64_t random_seed)
    : dataset_(std::move(dataset)),
      options_(options),
      storage_(SimulatedStorage(options)),
      cancel_(CancelToken::Root()),
      fork_generation_(ForkGeneration()),
      random_seed_(random_seed),
      waker_(std::make_unique<CancelToken::Waker>(cancel_, [this] {
        MutexLock lock(mutex_);
        turn_.NotifyAll();
      })) {
  Open(options.run_index, {});
}

void Pipeline::Open(uint64_t run_index, DrawnSeeds seeds) {
  iterator_.reset();
  FileSystem* files = storage_ ? storage_.get() : PosixFileSystem();
  run_cancel_ = cancel_->Child();
  if (const int64_t timeout = options_.run.read_timeout_ns; timeout > 0) {
    // Its threads are counted apart from those of the run, which wait for them.
    timed_storage_ =
        NewTimedFileSystem(files, std::chrono::nanoseconds(timeout), run_cancel_, this);
    files = timed_storage_.get();
  }
  auto run = std::make_shared<RunContext>(options_.run, files, run_index, std::move(seeds));
  run->stages().set_on_first_tunable([this, run = run.get()] {
    if (!options_.run.autotune) return;
    MutexLock lock(mutex_);
    // A worker may start a stage of its own while the pipeline is being closed.
    if (closing_) return;
    // Without memory for one the knobs stay where they are.
    static_cast<void>(Guarded([&]() NO_THREAD_SAFETY_ANALYSIS {
      tuner_ = Tuner::Start(run);
      return Status::Ok();
    }));
  });
  iterator_ = dataset_->MakeIterator(
      {run, run_cancel_, {.run = random_seed_}, std::make_shared<Epochs>(0)});
  metered_ = run->metered();
  MutexLock lock(mutex_);
  run_ = std::move(run);
}

std::shared_ptr<RunContext> Pipeline::CurrentRun() {
  MutexLock lock(mutex_);
  return run_;
}

Pipeline::~Pipeline() NO_THREAD_SAFETY_ANALYSIS {
  if (fork_generation_ == ForkGeneration()) {
    cancel_->Cancel();
    StopTuner();
    iterator_.reset();
    return;
  }
  // In a child process the threads do not exist, and a lock that one of them held stays locked:
  // joining would wait for ever, so what they share is left behind.
  static_cast<void>(iterator_.release());
  static_cast<void>(timed_storage_.release());
  static_cast<void>(tuner_.release());
  static_cast<void>(waker_.release());
  static_cast<void>(std::make_unique<std::shared_ptr<CancelToken>>(run_cancel_).release());
  static_cast<void>(std::make_unique<std::shared_ptr<CancelToken>>(cancel_).release());
  static_cast<void>(std::make_unique<std::shared_ptr<RunContext>>(run_).release());
}

Status Pipeline::CheckUsable() {
  if (fork_generation_ != ForkGeneration()) {
    return FailedPrecondition(
        "this iterator was made before fork(): its threads stayed in the parent process. Make a "
        "new iterator in the child");
  }
  return Status::Ok();
}

Status Pipeline::Next(Element* element) {
  Turn turn(this);
  FASTPIPE_RETURN_IF_ERROR(turn.Take());
  used_ = true;
  if (!end_position_.empty()) return Status::EndOfSequence();
  if (began_ns_.load(std::memory_order_relaxed) == 0) began_ns_.store(WallNanos());
  Status status;
  {
    // What the caller's own thread computes counts, but only workers are held up.
    CallerMeter meter(metered_);
    status = iterator_->Next(element);
  }
  if (status.end_of_sequence()) {
    ended_ns_.store(WallNanos());
    // Workers that are still busy, below the longer input of a zip, have nothing to work for.
    PositionWriter writer;
    FASTPIPE_RETURN_IF_ERROR(iterator_->Save(&writer));
    end_position_ = writer.bytes();
    run_cancel_->Cancel();
    StopTuner();
    CurrentRun()->Retire();
  }
  return status;
}

void Pipeline::StopTuner() {
  std::unique_ptr<Tuner> tuner;
  {
    MutexLock lock(mutex_);
    tuner = std::move(tuner_);
    if (!tuner) return;
    // Closing needs no memory; what is read of it afterwards may lack.
    static_cast<void>(Guarded([&]() NO_THREAD_SAFETY_ANALYSIS {
      tuner_log_ = tuner->Log();
      bottleneck_ = tuner->Latest().sentence;
      return Status::Ok();
    }));
  }
}

Status Pipeline::Save(const std::string& fingerprint, std::string* state) {
  Turn turn(this);
  FASTPIPE_RETURN_IF_ERROR(turn.Take());
  PositionWriter writer;
  writer.PutBytes(kMagic);
  writer.PutInt(kVersion);
  writer.PutBytes(fingerprint);
  writer.PutInt(static_cast<int64_t>(CurrentRun()->run_index()));
  writer.PutInt(static_cast<int64_t>(random_seed_));
  PositionWriter seeds;
  CurrentRun()->seeds().Save(*dataset_, &seeds);
  writer.PutBytes(seeds.bytes());
  if (end_position_.empty()) {
    PositionWriter position;
    FASTPIPE_RETURN_IF_ERROR(iterator_->Save(&position));
    writer.PutBytes(position.bytes());
  } else {
    writer.PutBytes(end_position_);
  }
  writer.PutInt(static_cast<int64_t>(Checksum(writer.bytes())));
  *state = writer.bytes();
  return Status::Ok();
}

Status Pipeline::Restore(const std::string& fingerprint, const std::string& state) {
  PositionReader reader(state);
  if (reader.GetBytes() != kMagic) {
    return DataLoss(StrCat("this is not a saved fastpipe position, which Iterator.save() returns: ",
                           state.size(), " bytes that begin otherwise"));
  }
  // First, because another format may be laid out in another way from here on.
  const int64_t version = reader.GetInt();
  FASTPIPE_RETURN_IF_ERROR(reader.status());
  if (version != kVersion) {
    return FailedPrecondition(StrCat("the position was saved in format ", version,
                                     ", this fastpipe reads format ", kVersion));
  }
  const std::string_view saved_fingerprint = reader.GetBytes();
  const uint64_t run_index = static_cast<uint64_t>(reader.GetInt());
  const uint64_t random_seed = static_cast<uint64_t>(reader.GetInt());
  const std::string_view saved_seeds = reader.GetBytes();
  const std::string_view position = reader.GetBytes();
  const size_t covered = state.size() - reader.remaining();
  FASTPIPE_RETURN_IF_ERROR(reader.status());
  // Byte for byte: an integer can be written in more than one way.
  PositionWriter checksum;
  checksum.PutInt(static_cast<int64_t>(Checksum(std::string_view(state).substr(0, covered))));
  if (std::string_view(state).substr(covered) != checksum.bytes()) {
    return DataLoss("the saved iterator position is damaged: its checksum does not match");
  }
  if (saved_fingerprint != fingerprint) {
    return FailedPrecondition("the position was saved by another pipeline");
  }
  DrawnSeeds seeds;
  FASTPIPE_RETURN_IF_ERROR(seeds.Restore(*dataset_, saved_seeds));
  Turn turn(this);
  FASTPIPE_RETURN_IF_ERROR(turn.Take());
  if (std::exchange(used_, true)) {
    return FailedPrecondition("a position is restored into a new iterator, this one has been used");
  }
  random_seed_ = random_seed;
  Open(run_index, std::move(seeds));
  PositionReader body(position);
  Status status = iterator_->Restore(&body);
  // An input that is shorter than it was has nothing left to give.
  if (status.end_of_sequence()) return Status::Ok();
  if (status.ok() && !body.at_end()) return DataLoss("the saved iterator position is damaged");
  return status;
}

int64_t OpOf(const DatasetRef& dataset) { return reinterpret_cast<int64_t>(dataset.get()); }

std::string Pipeline::Bottleneck() {
  if (const Status usable = CheckUsable(); !usable.ok()) return std::string(usable.message());
  {
    MutexLock lock(mutex_);
    if (!tuner_ && !bottleneck_.empty()) return bottleneck_;
    const std::string latest = tuner_ ? tuner_->Latest().sentence : "";
    if (!latest.empty()) return latest;
  }
  const std::shared_ptr<RunContext> run = CurrentRun();
  const int64_t began = began_ns_.load() > 0 ? began_ns_.load() : run->since_ns();
  const int64_t ended = ended_ns_.load() > 0 ? ended_ns_.load() : WallNanos();
  return DiagnoseWhole(run.get(), began, ended).sentence;
}

void Pipeline::SetKnobs(int64_t op, int64_t threads, int64_t window) {
  if (!CheckUsable().ok()) return;
  CurrentRun()->stages().ForEach([&](Stage* stage) {
    if (reinterpret_cast<int64_t>(stage->op) != op) return;
    stage->threads.Set(threads);
    stage->window.Set(window);
    stage->apply();
  });
}

void Pipeline::SetStorage(const Faults& faults) {
  if (storage_) storage_->SetFaults(faults);
}

std::vector<std::string> Pipeline::TunerLog() {
  if (!CheckUsable().ok()) return {};
  MutexLock lock(mutex_);
  return tuner_ ? tuner_->Log() : tuner_log_;
}

int Pipeline::ThreadCount() {
  if (!CheckUsable().ok()) return 0;
  int count = 0;
  CurrentRun()->stages().ForEach([&](Stage* stage) { count += stage->running_threads(); });
  return count;
}

int64_t Pipeline::IgnoredErrors() {
  return CheckUsable().ok() ? CurrentRun()->ignored_errors().load() : 0;
}

std::shared_ptr<Pipeline> StartPipeline(DatasetRef dataset, const PipelineOptions& options,
                                        Status* status) {
  CollectAbandoned();
  std::shared_ptr<Pipeline> pipeline;
  *status = Guarded([&]() -> Status {
    FASTPIPE_ASSIGN(const uint64_t random_seed, DrawSeed());
    pipeline = std::make_shared<Pipeline>(std::move(dataset), options, random_seed);
    return Status::Ok();
  });
  return pipeline;
}

Status OpenRecordFile(const std::string& path, const std::string& compression, int level,
                      int window_bits, int memory_level, int strategy,
                      std::shared_ptr<RecordFile>* file) {
  FASTPIPE_ASSIGN(const Compression kind, ParseCompression(compression));
  const ZlibSettings settings{level, window_bits, memory_level, strategy};
  FASTPIPE_ASSIGN(auto stream, OutputStream::Create(path, kind, settings));
  *file = std::make_shared<RecordFile>(std::make_unique<RecordWriter>(std::move(stream)));
  return Status::Ok();
}

Status RecordFile::Write(std::string_view record) {
  MutexLock lock(mutex_);
  return writer_->Write(record);
}

Status RecordFile::Flush() {
  MutexLock lock(mutex_);
  return writer_->Flush();
}

Status RecordFile::Close() {
  MutexLock lock(mutex_);
  return writer_->Close();
}

int CpuCount() { return CpuBudget(); }
int RunningThreads() { return ThreadBudget::Get().running(); }
int64_t HungCalls() { return HungStorageCalls(); }
int64_t SimulatedHungCalls() { return StalledCalls(); }
int64_t LiveBufferBytes() { return BufferPool::Get().live_bytes(); }
int64_t IdleBufferBytes() { return BufferPool::Get().idle_bytes(); }
void TrimBuffers() { BufferPool::Get().Trim(); }
void SetThreadCap(int cap) { ThreadBudget::Get().set_cap(cap); }

}  // namespace fastpipe::api
