// CancelToken: the tree of stop signals, and waits that notice them.
//
// Contract: Cancel() is idempotent, comes from any thread, reaches every descendant and wakes every
// wait that registered a waker. A consumer that makes a Child() can stop just the subtree below it.
// Thread rule: everything here may be called by any thread. Never create, drop or cancel a token
// while holding a lock that a waker takes.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "core/mutex.h"
#include "core/status.h"

namespace fastpipe {

class CancelToken : public std::enable_shared_from_this<CancelToken> {
 public:
  static std::shared_ptr<CancelToken> Root();
  // Cancelled whenever this token is.
  std::shared_ptr<CancelToken> Child();
  ~CancelToken();

  void Cancel();
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // Blocks for `duration` unless cancelled or interrupted first: then the Status says which.
  Status SleepFor(std::chrono::nanoseconds duration);

  // Calls `wake` when the token is cancelled, at once if it already is, until destroyed. `wake`
  // takes the lock of the waiting side and notifies; it must not do more.
  class Waker {
   public:
    Waker(std::shared_ptr<CancelToken> token, std::function<void()> wake);
    ~Waker();
    Waker(const Waker&) = delete;
    Waker& operator=(const Waker&) = delete;

   private:
    friend class CancelToken;
    std::shared_ptr<CancelToken> token_;
    std::function<void()> wake_;
  };

 private:
  CancelToken() = default;
  std::shared_ptr<CancelToken> parent_;
  std::atomic<bool> cancelled_{false};
  Mutex mutex_;
  std::vector<CancelToken*> children_ GUARDED_BY(mutex_);
  std::vector<Waker*> wakers_ GUARDED_BY(mutex_);
};

// What a thread that came from Python runs every 50 ms while it waits, and now and then while it
// computes: returns true when a signal handler raised (Ctrl+C). Null on native threads.
using InterruptHook = bool (*)();
// Returns the hook before, which the caller puts back when its call into native code is over.
InterruptHook SwapThreadInterruptHook(InterruptHook hook);
// REQUIRES: the caller holds no lock. Cancelled if the hook reports an interrupt, else OK.
Status CheckInterrupt();

// Waits once on `condition`, at most until the next interrupt check. The caller loops:
//   while (!ready) FASTPIPE_RETURN_IF_ERROR(WaitOnce(condition, mutex_, *token));
// Returns Cancelled when the token is cancelled or the thread interrupted.
Status WaitOnce(CondVar& condition, Mutex& mutex, const CancelToken& token) REQUIRES(mutex);

}  // namespace fastpipe
