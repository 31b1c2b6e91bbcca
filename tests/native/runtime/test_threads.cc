#include <doctest/doctest.h>

#include <atomic>

#include "runtime/budget.h"
#include "runtime/threads.h"

namespace fastpipe {
namespace {

// Bodies wait here until the test lets them look again.
struct Gate {
  Mutex mutex;
  CondVar changed;
  int inside GUARDED_BY(mutex) = 0;
  bool open GUARDED_BY(mutex) = false;

  void Enter() {
    MutexLock lock(mutex);
    ++inside;
    changed.NotifyAll();
  }
  void Leave() {
    MutexLock lock(mutex);
    --inside;
    changed.NotifyAll();
  }
  void AwaitInside(int count) {
    MutexLock lock(mutex);
    while (inside != count) changed.Wait(mutex);
  }
  void AwaitOpen() {
    MutexLock lock(mutex);
    while (!open) changed.Wait(mutex);
  }
  void Open() {
    MutexLock lock(mutex);
    open = true;
    changed.NotifyAll();
  }
};

TEST_CASE("threads: as many run as were asked for, and all are joined") {
  const int before = ThreadBudget::Get().running();
  Gate gate;
  {
    ThreadGroup group("test", [&](int) {
      gate.Enter();
      gate.AwaitOpen();
      gate.Leave();
    });
    CHECK(group.Resize(5).ok());
    gate.AwaitInside(5);
    CHECK(group.size() == 5);
    CHECK(ThreadBudget::Get().running() == before + 5);
    gate.Open();
  }
  CHECK(ThreadBudget::Get().running() == before);
}

TEST_CASE("threads: shrinking lets the highest leave, growing starts them again") {
  Gate gate;
  ThreadGroup* group = nullptr;
  ThreadGroup threads("test", [&](int index) {
    gate.Enter();
    while (!group->ShouldLeave(index)) {
      MutexLock lock(gate.mutex);
      if (gate.open) break;
      gate.changed.WaitFor(gate.mutex, std::chrono::milliseconds(1));
    }
    gate.Leave();
  });
  group = &threads;
  CHECK(threads.Resize(4).ok());
  gate.AwaitInside(4);
  CHECK(threads.Resize(1).ok());
  gate.AwaitInside(1);
  CHECK(threads.Resize(3).ok());
  gate.AwaitInside(3);
  CHECK(threads.size() == 3);
  gate.Open();
}

TEST_CASE("threads: the process-wide cap is hard, but a group gets its first thread") {
  const int cap = ThreadBudget::Get().cap();
  ThreadBudget::Get().set_cap(ThreadBudget::Get().running() + 2);
  Gate gate;
  ThreadGroup first("first", [&](int) { gate.AwaitOpen(); });
  ThreadGroup second("second", [&](int) { gate.AwaitOpen(); });
  CHECK(first.Resize(8).ok());
  CHECK(second.Resize(8).ok());
  CHECK(first.size() == 2);
  CHECK(second.size() == 1);
  gate.Open();
  first.Join();
  second.Join();
  ThreadBudget::Get().set_cap(cap);
}

TEST_CASE("threads: waiting for those of an owner ends when none is left, or in time") {
  const int owner = 0;
  Gate gate;
  ThreadBudget& budget = ThreadBudget::Get();
  CHECK(budget.AwaitNone(&owner, std::chrono::nanoseconds(0)));
  ThreadGroup first("first", [&](int) { gate.AwaitOpen(); }, &owner);
  ThreadGroup second("second", [&](int) { gate.AwaitOpen(); }, &owner);
  ThreadGroup other("other", [&](int) { gate.AwaitOpen(); }, &gate);
  CHECK(first.Resize(2).ok());
  CHECK(second.Resize(1).ok());
  CHECK(other.Resize(1).ok());
  CHECK(!budget.AwaitNone(&owner, std::chrono::milliseconds(1)));
  gate.Open();
  CHECK(budget.AwaitNone(&owner, std::chrono::minutes(1)));
}

TEST_CASE("budget: there is at least one core and some memory") {
  CHECK(CpuBudget() >= 1);
  CHECK(AvailableMemory() > 0);
}

}  // namespace
}  // namespace fastpipe
