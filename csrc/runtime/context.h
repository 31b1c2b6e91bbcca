// RunContext: what all iterators of one run share.
//
// Contract: a run is one iterator that Python asked for, with everything below it, including the
// iterators that interleave makes later. Options are fixed for the run.
// Thread rule: every member may be used by any thread of the run.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "core/dataset.h"
#include "core/kernel.h"
#include "core/mutex.h"
#include "runtime/stage_registry.h"

namespace fastpipe {

struct RunOptions {
  bool deterministic = true;    // for stages that do not say themselves
  bool autotune = true;         // false: AUTOTUNE knobs stay where they start
  int64_t cpu_budget = 0;       // cores that AUTOTUNE may fill; 0: what affinity and cgroup give
  int64_t ram_budget = 0;       // bytes that buffers may hold; 0: a quarter of what is available
  int64_t initial_threads = 0;  // where AUTOTUNE starts a stage; 0: at the number of cores
  int64_t min_threads = 0;      // below which AUTOTUNE takes no stage; 0: 1
  int64_t thread_limit = 0;     // the most threads of any stage; 0: no limit but the process's
};

// Puts what affinity, cgroup and memory give in the place of zeros.
RunOptions WithBudgets(RunOptions options);

class RunContext {
 public:
  RunContext(const RunOptions& options, FileSystem* file_system, uint64_t run_index)
      : options_(options), file_system_(file_system), run_index_(run_index) {}

  const RunOptions& options() const { return options_; }
  // The same with budgets that are known: what the system gives is read once a run, not by each of
  // the many stages that interleave may start.
  const RunOptions& budgeted_options() {
    std::call_once(budgets_read_, [this] { budgeted_options_ = WithBudgets(options_); });
    return budgeted_options_;
  }
  FileSystem* file_system() const { return file_system_; }
  StageRegistry& stages() { return stages_; }
  // For the functions of an iterator of `op` that was born with `context`.
  KernelContext kernel_context(const Dataset& op, const IteratorContext& context) const {
    RandomKey random = context.random;
    random.run = MixBits(random.run + static_cast<uint64_t>(op.depth()));
    return {file_system_, context.cancel, context.run, random};
  }

  // Results that ignore_errors left out so far.
  std::atomic<int64_t>& ignored_errors() { return ignored_errors_; }

  // Which run of its pipeline this is: 0, 1, ... Restoring sets it to that of the saved run.
  uint64_t run_index() const { return run_index_; }
  // How many iterators of `dataset` this run has made before: the epoch, under repeat.
  int64_t NextEpoch(const Dataset* dataset) {
    MutexLock lock(mutex_);
    return Epoch(dataset)++;
  }
  // The next epoch of `dataset` will be `epoch`.
  void SetNextEpoch(const Dataset* dataset, int64_t epoch) {
    MutexLock lock(mutex_);
    Epoch(dataset) = epoch;
  }
  // What NextEpoch would return, without counting.
  int64_t UpcomingEpoch(const Dataset* dataset) {
    MutexLock lock(mutex_);
    auto found = epochs_.find(dataset->weak_from_this());
    return found == epochs_.end() ? 0 : found->second;
  }

 private:
  int64_t& Epoch(const Dataset* dataset) REQUIRES(mutex_) {
    if (epochs_.size() >= prune_at_) {
      std::erase_if(epochs_, [](const auto& entry) { return entry.first.expired(); });
      prune_at_ = 2 * epochs_.size() + 64;
    }
    return epochs_[dataset->weak_from_this()];
  }

  const RunOptions options_;
  std::once_flag budgets_read_;
  RunOptions budgeted_options_;
  FileSystem* const file_system_;
  const uint64_t run_index_;
  StageRegistry stages_;
  std::atomic<int64_t> ignored_errors_{0};
  Mutex mutex_;
  // By owner, not by address: a dataset made inside a function may take the place of a dead one.
  std::map<std::weak_ptr<const Dataset>, int64_t, std::owner_less<>> epochs_ GUARDED_BY(mutex_);
  size_t prune_at_ GUARDED_BY(mutex_) = 64;
};

}  // namespace fastpipe
