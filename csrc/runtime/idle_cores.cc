#include "runtime/idle_cores.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

#include "runtime/budget.h"
#include "runtime/clock.h"

namespace fastpipe {
namespace {

constexpr int64_t kShortest = 80'000'000;
// Of a line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
constexpr int kFields = 8;
constexpr int kIdle = 3;
constexpr int kIoWait = 4;

std::vector<int> OwnCores() {
  std::vector<int> cores;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

CoreTicks TicksNow() {
  std::ifstream file("/proc/stat");
  std::string text;
  // The lines of the cores come first.
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) text += line + "\n";
  return TicksOf(text, OwnCores());
}

}  // namespace

CoreTicks TicksOf(std::string_view stat, const std::vector<int>& cores) {
  CoreTicks ticks;
  while (stat.starts_with("cpu")) {
    const char* const end = stat.data() + std::min(stat.find('\n'), stat.size());
    int core = -1;
    const char* at = std::from_chars(stat.data() + 3, end, core).ptr;
    if (std::find(cores.begin(), cores.end(), core) != cores.end()) {
      for (int field = 0; field < kFields; ++field) {
        while (at < end && *at == ' ') ++at;
        int64_t count = 0;
        at = std::from_chars(at, end, count).ptr;
        ticks.all += count;
        ticks.idle += field == kIdle || field == kIoWait ? count : 0;
      }
    }
    stat.remove_prefix(std::min(static_cast<size_t>(end - stat.data()) + 1, stat.size()));
  }
  return ticks;
}

IdleCores::IdleCores() : before_(TicksNow()), before_ns_(WallNanos()) {}

std::optional<double> IdleCores::Mean() {
  if (Scheduler::OfThread() != nullptr) return std::nullopt;  // Linux decides nothing
  const int64_t now = WallNanos();
  if (now - before_ns_ < kShortest) return mean_;
  const CoreTicks ticks = TicksNow();
  const int64_t all = ticks.all - before_.all;
  const double share = static_cast<double>(ticks.idle - before_.idle) /
                       static_cast<double>(std::max<int64_t>(all, 1));
  // A sandbox may show a file that never changes.
  mean_.reset();
  if (all > 0) mean_ = std::max(share, 0.0) * AffinityCores();
  before_ = ticks;
  before_ns_ = now;
  return mean_;
}

}  // namespace fastpipe
