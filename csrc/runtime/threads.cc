#include "runtime/threads.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <utility>

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

}  // namespace

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

ThreadGroup::ThreadGroup(std::string name, std::function<void(int)> body)
    : name_(name.substr(0, 15)), body_(std::move(body)) {}

ThreadGroup::~ThreadGroup() { Join(); }

void ThreadGroup::Resize(int size) {
  MutexLock lock(mutex_);
  if (joining_) return;
  target_ = std::max(size, 1);
  if (static_cast<int>(workers_.size()) < target_) workers_.resize(target_);
  for (int i = 0; i < target_; ++i) {
    if (!workers_[i].left) continue;
    if (i == 0) {
      ThreadBudget::Get().AcquireFirst();
    } else if (ThreadBudget::Get().Acquire(1) == 0) {
      target_ = i;
      break;
    }
    StartLocked(i);
  }
}

void ThreadGroup::StartLocked(int index) {
  Worker& worker = workers_[index];
  // It left before, and takes no lock on its way out, so this does not block.
  if (worker.thread.joinable()) worker.thread.join();
  worker.left = false;
  SignalsBlocked blocked;
  worker.thread = std::thread([this, index] {
    body_(index);
    ThreadBudget::Get().Release(1);
  });
  pthread_setname_np(worker.thread.native_handle(), name_.c_str());
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
  std::vector<std::thread> threads;
  {
    MutexLock lock(mutex_);
    joining_ = true;
    for (Worker& worker : workers_) threads.push_back(std::exchange(worker.thread, std::thread()));
  }
  // Without the lock: a body on its way out may still ask ShouldLeave.
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace fastpipe
