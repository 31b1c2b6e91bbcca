#include "runtime/worker_clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

#include "runtime/clock.h"

namespace fastpipe {
namespace {

constexpr size_t kMostAsked = 12;

thread_local WorkerClock* clock_of_thread = nullptr;
thread_local int64_t waited_by_thread = 0;

// The text of a small file of thread `thread` of this process; empty if there is none.
std::string_view ReadOfThread(int thread, const char* name, std::span<char> text) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/self/task/%d/%s", thread, name);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = read(file, text.data(), text.size() - 1);
  close(file);
  if (size <= 0) return {};
  text[static_cast<size_t>(size)] = 0;
  return {text.data(), static_cast<size_t>(size)};
}

// How long the thread was ready to run and had no core; -1 if Linux does not say.
int64_t CoreWaitNanos(int thread) {
  char text[128];
  const std::string_view numbers = ReadOfThread(thread, "schedstat", text);
  if (numbers.empty()) return -1;
  char* end = nullptr;
  static_cast<void>(std::strtoll(text, &end, 10));  // on a core
  return std::strtoll(end, nullptr, 10);
}

bool IsRunnable(int thread) {
  char text[512];
  const std::string_view fields = ReadOfThread(thread, "stat", text);
  const size_t name_end = fields.rfind(") ");
  return name_end != std::string_view::npos && name_end + 2 < fields.size() &&
         fields[name_end + 2] == 'R';
}

}  // namespace

PhaseClock::PhaseClock(Phase phase) : phase_(static_cast<int>(phase)), since_(WallNanos()) {}

int64_t PhaseClock::NanosInPhase() const {
  return WallNanos() - since_.load(std::memory_order_relaxed);
}

PhaseClock::Ended PhaseClock::Enter(Phase phase) {
  const int64_t now = WallNanos();
  const int64_t lasted = now - since_.load(std::memory_order_relaxed);
  const int ended = phase_.load(std::memory_order_relaxed);
  const uint32_t version = version_.load(std::memory_order_relaxed);
  version_.store(version + 1, std::memory_order_relaxed);
  // Each store below is a release, so that none is seen before the odd version.
  std::atomic<int64_t>& total = totals_[static_cast<size_t>(ended)];
  total.store(total.load(std::memory_order_relaxed) + lasted, std::memory_order_release);
  since_.store(now, std::memory_order_release);
  phase_.store(static_cast<int>(phase), std::memory_order_release);
  version_.store(version + 2, std::memory_order_release);
  return {static_cast<Phase>(ended), lasted};
}

void PhaseClock::AddTo(Totals* totals) const {
  Totals read{};
  int64_t since = 0;
  int phase = 0;
  uint32_t version = 0;
  do {
    version = version_.load(std::memory_order_acquire);
    for (size_t i = 0; i < kPhases; ++i) read[i] = totals_[i].load(std::memory_order_acquire);
    since = since_.load(std::memory_order_acquire);
    phase = phase_.load(std::memory_order_acquire);
  } while (version % 2 == 1 || version != version_.load(std::memory_order_relaxed));
  read[static_cast<size_t>(phase)] += std::max<int64_t>(WallNanos() - since, 0);
  for (size_t i = 0; i < kPhases; ++i) (*totals)[i] += read[i];
}

WorkerTotals WorkerClocks::Read(bool ask_linux) {
  MutexLock lock(mutex_);
  if (ask_linux) AskLinux();
  WorkerTotals totals = ended_;
  for (const WorkerClock* clock : clocks_) clock->AddTo(&totals);
  totals.core_wait_ns = core_wait_ns_;
  totals.runnable = runnable_;
  return totals;
}

// Asks about the first few threads, and takes the others to be like them.
void WorkerClocks::AskLinux() {
  if (Scheduler::OfThread() != nullptr) return;  // Linux decides nothing
  const int64_t number = ++asks_;
  const size_t asked = std::min(clocks_.size(), kMostAsked);
  int64_t waited = 0;
  runnable_ = 0;
  for (size_t i = 0; i < asked; ++i) {
    WorkerClock* clock = clocks_[i];
    const int64_t now = CoreWaitNanos(clock->thread_);
    if (now < 0) continue;
    const int64_t before = std::exchange(clock->core_wait_ns_, now);
    // One that has only now moved up to the first few says nothing about this interval alone.
    if (std::exchange(clock->asked_, number) == number - 1) waited += clock->core_wait_ns_ - before;
    runnable_ += IsRunnable(clock->thread_) ? 1 : 0;
  }
  if (asked == 0) return;
  core_wait_ns_ += waited * static_cast<int64_t>(clocks_.size()) / static_cast<int64_t>(asked);
  runnable_ = runnable_ * static_cast<int64_t>(clocks_.size()) / static_cast<int64_t>(asked);
}

WorkerClock::WorkerClock(WorkerClocks* clocks)
    : clocks_(clocks), thread_(static_cast<int>(syscall(SYS_gettid))) {
  if (pthread_getcpuclockid(pthread_self(), &cpu_clock_) != 0) {
    cpu_clock_ = CLOCK_THREAD_CPUTIME_ID;
  }
  clock_of_thread = this;
  MutexLock lock(clocks_->mutex_);
  asked_ = clocks_->asks_;
  clocks_->clocks_.push_back(this);
}

WorkerClock::~WorkerClock() {
  clock_of_thread = nullptr;
  MutexLock lock(clocks_->mutex_);
  clocks_->clocks_.erase(std::find(clocks_->clocks_.begin(), clocks_->clocks_.end(), this));
  AddTo(&clocks_->ended_);
}

void WorkerClock::AddTo(WorkerTotals* totals) const {
  clock_.AddTo(&totals->ns);
  totals->cpu_ns += ReadClock(cpu_clock_);
}

InputWait::InputWait(PhaseClock* consumer) : consumer_(consumer), worker_(clock_of_thread) {
  consumer_->Enter(Phase::kInput);
  if (worker_ != nullptr) before_ = worker_->clock_.Enter(Phase::kInput).phase;
}

InputWait::~InputWait() {
  if (worker_ != nullptr) worker_->clock_.Enter(before_);
  waited_by_thread += consumer_->Enter(Phase::kPull).ns;
}

int64_t InputWait::OfThisThread() { return waited_by_thread; }

}  // namespace fastpipe
