#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "../io/scratch.h"
#include "runtime/budget.h"
#include "runtime/cgroup.h"
#include "runtime/followed_budget.h"

namespace fastpipe {
namespace {

constexpr int64_t kMebibyte = 1 << 20;

// A system whose cgroups are files of the test: relative paths and contents.
class FakeSystem {
 public:
  using Files = std::vector<std::pair<std::string, std::string>>;
  FakeSystem(const std::string& groups, const Files& files) {
    folder_.Write("proc/self/cgroup", groups);
    for (const auto& [path, text] : files) Write(path, text);
    setenv("FASTPIPE_CGROUP_ROOT", folder_.path().c_str(), 1);
  }
  ~FakeSystem() { unsetenv("FASTPIPE_CGROUP_ROOT"); }
  FakeSystem(const FakeSystem&) = delete;
  FakeSystem& operator=(const FakeSystem&) = delete;
  void Write(const std::string& path, const std::string& text) {
    folder_.Write("sys/fs/cgroup/" + path, text);
  }

 private:
  ScratchDirectory folder_;
};

TEST_CASE("cgroup: the tightest quota of all ancestors counts, version 2") {
  FakeSystem fake("0::/a/b/c\n", {{"a/b/c/cpu.max", "400000 100000\n"},
                                  {"a/b/cpu.max", "max 100000\n"},
                                  {"a/cpu.max", "150000 100000\n"},
                                  {"cpu.max", "800000 100000\n"},
                                  {"other/cpu.max", "1000 100000\n"}});
  CHECK(CgroupCpus() == 1.5);
  CHECK(CpuBudget() <= 2);
  CHECK(CpuBudget() >= 1);
}

TEST_CASE("cgroup: a quota without a period is one of 100 ms") {
  FakeSystem fake("0::/a\n", {{"a/cpu.max", "50000\n"}});
  CHECK(CgroupCpus() == 0.5);
  CHECK(CpuBudget() == 1);
}

TEST_CASE("cgroup: the tightest quota of all ancestors counts, version 1") {
  FakeSystem fake("3:cpuset:/q\n4:cpu,cpuacct:/a/b\n5:memory:/m\n",
                  {{"cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n"},
                   {"cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n"},
                   {"cpu,cpuacct/a/cpu.cfs_quota_us", "300000\n"},
                   {"cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"},
                   {"cpuset/q/cpu.cfs_quota_us", "1000\n"},
                   {"cpuset/q/cpu.cfs_period_us", "100000\n"}});
  CHECK(CgroupCpus() == 3);
}

TEST_CASE("cgroup: a controller is also found where it is mounted by its own name") {
  FakeSystem fake("4:cpu,cpuacct:/a\n", {{"cpu/a/cpu.cfs_quota_us", "250000\n"},
                                         {"cpu/a/cpu.cfs_period_us", "100000\n"}});
  CHECK(CgroupCpus() == 2.5);
}

TEST_CASE("cgroup: of both versions side by side each limits") {
  FakeSystem fake("4:cpu:/a\n0::/b\n", {{"cpu/a/cpu.cfs_quota_us", "400000\n"},
                                        {"cpu/a/cpu.cfs_period_us", "100000\n"},
                                        {"unified/b/cpu.max", "200000 100000\n"},
                                        {"unified/b/memory.max", "1048576\n"}});
  CHECK(CgroupCpus() == 2);
  CHECK(CgroupMemory() == kMebibyte);
}

TEST_CASE("cgroup: in a namespace the root of the mount is the nearest group that can be seen") {
  // As Docker shows them: not there, outside, the root itself.
  for (const char* path : {"/docker/123", "/../..", "/../other", "/", ""}) {
    CAPTURE(path);
    FakeSystem fake("0::" + std::string(path) + "\n",
                    {{"cpu.max", "200000 100000\n"}, {"memory.max", "1048576\n"}});
    CHECK(CgroupCpus() == 2);
    CHECK(CgroupMemory() == kMebibyte);
  }
}

TEST_CASE("cgroup: what is missing or malformed limits nothing") {
  const char* groups[] = {"", "nonsense\n", "0:\n", "::\n", "0::/a\n", "9:memory,cpu:/a\n"};
  const char* contents[] = {
      "", "max\n", "max 100000\n", "many\n", "12x 100000\n", "-1\n", "99999999999999999999999\n"};
  for (const char* group : groups) {
    for (const char* content : contents) {
      CAPTURE(group);
      CAPTURE(content);
      FakeSystem fake(group, {{"a/cpu.max", content},
                              {"a/memory.max", content},
                              {"a/memory.high", content},
                              {"memory,cpu/a/cpu.cfs_quota_us", content},
                              {"memory,cpu/a/memory.limit_in_bytes", content}});
      CHECK(std::isinf(CgroupCpus()));
      CHECK(CgroupMemory() == INT64_MAX);
    }
  }
}

TEST_CASE("cgroup: a process without groups has no limits") {
  const ScratchDirectory empty;
  setenv("FASTPIPE_CGROUP_ROOT", empty.path().c_str(), 1);
  CHECK(std::isinf(CgroupCpus()));
  CHECK(CgroupMemory() == INT64_MAX);
  CHECK(CpuBudget() == AffinityCores());
  unsetenv("FASTPIPE_CGROUP_ROOT");
}

TEST_CASE("cgroup: memory is what the tightest group has left, version 2") {
  FakeSystem fake("0::/a/b\n", {{"a/b/memory.max", "67108864\n"},
                                {"a/b/memory.current", "4194304\n"},
                                {"a/memory.max", "33554432\n"},
                                {"a/memory.current", "12582912\n"},
                                {"a/memory.stat", "anon 1\ninactive_file 4194304\n"}});
  CHECK(CgroupMemory() == (32 - 12 + 4) * kMebibyte);
  CHECK(AvailableMemory() <= (32 - 12 + 4) * kMebibyte);
}

TEST_CASE("cgroup: memory.high is a limit like memory.max") {
  FakeSystem fake("0::/a\n", {{"a/memory.max", "max\n"},
                              {"a/memory.high", "8388608\n"},
                              {"a/memory.current", "1048576\n"}});
  CHECK(CgroupMemory() == 7 * kMebibyte);
}

TEST_CASE("cgroup: memory is what the tightest group has left, version 1") {
  FakeSystem fake("9:memory:/a/b\n", {{"memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"},
                                      {"memory/a/b/memory.usage_in_bytes", "1048576\n"},
                                      {"memory/a/memory.limit_in_bytes", "16777216\n"},
                                      {"memory/a/memory.usage_in_bytes", "6291456\n"},
                                      {"memory/a/memory.stat", "total_inactive_file 1048576\n"}});
  CHECK(CgroupMemory() == (16 - 6 + 1) * kMebibyte);
}

TEST_CASE("cgroup: a group that is full has nothing left, whatever it can reclaim") {
  FakeSystem fake("0::/a\n", {{"a/memory.max", "1048576\n"},
                              {"a/memory.current", "2097152\n"},
                              {"a/memory.stat", "inactive_file -5\n"}});
  CHECK(CgroupMemory() == 0);
  fake.Write("a/memory.stat", "inactive_file 99999999\n");
  CHECK(CgroupMemory() == kMebibyte);
}

TEST_CASE("budget: a run follows a quota that changes, but not a number that was given") {
  constexpr int64_t kSecond = 1'000'000'000;
  FakeSystem fake("0::/a\n", {{"a/cpu.max", "100000 100000\n"}});
  FollowedBudget followed(0);
  FollowedBudget given(7);
  CHECK(followed.At(50 * kSecond) == 1);
  fake.Write("a/cpu.max", "max 100000\n");
  CHECK(followed.At(59 * kSecond) == 1);
  CHECK(followed.At(61 * kSecond) == AffinityCores());
  CHECK(given.At(0) == 7);
  CHECK(given.At(61 * kSecond) == 7);
}

}  // namespace
}  // namespace fastpipe
