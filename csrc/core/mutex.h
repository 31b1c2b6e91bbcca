// Mutex, MutexLock and CondVar: the standard ones with Clang's thread-safety annotations.
//
// Contract: every field that a Mutex guards is marked GUARDED_BY(mutex). A consumer waits through
// WaitOnce of core/cancel.h, so that it notices Ctrl+C.
// Thread rule: these are the only lock types in csrc/; never hold one while calling out of the
// class that owns it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "core/scheduler.h"

#if defined(__clang__)
#define FASTPIPE_ANNOTATE(x) __attribute__((x))
#else
#define FASTPIPE_ANNOTATE(x)
#endif
#define CAPABILITY(x) FASTPIPE_ANNOTATE(capability(x))
#define SCOPED_CAPABILITY FASTPIPE_ANNOTATE(scoped_lockable)
#define GUARDED_BY(x) FASTPIPE_ANNOTATE(guarded_by(x))
#define REQUIRES(...) FASTPIPE_ANNOTATE(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) FASTPIPE_ANNOTATE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) FASTPIPE_ANNOTATE(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS FASTPIPE_ANNOTATE(no_thread_safety_analysis)

namespace fastpipe {

class CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ACQUIRE() {
    if (Scheduler* scheduler = Scheduler::OfThread()) return scheduler->Lock(this);
    mutex_.lock();
  }
  void Unlock() RELEASE() {
    if (Scheduler* scheduler = Scheduler::OfThread()) return scheduler->Unlock(this);
    mutex_.unlock();
  }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  // Spurious wake-ups happen: wait in a loop.
  void Wait(Mutex& mutex) REQUIRES(mutex) {
    if (Scheduler* scheduler = Scheduler::OfThread()) return scheduler->Wait(this, &mutex);
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // False on timeout.
  bool WaitFor(Mutex& mutex, std::chrono::nanoseconds timeout) REQUIRES(mutex) {
    if (Scheduler* scheduler = Scheduler::OfThread()) {
      return scheduler->WaitFor(this, &mutex, timeout);
    }
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    // steady_clock deadline: wait_for on gcc 12 is steady too, but says so only in its source.
    bool woken = condition_.wait_until(lock, std::chrono::steady_clock::now() + timeout) ==
                 std::cv_status::no_timeout;
    lock.release();
    return woken;
  }
  void NotifyOne() {
    if (Scheduler* scheduler = Scheduler::OfThread()) return scheduler->Notify(this, false);
    condition_.notify_one();
  }
  void NotifyAll() {
    if (Scheduler* scheduler = Scheduler::OfThread()) return scheduler->Notify(this, true);
    condition_.notify_all();
  }

 private:
  std::condition_variable condition_;
};

}  // namespace fastpipe
