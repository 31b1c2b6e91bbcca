// Parallel interleave: every open inner dataset is a lane with a small buffer of its own.
//
// The workers serve the lane that the consumer will need first, a batch of results at a time, and open
// the next inners ahead so that the wait for a file to open is hidden. The consumer alone decides the
// order, so with deterministic=True it equals that of the sequential iterator, however many workers
// there are.

#include <algorithm>
#include <atomic>
#include <deque>

#include "ops/interleave.h"
#include "runtime/clock.h"
#include "runtime/threads.h"
#include "runtime/window.h"

namespace fastpipe {
namespace {

// A worker leaves a lane after this long, so that it can serve a more urgent one.
constexpr int64_t kBatchNanos = 50'000;
constexpr size_t kMaxBatch = 256;
constexpr int64_t kResultsPerCheckpoint = 32;

struct Batch {
  std::vector<StageResult> results;
  std::unique_ptr<Checkpoint> checkpoint;  // of the inner, before the first result
  int64_t bytes = 0;
};

// One inner dataset. "Worker": only the worker that made it busy; "consumer": only the consumer.
struct Lane {
  const int64_t sequence;            // which result of the input it comes from
  const std::string input_position;  // of the input before that result

  // Guarded by the stage's mutex.
  bool pulling = true;  // its input is still being pulled
  bool busy = true;     // a worker has it
  bool done = false;    // no more batches will come
  bool failed = false;  // it could not be opened: its only result says why
  std::deque<Batch> ready;
  int64_t ready_results = 0;
  int64_t last_batch = 1;

  // Worker.
  Element input;
  std::unique_ptr<Iterator> inner;
  int64_t since_checkpoint = kResultsPerCheckpoint;

  // Consumer.
  Batch current;
  size_t next = 0;
  Checkpoint saved;  // where the inner stood ...
  int64_t since = 0;  // ... so many results ago

  Lane(int64_t sequence, std::string input_position)
      : sequence(sequence), input_position(std::move(input_position)) {}
  bool has_current() const { return next < current.results.size(); }
};

class ParallelInterleaveIterator final : public IteratorOf<Interleave> {
 public:
  ParallelInterleaveIterator(const Interleave& op, const IteratorContext& context)
      : IteratorOf(op, context),
        below_(context.Below()),
        ordered_(op.settings().deterministic.value_or(context.run->options().deterministic)),
        input_(op.inputs().front()->MakeIterator(below_)),
        slots_(static_cast<size_t>(op.settings().cycle_length)),
        threads_("fp-" + op.label(), [this](int index) { Work(index); }),
        waker_(context.cancel, [this] { WakeAll(); }) {}

  ~ParallelInterleaveIterator() override {
    run().stages().Remove(&stage_);
    below_.cancel->Cancel();
    {
      MutexLock lock(mutex_);
      stopping_ = true;
    }
    WakeAll();
    threads_.Join();
  }

 private:
  Status Produce(Element* out) override;
  Status SavePosition(PositionWriter* writer) override;
  Status RestorePosition(PositionReader* reader) override;

  void Start();
  void WakeAll();

  // Consumer side.
  Status FindOrdered(Lane** lane);
  Status FindAny(Lane** lane);
  Status AwaitBatch(Lane* lane, bool* found);
  Status WaitForWorkers() REQUIRES(mutex_);
  Status FillSlot(bool* filled);
  bool TakeFuture(size_t slot) REQUIRES(mutex_);
  void TakeBatch(Lane* lane) REQUIRES(mutex_);
  void FreeSlot() REQUIRES(mutex_);
  void Advance();

  // Worker side.
  void Work(int index);
  Lane* PickLane() REQUIRES(mutex_);
  bool Runnable(const Lane& lane, bool urgent) const REQUIRES(mutex_);
  Lane* NewLane() REQUIRES(mutex_);
  bool Pull(Lane* lane);
  void Serve(Lane* lane, InnerOpener* opener);
  void FillBatch(Lane* lane, Batch* batch, bool* done);

  const IteratorContext below_;
  const bool ordered_;
  std::unique_ptr<Iterator> input_;  // of the worker that pulls; of the consumer before the start
  Stage stage_;
  int64_t lanes_ahead_ = 1;
  int64_t byte_limit_ = 0;

