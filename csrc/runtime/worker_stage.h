// WorkerStage: worker threads that pull jobs from one input, compute, and hand over in order.
//
// Contract: an op that is a stage says how to pull a job (serialised by the input lock), how to
// compute it (any number of threads), and how the input saves and restores its position; everything
// else, threads, window, chunks, statistics, knobs and checkpoints, is here. Threads start at the
// first Next.
// Thread rule: Next, Save and Restore by the consumer; `pull` and `save` run under the input lock
// (or before the threads start); what `new_compute` returns belongs to one worker. The owner must
// cancel the input's token before it destroys the stage, so that a worker blocked in `pull`
// returns.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/dataset.h"
#include "core/guard.h"
#include "runtime/clock.h"
#include "runtime/context.h"
#include "runtime/threads.h"
#include "runtime/tuning.h"
#include "runtime/window.h"
#include "runtime/worker_clock.h"

namespace fastpipe {

template <typename Job>
struct StageWork {
  // Pulls the next job. An error is a result of its own: it takes its place in the order.
  std::function<Status(Job*)> pull;
  // Makes what computes jobs on one worker.
  std::function<std::function<Status(Job*, Element*)>()> new_compute;
  // Pulls and computes one result on the consumer's thread; empty if the stage never does that.
  std::function<Status(Element*)> direct;
  std::function<Status(PositionWriter*)> save;
  std::function<Status(PositionReader*)> restore;
  // Passes over results of the stage by their jobs, without computing them.
  std::function<Status(int64_t count, int64_t* skipped)> skip;
};

// The work of a stage with one job for each element of `input`: all but pull and new_compute.
// `input` must outlive the stage.
template <typename Job>
StageWork<Job> WorkOnInput(Iterator* input) {
  StageWork<Job> work;
  work.save = [input](PositionWriter* writer) { return input->Save(writer); };
  work.restore = [input](PositionReader* reader) { return input->Restore(reader); };
  work.skip = [input](int64_t count, int64_t* skipped) { return input->Skip(count, skipped); };
  return work;
}

// The same where the jobs are the elements themselves: all but new_compute.
StageWork<Element> WorkOnElements(Iterator* input);

// The position of an op that works on its consumer's thread, in the format of WorkerStage, so that
// a pass may go on with another num_parallel_calls.
Status SaveLikeStage(const std::function<Status(PositionWriter*)>& save, PositionWriter* writer);
Status SaveLikeStage(Iterator* input, PositionWriter* writer);
Status RestoreLikeStage(Iterator* input, PositionReader* reader);
// Reads either. The arguments are those of StageWork.
Status RestoreLikeStage(const std::function<Status(PositionReader*)>& restore,
                        const std::function<Status(int64_t, int64_t*)>& skip,
                        PositionReader* reader);

struct StageSettings {
  std::string label;
  const void* op = nullptr;  // whose stage it is
  bool ordered = true;
  int64_t threads = 1;      // kAutotune: the tuner decides
  int64_t max_threads = 1;  // for kAutotune
  int64_t buffer = 0;       // results that may be ready ahead; 0: follows the threads; kAutotune
};

template <typename Job>
class WorkerStage {
 public:
  WorkerStage(StageSettings settings, StageWork<Job> work, const IteratorContext& consumer)
      : settings_(std::move(settings)),
        work_(std::move(work)),
        consumer_(consumer),
        window_(settings_.ordered, &stage_),
        threads_(
            "fp-" + settings_.label, [this](int index) { Work(index); }, consumer.run.get()),
        waker_(consumer.cancel, [this] { window_.Stop(); }) {}

  ~WorkerStage() {
    consumer_.run->stages().Remove(&stage_);
    window_.Stop();
    threads_.Join();
  }

  Status Next(Element* out) {
    if (!started_) FASTPIPE_RETURN_IF_ERROR(Start());
    if (direct_) return NextDirectly(out);
    while (current_ == nullptr || next_in_chunk_ == current_->size) {
      if (current_) window_.Recycle(std::move(current_));
      if (cheap_.load(std::memory_order_relaxed)) window_.Pause();
      FASTPIPE_RETURN_IF_ERROR(window_.Take(*consumer_.cancel, &current_));
      next_in_chunk_ = 0;
      if (current_ == nullptr) {
        BeginDirect();
        return NextDirectly(out);
      }
      if (current_->checkpoint) {
        checkpoint_ = std::move(*current_->checkpoint);
        since_checkpoint_ = 0;
      }
    }
    StageResult& result = current_->results[next_in_chunk_++];
    ++since_checkpoint_;
    *out = std::move(result.element);
    return std::move(result.status);
  }

