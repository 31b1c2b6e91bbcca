#include "runtime/budget.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>

#include "runtime/cgroup.h"
#include "runtime/clock.h"

namespace fastpipe {
int AffinityCores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? std::max(CPU_COUNT(&set), 1) : 1;
}

int CpuBudget() {
  return std::max(1, static_cast<int>(std::min<double>(AffinityCores(), std::ceil(CgroupCpus()))));
}

int64_t AvailableMemory() {
  int64_t available = CgroupMemory();
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    int64_t kilobytes = 0;
    if (name == "MemAvailable:" && file >> kilobytes) {
      available = std::min(available, kilobytes * 1024);
    }
    file.ignore(256, '\n');
  }
  return available;
}

namespace {

// Time ahead of the budget that is no reason to sleep yet.
constexpr double kGraceNanos = 1e6;
// Time behind the budget that may be caught up.
constexpr double kCreditNanos = 5e6;
// Of each core: as much as anybody ever sleeps.
constexpr double kMostAheadNanos = 50e6;

}  // namespace

CpuMeter& CpuMeter::Get() {
  static CpuMeter* const meter = std::make_unique<CpuMeter>().release();
  return *meter;
}

CpuMeter::Membership::Membership(int64_t cores) : cores_(cores) {
  MutexLock lock(Get().mutex_);
  Get().budgets_.insert(cores_);
}

void CpuMeter::Membership::Release() {
  if (released_.exchange(true)) return;
  MutexLock lock(Get().mutex_);
  Get().budgets_.erase(Get().budgets_.find(cores_));
}

int64_t CpuMeter::Charge(int64_t cpu_ns) {
  MutexLock lock(mutex_);
  const int64_t now = WallNanos();
  const double cores = budgets_.empty() ? 1 : static_cast<double>(*budgets_.rbegin());
  ahead_ns_ -= cores * static_cast<double>(now - last_ns_);
  ahead_ns_ = std::max(ahead_ns_, -kCreditNanos) + static_cast<double>(cpu_ns);
  // Callers report and never sleep: what they use must not hold up workers for ever.
  ahead_ns_ = std::min(ahead_ns_, kMostAheadNanos * cores);
  last_ns_ = now;
  return ahead_ns_ > kGraceNanos ? static_cast<int64_t>(ahead_ns_ / cores) : 0;
}

void CpuMeter::LockForFork() NO_THREAD_SAFETY_ANALYSIS { mutex_.Lock(); }

void CpuMeter::UnlockAfterFork(bool in_child) NO_THREAD_SAFETY_ANALYSIS {
  if (in_child) budgets_.clear();
  mutex_.Unlock();
}

CallerMeter::CallerMeter(bool metered) : before_ns_(metered ? ThreadCpuNanos() : -1) {}

CallerMeter::~CallerMeter() {
  if (before_ns_ >= 0) static_cast<void>(CpuMeter::Get().Charge(ThreadCpuNanos() - before_ns_));
}

MeteredWorker::MeteredWorker(bool metered, CancelToken* token) : metered_(metered), token_(token) {
  if (metered_) reported_ns_ = ThreadCpuNanos();
}

void MeteredWorker::Settle() {
  if (!metered_) return;
  const int64_t used = ThreadCpuNanos();
  const int64_t sleep = CpuMeter::Get().Charge(used - reported_ns_);
  reported_ns_ = used;
  // Cancelled: the next piece of work will see it.
  if (sleep > 0) static_cast<void>(token_->SleepFor(std::chrono::nanoseconds(sleep)));
}

}  // namespace fastpipe
