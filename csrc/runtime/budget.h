// The budgets of this process: cores, bytes, and how all stages of all runs stay within them.
//
// Contract: cores = min(affinity, cgroup quota of every ancestor); memory = what the cgroup and the
// system leave. Both can be overridden per run (RunOptions).
// Thread rule: any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <set>

#include "core/cancel.h"
#include "core/mutex.h"

namespace fastpipe {

// Cores that may be kept busy, at least 1. Fractions of a quota round up.
int CpuBudget();
// Bytes that may still be allocated without exceeding a memory limit.
int64_t AvailableMemory();
// Cores that the system lets this process run on, without a quota.
int AffinityCores();

// A stage's part of the memory that all stages may fill: budget / stages.
class MemoryShare {
 public:
  MemoryShare() { live_.fetch_add(1, std::memory_order_relaxed); }
  ~MemoryShare() { Release(); }
  // The stage will hold nothing more. Idempotent.
  void Release() {
    if (!released_.exchange(true)) live_.fetch_sub(1, std::memory_order_relaxed);
  }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;
  int64_t Of(int64_t budget) const {
    return budget / std::max(live_.load(std::memory_order_relaxed), 1);
  }

  // In a child process the parent's stages do not exist.
  static void ForgetAllAfterFork() { live_.store(0); }

 private:
  inline static std::atomic<int> live_{0};
  std::atomic<bool> released_{false};
};

// CpuMeter: holds what all stages use together to a number of cores, where the system would give
// them more. Threads report the CPU time they used; one that is ahead of the budget sleeps.
class CpuMeter {
 public:
  static CpuMeter& Get();

  // While it lives, a run with this budget is going on. The largest budget counts.
  class Membership {
   public:
    explicit Membership(int64_t cores);
    ~Membership() { Release(); }
    // The run has ended. Idempotent.
    void Release();
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;

   private:
    const int64_t cores_;
    std::atomic<bool> released_{false};
  };

  // Counts CPU time. Returns how long the caller should sleep before it goes on, in nanoseconds.
  int64_t Charge(int64_t cpu_ns);

  void LockForFork();
  // The child forgets the parent's runs.
  void UnlockAfterFork(bool in_child);

 private:
  Mutex mutex_;
  std::multiset<int64_t> budgets_ GUARDED_BY(mutex_);
  double ahead_ns_ GUARDED_BY(mutex_) = 0;
  int64_t last_ns_ GUARDED_BY(mutex_) = 0;
};

// Reports the CPU time of the calling thread while it lives, if `metered`, and does not wait.
class CallerMeter {
 public:
  explicit CallerMeter(bool metered);
  ~CallerMeter();
  CallerMeter(const CallerMeter&) = delete;
  CallerMeter& operator=(const CallerMeter&) = delete;

 private:
  const int64_t before_ns_;  // -1: not metered
};

// The CPU time of one worker, on its stack.
class MeteredWorker {
 public:
  // Does nothing unless `metered`.
  MeteredWorker(bool metered, CancelToken* token);
  // Between two pieces of work: reports, and sleeps if the budget asks for it.
  void Settle();

 private:
  const bool metered_;
  CancelToken* const token_;
  int64_t reported_ns_ = 0;
};

}  // namespace fastpipe
