// SimulatedRun: a pipeline on a virtual clock, for tests of the tuner.
//
// A fluid model: in every interval the rate is the least of what the consumer, the cores, the
// storage and each stage's threads allow, and time in each phase follows from that. The best rate
// is known exactly.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "autotune/model.h"

namespace fastpipe {

struct SimulatedStage {
  double cpu_ms = 0;   // of one element, on a core
  double wait_ms = 0;  // of one element, waiting for storage
  double pull_ms = 0;  // of one element, in sequential ops below, on a core
  double ratio = 1;    // elements for each of the consumer's
  double slots = 1e9;  // waits that the storage serves at once
  int64_t max_threads = 64;
  int64_t threads = 2;
  int64_t window = 6;

  double latency_ms() const { return cpu_ms + wait_ms + pull_ms; }
  // Elements of the consumer a second.
  double Capacity(double with_threads) const {
    double rate = with_threads / latency_ms();
    if (wait_ms > 0) rate = std::min(rate, slots / wait_ms);
    if (pull_ms > 0) rate = std::min(rate, 1 / pull_ms);
    return 1000 * rate / ratio;
  }
};

class SimulatedRun {
 public:
  std::vector<SimulatedStage> stages;  // the first is next to the consumer
  double consumer_ms = 0;              // of one element
  double cores = 2;
  double noise = 0.05;

  explicit SimulatedRun(unsigned seed) : random_(seed) {}

  double Rate() const {
    return RateWith([](const SimulatedStage& stage) { return stage.threads; });
  }
  double BestRate() const {
    return RateWith([](const SimulatedStage& stage) { return stage.max_threads; });
  }
  // The fewest threads with which a stage keeps up with the best rate.
  int64_t Needed(const SimulatedStage& stage) const {
    int64_t threads = 1;
    while (threads < stage.max_threads &&
           stage.Capacity(static_cast<double>(threads)) < 0.999 * BestRate()) {
      ++threads;
    }
    return threads;
  }
  double CoresUsed() const { return Rate() / 1000 * CpuMillis(); }

  // Lets the model look once; true if it changed something.
  bool Step() {
    const RunSample sample = Sample();
    const std::vector<StageDecision> decisions = model.Decide(sample);
    now_ns += period_ns_;
    period_ns_ = NextPeriod(period_ns_);
    for (const StageDecision& decision : decisions) {
      SimulatedStage& stage = stages[static_cast<size_t>(decision.id)];
      stage.threads = decision.threads;
      stage.window = decision.window;
    }
    changes += static_cast<int64_t>(decisions.size());
    return !decisions.empty();
  }
  void RunFor(double seconds) {
    const int64_t end = now_ns + static_cast<int64_t>(seconds * 1e9);
    while (now_ns < end) Step();
  }

  RunModel model;
  int64_t now_ns = 0;
  int64_t changes = 0;

 private:
  template <typename Threads>
  double RateWith(Threads threads) const {
    double rate = consumer_ms > 0 ? 1000 / consumer_ms : 1e12;
    for (const SimulatedStage& stage : stages) {
      rate = std::min(rate, stage.Capacity(static_cast<double>(threads(stage))));
    }
    return std::min(rate, 1000 * cores / std::max(CpuMillis(), 1e-9));
  }
  // Of all stages, for one element of the consumer.
  double CpuMillis() const {
    double cpu = 0;
    for (const SimulatedStage& stage : stages) cpu += stage.ratio * (stage.cpu_ms + stage.pull_ms);
    return cpu;
  }
  double Noisy(double value) {
    return value * (1 + noise * std::uniform_real_distribution<>(-1, 1)(random_));
  }

  RunSample Sample() {
    const double rate = Rate();
    RunSample sample;
    sample.interval_ns = period_ns_;
    const double seconds = static_cast<double>(period_ns_) / 1e9;
    // The stage that limits: behind it all wait for input, before it all wait for room.
    size_t limit = stages.size();
    const bool cores_limit = 1000 * cores / std::max(CpuMillis(), 1e-9) < 1.001 * rate;
    for (size_t i = 0; i < stages.size(); ++i) {
      const bool by_threads =
          stages[i].Capacity(static_cast<double>(stages[i].threads)) < 1.001 * rate;
      const bool by_cores = cores_limit && stages[i].cpu_ms > 0;
      if (by_threads || by_cores) limit = i;
    }
    for (size_t i = 0; i < stages.size(); ++i) {
      const SimulatedStage& stage = stages[i];
      const double threads = static_cast<double>(stage.threads);
      const double elements = rate * stage.ratio / 1000;  // a millisecond
      StageSample one;
      one.id = static_cast<int64_t>(i);
      one.label = "stage";
      one.last = i == 0;
      one.pull = std::min(elements * stage.pull_ms, 1.0);
      one.compute = std::min(elements * (stage.cpu_ms + stage.wait_ms), threads - one.pull);
      one.cpu = elements * (stage.cpu_ms + stage.pull_ms);
      const double idle = std::max(threads - one.compute - one.pull, 0.0);
      if (i == limit && stage.pull_ms * elements < 0.99) {
        one.compute += idle;
        if (cores_limit) one.core_wait = idle;
      }
      if (i > limit || limit == stages.size()) one.room = idle;
      one.compute = Noisy(one.compute);
      one.cpu = Noisy(one.cpu);
      const double consumer = i == 0 ? consumer_ms * rate / 1000 : 0.5;
      one.starved = i <= limit && limit < stages.size() ? 1 - std::min(consumer, 1.0) : 0;
      // Rounded at random, so that slow stages are neither too fast nor too slow on average.
      const double count = Noisy(elements * 1000 * seconds);
      one.elements = static_cast<int64_t>(count + std::uniform_real_distribution<>(0, 1)(random_));
      one.delivered = one.elements;
      one.threads = stage.threads;
      one.max_threads = stage.max_threads;
      one.window = stage.window;
      one.min_window = 2;
      one.max_window = 2 * stage.max_threads + 2;
      sample.stages.push_back(one);
    }
    sample.cores = std::max(cores, CoresUsed());
    sample.free = std::max(cores - CoresUsed(), 0.0);
    return sample;
  }

  std::mt19937 random_;
  int64_t period_ns_ = kFirstPeriodNanos;
};

}  // namespace fastpipe
