#include "runtime/threads.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/fault_points.h"
#include "core/guard.h"

namespace fastpipe {
namespace {

// Blocks all signals of this thread, and so of threads it creates, while it lives.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

thread_local const void* owner_of_thread = nullptr;

}  // namespace

ThreadId CurrentThread() { return &owner_of_thread; }

ThreadBudget& ThreadBudget::Get() {
  static ThreadBudget* const budget = std::make_unique<ThreadBudget>().release();
  return *budget;
}

int ThreadBudget::Acquire(int wanted) {
  MutexLock lock(mutex_);
  const int granted = std::clamp(cap_ - running_, 0, wanted);
  running_ += granted;
  return granted;
}

void ThreadBudget::AcquireFirst() {
  MutexLock lock(mutex_);
  ++running_;
}

void ThreadBudget::Release(int count) {
  MutexLock lock(mutex_);
  running_ -= count;
}

void ThreadBudget::Started(const void* owner) {
  if (owner == nullptr) return;
  MutexLock lock(mutex_);
  ++of_owner_[owner];
}

void ThreadBudget::Ended(const void* owner) {
  if (owner == nullptr) return;
  MutexLock lock(mutex_);
  const auto found = of_owner_.find(owner);
  if (--found->second > 0) return;
  of_owner_.erase(found);
  none_left_->NotifyAll();
}

bool ThreadBudget::AwaitNone(const void* owner, std::chrono::nanoseconds most) {
  const auto deadline = std::chrono::steady_clock::now() + most;
  MutexLock lock(mutex_);
  while (of_owner_.contains(owner)) {
    const std::chrono::nanoseconds left = deadline - std::chrono::steady_clock::now();
    if (left.count() <= 0) return false;
    none_left_->WaitFor(mutex_, left);
  }
  return true;
}

void ThreadBudget::set_cap(int cap) {
  MutexLock lock(mutex_);
  cap_ = std::max(cap, 1);
}

int ThreadBudget::cap() const {
  MutexLock lock(mutex_);
  return cap_;
}

int ThreadBudget::running() const {
  MutexLock lock(mutex_);
  return running_;
}

void ThreadBudget::LockForFork() NO_THREAD_SAFETY_ANALYSIS { mutex_.Lock(); }

void ThreadBudget::UnlockAfterFork(bool in_child) NO_THREAD_SAFETY_ANALYSIS {
  if (in_child) {
    running_ = 0;
    of_owner_.clear();
    // Threads of the parent may wait for it.
    static_cast<void>(none_left_.release());
    none_left_ = std::make_unique<CondVar>();
  }
  mutex_.Unlock();
}

ThreadGroup::ThreadGroup(std::string name, std::function<void(int)> body, const void* owner)
    : name_(name.substr(0, 15)), body_(std::move(body)), owner_(owner) {}

bool ThreadGroup::RunsFor(const void* owner) {
  return owner != nullptr && owner_of_thread == owner;
}

ThreadGroup::~ThreadGroup() { Join(); }

Status ThreadGroup::Resize(int size) {
  MutexLock lock(mutex_);
  if (joining_) return Status::Ok();
  const int wanted = std::max(size, 1);
  FASTPIPE_RETURN_IF_ERROR(Guarded([&]() NO_THREAD_SAFETY_ANALYSIS {
    if (static_cast<int>(workers_.size()) < wanted) workers_.resize(wanted);
    return Status::Ok();
  }));
  target_ = wanted;
  for (int i = 0; i < target_; ++i) {
    if (!workers_[i].left) continue;
    if (i == 0) {
      ThreadBudget::Get().AcquireFirst();
    } else if (ThreadBudget::Get().Acquire(1) == 0) {
      target_ = i;
      break;
    }
    if (StartLocked(i)) continue;
    target_ = i;
    if (i == 0) return ResourceExhausted("the system has no thread left for this stage");
    break;
  }
  return Status::Ok();
}

// False if the system refuses; then the budget has its thread back.
bool ThreadGroup::StartLocked(int index) {
  Worker& worker = workers_[index];
  // It left before, and takes no lock on its way out, so this does not block.
  Join(&worker);
  SignalsBlocked blocked;
  running_.fetch_add(1, std::memory_order_relaxed);
  bool counted = false;
  try {
    ThreadBudget::Get().Started(owner_);
    counted = true;
    if (FASTPIPE_FAULT(kStartThread)) throw std::system_error(errno, std::generic_category());
    Scheduler* scheduler = Scheduler::OfThread();
    if (scheduler != nullptr) worker.scheduled = scheduler->Spawn();
    const int number = worker.scheduled;
    worker.thread = std::thread([this, index, scheduler, number] {
      if (scheduler != nullptr) scheduler->Begin(number);
      FASTPIPE_LET_NEW_FAIL();
      owner_of_thread = owner_;
      body_(index);
      // Whoever waits for the last one may destroy this group then.
      const void* const owner = owner_;
      running_.fetch_sub(1, std::memory_order_relaxed);
      ThreadBudget::Get().Release(1);
      ThreadBudget::Get().Ended(owner);
      if (scheduler != nullptr) scheduler->End();
    });
  } catch (const std::exception&) {  // of the system, or of memory for the thread's start
    running_.fetch_sub(1, std::memory_order_relaxed);
    ThreadBudget::Get().Release(1);
    if (counted) ThreadBudget::Get().Ended(owner_);
    return false;
  }
  worker.left = false;
  pthread_setname_np(worker.thread.native_handle(), name_.c_str());
  return true;
}

int ThreadGroup::size() const {
  MutexLock lock(mutex_);
  return target_;
}

bool ThreadGroup::ShouldLeave(int index) {
  MutexLock lock(mutex_);
  if (joining_) return true;
  if (index < target_) return false;
  workers_[index].left = true;
  return true;
}

void ThreadGroup::Join() {
  std::vector<Worker> workers;
  {
    MutexLock lock(mutex_);
    joining_ = true;
    workers.swap(workers_);
  }
  // Without the lock: a body on its way out may still ask ShouldLeave.
  for (Worker& worker : workers) Join(&worker);
}

void ThreadGroup::Join(Worker* worker) {
  if (!worker->thread.joinable()) return;
  if (Scheduler* scheduler = Scheduler::OfThread()) scheduler->Join(worker->scheduled);
  worker->thread.join();
}

}  // namespace fastpipe
