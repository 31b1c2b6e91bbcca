// RunContext: what all iterators of one run share.
//
// Contract: a run is one iterator that Python asked for, with everything below it, including the
// iterators that interleave makes later. Options are fixed for the run.
// Thread rule: every member may be used by any thread of the run.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "core/dataset.h"
#include "core/drawn_seeds.h"
#include "core/kernel.h"
#include "core/limits.h"
#include "runtime/budget.h"
#include "runtime/clock.h"
#include "runtime/stage_registry.h"

namespace fastpipe {

struct RunOptions {
  bool deterministic = true;    // for stages that do not say themselves
  bool autotune = true;         // false: AUTOTUNE knobs stay where they start
  int64_t cpu_budget = 0;       // cores that AUTOTUNE may fill; 0: what affinity and cgroup give
  int64_t ram_budget = 0;       // bytes that buffers may hold; 0: a quarter of what is available
  int64_t initial_threads = 0;  // where AUTOTUNE starts a stage; 0: at the number of cores
  int64_t min_threads = 0;      // below which AUTOTUNE takes no stage; 0: 1
  int64_t max_threads = 0;      // above which AUTOTUNE takes no stage; 0: as the stage says
  bool fusion = true;           // false: every op and kernel is computed by itself, as written
  int64_t thread_limit = 0;     // the most threads of any stage; 0: no limit but the process's
  Limits limits = {};
  int64_t read_timeout_ns = 0;  // of each call to storage; 0: none
};

// Puts what affinity, cgroup and memory give in the place of zeros.
RunOptions WithBudgets(RunOptions options);

class RunContext {
 public:
  RunContext(const RunOptions& options, FileSystem* file_system, uint64_t run_index,
             DrawnSeeds seeds = {})
      : options_(options),
        file_system_(file_system),
        run_index_(run_index),
        seeds_(std::move(seeds)) {
    if (options.cpu_budget > 0 && options.cpu_budget < AffinityCores()) {
      metered_.emplace(options.cpu_budget);
    }
  }

  const RunOptions& options() const { return options_; }
  // The same with budgets that are known: what the system gives is read once a run, not by each of
  // the many stages that interleave may start.
  const RunOptions& budgeted_options() {
    std::call_once(budgets_read_, [this] { budgeted_options_ = WithBudgets(options_); });
    return budgeted_options_;
  }
  // Its threads must report what CPU time they use.
  bool metered() const { return metered_.has_value(); }
  // The run has ended: it counts no longer where budgets are shared.
  void Retire() {
    stages_.Retire();
    if (metered_) metered_->Release();
  }
  // When the run was made, in WallNanos.
  int64_t since_ns() const { return since_ns_; }
  FileSystem* file_system() const { return file_system_; }
  StageRegistry& stages() { return stages_; }
  // For the functions of an iterator of `op` that was born with `context`.
  KernelContext kernel_context(const Dataset& op, const IteratorContext& context) const {
    RandomKey random = context.random;
    random.run = MixBits(random.run + static_cast<uint64_t>(op.depth()));
    KernelContext made = {file_system_, context.cancel, context.run, random};
    made.fusion = options_.fusion;
    made.limits = options_.limits;
    return made;
  }

  // Results that ignore_errors left out so far.
  std::atomic<int64_t>& ignored_errors() { return ignored_errors_; }

  // Which run of its pipeline this is: 0, 1, ... Restoring sets it to that of the saved run.
  uint64_t run_index() const { return run_index_; }
  // Of ops without a seed; a pass may have others: see SeedsOf.
  const DrawnSeeds& seeds() const { return seeds_; }

 private:
  const RunOptions options_;
  std::once_flag budgets_read_;
  RunOptions budgeted_options_;
  FileSystem* const file_system_;
  const uint64_t run_index_;
  const DrawnSeeds seeds_;
  const int64_t since_ns_ = WallNanos();
  std::optional<CpuMeter::Membership> metered_;
  StageRegistry stages_;
  std::atomic<int64_t> ignored_errors_{0};
};

// What passes of this context draw from where an op has no seed.
inline const DrawnSeeds& SeedsOf(const IteratorContext& context) {
  return context.random.seeds != nullptr ? *context.random.seeds : context.run->seeds();
}

}  // namespace fastpipe
