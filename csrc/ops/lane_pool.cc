#include "ops/lane_pool.h"

#include <algorithm>
#include <utility>

#include "core/fault_points.h"
#include "core/guard.h"
#include "runtime/clock.h"

namespace fastpipe {
namespace {

// A worker leaves a lane after this long, so that it can serve a more urgent one.
constexpr int64_t kBatchNanos = 50'000;
constexpr size_t kMaxBatch = 256;
constexpr int64_t kMaxBatchBytes = 256 << 10;
constexpr int64_t kResultsPerCheckpoint = 32;

}  // namespace

LanePool::LanePool(const Interleave& op, const IteratorContext& consumer)
    : op_(op),
      consumer_(consumer),
      below_(consumer.Below()),
      num_slots_(static_cast<size_t>(op.MostOpen(consumer.run->options()))),
      input_(op.inputs().front()->MakeIterator(below_)),
      slots_(num_slots_),
      cycle_(op.settings().cycle_length),
      threads_(
          "fp-" + op.label(), [this](int index) { Work(index); }, consumer.run.get()),
      waker_(consumer.cancel, [this] { Stop(); }) {}

LanePool::~LanePool() {
  FASTPIPE_SYNC("lanes:before_remove");
  consumer_.run->stages().Remove(&stage_);
  below_.cancel->Cancel();
  Stop();
  threads_.Join();
}

Status LanePool::Start() {
  if (started_) return Status::Ok();
  const StageLimits limits = PlanStage(op_.settings().threads, static_cast<int64_t>(num_slots_),
                                       /*buffer=*/0, consumer_.run->budgeted_options(),
                                       consumer_.run->stages().OtherTunedRuns());
  stage_.label = op_.label();
  stage_.op = &op_;
  stage_.ram_budget = consumer_.run->budgeted_options().ram_budget;
  stage_.threads.Init(limits.threads, limits.min_threads, limits.max_threads);
  stage_.apply = [this] {
    // A thread that cannot be had now is asked for again with the next change.
    static_cast<void>(threads_.Resize(static_cast<int>(stage_.threads.value())));
    MutexLock lock(mutex_);
    // As many inners opened ahead as there are workers: when all lanes of a cycle end together,
    // each worker has the next file open already.
    lanes_ahead_ = stage_.threads.value();
    // Where order is free, a worker without a lane to itself would have nothing to do.
    cycle_ =
        std::clamp(lanes_ahead_, op_.settings().cycle_length, static_cast<int64_t>(num_slots_));
    work_.NotifyAll();
  };
  stage_.running_threads = [this] { return threads_.running(); };
  NoteInput();
  FASTPIPE_RETURN_IF_ERROR(threads_.Resize(static_cast<int>(stage_.threads.value())));
  started_ = true;
  stage_.apply();
  consumer_.run->stages().Add(&stage_);
  return Status::Ok();
}

void LanePool::Stop() {
  MutexLock lock(mutex_);
  stopping_ = true;
  work_.NotifyAll();
  results_.NotifyAll();
  told_.NotifyAll();
}

// Notes where the input stands now, for the lane that will be pulled next.
void LanePool::NoteInput() {
  PositionWriter writer;
  Status status = input_->Save(&writer);
  MutexLock lock(mutex_);
  next_input_ = {std::move(status), writer.bytes()};
}

// ---- consumer ----

// Only the consumer changes slots_, so it may look without the lock.
Lane* LanePool::current() NO_THREAD_SAFETY_ANALYSIS { return slots_[cycle_index()].get(); }

void LanePool::FreeSlot() {
  MutexLock lock(mutex_);
  slots_[cycle_index()].reset();
  --open_;
}

bool LanePool::Delivered() {
  Lane* lane = current();
  ++lane->since;
  StageStats::Add(stage_.stats.delivered, 1);
  return lane->failed_;  // set before its batch was published, never changed since
}

Status LanePool::FillSlot(bool* filled) {
  MutexLock lock(mutex_);
  while (true) {
    *filled = TakeFuture();
    if (*filled || (input_ended_ && future_.empty())) return Status::Ok();
    FASTPIPE_RETURN_IF_ERROR(WaitForWorkers());
  }
}

bool LanePool::TakeFuture() {
  if (future_.empty() || future_.front()->pulling_) return false;
  pulled_ = future_.front()->sequence + 1;
  slots_[cycle_index()] = std::move(future_.front());
  future_.pop_front();
  ++open_;
  work_.NotifyOne();
  return true;
}

Status LanePool::AwaitBatch(bool* found) {
  MutexLock lock(mutex_);
  Lane* lane = slots_[cycle_index()].get();
  while (lane->ready_.empty() && !lane->done_) FASTPIPE_RETURN_IF_ERROR(WaitForWorkers());
  *found = !lane->ready_.empty();
  if (*found) {
    TakeBatch(lane);
  } else {
    slots_[cycle_index()].reset();
    --open_;
  }
  return Status::Ok();
}

Status LanePool::AwaitAny() {
  MutexLock lock(mutex_);
  while (true) {
    for (size_t tried = 0; tried < num_slots_; ++tried) {
      std::unique_ptr<Lane>& slot = slots_[cycle_index()];
      // Again and again, as a lane that was opened ahead may be empty.
      do {
        if (slot && !slot->has_current() && slot->ready_.empty() && slot->done_) {
          slot.reset();
          --open_;
        }
      } while (!slot && open_ < cycle_ && TakeFuture());
      if (slot && !slot->has_current() && !slot->ready_.empty()) TakeBatch(slot.get());
      if (slot && slot->has_current()) return Status::Ok();
      Advance();
    }
    if (open_ == 0 && input_ended_ && future_.empty()) return Status::EndOfSequence();
    FASTPIPE_RETURN_IF_ERROR(WaitForWorkers());
  }
}

Status LanePool::WaitForWorkers() {
  if (!error_.ok()) {
    told_.NotifyAll();
    return std::exchange(error_, Status());
  }
  InputWait wait(&stage_.consumer);
  stage_.last.store(!wait.by_worker(), std::memory_order_relaxed);
  // What is urgent has changed: a worker that saw nothing to do may see it now.
  if (workers_waiting_ > 0) work_.NotifyOne();
  consumer_waits_ = true;
  Status status = WaitOnce(results_, mutex_, *consumer_.cancel);
  consumer_waits_ = false;
  return status;
}

void LanePool::TakeBatch(Lane* lane) {
  lane->current = std::move(lane->ready_.front());
  lane->next = 0;
  lane->ready_.pop_front();
  const int64_t count = static_cast<int64_t>(lane->current.results.size());
  lane->ready_results_ -= count;
  StageStats::Add(stage_.stats.buffered, -count);
  StageStats::Add(stage_.stats.buffered_bytes, -lane->current.bytes);
  if (lane->current.checkpoint) {
    lane->saved = std::move(*lane->current.checkpoint);
    lane->since = 0;
  }
  if (workers_waiting_ > 0) work_.NotifyOne();
}

// ---- position ----

Status LanePool::Save(InterleavePosition* saved) {
  if (!started_) NoteInput();
  MutexLock lock(mutex_);
  saved->cycle_index = static_cast<int64_t>(cycle_index());
  const Lane* oldest = nullptr;
  for (const auto& lane : slots_) {
    if (lane && (!oldest || lane->sequence < oldest->sequence)) oldest = lane.get();
  }
  const Checkpoint& input = oldest            ? oldest->before
                            : future_.empty() ? next_input_
                                              : future_.front()->before;
  FASTPIPE_RETURN_IF_ERROR(Status(input.status));
  saved->input = input.position;
  if (oldest) saved->pulled = pulled_ - oldest->sequence;
  for (size_t i = 0; i < num_slots_; ++i) {
    const Lane* lane = slots_[i].get();
    if (lane == nullptr) continue;
    FASTPIPE_RETURN_IF_ERROR(Status(lane->saved.status));
    saved->inners.push_back({static_cast<int64_t>(i), lane->sequence - oldest->sequence,
                             lane->saved.position, lane->since});
  }
  return Status::Ok();
}

Status LanePool::Restore(const InterleavePosition& saved) {
  set_cycle_index(static_cast<size_t>(saved.cycle_index));
  PositionReader input(saved.input);
  FASTPIPE_RETURN_IF_ERROR(input_->Restore(&input));
  InnerOpener opener(op_, below_);
  for (const InterleavePosition::Inner& inner : saved.inners) {
    int64_t skipped = 0;
    FASTPIPE_RETURN_IF_ERROR(input_->Skip(inner.sequence - pulled_, &skipped));
    PositionWriter before;
    FASTPIPE_RETURN_IF_ERROR(input_->Save(&before));
    auto lane = std::make_unique<Lane>(inner.sequence, Checkpoint{Status::Ok(), before.bytes()});
    FASTPIPE_RETURN_IF_ERROR(input_->Next(&lane->input_));
    FASTPIPE_ASSIGN(lane->inner_, opener.Reopen(input_->count() - 1, lane->input_, inner));
    lane->saved = {Status::Ok(), inner.position};
    lane->since = inner.since;
    lane->pulling_ = lane->busy_ = false;
    MutexLock lock(mutex_);
    slots_[static_cast<size_t>(inner.slot)] = std::move(lane);
    ++open_;
    pulled_ = inner.sequence + 1;
  }
  int64_t skipped = 0;
  Status status = input_->Skip(saved.pulled - pulled_, &skipped);
  pulled_ = saved.pulled;
  MutexLock lock(mutex_);
  next_sequence_ = saved.pulled;
  return status.end_of_sequence() ? Status::Ok() : status;
}

// ---- workers ----

// Out of memory it says so and begins again: no lane is its own by then.
void LanePool::Work(int index) {
  for (;;) {
    Status status = Guarded([&] {
      WorkUntilTold(index);
      return Status::Ok();
    });
    if (status.ok()) break;
    Tell(std::move(status));
  }
  // It leaves, and what woke it was meant for one that stays.
  MutexLock lock(mutex_);
  if (workers_waiting_ > 0) work_.NotifyOne();
}

// Gives the consumer an error that belongs to no result, and waits until it has taken it.
void LanePool::Tell(Status error) {
  MutexLock lock(mutex_);
  if (error_.ok()) error_ = std::move(error);
  results_.NotifyOne();
  while (!stopping_ && !error_.ok()) told_.Wait(mutex_);
}

void LanePool::WorkUntilTold(int index) {
  WorkerClock clock(&stage_.workers);
  MeteredWorker meter(consumer_.run->metered(), consumer_.cancel.get());
  InnerOpener opener(op_, below_);
  while (!threads_.ShouldLeave(index)) {
    Lane* lane = nullptr;
    {
      MutexLock lock(mutex_);
      while (!stopping_ && !error_.ok()) told_.Wait(mutex_);
      if (stopping_) return;
      lane = PickLane();
      if (lane == nullptr) {
        ++workers_waiting_;
        work_.Wait(mutex_);
        --workers_waiting_;
        continue;
      }
    }
    clock.Enter(Phase::kPull);
    const bool pulled = !lane->pulling_ || Pull(lane);
    clock.Enter(Phase::kCompute);
    if (pulled) Serve(lane, &opener);
    clock.Enter(Phase::kRoom);
    meter.Settle();
  }
}

// The piece of work that the consumer will need first, marked busy; null if there is none.
Lane* LanePool::PickLane() {
  const bool can_pull = !pulling_ && !input_ended_;
  bool urgent = true;  // the consumer comes to this lane first
  size_t next_future = 0;
  int64_t free_slots = cycle_ - open_;
  for (size_t i = 0; i < num_slots_; ++i) {
    Lane* lane = slots_[(cycle_index() + i) % num_slots_].get();
    if (lane == nullptr && --free_slots < 0) continue;
    if (lane == nullptr && next_future < future_.size()) lane = future_[next_future++].get();
    if (lane == nullptr) {
      if (can_pull) return NewLane();
      continue;
    }
    if (Runnable(*lane, urgent)) {
      lane->busy_ = true;
      return lane;
    }
    urgent = false;
  }
  for (size_t i = next_future; i < future_.size(); ++i) {
    if (future_[i]->ready_.empty() && Runnable(*future_[i], false)) {
      future_[i]->busy_ = true;
      return future_[i].get();
    }
  }
  const int64_t ahead = static_cast<int64_t>(future_.size() - next_future);
  return can_pull && ahead < lanes_ahead_ ? NewLane() : nullptr;
}

bool LanePool::Runnable(const Lane& lane, bool urgent) const {
  if (lane.busy_ || lane.done_) return false;
  if (urgent && lane.ready_.empty()) return true;
  if (!stage_.HasMemory()) return false;
  if (lane.ready_.empty()) return true;
  const int64_t limit = 2 * std::max(op_.settings().block_length, lane.last_batch_);
  return lane.ready_results_ + lane.last_batch_ <= limit;
}

Lane* LanePool::NewLane() {
  future_.push_back(std::make_unique<Lane>(next_sequence_, next_input_));
  ++next_sequence_;
  pulling_ = true;
  return future_.back().get();
}

// Pulls the input of a new lane. False if there is nothing to serve: the input ended or failed.
bool LanePool::Pull(Lane* lane) {
  std::list<Batch> failed;  // made first: then the error has a place whatever happens
  Status status = Guarded([&] {
    failed.emplace_back().results.emplace_back();
    return Status::Ok();
  });
  const bool prepared = status.ok();
  if (prepared) status = Guarded([&] { return input_->Next(&lane->input_); });
  lane->number_ = input_->count() - 1;
  Checkpoint next;
  next.status = Guarded([&] {
    PositionWriter writer;
    Status saved = input_->Save(&writer);
    next.position = writer.bytes();
    return saved;
  });
  FASTPIPE_SYNC("lanes:pulled");
  MutexLock lock(mutex_);
  pulling_ = false;
  lane->pulling_ = false;
  next_input_ = std::move(next);
  if (consumer_waits_) results_.NotifyOne();
  if (workers_waiting_ > 0) work_.NotifyOne();
  if (status.ok()) return true;
  if (status.end_of_sequence() || status.code() == Code::kCancelled) {
    input_ended_ = true;
    future_.pop_back();  // it was the last: only one worker pulls
    return false;
  }
  if (!prepared) {  // nothing was pulled
    if (error_.ok()) error_ = std::move(status);
    future_.pop_back();
    --next_sequence_;
    return false;
  }
  failed.back().results.back().status = std::move(status);
  lane->ready_.splice(lane->ready_.end(), failed);
  lane->ready_results_ = 1;
  lane->failed_ = lane->done_ = true;
  lane->busy_ = false;
  return false;
}

// Produces the next batch of `lane`, opening it first if need be.
void LanePool::Serve(Lane* lane, InnerOpener* opener) {
  std::list<Batch> served;
  bool done = false;
  bool failed = false;
  Status status = Guarded([&] {
    Batch& batch = served.emplace_back();
    if (!lane->inner_) {
      StageResult& result = batch.results.emplace_back();  // the place of an error
      result.status = Guarded([&] { return Open(lane, opener); });
      failed = done = !result.status.ok();
      if (failed) return Status::Ok();
      batch.results.pop_back();
    }
    FillBatch(lane, &batch, &done);
    return Status::Ok();
  });
  if (done) lane->inner_.reset();
  const int64_t count = served.empty() ? 0 : static_cast<int64_t>(served.back().results.size());
  const int64_t bytes = served.empty() ? 0 : served.back().bytes;
  StageStats::Add(stage_.stats.elements, count);
  StageStats::Add(stage_.stats.buffered, count);
  StageStats::Add(stage_.stats.buffered_bytes, bytes);
  FASTPIPE_SYNC("lanes:before_publish");
  MutexLock lock(mutex_);
  if (failed) lane->failed_ = true;  // before its batch is published, and never again
  if (count > 0) {
    lane->last_batch_ = count;
    lane->ready_results_ += count;
    stage_.NotePiece(bytes);
    lane->ready_.splice(lane->ready_.end(), served);
  } else if (!status.ok() && error_.ok()) {
    error_ = std::move(status);  // nothing was read: it is tried again when that is told
  }
  lane->done_ = done;
  lane->busy_ = false;
  if (consumer_waits_) results_.NotifyOne();
}

Status LanePool::Open(Lane* lane, InnerOpener* opener) {
  auto inner = opener->Open(lane->number_, lane->input_);
  lane->input_.clear();
  if (inner.ok()) lane->inner_ = std::move(inner.value());
  return std::move(inner.status());
}

// Throws for lack of memory only between two results: those before are in the batch.
void LanePool::FillBatch(Lane* lane, Batch* batch, bool* done) {
  if (lane->since_checkpoint_ >= kResultsPerCheckpoint) {
    PositionWriter writer;
    auto checkpoint = std::make_unique<Checkpoint>();
    checkpoint->status = lane->inner_->Save(&writer);
    checkpoint->position = writer.bytes();
    batch->checkpoint = std::move(checkpoint);
    lane->since_checkpoint_ = 0;
  }
  const int64_t deadline = WallNanos() + kBatchNanos;
  do {
    StageResult& result = batch->results.emplace_back();
    result.status = Guarded([&] { return lane->inner_->Next(&result.element); });
    if (result.status.end_of_sequence() || result.status.code() == Code::kCancelled) {
      batch->results.pop_back();
      *done = true;
      return;
    }
    batch->bytes += static_cast<int64_t>(NumBytes(result.element));
    ++lane->since_checkpoint_;
  } while (batch->results.size() < kMaxBatch && batch->bytes < kMaxBatchBytes &&
           WallNanos() < deadline);
}

}  // namespace fastpipe
