#include "core/fault_points.h"

#ifdef FASTPIPE_FAULT_POINTS

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/mutex.h"

namespace fastpipe {
namespace {

struct Point {
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> first{0};  // 0: not armed
  std::atomic<int64_t> times{0};
  std::atomic<int> error{0};
  std::atomic<int64_t> stall_ns{0};
};

struct Stalls {
  Mutex mutex;
  CondVar changed;
  int64_t releases GUARDED_BY(mutex) = 0;
  bool open GUARDED_BY(mutex) = false;
};

// Constant from the start: memory is taken before any constructor has run.
constinit std::array<Point, kFaultKinds> points;

constinit thread_local bool new_may_fail = false;

// Leaked on purpose: threads may stall while the process exits.
Stalls& AllStalls() {
  static Stalls* const stalls = std::make_unique<Stalls>().release();
  return *stalls;
}

Point& PointOf(FaultKind kind) { return points[static_cast<size_t>(kind)]; }

void Stall(int64_t ns) {
  Stalls& stalls = AllStalls();
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
  MutexLock lock(stalls.mutex);
  const int64_t releases = stalls.releases;
  while (!stalls.open && stalls.releases == releases) {
    if (ns < 0) {
      stalls.changed.Wait(stalls.mutex);
      continue;
    }
    const std::chrono::nanoseconds left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) return;
    stalls.changed.WaitFor(stalls.mutex, left);
  }
}

struct Points {
  Mutex mutex;
  CondVar changed;
  std::vector<std::pair<std::string, std::string>> pairs GUARDED_BY(mutex);
  std::map<std::string, int64_t> passed GUARDED_BY(mutex);
};

Points& SyncPoints() {
  static Points* const points = std::make_unique<Points>().release();
  return *points;
}

std::atomic<bool> ordering{false};

bool MayPass(const Points& sync, const char* point) NO_THREAD_SAFETY_ANALYSIS {
  for (const auto& [earlier, later] : sync.pairs) {
    if (later == point && !sync.passed.contains(earlier)) return false;
  }
  return true;
}

}  // namespace

void ArmFault(FaultKind kind, const Fault& fault) {
  if (fault.stall_ns != 0) {
    Stalls& stalls = AllStalls();
    MutexLock lock(stalls.mutex);
    stalls.open = false;
  }
  Point& point = PointOf(kind);
  point.first = 0;
  point.calls = 0;
  point.times = fault.times;
  point.error = fault.error;
  point.stall_ns = fault.stall_ns;
  point.first = fault.first;
}

void DisarmFaults() {
  for (Point& point : points) {
    point.first = 0;
    point.calls = 0;
  }
  ReleaseStalls();
}

void ReleaseStalls() {
  Stalls& stalls = AllStalls();
  MutexLock lock(stalls.mutex);
  ++stalls.releases;
  stalls.open = true;
  stalls.changed.NotifyAll();
}

int64_t FaultCalls(FaultKind kind) { return PointOf(kind).calls; }

bool FaultStrikes(FaultKind kind) {
  Point& point = PointOf(kind);
  const int64_t call = point.calls.fetch_add(1) + 1;
  const int64_t first = point.first;
  if (first == 0 || call < first || call >= first + point.times) return false;
  if (point.stall_ns != 0) Stall(point.stall_ns);
  if (point.error == 0) return false;
  errno = point.error;
  return true;
}

void LetNewFailHere() { new_may_fail = true; }

SyncOrder::SyncOrder(std::initializer_list<Pair> pairs) {
  Points& sync = SyncPoints();
  MutexLock lock(sync.mutex);
  sync.passed.clear();
  for (const auto& [earlier, later] : pairs) sync.pairs.emplace_back(earlier, later);
  ordering = true;
}

SyncOrder::~SyncOrder() {
  Points& sync = SyncPoints();
  MutexLock lock(sync.mutex);
  ordering = false;
  sync.pairs.clear();
  sync.changed.NotifyAll();
}

int64_t SyncOrder::Passed(const char* point) const {
  Points& sync = SyncPoints();
  MutexLock lock(sync.mutex);
  const auto found = sync.passed.find(point);
  return found == sync.passed.end() ? 0 : found->second;
}

void PassSyncPoint(const char* point) {
  if (!ordering.load(std::memory_order_relaxed)) return;
  Points& sync = SyncPoints();
  MutexLock lock(sync.mutex);
  while (!MayPass(sync, point)) sync.changed.Wait(sync.mutex);
  ++sync.passed[point];
  sync.changed.NotifyAll();
}

}  // namespace fastpipe

// ---- for tests in Python, which find them by name in the extension ----

#define FASTPIPE_FOR_TESTS extern "C" __attribute__((visibility("default")))

FASTPIPE_FOR_TESTS void fastpipe_arm_fault(int kind, int64_t first, int64_t times, int error,
                                           int64_t stall_ns) {
  fastpipe::ArmFault(static_cast<fastpipe::FaultKind>(kind), {first, times, error, stall_ns});
}
FASTPIPE_FOR_TESTS void fastpipe_disarm_faults() { fastpipe::DisarmFaults(); }
FASTPIPE_FOR_TESTS void fastpipe_release_stalls() { fastpipe::ReleaseStalls(); }
FASTPIPE_FOR_TESTS int64_t fastpipe_fault_calls(int kind) {
  return fastpipe::FaultCalls(static_cast<fastpipe::FaultKind>(kind));
}

// A sanitizer has operators of its own, and would take memory of this one for a mistake.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// That of the standard library, which frees with free(), but for the fault.
void* operator new(size_t size) {
  const bool fails = fastpipe::new_may_fail && FASTPIPE_FAULT(kNew);
  void* memory = fails ? nullptr : std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

#endif

#endif  // FASTPIPE_FAULT_POINTS
