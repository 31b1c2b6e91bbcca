// Scheduler: what locks, waits and threads ask where a test decides which thread runs.
//
// Contract: builds that define FASTPIPE_SCHEDULED let a test install one on its thread; threads
// that start from there have it too. Then one thread runs at a time, and each call here may hand
// over to another one. Elsewhere OfThread() is a constant, and nothing of it is left in the code.
// Thread rule: called by threads that have it, for themselves.
#pragma once

#include <chrono>
#include <cstdint>

namespace fastpipe {

class Scheduler {
 public:
  // Null: the operating system schedules this thread.
#ifdef FASTPIPE_SCHEDULED
  static Scheduler* OfThread() { return of_thread_; }
#else
  static constexpr Scheduler* OfThread() { return nullptr; }
#endif

  virtual void Lock(const void* mutex) = 0;
  virtual void Unlock(const void* mutex) = 0;
  // Both with the mutex locked before and after, as of a condition variable.
  virtual void Wait(const void* condition, const void* mutex) = 0;
  virtual bool WaitFor(const void* condition, const void* mutex,
                       std::chrono::nanoseconds timeout) = 0;
  virtual void Notify(const void* condition, bool all) = 0;
  // A number for a thread that is about to start; it calls Begin first and End last.
  virtual int Spawn() = 0;
  virtual void Begin(int thread) = 0;
  virtual void End() = 0;
  // Returns when `thread` has called End.
  virtual void Join(int thread) = 0;
  // Nanoseconds; time passes only as the scheduler says.
  virtual int64_t Now() = 0;

 protected:
  ~Scheduler() = default;
#ifdef FASTPIPE_SCHEDULED
  static void SetOfThread(Scheduler* scheduler) { of_thread_ = scheduler; }

 private:
  constinit inline static thread_local Scheduler* of_thread_ = nullptr;
#endif
};

}  // namespace fastpipe
