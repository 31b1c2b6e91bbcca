#include "runtime/budget.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "runtime/clock.h"

namespace fastpipe {
namespace {

constexpr int64_t kUnlimited = INT64_MAX;

// The folders of this process's cgroup and all its ancestors, version 2 and one controller of
// version 1, as far as they are mounted in the usual place.
std::vector<std::string> CgroupFolders(const std::string& controller) {
  std::vector<std::string> folders;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    std::string root = "/sys/fs/cgroup";
    if (!names.empty()) {
      // "cpu,cpuacct" names two controllers; "cpuset" is not "cpu".
      if (("," + names + ",").find("," + controller + ",") == std::string::npos) continue;
      root += "/" + controller;
    }
    std::string path = line.substr(second + 1);
    while (true) {
      folders.push_back(root + path);
      const size_t slash = path.rfind('/');
      if (slash == std::string::npos || path == "/") break;
      path = slash == 0 ? "/" : path.substr(0, slash);
    }
  }
  return folders;
}

// The number after `name` in a file of names and numbers; 0 if there is none.
int64_t ReadNamed(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string word;
  for (int64_t number = 0; file >> word >> number;) {
    if (word == name) return number;
  }
  return 0;
}

// The first number of a file; kUnlimited for "max" or if there is no such file.
int64_t ReadNumber(const std::string& path, int64_t* second = nullptr) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return kUnlimited;
  if (second != nullptr) file >> *second;
  char* end = nullptr;
  const int64_t number = std::strtoll(word.c_str(), &end, 10);
  return end == word.c_str() ? kUnlimited : number;
}

double CgroupCpus() {
  double cpus = 1e9;
  for (const std::string& folder : CgroupFolders("cpu")) {
    int64_t period = 0;
    int64_t quota = ReadNumber(folder + "/cpu.max", &period);
    if (quota == kUnlimited) {
      quota = ReadNumber(folder + "/cpu.cfs_quota_us");
      period = ReadNumber(folder + "/cpu.cfs_period_us");
    }
    if (quota > 0 && quota != kUnlimited && period > 0 && period != kUnlimited) {
      cpus = std::min(cpus, static_cast<double>(quota) / static_cast<double>(period));
    }
  }
  return cpus;
}

}  // namespace

int AffinityCores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? std::max(CPU_COUNT(&set), 1) : 1;
}

int CpuBudget() {
  return std::max(1, static_cast<int>(std::min<double>(AffinityCores(), std::ceil(CgroupCpus()))));
}

int64_t AvailableMemory() {
  int64_t available = kUnlimited;
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    int64_t kilobytes = 0;
    if (name == "MemAvailable:" && file >> kilobytes) available = kilobytes * 1024;
    file.ignore(256, '\n');
  }
  for (const std::string& folder : CgroupFolders("memory")) {
    int64_t limit = ReadNumber(folder + "/memory.max");
    int64_t used = ReadNumber(folder + "/memory.current");
    const bool version2 = limit != kUnlimited;
    if (!version2) {
      limit = ReadNumber(folder + "/memory.limit_in_bytes");
      used = ReadNumber(folder + "/memory.usage_in_bytes");
    }
    if (limit != kUnlimited && used != kUnlimited) {
      // Files that were read stay in memory until somebody needs it: they are not in use.
      used -=
          ReadNamed(folder + "/memory.stat", version2 ? "inactive_file" : "total_inactive_file");
      available = std::min(available, std::max<int64_t>(limit - used, 0));
    }
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
