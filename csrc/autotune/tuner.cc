#include "autotune/tuner.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "core/fault_points.h"
#include "core/guard.h"
#include "runtime/clock.h"
#include "runtime/context.h"
#include "runtime/followed_budget.h"
#include "runtime/idle_cores.h"
#include "runtime/threads.h"

namespace fastpipe {
namespace {

constexpr size_t kLogLines = 500;
// Of its share of the memory budget, from which a stage counts as full.
constexpr double kFullShare = 0.8;

// What a stage has counted up to some moment.
struct Counted {
  int64_t at_ns = 0;
  WorkerTotals workers;
  int64_t starved_ns = 0;
  int64_t elements = 0;
  int64_t delivered = 0;
};

Counted CountedBy(Stage& stage) {
  Counted counted;
  counted.at_ns = WallNanos();
  counted.workers = stage.workers.Read(/*ask_linux=*/true);
  PhaseClock::Totals consumer{};
  stage.consumer.AddTo(&consumer);
  counted.starved_ns = consumer[static_cast<size_t>(Phase::kInput)];
  counted.elements = StageStats::Get(stage.stats.elements);
  counted.delivered = StageStats::Get(stage.stats.delivered);
  return counted;
}

StageSample SampleOf(const Stage& stage, const Counted& before, const Counted& now) {
  const double interval = static_cast<double>(std::max<int64_t>(now.at_ns - before.at_ns, 1));
  const auto share = [interval](int64_t from, int64_t to) {
    return static_cast<double>(std::max<int64_t>(to - from, 0)) / interval;
  };
  const auto phase = [&](Phase phase) { return share(before.workers[phase], now.workers[phase]); };
  StageSample sample;
  sample.id = stage.id;
  sample.label = stage.label;
  sample.compute = phase(Phase::kCompute);
  sample.pull = phase(Phase::kPull);
  sample.room = phase(Phase::kRoom);
  sample.cpu = share(before.workers.cpu_ns, now.workers.cpu_ns);
  sample.core_wait = share(before.workers.core_wait_ns, now.workers.core_wait_ns);
  sample.runnable = static_cast<double>(now.workers.runnable);
  sample.starved = std::min(share(before.starved_ns, now.starved_ns), 1.0);
  sample.last = stage.last.load(std::memory_order_relaxed);
  sample.bytes_full = static_cast<double>(StageStats::Get(stage.stats.buffered_bytes)) >
                      kFullShare * static_cast<double>(stage.byte_limit());
  sample.elements = now.elements - before.elements;
  sample.delivered = now.delivered - before.delivered;
  sample.threads = stage.threads.value();
  sample.min_threads = stage.threads.min();
  sample.max_threads = stage.threads.max();
  sample.window = stage.window.value();
  sample.min_window = stage.window.min();
  sample.max_window = stage.window.max();
  return sample;
}

// One run under the eyes of the tuner. Used under the lock of Watch, but for Log and Latest.
class Watched {
 public:
  explicit Watched(RunContext* run) : run_(run), budget_(run->options().cpu_budget) {}

  int64_t next_look_ns() const { return last_ns_ + period_ns_; }
  double cores_used() const { return cores_used_; }
  // Cores that its threads used or waited for.
  double demand() const { return demand_; }
  double budget() { return static_cast<double>(budget_.At(last_ns_)); }

  RunSample Look() {
    RunSample sample;
    const int64_t now = WallNanos();
    const int64_t process = ReadClock(CLOCK_PROCESS_CPUTIME_ID);
    sample.interval_ns = now - last_ns_;
    process_cores_ = static_cast<double>(process - process_ns_) /
                     static_cast<double>(std::max<int64_t>(sample.interval_ns, 1));
    last_ns_ = now;
    process_ns_ = process;
    period_ns_ = NextPeriod(period_ns_);
    std::map<int64_t, Counted> counted;
    cores_used_ = demand_ = 0;
    run_->stages().ForEach([&](Stage* stage) {
      const auto before = counted_.find(stage->id);
      const Counted& current = counted.emplace(stage->id, CountedBy(*stage)).first->second;
      if (before == counted_.end()) return;
      StageSample one = SampleOf(*stage, before->second, current);
      cores_used_ += one.cpu;
      demand_ += one.cpu + one.core_wait;
      NoteDirect(*stage);
      sample.stages.push_back(std::move(one));
    });
    counted_ = std::move(counted);
    std::erase_if(direct_, [&](const auto& each) { return !counted_.contains(each.first); });
    return sample;
  }
  // Of the whole process, during the last interval.
  double process_cores() const { return process_cores_; }

