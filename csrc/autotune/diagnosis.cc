#include "autotune/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/status.h"

namespace fastpipe {
namespace {

std::string Sentence(const Verdict& verdict, const RunSample& sample, double starved) {
  if (verdict.limit == Limit::kIdle) return "nothing is asked of the pipeline";
  if (verdict.limit == Limit::kConsumer) {
    return StrCat("the consumer is the bottleneck: it waits ", Percent(starved),
                  " % of the time for the pipeline");
  }
  const StageSample& stage = sample.stages[verdict.stage];
  double cores = 0;
  for (const StageSample& each : sample.stages) cores += each.cpu;
  switch (verdict.limit) {
    case Limit::kCores:
      return StrCat(stage.label, " limits: ", Decimal(cores), " of ", Decimal(sample.cores),
                    " cores busy, ", Decimal(stage.cpu), " of them there");
    case Limit::kSequential:
      return StrCat("the sequential ops below ", stage.label, " limit: they are busy ",
                    Percent(stage.pull), " % of the time, on one thread");
    case Limit::kMemory:
      return StrCat(stage.label, " limits: its buffers have their share of the memory budget");
    default:
      break;
  }
  const std::string doing =
      stage.blocked() > stage.cpu ? "waits for storage (or for the GIL)" : "computes";
  if (stage.cap > 0 && stage.cap <= stage.threads) {
    return StrCat(stage.label, " ", doing, ": ", stage.threads,
                  " at once, and more brought nothing");
  }
  const std::string most = stage.min_threads == stage.max_threads
                               ? "as many as num_parallel_calls says"
                               : "the most it may have";
  return StrCat(stage.label, " ", doing, ": ", stage.threads, " at once, ", most,
                "; more would help");
}

}  // namespace

int Percent(double share) { return static_cast<int>(std::lround(100 * share)); }

std::string Decimal(double value) {
  char text[32];
  snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

double Starved(const RunSample& sample) {
  double starved = 0;
  for (const StageSample& stage : sample.stages) starved += stage.last ? stage.starved : 0;
  return std::clamp(starved, 0.0, 1.0);
}

double StageSample::blocked() const { return std::max(busy() - cpu - core_wait, 0.0); }

Verdict Diagnose(const RunSample& sample) {
  const double starved = Starved(sample);
  Verdict verdict;
  verdict.limit = Limit::kConsumer;
  verdict.speedup = 1 / std::max(1 - starved, 1.0 / 64);
  double cpu = 0;
  double wanted = 0;  // cores
  size_t hottest = 0;
  bool moving = starved > 0;
  for (size_t i = 0; i < sample.stages.size(); ++i) {
    const StageSample& stage = sample.stages[i];
    cpu += stage.cpu;
    wanted += stage.cpu + stage.core_wait;
    moving = moving || stage.delivered > 0;
    if (stage.cpu > sample.stages[hottest].cpu) hottest = i;
  }
  const auto limit = [&verdict](Limit kind, double speedup, size_t stage) {
    if (speedup >= verdict.speedup) return;
    verdict.limit = kind;
    verdict.speedup = speedup;
    verdict.stage = stage;
  };
  if (!moving || sample.stages.empty()) {
    verdict = Verdict();
  } else if (starved >= 0.01 || sample.share > 0) {
    for (size_t i = 0; i < sample.stages.size(); ++i) {
      const StageSample& stage = sample.stages[i];
      const double threads = static_cast<double>(stage.threads);
      const bool most =
          stage.threads >= stage.max_threads || (stage.cap > 0 && stage.threads >= stage.cap);
      const bool own = stage.compute > stage.pull;
      if (most && own && stage.busy() > 0.5 * threads)
        limit(Limit::kThreads, threads / stage.busy(), i);
      if (stage.pull > 0.05) limit(Limit::kSequential, 1 / stage.pull, i);
      if (stage.bytes_full && stage.starved > 0.01 && stage.room > 0) limit(Limit::kMemory, 1, i);
    }
    verdict.over_share = sample.share > 0 && wanted > 1.1 * sample.share;
    if (verdict.over_share) limit(Limit::kCores, sample.share / wanted, hottest);
    if (cpu > 0.02) limit(Limit::kCores, sample.cores / cpu, hottest);
  }
  verdict.sentence = Sentence(verdict, sample, starved);
  return verdict;
}

}  // namespace fastpipe
