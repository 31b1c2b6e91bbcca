// How a Pipeline ends: turns, closing within a bound, and those whose threads hang meanwhile.

#include "api_closing.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "api.h"
#include "autotune/tuner.h"
#include "runtime/threads.h"

namespace fastpipe::api {
namespace {

using Clock = std::chrono::steady_clock;

// What all closing may still wait, once the process exits; negative: it does not exit.
std::atomic<int64_t> exit_wait_ns{-1};

// How long this closing may take. While the process exits, all share one bound.
class ClosingTime {
 public:
  ClosingTime() : exiting_(exit_wait_ns.load() >= 0) {
    const std::chrono::nanoseconds all = kCloseBound;
    deadline_ = began_ + (exiting_ ? std::chrono::nanoseconds(exit_wait_ns.load()) : all);
  }
  ~ClosingTime() {
    if (!exiting_) return;
    const std::chrono::nanoseconds took = Clock::now() - began_;
    exit_wait_ns.store(std::max<int64_t>(exit_wait_ns.load() - took.count(), 0));
  }
  ClosingTime(const ClosingTime&) = delete;
  ClosingTime& operator=(const ClosingTime&) = delete;
  Clock::time_point deadline() const { return deadline_; }

 private:
  const bool exiting_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point deadline_;
};

// Pipelines that were closed while threads of theirs could not be joined: they hang in a call to
// storage or to Python, or are the thread that closes. Kept alive with all that these threads use.
class Abandoned {
 public:
  static Abandoned& Get() {
    static Abandoned* const abandoned = std::make_unique<Abandoned>().release();
    return *abandoned;
  }
  void Add(std::shared_ptr<Pipeline> pipeline) {
    MutexLock lock(mutex_);
    pipelines_.insert(std::move(pipeline));
  }
  // Stops those whose threads have come back.
  void Collect() {
    std::set<std::shared_ptr<Pipeline>> pipelines;
    {
      MutexLock lock(mutex_);
      pipelines.swap(pipelines_);
    }
    std::erase_if(pipelines, [](const auto& each) { return each->StopWithin({}); });
    MutexLock lock(mutex_);
    pipelines_.merge(pipelines);
  }
  int64_t Count() {
    MutexLock lock(mutex_);
    return static_cast<int64_t>(pipelines_.size());
  }
  void LockForFork() NO_THREAD_SAFETY_ANALYSIS { mutex_.Lock(); }
  void UnlockAfterFork() NO_THREAD_SAFETY_ANALYSIS { mutex_.Unlock(); }

 private:
  Mutex mutex_;
  std::set<std::shared_ptr<Pipeline>> pipelines_ GUARDED_BY(mutex_);
};

}  // namespace

void LockAbandonedForFork() { Abandoned::Get().LockForFork(); }
void UnlockAbandonedAfterFork() { Abandoned::Get().UnlockAfterFork(); }

void CollectAbandoned() { Abandoned::Get().Collect(); }

int64_t AbandonedPipelines() {
  CollectAbandoned();
  return Abandoned::Get().Count();
}

void SetExiting() { exit_wait_ns.store(std::chrono::nanoseconds(kCloseBound).count()); }

// ---- turns ----

Pipeline::Turn::~Turn() {
  if (!mine_ || End(/*even_if_closing=*/false)) return;
  pipeline_->StopOrAbandon(ClosingTime().deadline());
  End(/*even_if_closing=*/true);
}

Status Pipeline::Turn::Take() {
  FASTPIPE_RETURN_IF_ERROR(pipeline_->CheckUsable());
  MutexLock lock(pipeline_->mutex_);
  if (pipeline_->user_ == CurrentThread()) {
    return FailedPrecondition(
        "the iterator was used from inside its own next(): by a function of its pipeline, or by "
        "a signal handler. Use it between two next() calls");
  }
  while (pipeline_->user_ != nullptr) {
    FASTPIPE_RETURN_IF_ERROR(WaitOnce(pipeline_->turn_, pipeline_->mutex_, *pipeline_->cancel_));
  }
  if (pipeline_->closing_) return Cancelled("the iterator was closed");
  pipeline_->user_ = CurrentThread();
  mine_ = true;
  return Status::Ok();
}

bool Pipeline::Turn::TakeToClose(Clock::time_point deadline) {
  MutexLock lock(pipeline_->mutex_);
  if (pipeline_->user_ == CurrentThread()) return false;
  while (pipeline_->user_ != nullptr) {
    const std::chrono::nanoseconds left = deadline - Clock::now();
    if (left.count() <= 0) return false;
    pipeline_->turn_.WaitFor(pipeline_->mutex_, left);
  }
  pipeline_->user_ = CurrentThread();
  mine_ = true;
  return true;
}

bool Pipeline::Turn::End(bool even_if_closing) {
  MutexLock lock(pipeline_->mutex_);
  if (pipeline_->closing_ && !even_if_closing) return false;
  pipeline_->user_ = nullptr;
  pipeline_->turn_.NotifyAll();
  return true;
}

// ---- closing ----

// REQUIRES: cancelled, and the caller's turn.
bool Pipeline::Stop(Clock::time_point deadline) {
  // The tuner first: it may be changing a stage that the iterator is about to destroy.
  StopTuner();
  const auto await_none = [deadline](const void* owner) {
    return ThreadBudget::Get().AwaitNone(owner, deadline - Clock::now());
  };
  // The threads of the run may be what calls storage, so these come first.
  if (!await_none(CurrentRun().get()) || !await_none(this)) return false;
  iterator_.reset();
  timed_storage_.reset();
  return true;
}

void Pipeline::StopOrAbandon(Clock::time_point deadline) {
  // A child process in the midst of a turn that its parent began.
  if (fork_generation_ != ForkGeneration()) return;
  // Nothing waits for itself; nor a second time for what did not come back the first time.
  const bool own = ThreadGroup::RunsFor(CurrentRun().get());
  const bool stopped = Stop(own || hung_ ? Clock::time_point() : deadline);
  hung_ = !stopped && (hung_ || !own);
  if (stopped) return;
  CurrentRun()->Retire();
  Abandoned::Get().Add(shared_from_this());
}

void Pipeline::Cancel() {
  if (fork_generation_ != ForkGeneration()) return;
  {
    MutexLock lock(mutex_);
    closing_ = true;
  }
  cancel_->Cancel();
}

void Pipeline::Close() {
  if (fork_generation_ != ForkGeneration()) return;
  Cancel();
  ClosingTime time;
  // On a thread of its own that thread, or the one in Next, may be what has to come back.
  const bool own = ThreadGroup::RunsFor(CurrentRun().get());
  Turn turn(this);
  if (turn.TakeToClose(own ? Clock::time_point() : time.deadline())) {
    StopOrAbandon(time.deadline());
  }
}

bool Pipeline::StopWithin(std::chrono::nanoseconds most) {
  // In a child process there is nothing that could be joined.
  if (fork_generation_ != ForkGeneration()) return true;
  Turn turn(this);
  // Another thread that has the turn adds it to the abandoned again if need be.
  return !turn.TakeToClose(Clock::now() + most) || Stop(Clock::now() + most);
}

void DropPipeline(std::shared_ptr<Pipeline> pipeline) {
  if (!pipeline) return;
  pipeline->Close();
  pipeline.reset();
  CollectAbandoned();
}

}  // namespace fastpipe::api
