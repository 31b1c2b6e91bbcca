#include "core/cancel.h"

#include <algorithm>
#include <utility>

#include "core/interrupt_checks.h"

namespace fastpipe {
namespace {

constexpr std::chrono::milliseconds kInterruptPeriod(50);
thread_local InterruptHook interrupt_hook = nullptr;
thread_local int64_t checks_until_interrupt = 0;  // of a test

template <typename T>
void Erase(std::vector<T*>* list, T* item) {
  list->erase(std::remove(list->begin(), list->end(), item), list->end());
}

Status ClosedError() { return Cancelled("the iterator was closed"); }

}  // namespace

std::shared_ptr<CancelToken> CancelToken::Root() {
  struct Constructible : CancelToken {};
  return std::make_shared<Constructible>();
}

std::shared_ptr<CancelToken> CancelToken::Child() {
  std::shared_ptr<CancelToken> child = Root();
  child->parent_ = shared_from_this();
  MutexLock lock(mutex_);
  if (cancelled()) child->cancelled_.store(true, std::memory_order_relaxed);
  children_.push_back(child.get());
  return child;
}

CancelToken::~CancelToken() {
  if (!parent_) return;
  MutexLock lock(parent_->mutex_);
  Erase(&parent_->children_, this);
}

void CancelToken::Cancel() {
  MutexLock lock(mutex_);
  if (cancelled_.exchange(true)) return;
  for (Waker* waker : wakers_) waker->wake_();
  for (CancelToken* child : children_) child->Cancel();
}

CancelToken::Waker::Waker(std::shared_ptr<CancelToken> token, std::function<void()> wake)
    : token_(std::move(token)), wake_(std::move(wake)) {
  MutexLock lock(token_->mutex_);
  token_->wakers_.push_back(this);
  if (token_->cancelled()) wake_();
}

CancelToken::Waker::~Waker() {
  MutexLock lock(token_->mutex_);
  Erase(&token_->wakers_, this);
}

Status CancelToken::SleepFor(std::chrono::nanoseconds duration) {
  Mutex mutex;
  CondVar condition;
  Waker waker(shared_from_this(), [&] {
    MutexLock lock(mutex);
    condition.NotifyAll();
  });
  const auto deadline = std::chrono::steady_clock::now() + duration;
  while (!cancelled()) {
    const std::chrono::nanoseconds left = deadline - std::chrono::steady_clock::now();
    if (left.count() <= 0) return Status::Ok();
    {
      MutexLock lock(mutex);
      if (!cancelled()) {
        condition.WaitFor(mutex, std::min<std::chrono::nanoseconds>(left, kInterruptPeriod));
      }
    }
    FASTPIPE_RETURN_IF_ERROR(CheckInterrupt());
  }
  return ClosedError();
}

InterruptHook SwapThreadInterruptHook(InterruptHook hook) {
  return std::exchange(interrupt_hook, hook);
}

int64_t InterruptAtCheck(int64_t check) {
  results_per_interrupt_check.store(check > 0 ? 1 : 1024);
  blocks_per_interrupt_check.store(check > 0 ? 1 : 64);
  return std::exchange(checks_until_interrupt, check);
}

Status CheckInterrupt() {
  if (checks_until_interrupt > 0 && --checks_until_interrupt == 0) {
    return Cancelled("interrupted by a signal");
  }
  if (interrupt_hook != nullptr && interrupt_hook()) return Cancelled("interrupted by a signal");
  return Status::Ok();
}

Status WaitOnce(CondVar& condition, Mutex& mutex, const CancelToken& token) {
  if (token.cancelled()) return ClosedError();
  if (interrupt_hook == nullptr) {
    condition.Wait(mutex);
  } else if (!condition.WaitFor(mutex, kInterruptPeriod) || checks_until_interrupt > 0) {
    mutex.Unlock();
    Status status = CheckInterrupt();
    mutex.Lock();
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
  }
  return token.cancelled() ? ClosedError() : Status::Ok();
}

}  // namespace fastpipe
