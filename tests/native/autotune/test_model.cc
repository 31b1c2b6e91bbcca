#include <doctest/doctest.h>

#include "autotune/model.h"

namespace fastpipe {
namespace {

constexpr int64_t kInterval = 100'000'000;

// A stage whose elements take `cost_ns` of wall time, of which `cpu_share` on a core, for a
// consumer that is faster than any number of threads.
StageSample Starved(int64_t threads, int64_t cost_ns, double cpu_share, int64_t useful_threads) {
  StageSample sample;
  sample.interval_ns = kInterval;
  sample.threads = threads;
  sample.max_threads = 64;
  sample.window = sample.min_window = 2;
  sample.max_window = 256;
  sample.delivered = std::min(threads, useful_threads) * kInterval / cost_ns;
  sample.elements = sample.delivered;
  sample.busy_ns = threads * kInterval;
  sample.cpu_ns = static_cast<int64_t>(static_cast<double>(sample.busy_ns) * cpu_share);
  sample.empty_wait_ns = kInterval * 9 / 10;
  return sample;
}

// Applies decisions until nothing changes for a while; returns the threads.
int64_t Settle(StageModel* model, int64_t threads, int64_t cost_ns, double cpu_share,
               int64_t useful_threads, double cores) {
  for (int i = 0; i < 60; ++i) {
    const double used = static_cast<double>(threads) * cpu_share;
    const StageSample sample = Starved(threads, cost_ns, cpu_share, useful_threads);
    threads = model->Decide(sample, std::max(cores - used, 0.0)).threads;
  }
  return threads;
}

TEST_CASE("model: a stage that waits for storage grows far beyond the cores") {
  StageModel model;
  CHECK(Settle(&model, 2, 20'000'000, 0.01, 64, 2) == 64);
}

TEST_CASE("model: a stage that computes grows to the free cores and no further") {
  StageModel model;
  CHECK(Settle(&model, 1, 2'000'000, 1.0, 4, 4) == 4);
}

TEST_CASE("model: threads that wait for a core are not taken for threads that wait for storage") {
  StageModel model;
  StageSample sample = Starved(3, 2'000'000, 0.5, 2);
  CHECK(model.Decide(sample, 0.1).threads == 3);
}

TEST_CASE("model: a step that brings nothing is taken back") {
  StageModel model;
  CHECK(Settle(&model, 4, 5'000'000, 0.1, 4, 8) == 4);
}

TEST_CASE("model: a stage that nobody waits for is left alone") {
  StageModel model;
  StageSample sample = Starved(4, 1'000'000, 1.0, 4);
  sample.empty_wait_ns = 0;
  sample.busy_ns = 0;
  CHECK(model.Decide(sample, 4).reason.empty());
}

TEST_CASE("model: workers that wait for room are given back one by one, down to the minimum") {
  StageModel model;
  StageSample sample;
  sample.interval_ns = kInterval;
  sample.threads = 6;
  sample.max_threads = 64;
  sample.window = sample.max_window = 14;
  for (int i = 0; i < 200; ++i) {
    sample.full_wait_ns = sample.threads * kInterval * 9 / 10;
    sample.threads = model.Decide(sample, 2).threads;
  }
  CHECK(sample.threads == 1);
}

TEST_CASE("model: bursts widen the window") {
  StageModel model;
  StageSample sample = Starved(1, 1'000'000, 0.2, 1);
  sample.busy_ns = kInterval / 5;
  sample.full_wait_ns = kInterval / 2;
  const StageDecision decision = model.Decide(sample, 2);
  CHECK(decision.window == 4);
  CHECK(decision.reason.find("window 2 -> 4") != std::string::npos);
}

}  // namespace
}  // namespace fastpipe
