#include "runtime/cgroup.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastpipe {
namespace {

constexpr int64_t kUnlimited = INT64_MAX;
constexpr int64_t kDefaultPeriod = 100'000;

std::string Root() {
  const char* root = std::getenv("FASTPIPE_CGROUP_ROOT");
  return root == nullptr ? "" : root;
}

// `path` below `mount`, and all its ancestors.
void AddWithAncestors(const std::string& mount, std::string path,
                      std::vector<std::string>* folders) {
  // What lies outside the namespace of this process cannot be seen: its root is the nearest.
  if (path.empty() || path[0] != '/' || (path + "/").find("/../") != std::string::npos) path = "/";
  while (path != "/") {
    folders->push_back(mount + path);
    path.resize(std::max<size_t>(path.rfind('/'), 1));
  }
  folders->push_back(mount);
}

// The folders of the groups of this process, of version 2 and of one controller of version 1.
std::vector<std::string> Folders(const std::string& controller) {
  const std::string mounts = Root() + "/sys/fs/cgroup";
  std::vector<std::string> folders;
  std::ifstream file(Root() + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (names.empty()) {
      AddWithAncestors(mounts, path, &folders);
      AddWithAncestors(mounts + "/unified", path, &folders);  // beside version 1
    } else if (("," + names + ",").find("," + controller + ",") != std::string::npos) {
      // "cpu,cpuacct" names two controllers in one mount; "cpuset" is not "cpu".
      AddWithAncestors(mounts + "/" + names, path, &folders);
      if (names != controller) AddWithAncestors(mounts + "/" + controller, path, &folders);
    }
  }
  return folders;
}

std::optional<int64_t> Number(std::string_view word) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// The first number of a file; none for "max", what is no number, or if there is no such file.
std::optional<int64_t> ReadNumber(const std::string& path) {
  std::string word;
  std::ifstream(path) >> word;
  return Number(word);
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

double Cores(std::optional<int64_t> quota, int64_t period) {
  if (!quota || *quota <= 0 || period <= 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(*quota) / static_cast<double>(period);
}

}  // namespace

double CgroupCpus() {
  double cpus = std::numeric_limits<double>::infinity();
  for (const std::string& folder : Folders("cpu")) {
    std::string quota;
    std::string period;
    std::ifstream(folder + "/cpu.max") >> quota >> period;
    cpus = std::min(cpus, Cores(Number(quota), Number(period).value_or(kDefaultPeriod)));
    cpus =
        std::min(cpus, Cores(ReadNumber(folder + "/cpu.cfs_quota_us"),
                             ReadNumber(folder + "/cpu.cfs_period_us").value_or(kDefaultPeriod)));
  }
  return cpus;
}

int64_t CgroupMemory() {
  int64_t available = kUnlimited;
  const auto limit_by = [&](int64_t limit, int64_t used, int64_t reclaimable) {
    if (limit < 0 || limit == kUnlimited) return;
    used -= std::clamp<int64_t>(reclaimable, 0, std::max<int64_t>(used, 0));
    available = std::min(available, std::max<int64_t>(limit - std::max<int64_t>(used, 0), 0));
  };
  for (const std::string& folder : Folders("memory")) {
    // Beyond memory.high the group is slowed down until it hardly moves.
    const int64_t limit = std::min(ReadNumber(folder + "/memory.max").value_or(kUnlimited),
                                   ReadNumber(folder + "/memory.high").value_or(kUnlimited));
    const std::string stat = folder + "/memory.stat";
    limit_by(limit, ReadNumber(folder + "/memory.current").value_or(0),
             ReadNamed(stat, "inactive_file"));
    limit_by(ReadNumber(folder + "/memory.limit_in_bytes").value_or(kUnlimited),
             ReadNumber(folder + "/memory.usage_in_bytes").value_or(0),
             ReadNamed(stat, "total_inactive_file"));
  }
  return available;
}

}  // namespace fastpipe
