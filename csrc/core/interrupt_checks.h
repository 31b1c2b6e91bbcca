// How often a thread that came from Python looks for a pending signal, and a way for tests to
// choose the very look that finds one.
//
// Contract: as core/cancel.h says, unless a test interrupts: then the calling thread looks at every
// result and at every wait, and look number `check` (1 is the next) reports an interrupt, once.
// Thread rule: InterruptAtCheck counts the calling thread's looks only; the interval is of all
// threads, and costs nobody but time.
#pragma once

#include <atomic>
#include <cstdint>

namespace fastpipe {

// How many results pass between two looks: rare enough to cost nothing, often enough that a
// pipeline which never yields an element can be interrupted. A power of two.
inline std::atomic<int64_t> results_per_interrupt_check{1024};
inline std::atomic<int64_t> blocks_per_interrupt_check{64};

inline bool TimeForInterruptCheck(const std::atomic<int64_t>& interval, int64_t count) {
  const int64_t mask = interval.load(std::memory_order_relaxed) - 1;
  return (count & mask) == mask;
}

// 0: ends the test. Returns how many looks are left until the one that was asked for.
int64_t InterruptAtCheck(int64_t check);

}  // namespace fastpipe
