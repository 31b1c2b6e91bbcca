// Clocks and stopwatches of the runtime.
//
// Contract: wall time is monotonic; CPU time is that of the calling thread, so that waiting on a
// disk is not mistaken for work. Thread rule: any thread; a stopwatch belongs to one.
#pragma once

#include <cstdint>
#include <ctime>

#include "core/scheduler.h"

namespace fastpipe {

inline int64_t ReadClock(clockid_t clock) {
  if (Scheduler* scheduler = Scheduler::OfThread()) return scheduler->Now();
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}
inline int64_t WallNanos() { return ReadClock(CLOCK_MONOTONIC); }
inline int64_t ThreadCpuNanos() { return ReadClock(CLOCK_THREAD_CPUTIME_ID); }

// Wall nanoseconds since it was made or last read.
class Stopwatch {
 public:
  int64_t Lap() {
    const int64_t now = WallNanos();
    const int64_t lap = now - last_;
    last_ = now;
    return lap;
  }
  // Without starting over.
  int64_t Elapsed() const { return WallNanos() - last_; }

 private:
  int64_t last_ = WallNanos();
};

}  // namespace fastpipe
