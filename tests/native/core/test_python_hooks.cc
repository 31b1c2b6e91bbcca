#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "core/mutex.h"
#include "core/python_hooks.h"

namespace fastpipe {
namespace {

// A thread that makes its state in Python, and one that is about to fork meanwhile.
struct Meeting {
  Mutex mutex;
  CondVar changed;
  bool making GUARDED_BY(mutex) = false;
  bool locking GUARDED_BY(mutex) = false;
  bool locked GUARDED_BY(mutex) = false;
  bool made GUARDED_BY(mutex) = false;
  bool locked_meanwhile GUARDED_BY(mutex) = false;

  void Set(bool Meeting::* what) {
    MutexLock lock(mutex);
    this->*what = true;
    changed.NotifyAll();
  }
  void Await(bool Meeting::* what) {
    MutexLock lock(mutex);
    while (!(this->*what)) changed.Wait(mutex);
  }
};

Meeting* meeting = nullptr;  // of the test that runs

void* MakeState() {
  meeting->Set(&Meeting::making);
  meeting->Await(&Meeting::locking);
  MutexLock lock(meeting->mutex);
  // That the fork goes on is what must not come: whoever waits for it waits in vain.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (!meeting->locked && std::chrono::steady_clock::now() < end) {
    meeting->changed.WaitFor(meeting->mutex, std::chrono::milliseconds(100));
  }
  meeting->locked_meanwhile = meeting->locked;
  meeting->made = true;
  return nullptr;
}

// Without fork itself, which takes more locks at once than ThreadSanitizer can follow (64);
// `tests/endurance/run.py fork` copies a process whose threads enter Python.
TEST_CASE("a fork waits for a thread that makes its state in Python") {
  Meeting here;
  meeting = &here;
  PythonHooks hooks;
  hooks.make_thread_state = MakeState;
  SetPythonHooks(hooks);

  std::thread enters([] { PythonEntry entry; });
  here.Await(&Meeting::making);
  here.Set(&Meeting::locking);
  LockPythonEntriesForFork();
  here.Set(&Meeting::locked);
  UnlockPythonEntriesAfterFork();
  enters.join();
  {
    MutexLock lock(here.mutex);
    CHECK(here.made);
    CHECK(!here.locked_meanwhile);
  }
  meeting = nullptr;
  SetPythonHooks(PythonHooks());
}

// What a thread did with its state, in order.
std::string* steps = nullptr;

TEST_CASE("a thread that Python does not know has a state for the time of the call") {
  std::string seen;
  steps = &seen;
  PythonHooks hooks;
  hooks.make_thread_state = []() -> void* { return steps; };
  hooks.enter_thread_state = [](void* state) { *static_cast<std::string*>(state) += "enter "; };
  hooks.drop = [](void*) { *steps += "drop "; };
  hooks.leave_thread_state = [](void* state) { *static_cast<std::string*>(state) += "leave"; };
  SetPythonHooks(hooks);
  PythonEntry()->drop(nullptr);
  SetPythonHooks(PythonHooks());
  CHECK(seen == "enter drop leave");
}

TEST_CASE("a thread that Python knows keeps its state") {
  std::string seen;
  steps = &seen;
  PythonHooks hooks;
  hooks.make_thread_state = []() -> void* { return nullptr; };
  hooks.drop = [](void*) { *steps += "drop"; };
  SetPythonHooks(hooks);
  PythonEntry()->drop(nullptr);
  SetPythonHooks(PythonHooks());
  CHECK(seen == "drop");
}

}  // namespace
}  // namespace fastpipe
