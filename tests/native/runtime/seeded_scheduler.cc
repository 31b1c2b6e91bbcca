#include "seeded_scheduler.h"

#ifdef FASTPIPE_SCHEDULED

#include <semaphore.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "core/random.h"
#include "core/scheduler.h"
#include "core/status.h"

namespace fastpipe {
namespace {

constexpr size_t kMostSteps = 1'000'000;
constexpr size_t kMostThreads = 256;
// Of so many steps one wakes a waiter that nobody notified.
constexpr uint64_t kSpurious = 512;

// Only the thread whose turn it is touches any of it; turns are handed over by semaphores.
class SeededScheduler final : public Scheduler {
 public:
  SeededScheduler(uint64_t seed, OnDeadlock on_deadlock)
      : seed_(seed), random_(MixBits(seed)), on_deadlock_(on_deadlock) {
    // Some schedules hand over at every step, others keep to a thread for long.
    switch_one_in_ = uint64_t{1} << (2 * Below(3));
    // And in some, time goes fast enough for what happens every millisecond or so.
    step_ns_ = int64_t{500} << (4 * Below(3));
    SetOfThread(this);
  }
  ~SeededScheduler() { SetOfThread(nullptr); }

  const ScheduleTrace& trace() {
    trace_.ended_ns = now_;
    return trace_;
  }

  void Lock(const void* mutex) override {
    Step();
    Acquire(mutex);
  }
  void Unlock(const void* mutex) override {
    Release(mutex);
    Step();
  }
  void Wait(const void* condition, const void* mutex) override {
    WaitUntil(condition, mutex, kNever);
  }
  bool WaitFor(const void* condition, const void* mutex,
               std::chrono::nanoseconds timeout) override {
    return WaitUntil(condition, mutex, now_ + std::max<int64_t>(timeout.count(), 0));
  }
  void Notify(const void* condition, bool all) override {
    std::vector<Thread*> waiting = WaitingFor(condition);
    while (!waiting.empty()) {
      const size_t chosen = Below(waiting.size());
      waiting[chosen]->Wake();
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
      if (!all) break;
    }
    Step();
  }

  int Spawn() override {
    if (count_ == kMostThreads) Fail("too many threads");
    return static_cast<int>(count_++);
  }
  void Begin(int thread) override {
    SetOfThread(this);
    threads_[static_cast<size_t>(thread)].AwaitTurn();
  }
  void End() override {
    SetOfThread(nullptr);
    Self().ended = true;
    for (Thread* joining : WaitingFor(&Self())) joining->Wake();
    running_ = Choose();
    trace_.threads.push_back(running_);
    Self().GiveTurn();
  }
  void Join(int thread) override {
    Thread& other = threads_[static_cast<size_t>(thread)];
    while (!other.ended) Block(&other, kNever);
  }
  int64_t Now() override { return now_; }

 private:
  static constexpr int64_t kNever = INT64_MAX;

  struct Thread {
    Thread() { sem_init(&turn, 0, 0); }
    ~Thread() { sem_destroy(&turn); }
    void GiveTurn() { sem_post(&turn); }
    void AwaitTurn() {
      while (sem_wait(&turn) != 0) continue;
    }

    sem_t turn;
    const void* waits_for = nullptr;  // a condition, a mutex or a thread; null: it can go on
    int64_t deadline = kNever;
    bool timed_out = false;
    bool ended = false;

    void Wake() {
      waits_for = nullptr;
      deadline = kNever;
    }
    void TimeOut() {
      Wake();
      timed_out = true;
    }
  };

  Thread& Self() { return threads_[static_cast<size_t>(running_)]; }

  uint64_t Below(uint64_t bound) {
    random_ = MixBits(random_ + 1);
    return random_ % bound;
  }

  std::vector<Thread*> WaitingFor(const void* what) {
    std::vector<Thread*> waiting;
    for (size_t i = 0; i < count_; ++i) {
      if (threads_[i].waits_for == what) waiting.push_back(&threads_[i]);
    }
    return waiting;
  }

  void Acquire(const void* mutex) {
    while (owners_.contains(mutex)) Block(mutex, kNever);
    owners_[mutex] = running_;
  }
  void Release(const void* mutex) {
    owners_.erase(mutex);
    for (Thread* waiting : WaitingFor(mutex)) waiting->Wake();
  }

  bool WaitUntil(const void* condition, const void* mutex, int64_t deadline) {
    if (failed()) throw Deadlock(trace_.deadlock);
    Release(mutex);
    Self().timed_out = false;
    const bool spurious = Below(kSpurious) == 0;
    if (spurious) {
      Step();
    } else {
      Block(condition, deadline);
    }
    const bool timed_out = Self().timed_out;
    Acquire(mutex);
    if (failed()) throw Deadlock(trace_.deadlock);
    return !timed_out;
  }

  // Until somebody wakes this thread, or `deadline`.
  void Block(const void* what, int64_t deadline) {
    Self().waits_for = what;
    Self().deadline = deadline;
    HandOver(Choose());
  }

  void Step() {
    if (trace_.threads.size() > kMostSteps) Fail("the threads go on for ever");
    if (Below(switch_one_in_) == 0) HandOver(Choose());
  }

  void HandOver(int next) {
    trace_.threads.push_back(next);
    now_ += step_ns_;
    if (next == running_) return;
    Thread& self = Self();
    running_ = next;
    Self().GiveTurn();
    self.AwaitTurn();
  }

  // A thread that can go on; if there is none, time jumps to where one can.
  int Choose() {
    std::vector<int> able;
    size_t first = 0;
    for (size_t i = 0; i < count_; ++i) {
      if (threads_[i].deadline <= now_) threads_[i].TimeOut();
      if (threads_[i].deadline < threads_[first].deadline) first = i;
      if (threads_[i].ended || threads_[i].waits_for != nullptr) continue;
      able.push_back(static_cast<int>(i));
    }
    if (!able.empty()) return able[Below(able.size())];
    if (threads_[first].deadline == kNever) {
      Fail("no thread can go on");
      return Choose();
    }
    now_ = std::max(now_, threads_[first].deadline);
    threads_[first].TimeOut();
    return static_cast<int>(first);
  }

  bool failed() const { return !trace_.deadlock.empty(); }

  void Fail(const char* what) {
    const std::string report = StrCat("schedule of seed ", seed_, ": ", what, " after ",
                                      trace_.threads.size(), " steps of ", count_, " threads");
    if (on_deadlock_ == OnDeadlock::kAbort || failed()) {
      fprintf(stderr, "%s\n", report.c_str());
      std::abort();
    }
    trace_.deadlock = report;
    // Whoever waits for a condition finds out; for locks and ends of threads they wait on.
    for (size_t i = 0; i < count_; ++i) threads_[i].Wake();
  }

  const uint64_t seed_;
  uint64_t random_;
  const OnDeadlock on_deadlock_;
  uint64_t switch_one_in_ = 1;
  int64_t step_ns_ = 500;
  int64_t now_ = 1'000'000'000;
  int running_ = 0;
  // Never moved: a thread waits for its first turn before it may look at anything else.
  const std::unique_ptr<Thread[]> threads_ = std::make_unique<Thread[]>(kMostThreads);
  size_t count_ = 1;
  std::map<const void*, int> owners_;
  ScheduleTrace trace_;
};

}  // namespace

ScheduleTrace RunSchedule(uint64_t seed, const std::function<void()>& scenario,
                          OnDeadlock on_deadlock) {
  SeededScheduler scheduler(seed, on_deadlock);
  scenario();
  return scheduler.trace();
}

}  // namespace fastpipe

#endif  // FASTPIPE_SCHEDULED
