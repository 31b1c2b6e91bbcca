// SeededScheduler: real threads of which one runs at a time, chosen by a seed.
//
// Contract: `RunSchedule(seed, scenario)` calls `scenario` with a scheduler installed. Each lock,
// unlock, wait, notification, start and end of a thread in it may hand over to another thread, as
// the seed says; waits with a timeout end by it only when no thread can go on otherwise, and then
// time jumps. So a seed replays its interleaving. If no thread can ever go on, or they go on for
// ever, the process says which seed it was and aborts, or, with kThrow, all waits throw.
// Thread rule: one schedule at a time.
#pragma once

#ifdef FASTPIPE_SCHEDULED

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace fastpipe {

struct Deadlock : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class OnDeadlock { kAbort, kThrow };

struct ScheduleTrace {
  std::vector<int> threads;  // which ran, at each step
  int64_t ended_ns = 0;
  std::string deadlock;  // empty: there was none
  bool operator==(const ScheduleTrace&) const = default;
};

ScheduleTrace RunSchedule(uint64_t seed, const std::function<void()>& scenario,
                          OnDeadlock on_deadlock = OnDeadlock::kAbort);

}  // namespace fastpipe

#endif
