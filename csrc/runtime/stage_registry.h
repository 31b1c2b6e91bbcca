// Stage and StageRegistry: the live stages of a run, for the tuner and for explanations.
//
// Contract: a stage (an iterator that owns threads) joins the registry when its threads start and
// leaves before they stop; what it counts is in StageStats, what may be changed is its Knobs.
// Thread rule: any thread; a Stage stays valid while the visitor of ForEach holds the lock.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/mutex.h"
#include "core/stats.h"

namespace fastpipe {

struct Stage {
  int64_t id = 0;     // unique within the run, given by Add
  std::string label;  // "map (train.py:12)"
  StageStats stats;
  Knob threads;  // worker threads
  Knob window;   // chunks in flight or ready
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
    }
    if (first && on_first_tunable_) on_first_tunable_();
  }
  // Returns after a visitor that is looking at the stage has finished.
  void Remove(Stage* stage) {
    MutexLock lock(mutex_);
    stages_.erase(std::remove(stages_.begin(), stages_.end(), stage), stages_.end());
  }
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
};

}  // namespace fastpipe
