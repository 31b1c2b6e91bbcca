// ThreadGroup and ThreadBudget: the only threads of the tree.
//
// Contract: a group runs `body(index)` on threads 0..size-1. Growing starts threads; shrinking asks
// the highest ones to leave, which they do at their next ShouldLeave(). All are joined, none is
// detached. Workers block all signals, so that Python's main thread gets them. The process-wide
// ThreadBudget bounds the sum over all groups; a group always gets its first thread, unless the
// system has none to give.
// Thread rule: Resize, size and ShouldLeave from any thread; the destructor from one, after the
// bodies have been told to return.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/mutex.h"
#include "core/status.h"

namespace fastpipe {

// Which thread calls: equal on the same thread, never null.
using ThreadId = const void*;
ThreadId CurrentThread();

class ThreadBudget {
 public:
  static ThreadBudget& Get();
  // How many of `wanted` more threads may start now; they count as running until Release.
  int Acquire(int wanted);
  // One thread beyond the cap if need be: without it a pipeline could not run at all.
  void AcquireFirst();
  void Release(int count);
  // A thread that may start starts for `owner`, and ends: for AwaitNone. Null owners are not
  // counted.
  void Started(const void* owner);
  void Ended(const void* owner);
  // Waits until no thread runs for `owner`, for `most` at the longest: whether that came true.
  bool AwaitNone(const void* owner, std::chrono::nanoseconds most);
  void set_cap(int cap);
  int cap() const;
  int running() const;
  // Around a fork. The threads of the parent do not exist in the child.
  void LockForFork();
  void UnlockAfterFork(bool in_child);

 private:
  mutable Mutex mutex_;
  int cap_ GUARDED_BY(mutex_) = 1024;
  int running_ GUARDED_BY(mutex_) = 0;
  std::map<const void*, int> of_owner_ GUARDED_BY(mutex_);  // no zeros
  std::unique_ptr<CondVar> none_left_ = std::make_unique<CondVar>();
};

class ThreadGroup {
 public:
  // `name` shows in ps and debuggers, at most 15 bytes of it. `owner` is what RunsFor and
  // ThreadBudget::AwaitNone ask about.
  ThreadGroup(std::string name, std::function<void(int index)> body, const void* owner = nullptr);
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // Asks for `size` threads. The budget or the system may grant fewer; an error if there is none.
  Status Resize(int size);
  // Threads that are running and have not been asked to leave.
  int size() const;
  // Threads that exist and have not returned.
  int running() const { return running_.load(std::memory_order_relaxed); }
  // True on a thread of a group of `owner`: there nothing may wait for that group to end.
  static bool RunsFor(const void* owner);
  // Called by thread `index` between two pieces of work: true if it must return now. Without it a
  // body returns only for good: at the end of its input or when its stage stops.
  bool ShouldLeave(int index);
  // All bodies have been told to return: waits for them. Idempotent.
  void Join();

 private:
  struct Worker {
    std::thread thread;
    int scheduled = 0;  // its number, where a Scheduler has it
    bool left = true;
  };
  bool StartLocked(int index) REQUIRES(mutex_);
  static void Join(Worker* worker);

  const std::string name_;
  const std::function<void(int)> body_;
  const void* const owner_;
  std::atomic<int> running_{0};
  mutable Mutex mutex_;
  int target_ GUARDED_BY(mutex_) = 0;
  bool joining_ GUARDED_BY(mutex_) = false;
  std::vector<Worker> workers_ GUARDED_BY(mutex_);
};

}  // namespace fastpipe
