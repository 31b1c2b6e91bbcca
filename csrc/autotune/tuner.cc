#include "autotune/tuner.h"

#include <deque>
#include <map>

#include "autotune/model.h"
#include "runtime/clock.h"
#include "runtime/context.h"
#include "runtime/threads.h"

namespace fastpipe {
namespace {

constexpr int64_t kFirstPeriodNanos = 10'000'000;
constexpr int64_t kLastPeriodNanos = 100'000'000;
constexpr int64_t kPatienceNanos = 500'000'000;
constexpr size_t kLogLines = 500;

class ThreadTuner final : public Tuner {
 public:
  explicit ThreadTuner(RunContext* run) : run_(run), thread_("fp-tuner", [this](int) { Watch(); }) {
    // Without it the knobs stay where they are.
    static_cast<void>(thread_.Resize(1));
  }
  ~ThreadTuner() override {
    {
      MutexLock lock(mutex_);
      stopping_ = true;
      wake_.NotifyAll();
    }
    thread_.Join();
  }

  std::vector<std::string> Log() const override {
    MutexLock lock(mutex_);
    return {log_.begin(), log_.end()};
  }

 private:
  struct Watched {
    StageModel model;
    StageSample totals;  // the counters when last judged
    int64_t since_ns = 0;
  };

  void Watch() {
    const int64_t start = WallNanos();
    int64_t period = kFirstPeriodNanos;
    while (Pause(period)) {
      Step(WallNanos() - start);
      period = std::min(period + period / 4, kLastPeriodNanos);
    }
  }

  // False once the tuner must stop.
  bool Pause(int64_t nanos) {
    const int64_t deadline = WallNanos() + nanos;
    MutexLock lock(mutex_);
    while (!stopping_) {
      const int64_t left = deadline - WallNanos();
      if (left <= 0) return true;
      wake_.WaitFor(mutex_, std::chrono::nanoseconds(left));
    }
    return false;
  }

  static StageSample Totals(const Stage& stage) {
    StageSample totals;
    totals.delivered = StageStats::Get(stage.stats.delivered);
    totals.elements = StageStats::Get(stage.stats.elements);
    totals.busy_ns = StageStats::Get(stage.stats.busy_ns);
    totals.cpu_ns = StageStats::Get(stage.stats.cpu_ns);
    totals.full_wait_ns = StageStats::Get(stage.stats.full_wait_ns);
    totals.empty_wait_ns = StageStats::Get(stage.stats.empty_wait_ns);
    return totals;
  }

  static StageSample Since(const StageSample& before, const StageSample& totals, const Stage& stage,
                           int64_t interval_ns) {
    StageSample sample;
    sample.interval_ns = interval_ns;
    sample.delivered = totals.delivered - before.delivered;
    sample.elements = totals.elements - before.elements;
    sample.busy_ns = totals.busy_ns - before.busy_ns;
    sample.cpu_ns = totals.cpu_ns - before.cpu_ns;
    sample.full_wait_ns = totals.full_wait_ns - before.full_wait_ns;
    sample.empty_wait_ns = totals.empty_wait_ns - before.empty_wait_ns;
    sample.threads = stage.threads.value();
    sample.min_threads = stage.threads.min();
    sample.max_threads = stage.threads.max();
    sample.window = stage.window.value();
    sample.min_window = stage.window.min();
    sample.max_window = stage.window.max();
    return sample;
  }

  void Step(int64_t since_start_ns) {
    const double cores = static_cast<double>(run_->budgeted_options().cpu_budget);
    std::map<int64_t, Watched> still;
    double busy_cores = 0;
    const int64_t now = WallNanos();
    run_->stages().ForEach([&](Stage* stage) {
      auto node = watched_.extract(stage->id);
      const bool seen = !node.empty();
      Watched& watched = seen ? still.insert(std::move(node)).position->second : still[stage->id];
      const StageSample totals = Totals(*stage);
      if (!seen) {
        watched.totals = totals;
        watched.since_ns = now;
        return;
      }
      const StageSample sample = Since(watched.totals, totals, *stage, now - watched.since_ns);
      busy_cores +=
          static_cast<double>(sample.cpu_ns) / static_cast<double>(sample.interval_ns + 1);
      // Too few results say nothing about a stage whose elements take longer than a period.
      if (sample.elements < 2 * sample.threads && sample.interval_ns < kPatienceNanos) return;
      watched.totals = totals;
      watched.since_ns = now;
      Apply(stage, &watched, sample, cores - busy_cores, since_start_ns);
    });
    watched_ = std::move(still);
  }

  void Apply(Stage* stage, Watched* watched, const StageSample& sample, double spare_cores,
             int64_t since_start_ns) {
    if (!stage->threads.tunable() && !stage->window.tunable()) return;
    const StageDecision decision = watched->model.Decide(sample, std::max(spare_cores, 0.0));
    if (decision.reason.empty()) return;
    stage->threads.Set(decision.threads);
    stage->window.Set(decision.window);
    stage->apply();
    MutexLock lock(mutex_);
    char seconds[32];
    snprintf(seconds, sizeof(seconds), "%.3f s ", static_cast<double>(since_start_ns) / 1e9);
    log_.push_back(StrCat(seconds, stage->label, ": ", decision.reason));
    if (log_.size() > kLogLines) log_.pop_front();
  }

  RunContext* const run_;
  std::map<int64_t, Watched> watched_;  // by Stage::id; of the tuner's thread
  mutable Mutex mutex_;
  CondVar wake_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::deque<std::string> log_ GUARDED_BY(mutex_);
  ThreadGroup thread_;
};

}  // namespace

std::unique_ptr<Tuner> Tuner::Start(RunContext* run) { return std::make_unique<ThreadTuner>(run); }

}  // namespace fastpipe