  bool started() const { return started_; }

  // Passes over results without computing them. REQUIRES: not started()
  Status SkipBeforeStart(int64_t count, int64_t* skipped) {
    const int64_t before = *skipped;
    Status status = work_.skip(count, skipped);
    if (restored_) since_checkpoint_ += *skipped - before;
    return status;
  }

  // Whether the consumer computes, on its own thread. Asked before the first Next, of a stage that
  // may, it does from the beginning, while the workers rest. What it then computes without Next,
  // many results at once, it counts by CountDirect.
  Result<bool> ComputesDirectly() {
    if (!started_) {
      window_.Pause();
      FASTPIPE_RETURN_IF_ERROR(Start());
      if (may_be_direct_) {
        BeginDirect();
      } else {
        window_.Resume();
      }
    }
    return direct_;
  }
  void CountDirect(int64_t results) {
    StageStats::AddAlone(stage_.stats.elements, results);
    StageStats::AddAlone(stage_.stats.delivered, results);
  }

  Status Save(PositionWriter* writer) {
    if (!settings_.ordered) {
      return Unimplemented(settings_.label +
                           ": a stage with deterministic=False has no position that can be saved");
    }
    if (direct_ || (!started_ && !restored_)) {
      PositionWriter input;
      FASTPIPE_RETURN_IF_ERROR(work_.save(&input));
      checkpoint_ = {Status::Ok(), input.bytes()};
      since_checkpoint_ = 0;
    }
    FASTPIPE_RETURN_IF_ERROR(Status(checkpoint_.status));
    writer->PutBytes(checkpoint_.position);
    writer->PutInt(since_checkpoint_);
    return Status::Ok();
  }

  // REQUIRES: before the first Next.
  Status Restore(PositionReader* reader) {
    checkpoint_ = {Status::Ok(), std::string(reader->GetBytes())};
    since_checkpoint_ = reader->GetCount();
    FASTPIPE_RETURN_IF_ERROR(reader->status());
    restored_ = true;
    PositionReader input(checkpoint_.position);
    FASTPIPE_RETURN_IF_ERROR(work_.restore(&input));
    int64_t skipped = 0;
    Status status = work_.skip(since_checkpoint_, &skipped);
    return status.end_of_sequence() ? Status::Ok() : status;
  }

 private:
  Status Start() {
    if (settings_.ordered && !restored_) NoteStart();
    const StageLimits limits =
        PlanStage(settings_.threads, settings_.max_threads, settings_.buffer,
                  consumer_.run->budgeted_options(), consumer_.run->stages().OtherTunedRuns());
    stage_.label = settings_.label;
    stage_.op = settings_.op;
    stage_.ram_budget = consumer_.run->budgeted_options().ram_budget;
    stage_.threads.Init(limits.threads, limits.min_threads, limits.max_threads);
    stage_.window.Init(limits.window, limits.min_window, limits.max_window);
    stage_.apply = [this] {
      // A thread that cannot be had now is asked for again with the next change.
      static_cast<void>(threads_.Resize(static_cast<int>(stage_.threads.value())));
      window_.set_capacity(stage_.window.value());
    };
    stage_.running_threads = [this] { return threads_.running(); };
    max_chunk_ = limits.max_chunk;
    const RunOptions& options = consumer_.run->options();
    may_be_direct_ =
        work_.direct && stage_.threads.tunable() && options.autotune && options.min_threads == 0;
    window_.set_capacity(stage_.window.value());
    FASTPIPE_RETURN_IF_ERROR(threads_.Resize(static_cast<int>(stage_.threads.value())));
    started_ = true;
    consumer_.run->stages().Add(&stage_);
    return Status::Ok();
  }

  // Until the first chunk with a checkpoint of its own the position is where the input stands now.
  void NoteStart() {
    PositionWriter input;
    checkpoint_.status = work_.save(&input);
    checkpoint_.position = input.bytes();
  }

  // ---- without workers ----

  // Threads that hand over elements which cost less than the handing over help nobody: then the
  // consumer pulls and computes by itself, while the workers are paused, and looks at the cost of
  // an element now and then.
  void BeginDirect() {
    direct_ = true;
    mean_ns_ = 0;
    looks_ = dear_looks_ = 0;
    until_look_ = kLookEvery;
    stage_.direct.store(true, std::memory_order_relaxed);
  }

