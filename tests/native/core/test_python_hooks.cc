#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/mutex.h"
#include "core/python_hooks.h"

namespace fastpipe {
namespace {

// A thread that makes its state in Python, and one that forks meanwhile.
struct Meeting {
  Mutex mutex;
  CondVar changed;
  bool making GUARDED_BY(mutex) = false;
  bool forking GUARDED_BY(mutex) = false;
  bool forked GUARDED_BY(mutex) = false;
  bool made GUARDED_BY(mutex) = false;
  bool forked_meanwhile GUARDED_BY(mutex) = false;

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

// Handlers that are registered last run first: before that of fastpipe, which is to wait.
void SayThatAForkBegins() {
  if (meeting != nullptr) meeting->Set(&Meeting::forking);
}

void* MakeState() {
  meeting->Set(&Meeting::making);
  meeting->Await(&Meeting::forking);
  MutexLock lock(meeting->mutex);
  // That the fork goes on is what must not come: whoever waits for it waits in vain.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (!meeting->forked && std::chrono::steady_clock::now() < end) {
    meeting->changed.WaitFor(meeting->mutex, std::chrono::milliseconds(100));
  }
  meeting->forked_meanwhile = meeting->forked;
  meeting->made = true;
  return nullptr;
}

TEST_CASE("a process is not copied while a thread makes its state in Python") {
  Meeting here;
  meeting = &here;
  static const int registered = pthread_atfork(SayThatAForkBegins, nullptr, nullptr);
  REQUIRE(registered == 0);
  PythonHooks hooks;
  hooks.make_thread_state = MakeState;
  SetPythonHooks(hooks);

  std::thread enters([] { PythonEntry entry; });
  here.Await(&Meeting::making);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  here.Set(&Meeting::forked);
  enters.join();
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  {
    MutexLock lock(here.mutex);
    CHECK(here.made);
    CHECK(!here.forked_meanwhile);
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