  // Consumer only.
  bool started_ = false;
  int64_t block_index_ = 0;
  int64_t open_ = 0;    // slots in use
  int64_t pulled_ = 0;  // results of the input that have reached a slot

  std::atomic<size_t> cycle_index_{0};  // written by the consumer
  Mutex mutex_;
  CondVar work_;     // workers wait here
  CondVar results_;  // the consumer waits here
  std::vector<std::unique_ptr<Lane>> slots_ GUARDED_BY(mutex_);  // only the consumer changes them
  std::deque<std::unique_ptr<Lane>> future_ GUARDED_BY(mutex_);  // opened ahead, in order
  bool pulling_ GUARDED_BY(mutex_) = false;
  bool input_ended_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool consumer_waits_ GUARDED_BY(mutex_) = false;
  int workers_waiting_ GUARDED_BY(mutex_) = 0;
  int64_t ready_bytes_ GUARDED_BY(mutex_) = 0;
  int64_t next_sequence_ GUARDED_BY(mutex_) = 0;
  Checkpoint next_input_ GUARDED_BY(mutex_);  // of the input, before the next pull

  ThreadGroup threads_;
  const CancelToken::Waker waker_;
};

void ParallelInterleaveIterator::Start() {
  started_ = true;
  const StageLimits limits = PlanStage(op().settings().threads, op().settings().cycle_length,
                                       /*buffer=*/0, run().options());
  byte_limit_ = limits.byte_limit;
  stage_.label = op().label();
  stage_.threads.Init(limits.threads, limits.min_threads, limits.max_threads);
  stage_.apply = [this] {
    threads_.Resize(static_cast<int>(stage_.threads.value()));
    MutexLock lock(mutex_);
    // As many inners opened ahead as there are workers: when all lanes of a cycle end together, each
    // worker has the next file open already.
    lanes_ahead_ = stage_.threads.value();
    work_.NotifyAll();
  };
  stage_.running_threads = [this] { return threads_.size(); };
  {
    PositionWriter writer;
    Status status = input_->Save(&writer);
    MutexLock lock(mutex_);
    next_input_ = {std::move(status), writer.bytes()};
  }
  stage_.apply();
  run().stages().Add(&stage_);
}

void ParallelInterleaveIterator::WakeAll() {
  MutexLock lock(mutex_);
  work_.NotifyAll();
  results_.NotifyAll();
}

// ---- consumer ----

Status ParallelInterleaveIterator::Produce(Element* out) {
  if (!started_) Start();
  while (true) {
    Lane* lane = nullptr;
    FASTPIPE_RETURN_IF_ERROR(ordered_ ? FindOrdered(&lane) : FindAny(&lane));
    StageResult& result = lane->current.results[lane->next++];
    ++lane->since;
    StageStats::Add(stage_.stats.delivered, 1);
    *out = std::move(result.element);
    Status status = std::move(result.status);
    if (lane->failed) {
      MutexLock lock(mutex_);
      FreeSlot();
    } else if (status.ok() && ++block_index_ == op().settings().block_length) {
      Advance();
    }
    return status;
  }
}

void ParallelInterleaveIterator::Advance() {
  block_index_ = 0;
  cycle_index_.store((cycle_index_.load() + 1) % slots_.size());
}

void ParallelInterleaveIterator::FreeSlot() {
  slots_[cycle_index_].reset();
  --open_;
}

// The lane whose turn it is, with a result at hand.
Status ParallelInterleaveIterator::FindOrdered(Lane** lane) NO_THREAD_SAFETY_ANALYSIS {
  while (true) {
    *lane = slots_[cycle_index_].get();  // only this thread changes slots_
    if (*lane == nullptr) {
      bool filled = false;
      FASTPIPE_RETURN_IF_ERROR(FillSlot(&filled));
      if (filled) continue;
      if (open_ == 0) return Status::EndOfSequence();
      Advance();
    } else if ((*lane)->has_current()) {
      return Status::Ok();
    } else {
      bool found = false;
      FASTPIPE_RETURN_IF_ERROR(AwaitBatch(*lane, &found));
      if (!found) Advance();
    }
  }
}

// Moves the next inner opened ahead into the slot at hand; `*filled` is false if there are no more.
Status ParallelInterleaveIterator::FillSlot(bool* filled) {
  MutexLock lock(mutex_);
  while (true) {
    *filled = TakeFuture(cycle_index_);
    if (*filled || (input_ended_ && future_.empty())) return Status::Ok();
    FASTPIPE_RETURN_IF_ERROR(WaitForWorkers());
  }
}

bool ParallelInterleaveIterator::TakeFuture(size_t slot) {
  if (future_.empty() || future_.front()->pulling) return false;
  slots_[slot] = std::move(future_.front());
  future_.pop_front();
  pulled_ = slots_[slot]->sequence + 1;
  ++open_;
  work_.NotifyOne();
  return true;
}

// Waits until `lane` has a batch, or is done: then its slot is freed and `*found` is false.
Status ParallelInterleaveIterator::AwaitBatch(Lane* lane, bool* found) {
  MutexLock lock(mutex_);
  while (lane->ready.empty() && !lane->done) FASTPIPE_RETURN_IF_ERROR(WaitForWorkers());
  *found = !lane->ready.empty();
  if (*found) {
    TakeBatch(lane);
  } else {
    FreeSlot();
  }
  return Status::Ok();
}

Status ParallelInterleaveIterator::WaitForWorkers() {
  Stopwatch stopwatch;
  // What is urgent has changed: a worker that saw nothing to do may see it now.
  if (workers_waiting_ > 0) work_.NotifyOne();
  consumer_waits_ = true;
  Status status = WaitOnce(results_, mutex_, *context().cancel);
  consumer_waits_ = false;
  StageStats::Add(stage_.stats.empty_wait_ns, stopwatch.Lap());
  return status;
}

void ParallelInterleaveIterator::TakeBatch(Lane* lane) {
  lane->current = std::move(lane->ready.front());
  lane->next = 0;
  lane->ready.pop_front();
  const int64_t count = static_cast<int64_t>(lane->current.results.size());
  lane->ready_results -= count;
  ready_bytes_ -= lane->current.bytes;
  StageStats::Add(stage_.stats.buffered, -count);
  StageStats::Add(stage_.stats.buffered_bytes, -lane->current.bytes);
  if (lane->current.checkpoint) {
    lane->saved = std::move(*lane->current.checkpoint);
    lane->since = 0;
  }
  if (workers_waiting_ > 0) work_.NotifyOne();
}

// The first lane from the current one on that has a result, whichever that is.
Status ParallelInterleaveIterator::FindAny(Lane** lane) {
  MutexLock lock(mutex_);
  while (true) {
    for (size_t tried = 0; tried < slots_.size(); ++tried) {
      std::unique_ptr<Lane>& slot = slots_[cycle_index_];
      if (slot && !slot->has_current() && slot->ready.empty() && slot->done) FreeSlot();
      if (!slot) TakeFuture(cycle_index_);
      if (slot && !slot->has_current() && !slot->ready.empty()) TakeBatch(slot.get());
      if (slot && slot->has_current()) {
        *lane = slot.get();
        return Status::Ok();
      }
      Advance();
    }
    if (open_ == 0 && input_ended_ && future_.empty()) return Status::EndOfSequence();
    FASTPIPE_RETURN_IF_ERROR(WaitForWorkers());
  }
}

// ---- workers ----

void ParallelInterleaveIterator::Work(int index) {
  InnerOpener opener(op(), below_);
  while (!threads_.ShouldLeave(index)) {
    Lane* lane = nullptr;
    {
      MutexLock lock(mutex_);
      if (stopping_) return;
      lane = PickLane();
      if (lane == nullptr) {
        Stopwatch stopwatch;
        ++workers_waiting_;
        work_.Wait(mutex_);
        --workers_waiting_;
        StageStats::Add(stage_.stats.full_wait_ns, stopwatch.Lap());
        continue;
      }
    }
    if (lane->pulling && !Pull(lane)) continue;
    Serve(lane, &opener);
  }
}

// The piece of work that the consumer will need first, marked busy; null if there is none.
Lane* ParallelInterleaveIterator::PickLane() {
  const bool can_pull = !pulling_ && !input_ended_;
  size_t next_future = 0;
  for (size_t i = 0; i < slots_.size(); ++i) {
    Lane* lane = slots_[(cycle_index_ + i) % slots_.size()].get();
    if (lane == nullptr && next_future < future_.size()) lane = future_[next_future++].get();
    if (lane == nullptr) {
      if (can_pull) return NewLane();
      continue;
    }
    if (Runnable(*lane, i == 0)) {
      lane->busy = true;
      return lane;
    }
  }
  for (size_t i = next_future; i < future_.size(); ++i) {
    if (future_[i]->ready.empty() && Runnable(*future_[i], false)) {
      future_[i]->busy = true;
      return future_[i].get();
    }
  }
  const int64_t ahead = static_cast<int64_t>(future_.size() - next_future);
  return can_pull && ahead < lanes_ahead_ ? NewLane() : nullptr;
}

bool ParallelInterleaveIterator::Runnable(const Lane& lane, bool urgent) const {
  if (lane.busy || lane.done) return false;
  if (lane.ready.empty()) return urgent || ready_bytes_ < byte_limit_;
  const int64_t limit = 2 * std::max(op().settings().block_length, lane.last_batch);
  return lane.ready_results + lane.last_batch <= limit && ready_bytes_ < byte_limit_;
}

Lane* ParallelInterleaveIterator::NewLane() {
  future_.push_back(std::make_unique<Lane>(next_sequence_++, next_input_.position));
  pulling_ = true;
  return future_.back().get();
}

// Pulls the input of a new lane. False if there is nothing to serve: the input ended or failed.
bool ParallelInterleaveIterator::Pull(Lane* lane) {
  Status status = input_->Next(&lane->input);
  PositionWriter writer;
  Status saved = input_->Save(&writer);
  MutexLock lock(mutex_);
  pulling_ = false;
  lane->pulling = false;
  next_input_ = {std::move(saved), writer.bytes()};
  if (consumer_waits_) results_.NotifyOne();
  if (workers_waiting_ > 0) work_.NotifyOne();
  if (status.ok()) return true;
  if (status.end_of_sequence() || status.code() == Code::kCancelled) {
    input_ended_ = true;
    future_.pop_back();  // it was the last: only one worker pulls
    return false;
  }
  Batch batch;
  batch.results.emplace_back();
  batch.results.back().status = std::move(status);
  lane->ready.push_back(std::move(batch));
  lane->ready_results = 1;
  lane->failed = lane->done = true;
  lane->busy = false;
  return false;
}

// Produces the next batch of `lane`, opening it first if need be.
void ParallelInterleaveIterator::Serve(Lane* lane, InnerOpener* opener) {
  const int64_t cpu_before = ThreadCpuNanos();
  Stopwatch stopwatch;
  Batch batch;
  bool done = false;
  bool failed = false;
  if (!lane->inner) {
    auto inner = opener->Open(lane->input);
    lane->input.clear();
    if (inner.ok()) {
      lane->inner = std::move(inner.value());
    } else {
      batch.results.emplace_back();
      batch.results.back().status = std::move(inner.status());
      done = failed = true;
    }
  }
  if (!done) FillBatch(lane, &batch, &done);
  if (done) lane->inner.reset();
  const int64_t count = static_cast<int64_t>(batch.results.size());
  StageStats::Add(stage_.stats.busy_ns, stopwatch.Lap());
  StageStats::Add(stage_.stats.cpu_ns, ThreadCpuNanos() - cpu_before);
  StageStats::Add(stage_.stats.elements, count);
  StageStats::Add(stage_.stats.buffered, count);
  StageStats::Add(stage_.stats.buffered_bytes, batch.bytes);
  MutexLock lock(mutex_);
  if (count > 0) {
    lane->last_batch = count;
    lane->ready_results += count;
    ready_bytes_ += batch.bytes;
    lane->ready.push_back(std::move(batch));
  }
  lane->done = done;
  lane->failed = failed;
  lane->busy = false;
  if (consumer_waits_) results_.NotifyOne();
}

void ParallelInterleaveIterator::FillBatch(Lane* lane, Batch* batch, bool* done) {
  if (lane->since_checkpoint >= kResultsPerCheckpoint) {
    lane->since_checkpoint = 0;
    PositionWriter writer;
    batch->checkpoint = std::make_unique<Checkpoint>();
    batch->checkpoint->status = lane->inner->Save(&writer);
    batch->checkpoint->position = writer.bytes();
  }
  const int64_t deadline = WallNanos() + kBatchNanos;
  do {
    StageResult& result = batch->results.emplace_back();
    result.status = lane->inner->Next(&result.element);
    if (result.status.end_of_sequence() || result.status.code() == Code::kCancelled) {
      batch->results.pop_back();
      *done = true;
      return;
    }
    batch->bytes += static_cast<int64_t>(NumBytes(result.element));
    ++lane->since_checkpoint;
  } while (batch->results.size() < kMaxBatch && WallNanos() < deadline);
}

// ---- position ----

Status ParallelInterleaveIterator::SavePosition(PositionWriter* writer) {
  if (!ordered_) {
    return Unimplemented(op().label() +
                         ": interleave with deterministic=False has no position that can be saved");
  }
  InterleavePosition saved;
  saved.cycle_index = static_cast<int64_t>(cycle_index_.load());
  saved.block_index = block_index_;
  if (!started_) {
    PositionWriter input;
    Status status = input_->Save(&input);
    MutexLock lock(mutex_);
    next_input_ = {std::move(status), input.bytes()};
  }
  MutexLock lock(mutex_);
  FASTPIPE_RETURN_IF_ERROR(Status(next_input_.status));
  const Lane* oldest = nullptr;
  for (const auto& lane : slots_) {
    if (lane && (!oldest || lane->sequence < oldest->sequence)) oldest = lane.get();
  }
  if (oldest) {
    saved.input = oldest->input_position;
    saved.pulled = pulled_ - oldest->sequence;
  } else {
    saved.input = future_.empty() ? next_input_.position : future_.front()->input_position;
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Lane* lane = slots_[i].get();
    if (lane == nullptr) continue;
    FASTPIPE_RETURN_IF_ERROR(Status(lane->saved.status));
    saved.inners.push_back({static_cast<int64_t>(i), lane->sequence - oldest->sequence,
                            lane->saved.position, lane->since});
  }
  saved.Write(writer);
  return Status::Ok();
}

Status ParallelInterleaveIterator::RestorePosition(PositionReader* reader) {
  InterleavePosition saved;
  FASTPIPE_RETURN_IF_ERROR(saved.Read(reader, op().settings()));
  cycle_index_ = static_cast<size_t>(saved.cycle_index);
  block_index_ = saved.block_index;
  PositionReader input(saved.input);
  FASTPIPE_RETURN_IF_ERROR(input_->Restore(&input));
  InnerOpener opener(op(), below_);
  MutexLock lock(mutex_);  // no worker runs yet
  for (const InterleavePosition::Inner& inner : saved.inners) {
    int64_t skipped = 0;
    FASTPIPE_RETURN_IF_ERROR(input_->Skip(inner.sequence - pulled_, &skipped));
    PositionWriter before;
    FASTPIPE_RETURN_IF_ERROR(input_->Save(&before));
    auto lane = std::make_unique<Lane>(inner.sequence, before.bytes());
    FASTPIPE_RETURN_IF_ERROR(input_->Next(&lane->input));
    FASTPIPE_ASSIGN(lane->inner, opener.Reopen(lane->input, inner));
    lane->saved = {Status::Ok(), inner.position};
    lane->since = inner.since;
    lane->pulling = lane->busy = false;
    slots_[static_cast<size_t>(inner.slot)] = std::move(lane);
    ++open_;
    pulled_ = inner.sequence + 1;
  }
  int64_t skipped = 0;
  Status status = input_->Skip(saved.pulled - pulled_, &skipped);
  pulled_ = next_sequence_ = saved.pulled;
  return status.end_of_sequence() ? Status::Ok() : status;
}

}  // namespace

std::unique_ptr<Iterator> MakeParallelInterleave(const Interleave& op,
                                                 const IteratorContext& context) {
  return std::make_unique<ParallelInterleaveIterator>(op, context);
}

}  // namespace fastpipe