  void Decide(const RunSample& sample) {
    std::map<int64_t, StageDecision> decisions;
    for (StageDecision& decision : model_.Decide(sample)) {
      const int64_t id = decision.id;
      decisions.emplace(id, std::move(decision));
    }
    for (const std::string& line : std::exchange(direct_lines_, {})) Write(line);
    run_->stages().ForEach([&](Stage* stage) {
      const auto decision = decisions.find(stage->id);
      if (decision != decisions.end()) {
        Write(stage->label + ": " + decision->second.reason);
        stage->threads.Set(decision->second.threads);
        stage->window.Set(decision->second.window);
      } else if (stage->running_threads() >= stage->threads.value()) {
        return;
      }
      FASTPIPE_SYNC("tuner:will_apply");
      FASTPIPE_SYNC("tuner:before_apply");
      // Also where threads could not be had when they were asked for.
      stage->apply();
    });
    MutexLock lock(log_mutex_);
    latest_ = model_.verdict();
  }

  std::vector<std::string> Log() const {
    MutexLock lock(log_mutex_);
    return {log_.begin(), log_.end()};
  }
  Verdict Latest() const {
    MutexLock lock(log_mutex_);
    return latest_;
  }

 private:
  void Write(const std::string& line) {
    char seconds[32];
    snprintf(seconds, sizeof(seconds), "%.3f s ",
             static_cast<double>(last_ns_ - run_->since_ns()) / 1e9);
    MutexLock lock(log_mutex_);
    log_.push_back(seconds + line);
    if (log_.size() > kLogLines) log_.pop_front();
  }

  void NoteDirect(const Stage& stage) {
    const bool direct = stage.direct.load(std::memory_order_relaxed);
    if (std::exchange(direct_[stage.id], direct) == direct) return;
    direct_lines_.push_back(
        stage.label +
        (direct ? ": elements cost less than handing them over; its consumer computes them"
                : ": elements cost more than handing them over; its threads compute them"));
  }

  RunContext* const run_;
  FollowedBudget budget_;
  RunModel model_;
  std::map<int64_t, bool> direct_;  // by Stage::id
  std::vector<std::string> direct_lines_;
  std::map<int64_t, Counted> counted_;  // by Stage::id
  int64_t last_ns_ = WallNanos();
  int64_t process_ns_ = ReadClock(CLOCK_PROCESS_CPUTIME_ID);
  int64_t period_ns_ = kFirstPeriodNanos;
  double process_cores_ = 0;
  double cores_used_ = 0;
  double demand_ = 0;
  mutable Mutex log_mutex_;
  std::deque<std::string> log_ GUARDED_BY(log_mutex_);
  Verdict latest_ GUARDED_BY(log_mutex_);
};

// Cores for one run if others, which want so many, share the rest: they get no more than they want,
// and what is left is shared equally.
double FairShare(std::vector<double> others, double cores) {
  std::sort(others.begin(), others.end());
  for (size_t i = 0; i < others.size(); ++i) {
    const double equal = cores / static_cast<double>(others.size() - i + 1);
    if (others[i] >= equal) return equal;
    cores -= others[i];
  }
  return cores;
}

// The one thread that looks at all runs, and the list of them.
class Watch {
 public:
  static Watch& Get() { return *Instance().load(); }

  void Add(Watched* run) {
    MutexLock lock(mutex_);
    runs_.push_back(run);
    if (thread_) {
      wake_.NotifyAll();
      return;
    }
    const Status started = Guarded([&]() NO_THREAD_SAFETY_ANALYSIS {
      auto stop = std::make_shared<bool>(false);
      stop_ = stop;
      thread_ = std::make_unique<ThreadGroup>("fp-tuner", [this, stop](int) { Run(*stop); });
      return thread_->Resize(1);
    });
    // Without it the knobs stay where they are; the next run asks again.
    if (!started.ok()) thread_.reset();
  }

  // Returns after a look at the run has ended. The last one takes the thread with it.
  void Remove(Watched* run) {
    std::unique_ptr<ThreadGroup> ended;
    {
      MutexLock lock(mutex_);
      std::erase(runs_, run);
      if (!runs_.empty() || !thread_) return;
      *stop_ = true;
      ended = std::move(thread_);
      wake_.NotifyAll();
    }
    ended->Join();
  }

