// StageStats and Knob: what a stage counts, and what of it can be changed while it runs.
//
// Contract: counters only grow, so that whoever reads them twice has the rates in between. A Knob
// is an integer with bounds; one that the user fixed has equal bounds. Thread rule: relaxed
// atomics, written by the stage's threads, read by any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace fastpipe {

struct StageStats {
  using Counter = std::atomic<int64_t>;
  Counter elements{0};   // results computed
  Counter delivered{0};  // results handed to the consumer
  Counter buffered{0};   // results ready and not yet delivered
  // Of results computed and not yet delivered. Unlike the others it falls as well.
  Counter buffered_bytes{0};

  static void Add(Counter& counter, int64_t amount) {
    counter.fetch_add(amount, std::memory_order_relaxed);
  }
  // Cheaper, where no other thread writes.
  static void AddAlone(Counter& counter, int64_t amount) {
    counter.store(Get(counter) + amount, std::memory_order_relaxed);
  }
  static int64_t Get(const Counter& counter) { return counter.load(std::memory_order_relaxed); }
};

class Knob {
 public:
  Knob() = default;
  // REQUIRES: min <= value <= max, before the stage starts.
  void Init(int64_t value, int64_t min, int64_t max) {
    value_.store(value, std::memory_order_relaxed);
    min_ = min;
    max_ = max;
  }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }
  int64_t min() const { return min_; }
  int64_t max() const { return max_; }
  bool tunable() const { return min_ < max_; }
  // Clamped to the bounds. The stage notices at its next step.
  void Set(int64_t value) {
    value_.store(value < min_ ? min_ : value > max_ ? max_ : value, std::memory_order_relaxed);
  }

 private:
  std::atomic<int64_t> value_{1};
  int64_t min_ = 1;
  int64_t max_ = 1;
};

}  // namespace fastpipe
