// ThreadGroup and ThreadBudget: the only threads of the tree.
//
// Contract: a group runs `body(index)` on threads 0..size-1. Growing starts threads; shrinking asks
// the highest ones to leave, which they do at their next ShouldLeave(). All are joined, none is
// detached. Workers block all signals, so that Python's main thread gets them. The process-wide
// ThreadBudget bounds the sum over all groups; a group always gets its first thread.
// Thread rule: Resize, size and ShouldLeave from any thread; the destructor from one, after the
// bodies have been told to return.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/mutex.h"

namespace fastpipe {

class ThreadBudget {
 public:
  static ThreadBudget& Get();
  // How many of `wanted` more threads may start now; they count as running until Release.
  int Acquire(int wanted);
  // One thread beyond the cap if need be: without it a pipeline could not run at all.
  void AcquireFirst();
  void Release(int count);
  void set_cap(int cap);
  int cap() const;
  int running() const;

 private:
  mutable Mutex mutex_;
  int cap_ GUARDED_BY(mutex_) = 1024;
  int running_ GUARDED_BY(mutex_) = 0;
};

class ThreadGroup {
 public:
  // `name` shows in ps and debuggers, at most 15 bytes of it.
  ThreadGroup(std::string name, std::function<void(int index)> body);
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // Asks for `size` threads. The budget may grant fewer.
  void Resize(int size);
  // Threads that are running and have not been asked to leave.
  int size() const;
  // Called by thread `index` between two pieces of work: true if it must return now. Without it a
  // body returns only for good: at the end of its input or when its stage stops.
  bool ShouldLeave(int index);
  // All bodies have been told to return: waits for them. Idempotent.
  void Join();

 private:
  struct Worker {
    std::thread thread;
    bool left = true;
  };
  void StartLocked(int index) REQUIRES(mutex_);

  const std::string name_;
  const std::function<void(int)> body_;
  mutable Mutex mutex_;
  int target_ GUARDED_BY(mutex_) = 0;
  bool joining_ GUARDED_BY(mutex_) = false;
  std::vector<Worker> workers_ GUARDED_BY(mutex_);
};

}  // namespace fastpipe
