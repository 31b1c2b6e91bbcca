// WorkerClock: where the time of each thread of a stage goes.
//
// Contract: at every moment a worker is in one phase; its clock adds up the time spent in each, so
// that the phases of a worker sum up to its life. WorkerClocks reads them all at once, including
// what is under way, and the CPU time of the threads, which the workers themselves never pay for.
// Thread rule: a clock is written by the thread that made it; WorkerClocks is read by any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <vector>

#include "core/mutex.h"

namespace fastpipe {

enum class Phase {
  kRoom,     // waits until the consumer has taken something
  kLock,     // waits until another worker has pulled its input
  kInput,    // waits for the stage below
  kPull,     // runs the sequential ops below, under the input lock
  kCompute,  // runs the stage's own function
};
constexpr int kPhases = 5;

// Time by phase, written by one thread and read by others.
class PhaseClock {
 public:
  using Totals = std::array<int64_t, kPhases>;

  explicit PhaseClock(Phase phase);
  struct Ended {
    Phase phase;
    int64_t ns;
  };
  // Returns what ends.
  Ended Enter(Phase phase);
  // Of the writer: since the last Enter.
  int64_t NanosInPhase() const;
  // Adds the time in each phase up to now.
  void AddTo(Totals* totals) const;

 private:
  // Odd while the writer is between two phases.
  std::atomic<uint32_t> version_{0};
  std::atomic<int> phase_;
  std::atomic<int64_t> since_;
  std::array<std::atomic<int64_t>, kPhases> totals_{};
};

struct WorkerTotals {
  PhaseClock::Totals ns{};
  int64_t cpu_ns = 0;
  // What Linux knows of the threads, if it was asked and tells: of many, some are asked.
  int64_t core_wait_ns = 0;  // ready to run, and all cores taken
  int64_t runnable = 0;      // threads that run or are ready to, at this moment
  int64_t operator[](Phase phase) const { return ns[static_cast<int>(phase)]; }
};

// The clocks of the workers of one stage.
class WorkerClocks {
 public:
  // Of those that have ended too. `ask_linux`: at some ten microseconds a thread.
  WorkerTotals Read(bool ask_linux);

 private:
  friend class WorkerClock;
  void AskLinux() REQUIRES(mutex_);

  Mutex mutex_;
  std::vector<class WorkerClock*> clocks_ GUARDED_BY(mutex_);
  WorkerTotals ended_ GUARDED_BY(mutex_);
  int64_t core_wait_ns_ GUARDED_BY(mutex_) = 0;
  int64_t runnable_ GUARDED_BY(mutex_) = 0;
  int64_t asks_ GUARDED_BY(mutex_) = 0;
};

// On the stack of a worker, for its life.
class WorkerClock {
 public:
  explicit WorkerClock(WorkerClocks* clocks);
  ~WorkerClock();
  WorkerClock(const WorkerClock&) = delete;
  WorkerClock& operator=(const WorkerClock&) = delete;

  // Returns how long the phase that ends has lasted.
  int64_t Enter(Phase phase) { return clock_.Enter(phase).ns; }
  int64_t NanosInPhase() const { return clock_.NanosInPhase(); }

 private:
  friend class WorkerClocks;
  friend class InputWait;
  void AddTo(WorkerTotals* totals) const;

  WorkerClocks* const clocks_;
  PhaseClock clock_{Phase::kRoom};
  clockid_t cpu_clock_{};
  const int thread_;
  // Under the lock of clocks_: how long it had waited for cores when Linux was last asked, and
  // the number of that time, or of the last one before its birth.
  int64_t core_wait_ns_ = 0;
  int64_t asked_ = 0;
};

// While it lives, the calling thread waits for a stage below.
class InputWait {
 public:
  // `consumer` is that stage's clock of its consumer.
  explicit InputWait(PhaseClock* consumer);
  ~InputWait();
  InputWait(const InputWait&) = delete;
  InputWait& operator=(const InputWait&) = delete;
  // False on a thread that belongs to no stage: then the user's program waits.
  bool by_worker() const { return worker_ != nullptr; }
  // Nanoseconds that the calling thread has waited so far, in all its waits.
  static int64_t OfThisThread();

 private:
  PhaseClock* const consumer_;
  WorkerClock* const worker_;
  Phase before_ = Phase::kPull;
};

}  // namespace fastpipe