  Status NextDirectly(Element* out) {
    const bool look = --until_look_ <= 0;
    const int64_t began = look ? WallNanos() - InputWait::OfThisThread() : 0;
    Status status = work_.direct(out);
    // The end, or Ctrl+C: not a result.
    if (status.end_of_sequence() || status.code() == Code::kCancelled) return status;
    CountDirect(1);
    if (look) NoteCost(WallNanos() - InputWait::OfThisThread() - began);
    return status;
  }

  void NoteCost(int64_t ns) {
    // One slow element is chance, a few in a row are not: they are looked at one by one.
    // Nor are very dear ones that come again and again.
    dear_looks_ = looks_++ % kLooksRemembered == 0 ? 0 : dear_looks_;
    dear_looks_ += ns > kLookEvery * kDearNanos ? 1 : 0;
    mean_ns_ += (std::min<double>(static_cast<double>(ns), 4 * kDearNanos) - mean_ns_) / 8;
    until_look_ = ns > kDearNanos ? 1 : kLookEvery;
    if (mean_ns_ < kDearNanos && dear_looks_ < 3) return;
    direct_ = false;
    NoteStart();
    since_checkpoint_ = 0;
    cheap_chunks_needed_.store(2 * cheap_chunks_needed_.load());
    cheap_.store(false);
    stage_.direct.store(false, std::memory_order_relaxed);
    window_.Resume();
  }

  // A worker computed a full chunk.
  void NoteChunk(int64_t wall_ns, int* cheap_chunks) {
    const bool cheap = wall_ns < kCheapNanos * static_cast<int64_t>(max_chunk_);
    *cheap_chunks = cheap ? *cheap_chunks + 1 : 0;
    if (may_be_direct_ && *cheap_chunks >= cheap_chunks_needed_.load()) cheap_.store(true);
  }

  static constexpr int64_t kCheapNanos = 250;  // an element
  static constexpr int64_t kDearNanos = 1000;
  static constexpr int kLookEvery = 64;
  static constexpr int64_t kLooksRemembered = 256;

  // ---- workers ----

  // The body of worker `index`. Out of memory it says so and begins again: whatever it had pulled
  // is published by then.
  void Work(int index) {
    for (;;) {
      Status status = Guarded([&] {
        WorkUntilTold(index);
        return Status::Ok();
      });
      if (status.ok()) return;
      window_.Tell(std::move(status));
    }
  }

  void WorkUntilTold(int index) {
    WorkerClock clock(&stage_.workers);
    MeteredWorker meter(consumer_.run->metered(), consumer_.cancel.get());
    const auto compute = work_.new_compute();
    std::vector<Job> jobs;
    size_t chunk_size = 1;
    int cheap_chunks = 0;
    while (!threads_.ShouldLeave(index)) {
      const Window::Turn turn = window_.Reserve();
      if (turn == Window::Turn::kStop) return;
      if (turn == Window::Turn::kKnobsChanged) continue;
      clock.Enter(Phase::kLock);
      Window::Chunk* chunk = nullptr;
      if (!Pull(&jobs, chunk_size, &clock, &chunk)) return;
      if (chunk == nullptr) continue;
      const size_t size = chunk->size;
      int64_t wall = clock.Enter(Phase::kCompute);
      Compute(compute, &jobs, chunk, &clock);
      wall += clock.Enter(Phase::kRoom);
      window_.set_cheap_chunks(wall < 2 * kTargetChunkNanos);
      // A short chunk says nothing about one of full size.
      if (size == chunk_size || wall > kTargetChunkNanos) {
        chunk_size = NextChunkSize(chunk_size, wall, max_chunk_);
      }
      if (size == max_chunk_) NoteChunk(wall, &cheap_chunks);
      meter.Settle();
    }
  }

