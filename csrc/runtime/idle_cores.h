// IdleCores: how many of the cores that this process may use had nothing to do, whoever used the
// others.
//
// Contract: Linux counts in hundredths of a second, so an answer is the mean of at least 80 ms.
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace fastpipe {

// What /proc/stat says of some cores since the system started, in ticks.
struct CoreTicks {
  int64_t idle = 0;
  int64_t all = 0;
};
// Of `cores`, from the text of /proc/stat.
CoreTicks TicksOf(std::string_view stat, const std::vector<int>& cores);

class IdleCores {
 public:
  IdleCores();
  // The mean of the latest 80 ms or more; none if that is not known yet, or never.
  std::optional<double> Mean();

 private:
  CoreTicks before_;
  int64_t before_ns_ = 0;
  std::optional<double> mean_;
};

}  // namespace fastpipe
