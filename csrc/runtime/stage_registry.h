// Stage and StageRegistry: the live stages of a run, for the tuner and for explanations.
//
// Contract: a stage (an iterator that owns threads) joins the registry when its threads start and
// leaves before they stop; what it counts is in StageStats, what may be changed is its Knobs.
// Thread rule: any thread; a Stage stays valid while the visitor of ForEach holds the lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/mutex.h"
#include "core/stats.h"
#include "runtime/budget.h"
#include "runtime/clock.h"
#include "runtime/worker_clock.h"

namespace fastpipe {

struct Stage {
  int64_t id = 0;            // unique within the run, given by Add
  std::string label;         // "map (train.py:12)"
  const void* op = nullptr;  // the Dataset that made it
  const int64_t made_ns = WallNanos();
  StageStats stats;
  WorkerClocks workers;
  PhaseClock consumer{Phase::kPull};  // kInput while the consumer waits for this stage
  std::atomic<bool> direct{false};    // elements are so cheap that the consumer computes them
  std::atomic<bool> last{true};       // the consumer is the user's program, not a worker
  Knob threads;                       // worker threads
  Knob window;                        // chunks in flight or ready
  int64_t ram_budget = 0;             // of all stages together; 0: no limit
  MemoryShare share;
  std::atomic<int64_t> largest_piece{0};  // bytes

  // Bytes that its results may hold before its workers wait.
  int64_t byte_limit() const { return ram_budget > 0 ? share.Of(ram_budget) : INT64_MAX; }
  // Notes bytes that a worker added at once. It follows growth at once, and shrinks slowly.
  void NotePiece(int64_t bytes) {
    const int64_t largest = largest_piece.load(std::memory_order_relaxed);
    largest_piece.store(std::max(bytes, largest - (largest - bytes) / 16),
                        std::memory_order_relaxed);
  }
  // Every worker may be about to add as much as was added of late.
  bool HasMemory() const {
    const int64_t coming = threads.value() * largest_piece.load(std::memory_order_relaxed);
    return StageStats::Get(stats.buffered_bytes) + coming <= byte_limit();
  }
  // Brings the stage to what the knobs say; called under the registry's lock.
  std::function<void()> apply;
  std::function<int()> running_threads;
};

class StageRegistry {
 public:
  // Called once, by the first Add of a stage that AUTOTUNE may change.
  void set_on_first_tunable(std::function<void()> call) { on_first_tunable_ = std::move(call); }

  void Add(Stage* stage) {
    bool first = false;
    {
      MutexLock lock(mutex_);
      stage->id = next_id_++;
      stages_.push_back(stage);
      const bool tunable = stage->threads.tunable() || stage->window.tunable();
      first = tunable && !std::exchange(has_tunable_, has_tunable_ || tunable);
      if (tunable && !std::exchange(counted_, true)) tuned_runs_.fetch_add(1);
    }
    if (first && on_first_tunable_) on_first_tunable_();
  }
  // Returns after a visitor that is looking at the stage has finished.
  void Remove(Stage* stage) {
    MutexLock lock(mutex_);
    stages_.erase(std::remove(stages_.begin(), stages_.end(), stage), stages_.end());
    if (stages_.empty() && std::exchange(counted_, false)) tuned_runs_.fetch_sub(1);
  }
  // The run has ended: what is left of it takes nothing from others.
  void Retire() {
    MutexLock lock(mutex_);
    for (Stage* stage : stages_) stage->share.Release();
    if (std::exchange(counted_, false)) tuned_runs_.fetch_sub(1);
  }
  // Runs of this process that have stages AUTOTUNE may change, without this one.
  int64_t OtherTunedRuns() {
    MutexLock lock(mutex_);
    return tuned_runs_.load() - (counted_ ? 1 : 0);
  }
  // In a child process the parent's runs do not go on.
  static void ForgetAllAfterFork() { tuned_runs_.store(0); }
  // In the order of starting: consumers before producers.
  void ForEach(const std::function<void(Stage*)>& visit) {
    MutexLock lock(mutex_);
    for (Stage* stage : stages_) visit(stage);
  }

 private:
  std::function<void()> on_first_tunable_;  // before the run starts
  Mutex mutex_;
  std::vector<Stage*> stages_ GUARDED_BY(mutex_);
  int64_t next_id_ GUARDED_BY(mutex_) = 1;
  bool has_tunable_ GUARDED_BY(mutex_) = false;
  bool counted_ GUARDED_BY(mutex_) = false;  // in tuned_runs_
  inline static std::atomic<int> tuned_runs_{0};
};

}  // namespace fastpipe