  // Pulls up to `count` jobs in one go; false if the input has no more. `*out` is null if there is
  // no memory for a chunk; one without memory for its jobs is of an error instead.
  bool Pull(std::vector<Job>* jobs, size_t count, WorkerClock* clock, Window::Chunk** out) {
    MutexLock lock(input_mutex_);
    clock->Enter(Phase::kPull);
    Stopwatch stopwatch;
    if (input_ended_) {
      window_.Finish();
      return false;
    }
    Window::Chunk* chunk = *out = window_.Open();
    if (chunk == nullptr) return true;
    Status prepared = Guarded([&]() NO_THREAD_SAFETY_ANALYSIS {
      Prepare(jobs, count, chunk);
      return Status::Ok();
    });
    if (!prepared.ok()) {
      chunk->results[chunk->size++].status = std::move(prepared);
      return true;
    }
    while (chunk->size < count) {
      // An input that has become slow must not hold back what it gave already.
      if (chunk->size % 4 == 3 && stopwatch.Elapsed() > kTargetChunkNanos) break;
      Status status = Guarded([&] { return work_.pull(&(*jobs)[chunk->size]); });
      if (status.end_of_sequence() || status.code() == Code::kCancelled) {
        input_ended_ = true;
        break;
      }
      chunk->results[chunk->size++].status = std::move(status);
    }
    since_save_ += static_cast<int64_t>(chunk->size);
    return true;
  }

  // All that pulling `count` jobs needs memory for.
  void Prepare(std::vector<Job>* jobs, size_t count, Window::Chunk* chunk) REQUIRES(input_mutex_) {
    if (jobs->size() < count) jobs->resize(count);
    if (chunk->results.size() < count) chunk->results.resize(count);
    if (since_save_ < kResultsPerCheckpoint) return;
    PositionWriter writer;
    auto checkpoint = std::make_unique<Checkpoint>();
    checkpoint->status = work_.save(&writer);
    checkpoint->position = writer.bytes();
    chunk->checkpoint = std::move(checkpoint);
    since_save_ = 0;
  }

  // Computes the jobs of `chunk` and publishes the results: all at once, or in pieces when they
  // become slow or large.
  void Compute(const std::function<Status(Job*, Element*)>& compute, std::vector<Job>* jobs,
               Window::Chunk* chunk, WorkerClock* clock) {
    const size_t count = chunk->size;
    size_t first = 0;  // job of the present piece
    for (size_t i = 0; i < count; ++i) {
      StageResult& result = chunk->results[i - first];
      if (result.status.ok()) {
        result.status = Guarded([&] {
          if (consumer_.cancel->cancelled()) return Cancelled("the iterator was closed");
          return compute(&(*jobs)[i], &result.element);
        });
        chunk->bytes += static_cast<int64_t>(NumBytes(result.element));
      }
      const bool counts = chunk->bytes - chunk->counted >= kCountedBytes;
      const bool scarce = counts && !window_.Count(chunk);
      const bool slow = window_.consumer_waits() && clock->NanosInPhase() > 2 * kTargetChunkNanos;
      if (i + 1 == count || !(scarce || slow)) continue;
      Window::Chunk* rest = window_.Split(chunk, i + 1 - first);
      if (rest == nullptr) continue;
      StageStats::Add(stage_.stats.elements, static_cast<int64_t>(i + 1 - first));
      chunk = rest;
      first = i + 1;
      if (scarce) {
        clock->Enter(Phase::kRoom);
        window_.Admit(chunk);
      }
      clock->Enter(Phase::kCompute);
    }
    StageStats::Add(stage_.stats.elements, static_cast<int64_t>(count - first));
    window_.Publish(chunk);
  }

  // Fewer new bytes than this in an open chunk are not worth an atomic.
  static constexpr int64_t kCountedBytes = 16 << 10;

  static constexpr int64_t kResultsPerCheckpoint = 32;

  const StageSettings settings_;
  const StageWork<Job> work_;
  const IteratorContext consumer_;
  Stage stage_;
  size_t max_chunk_ = 1;

  // Consumer side.
  bool started_ = false;
  bool restored_ = false;
  Checkpoint checkpoint_;
  int64_t since_checkpoint_ = 0;
  std::unique_ptr<Window::Chunk> current_;
  size_t next_in_chunk_ = 0;
  bool direct_ = false;
  double mean_ns_ = 0;
  int until_look_ = 0;
  int64_t looks_ = 0;
  int64_t dear_looks_ = 0;

  // Set by workers when elements have become cheap.
  bool may_be_direct_ = false;
  std::atomic<bool> cheap_{false};
  std::atomic<int> cheap_chunks_needed_{4};  // in a row

  // Input side.
  Mutex input_mutex_;
  bool input_ended_ GUARDED_BY(input_mutex_) = false;
  int64_t since_save_ GUARDED_BY(input_mutex_) = 0;

  Window window_;
  ThreadGroup threads_;  // after everything the workers use
  const CancelToken::Waker waker_;
};

}  // namespace fastpipe