  void LockForFork() NO_THREAD_SAFETY_ANALYSIS { mutex_.Lock(); }
  void UnlockAfterFork(bool in_child) NO_THREAD_SAFETY_ANALYSIS {
    // The thread and the runs are the parent's: the child begins with a watch of its own.
    if (in_child) {
      Instance().store(std::make_unique<Watch>().release());
    } else {
      mutex_.Unlock();
    }
  }

 private:
  static std::atomic<Watch*>& Instance() {
    static std::atomic<Watch*> instance{std::make_unique<Watch>().release()};
    return instance;
  }

  void Run(const bool& stop) {
    MutexLock lock(mutex_);
    while (!stop) {
      int64_t next = WallNanos() + kLastPeriodNanos;
      for (Watched* run : runs_) next = std::min(next, run->next_look_ns());
      const int64_t left = next - WallNanos();
      if (left > 0) {
        wake_.WaitFor(mutex_, std::chrono::nanoseconds(left));
        continue;
      }
      for (Watched* run : runs_) {
        if (run->next_look_ns() > WallNanos()) continue;
        // What cannot be weighed for lack of memory stays as it is until the next look.
        static_cast<void>(Guarded([&]() NO_THREAD_SAFETY_ANALYSIS {
          LookAt(run);
          return Status::Ok();
        }));
      }
    }
  }

  // Cores of the budget that nobody uses; all runs together want `wanted`.
  double Free(double budget, double wanted, const Watched& run) REQUIRES(mutex_) {
    double used = 0;
    for (const Watched* each : runs_) used += each->cores_used();
    const double left = std::min(budget - used, AffinityCores() - run.process_cores());
    // Where that is not known, a core for which threads queue is not free, whoever has it. But
    // threads that wake up all at once queue as well, and then sleep.
    const std::optional<double> idle = idle_cores_.Mean();
    return std::min(left, idle ? *idle : budget - wanted);
  }

  void LookAt(Watched* run) REQUIRES(mutex_) {
    RunSample sample = run->Look();
    const double budget = run->budget();
    double wanted = 0;
    std::vector<double> others;
    for (const Watched* each : runs_) {
      wanted += each->demand();
      if (each != run) others.push_back(each->demand());
    }
    sample.free = std::max(Free(budget, wanted, *run), 0.0);
    sample.cores = run->cores_used() + sample.free;
    if (!others.empty() && wanted > 1.1 * budget) {
      sample.share = FairShare(std::move(others), budget);
      sample.cores = std::max(sample.cores, sample.share);
    }
    run->Decide(sample);
  }

  Mutex mutex_;
  CondVar wake_;
  IdleCores idle_cores_ GUARDED_BY(mutex_);
  std::vector<Watched*> runs_ GUARDED_BY(mutex_);
  std::unique_ptr<ThreadGroup> thread_ GUARDED_BY(mutex_);
  std::shared_ptr<bool> stop_ GUARDED_BY(mutex_);  // for the thread
};

class RunTuner final : public Tuner {
 public:
  explicit RunTuner(RunContext* run) : watched_(run) { Watch::Get().Add(&watched_); }
  ~RunTuner() override { Watch::Get().Remove(&watched_); }
  std::vector<std::string> Log() const override { return watched_.Log(); }
  Verdict Latest() const override { return watched_.Latest(); }

 private:
  Watched watched_;
};

}  // namespace

std::unique_ptr<Tuner> Tuner::Start(RunContext* run) { return std::make_unique<RunTuner>(run); }

Verdict DiagnoseWhole(RunContext* run, int64_t began_ns, int64_t ended_ns) {
  RunSample sample;
  Counted start;
  start.at_ns = began_ns;
  sample.interval_ns = std::max<int64_t>(ended_ns - began_ns, 1);
  sample.cores = static_cast<double>(run->budgeted_options().cpu_budget);
  run->stages().ForEach([&](Stage* stage) {
    Counted end = CountedBy(*stage);
    end.at_ns = ended_ns;
    sample.stages.push_back(SampleOf(*stage, start, end));
  });
  return Diagnose(sample);
}

void LockTunersForFork() { Watch::Get().LockForFork(); }
void UnlockTunersAfterFork(bool in_child) { Watch::Get().UnlockAfterFork(in_child); }

}  // namespace fastpipe
