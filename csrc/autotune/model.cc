#include "autotune/model.h"

#include <algorithm>

#include "core/status.h"

namespace fastpipe {
namespace {

constexpr double kStarvedShare = 0.05;    // of the time, the consumer waits
constexpr double kBusyShare = 0.6;        // of the worker time
constexpr double kComputingShare = 0.6;   // of busy time spent on a core
constexpr double kFreeCores = 0.5;        // at least so many, or the cores are all taken
constexpr double kIdleShare = 0.6;        // of the worker time, waiting for room
constexpr double kWorthwhileGain = 1.05;  // of the rate
constexpr int64_t kTrialSamples = 2;
constexpr int64_t kFirstPatience = 10;
constexpr int64_t kMaxPatience = 320;
constexpr int64_t kIdleSamples = 10;
constexpr int64_t kWindowPerThread = 2;

int64_t WindowFor(int64_t threads, const StageSample& sample) {
  return std::clamp(std::max(sample.window, kWindowPerThread * threads + 2), sample.min_window,
                    sample.max_window);
}

}  // namespace

StageDecision StageModel::Decide(const StageSample& sample, double spare_cores) {
  StageDecision keep{sample.threads, sample.window, ""};
  if (sample.interval_ns <= 0) return keep;
  if (threads_before_ != 0) {
    trial_delivered_ += sample.delivered;
    trial_ns_ += sample.interval_ns;
    // A rate from a handful of results says nothing: give slow stages more time.
    if (--trial_samples_ > 0 || (trial_delivered_ < 8 && trial_samples_ > -20)) return keep;
    return Judge(sample,
                 static_cast<double>(trial_delivered_) * 1e9 / static_cast<double>(trial_ns_));
  }
  if (patience_ > 0) --patience_;
  const double interval = static_cast<double>(sample.interval_ns);
  const double worker_time = interval * static_cast<double>(sample.threads);
  const double starved = static_cast<double>(sample.empty_wait_ns) / interval;
  const double idle = static_cast<double>(sample.full_wait_ns) / worker_time;
  idle_samples_ = idle > kIdleShare && starved < kStarvedShare ? idle_samples_ + 1 : 0;
  if (starved > kStarvedShare && patience_ == 0) {
    if (static_cast<double>(sample.busy_ns) / worker_time > kBusyShare) {
      return Grow(sample, spare_cores);
    }
    // Sometimes empty, sometimes full: the work comes in bursts, which a larger window evens out.
    if (sample.full_wait_ns > 0 && sample.window < sample.max_window) {
      const int64_t window = std::min(2 * sample.window, sample.max_window);
      return {sample.threads, window,
              StrCat("bursts: the consumer waited ", static_cast<int>(100 * starved),
                     " % of the time and the workers waited for room; window ", sample.window,
                     " -> ", window)};
    }
  }
  if (idle_samples_ >= kIdleSamples && sample.threads > sample.min_threads) {
    idle_samples_ = 0;
    return {sample.threads - 1, sample.window,
            StrCat("workers waited for room ", static_cast<int>(100 * idle),
                   " % of the time; threads ", sample.threads, " -> ", sample.threads - 1)};
  }
  return keep;
}

StageDecision StageModel::Grow(const StageSample& sample, double spare_cores) {
  const double busy = static_cast<double>(std::max<int64_t>(sample.busy_ns, 1));
  // With all cores taken a thread waits for a core, not for storage: more of them help nobody.
  const bool computing =
      static_cast<double>(sample.cpu_ns) / busy > kComputingShare || spare_cores < kFreeCores;
  int64_t threads =
      computing ? sample.threads + static_cast<int64_t>(spare_cores + 0.25) : 2 * sample.threads;
  threads = std::min(threads, sample.max_threads);
  if (threads <= sample.threads) return {sample.threads, sample.window, ""};
  rate_before_ =
      static_cast<double>(sample.delivered) * 1e9 / static_cast<double>(sample.interval_ns);
  threads_before_ = sample.threads;
  trial_samples_ = kTrialSamples;
  trial_delivered_ = trial_ns_ = 0;
  return {threads, WindowFor(threads, sample),
          StrCat("the consumer waits and all workers are busy ",
                 computing ? "computing" : "waiting (storage or the GIL)", "; threads ",
                 sample.threads, " -> ", threads)};
}

StageDecision StageModel::Judge(const StageSample& sample, double rate) {
  const int64_t before = threads_before_;
  threads_before_ = 0;
  if (rate > rate_before_ * kWorthwhileGain) {
    next_patience_ = 0;
    return {sample.threads, sample.window, ""};
  }
  next_patience_ = std::clamp(2 * next_patience_, kFirstPatience, kMaxPatience);
  patience_ = next_patience_;
  return {
      before, sample.window,
      StrCat("no gain: ", static_cast<int64_t>(rate_before_), " -> ", static_cast<int64_t>(rate),
             " results/s; threads ", sample.threads, " -> ", before)};
}

}  // namespace fastpipe
