// FollowedBudget: the cores that a run may fill, as the limits of the system change.
//
// Contract: a number that the user gave stays; what affinity and cgroups give is read again every
// 10 seconds. Thread rule: one thread at a time.
#pragma once

#include <cstdint>

#include "runtime/budget.h"

namespace fastpipe {

class FollowedBudget {
 public:
  // 0: what the system gives.
  explicit FollowedBudget(int64_t given) : cores_(given), given_(given > 0) {}
  // `now_ns` in WallNanos.
  int64_t At(int64_t now_ns) {
    if (!given_ && (cores_ == 0 || now_ns - read_ns_ >= kPeriodNanos)) {
      cores_ = CpuBudget();
      read_ns_ = now_ns;
    }
    return cores_;
  }

 private:
  static constexpr int64_t kPeriodNanos = 10'000'000'000;
  int64_t cores_;
  const bool given_;
  int64_t read_ns_ = 0;
};

}  // namespace fastpipe
