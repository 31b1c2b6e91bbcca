#include "autotune/model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/status.h"

namespace fastpipe {
namespace {

constexpr double kMillisecond = 1e6;
constexpr double kSecond = 1e9;

constexpr double kMemoryOfRecent = 0.4 * kSecond;  // older intervals fade with this time constant
constexpr double kEnoughToGrow = 20 * kMillisecond;
constexpr double kWorthGrowing = 1.1;   // the speed-up in sight
constexpr double kGain = 1.05;          // of the rate, or the step is taken back
constexpr double kBlockedMargin = 1.2;  // waits vary: threads that mostly wait get some more
constexpr double kFill = 1.25;          // no stage gets more threads than fill all cores so often
constexpr int64_t kMaxStep = 4;

// At the start and after a change of what elements cost: threads that all hang cost nothing, so
// nothing needs to be tried out.
constexpr double kEnoughToLeap = 4 * kMillisecond;
constexpr double kLeapWithin = 0.5 * kSecond;
constexpr int64_t kLeapStep = 8;
constexpr int64_t kLeapThreads = 64;

constexpr double kSurplusFor = 1 * kSecond;  // so long before threads are given back
constexpr double kOverShareFor = 0.3 * kSecond;
// Storage that has recovered leaves many times the threads that are needed: they cost CPU time.
constexpr double kFarTooManyFor = 0.3 * kSecond;
constexpr int64_t kFarTooMany = 3;
constexpr double kCalmFor = 10 * kSecond;  // so long before a wide window is halved
constexpr double kOtherRegime = 1.6;       // change of cost or rate that voids what was learnt
constexpr int64_t kOddLooks = 2;           // in a row with such a cost, or it was chance
constexpr double kFirstPatience = 20 * kSecond;
constexpr double kMaxPatience = 300 * kSecond;
constexpr int64_t kWindowPerThread = 2;

// What of a sample is a mean over its interval.
constexpr double StageSample::* kMeans[] = {
    &StageSample::compute,   &StageSample::pull,     &StageSample::room,   &StageSample::cpu,
    &StageSample::core_wait, &StageSample::runnable, &StageSample::starved};

int64_t Nanos(double nanos) { return static_cast<int64_t>(nanos); }
bool Differs(double before, double now) {
  return before > 0 && now > 0 && std::max(before / now, now / before) > kOtherRegime;
}

// Nanoseconds of one worker for one element.
double Cost(const StageSample& stage, double interval_ns) {
  const double working = std::max(stage.busy() - stage.core_wait, 0.0);
  return working * interval_ns / static_cast<double>(std::max<int64_t>(stage.elements, 1));
}

double Rate(const StageSample& stage, double interval_ns) {
  return static_cast<double>(stage.delivered) * kSecond / std::max(interval_ns, 1.0);
}

// Threads that a stage needs if the run goes `speedup` times as fast.
int64_t Need(const StageSample& stage, double speedup, double margin) {
  const double threads = speedup * (stage.cpu + kBlockedMargin * stage.blocked()) + margin;
  return std::clamp(static_cast<int64_t>(std::ceil(threads)), stage.min_threads, stage.max_threads);
}

// Threads with which a stage would fill all cores by itself.
int64_t Filling(const StageSample& stage, double cores) {
  if (stage.cpu < 0.01) return stage.max_threads;
  const double busy = std::max(stage.busy() - stage.core_wait, stage.cpu);
  return std::max<int64_t>(1, std::llround(kFill * cores * busy / stage.cpu));
}

int64_t WindowFor(const StageSample& stage, int64_t threads, int64_t wide) {
  return std::clamp(std::max(kWindowPerThread * threads + 2, wide), stage.min_window,
                    stage.max_window);
}

}  // namespace

std::vector<StageDecision> RunModel::Decide(const RunSample& sample) {
  if (sample.interval_ns <= 0) return {};
  regime_ns_ += sample.interval_ns;
  NoteRegime(sample);
  Remember(sample);
  const RunSample recent = Recent(sample);
  verdict_ = Diagnose(recent);
  // Nobody asked for anything: that says nothing about what is needed when somebody does.
  const Verdict now = Diagnose(sample);
  quiet_ns_ = now.limit == Limit::kIdle ? quiet_ns_ + sample.interval_ns : 0;
  if (quiet_ns_ > Nanos(kSecond)) verdict_ = now;
  if (quiet_ns_ > 0) return {};
  // What is owed to other runs does not wait for a trial to end.
  if (verdict_.over_share && trial_.kind != Trial::Kind::kShrink) trial_ = Trial();
  std::vector<StageDecision> decisions;
  if (trial_.kind != Trial::Kind::kNone) {
    decisions = Judge(sample);
  } else {
    Learn(recent);
    decisions = Leap(sample, recent);
    if (decisions.empty()) decisions = Grow(recent);
    if (decisions.empty()) decisions = Widen(recent);
    if (decisions.empty()) decisions = Shrink(recent, sample.interval_ns);
  }
  if (!decisions.empty()) Forget();
  return decisions;
}

// Adds an interval to what is known of the recent past.
void RunModel::Remember(const RunSample& sample) {
  const double interval = static_cast<double>(sample.interval_ns);
  const double fade = std::exp(-interval / kMemoryOfRecent);
  std::map<int64_t, Memory> still;
  for (const StageSample& stage : sample.stages) {
    Memory memory = std::move(memory_[stage.id]);
    StageSample& sum = memory.recent;
    const auto add = [&](double StageSample::* field) {
      sum.*field = fade * sum.*field + interval * stage.*field;
    };
    for (const auto field : kMeans) {
      add(field);
    }
    // Counted in thousandths, so that fading loses nothing of a slow stage.
    sum.elements = Nanos(fade * static_cast<double>(sum.elements)) + 1000 * stage.elements;
    sum.delivered = Nanos(fade * static_cast<double>(sum.delivered)) + 1000 * stage.delivered;
    memory.recent_ns = fade * memory.recent_ns + interval;
    memory.retry_ns = std::max<int64_t>(memory.retry_ns - sample.interval_ns, 0);
    memory.calm_ns = stage.starved > 0.01 ? 0 : memory.calm_ns + sample.interval_ns;
    still.emplace(stage.id, std::move(memory));
  }
  memory_ = std::move(still);
}

// The mean of the recent intervals, with the knobs of the last one.
RunSample RunModel::Recent(const RunSample& now) const {
  RunSample recent;
  recent.cores = 0;
  recent.free = now.free;
  recent.share = now.share;
  for (const StageSample& stage : now.stages) {
    const Memory& memory = memory_.at(stage.id);
    StageSample mean = stage;
    for (const auto field : kMeans) {
      mean.*field = memory.recent.*field / memory.recent_ns;
    }
    mean.elements = memory.recent.elements / 1000;
    mean.delivered = memory.recent.delivered / 1000;
    mean.cap = memory.share > 0 ? 0 : memory.cap;
    recent.interval_ns = Nanos(memory.recent_ns);
    recent.cores += mean.cpu;
    recent.stages.push_back(std::move(mean));
  }
  recent.cores = std::max(recent.cores + now.free, now.share);
  return recent;
}

// After a change the past says nothing about the future.
void RunModel::Forget() {
  for (auto& [id, memory] : memory_) {
    memory.recent = StageSample();
    memory.recent_ns = 0;
    memory.below_ns = memory.below_threads = memory.calm_ns = 0;
  }
}

// What was learnt about a stage holds as long as its elements cost what they did.
void RunModel::NoteRegime(const RunSample& sample) {
  const double interval = static_cast<double>(sample.interval_ns);
  bool changed = false;
  for (const StageSample& stage : sample.stages) {
    Memory& memory = memory_[stage.id];
    // Storage that is at its limit makes each of twice as many reads take twice as long.
    const double before = trial_.threads_before.contains(stage.id)
                              ? static_cast<double>(trial_.threads_before.at(stage.id))
                              : static_cast<double>(stage.threads);
    const double crowd = std::max(static_cast<double>(stage.threads) / before, 1.0);
    double cost = Cost(stage, interval);
    if (cost > memory.learnt_cost) cost = std::max(cost / crowd, memory.learnt_cost);
    // Without a result the cost is at least this, if there should have been some.
    const bool tells =
        stage.elements >= 8 || stage.busy() * interval > 4 * std::max(memory.learnt_cost, 1.0);
    const bool other = memory.learnt_cost > 0 && tells && stage.busy() > 0 &&
                       (stage.elements >= 8 || cost > memory.learnt_cost) &&
                       Differs(memory.learnt_cost, cost);
    memory.odd_looks = other ? memory.odd_looks + 1 : 0;
    changed = changed || memory.odd_looks >= kOddLooks;
  }
  if (!changed) return;
  trial_ = Trial();
  regime_ns_ = 0;
  feels_its_way_ = false;
  for (auto& [id, memory] : memory_) memory = Memory();
}

void RunModel::Learn(const RunSample& recent) {
  for (const StageSample& stage : recent.stages) {
    Memory& memory = memory_.at(stage.id);
    if (memory.recent_ns < kMemoryOfRecent / 2 || stage.elements < 8) continue;
    const double rate = Rate(stage, memory.recent_ns);
    if (Differs(memory.learnt_rate, rate)) {
      memory.cap = memory.floor = memory.window_floor = memory.retry_ns = memory.patience_ns = 0;
      memory.learnt_rate = rate;
    }
    if (memory.learnt_cost == 0) memory.learnt_cost = Cost(stage, memory.recent_ns);
    if (memory.learnt_rate == 0) memory.learnt_rate = rate;
  }
}

StageDecision RunModel::Change(const StageSample& stage, int64_t threads, std::string reason) {
  threads = std::clamp(threads, stage.min_threads, stage.max_threads);
  const int64_t window = WindowFor(stage, threads, memory_.at(stage.id).wide_window);
  return {stage.id, threads, window, StrCat(reason, "; threads ", stage.threads, " -> ", threads)};
}

std::vector<StageDecision> RunModel::Leap(const RunSample& sample, const RunSample& recent) {
  const bool early = static_cast<double>(regime_ns_) < kLeapWithin && !feels_its_way_;
  // With cores in use, threads may hang in the kernel for other reasons than storage.
  if (!early || Starved(sample) < 0.5 || sample.free < 0.5 * sample.cores) return {};
  std::vector<StageDecision> decisions;
  for (size_t i = 0; i < sample.stages.size(); ++i) {
    const StageSample& stage = sample.stages[i];
    const StageSample& mean = recent.stages[i];
    const double threads = static_cast<double>(stage.threads);
    const bool hang = mean.busy() > 0.75 * threads && mean.blocked() > 0.9 * mean.busy() &&
                      mean.pull < 0.5 * mean.busy() && stage.busy() > 0.75 * threads &&
                      mean.runnable < 0.1 * threads;
    if (!hang || memory_.at(stage.id).recent_ns < kEnoughToLeap) continue;
    int64_t most = std::min(
        {stage.max_threads, kLeapThreads, kLeapStep * stage.threads, Filling(stage, sample.cores)});
    const Memory& memory = memory_.at(stage.id);
    if (memory.cap > 0) most = std::min(most, memory.cap);
    if (most <= stage.threads) continue;
    decisions.push_back(
        Change(stage, most, "the consumer waits, and all threads wait (storage or the GIL)"));
  }
  return decisions;
}

std::vector<StageDecision> RunModel::Grow(const RunSample& recent) {
  if (verdict_.speedup < kWorthGrowing || Starved(recent) < 0.01) return {};
  std::vector<StageDecision> decisions;
  for (const StageSample& stage : recent.stages) {
    const Memory& memory = memory_.at(stage.id);
    const double enough =
        std::min(std::max(kEnoughToGrow, 1.5 * Cost(stage, memory.recent_ns)), kSecond);
    if (memory.recent_ns < enough) continue;
    int64_t threads = std::min(Need(stage, verdict_.speedup, -0.15), kMaxStep * stage.threads);
    threads = std::min(threads, Filling(stage, recent.cores));
    // Others that wanted the cores as well may have gone.
    const bool more_cores = memory.share > 0 && recent.cores > kOtherRegime * memory.share;
    if (memory.cap > 0 && memory.retry_ns > 0 && !more_cores) {
      threads = std::min(threads, memory.cap);
    }
    if (threads <= stage.threads) continue;
    decisions.push_back(
        Change(stage, threads,
               StrCat("the consumer waits ", Percent(Starved(recent)), " % of the time, ",
                      Decimal(stage.busy()), " threads are busy, ", Decimal(stage.cpu),
                      " of them on a core")));
  }
  Begin(Trial::Kind::kGrow, recent, decisions);
  return decisions;
}

std::vector<StageDecision> RunModel::Widen(const RunSample& recent) {
  if (Starved(recent) < 0.01) return {};
  std::vector<StageDecision> decisions;
  for (const StageSample& stage : recent.stages) {
    Memory& memory = memory_.at(stage.id);
    const bool bursts = stage.starved > 0.02 &&
                        stage.room > 0.05 * static_cast<double>(stage.threads) && !stage.bytes_full;
    if (!bursts || stage.window >= stage.max_window || memory.retry_ns > 0) continue;
    if (memory.recent_ns < 0.1 * kSecond) continue;
    memory.wide_window = std::min(2 * stage.window, stage.max_window);
    decisions.push_back({stage.id, stage.threads, memory.wide_window,
                         StrCat("bursts: the consumer waits ", Percent(stage.starved),
                                " % of the time, and the threads for room; window ", stage.window,
                                " -> ", memory.wide_window)});
  }
  Begin(Trial::Kind::kWiden, recent, decisions);
  return decisions;
}

std::vector<StageDecision> RunModel::Shrink(const RunSample& recent, int64_t interval_ns) {
  const bool over_share = verdict_.over_share;
  const double speedup = over_share ? verdict_.speedup : std::max(verdict_.speedup, 1.0);
  const double margin = verdict_.limit == Limit::kCores ? -0.15 : 0.1;
  const double patience = over_share ? kOverShareFor : kSurplusFor;
  std::vector<StageDecision> decisions;
  for (const StageSample& stage : recent.stages) {
    Memory& memory = memory_.at(stage.id);
    int64_t need = Need(stage, verdict_.limit == Limit::kConsumer ? 1 : speedup, margin);
    if (over_share) {
      // Threads that queue for a core are what the others have to wait for.
      StageSample wanted = stage;
      wanted.cpu += std::exchange(wanted.core_wait, 0);
      need = Need(wanted, speedup, margin);
    }
    if (!over_share) need = std::max(need, std::min(memory.floor, stage.max_threads));
    if (need >= stage.threads) {
      memory.below_ns = memory.below_threads = 0;
    } else {
      memory.below_ns += interval_ns;
      memory.below_threads = std::max(memory.below_threads, need);
      const bool far = kFarTooMany * memory.below_threads < stage.threads;
      if (static_cast<double>(memory.below_ns) < (far ? kFarTooManyFor : patience)) continue;
      if (over_share) {
        memory.cap = memory.below_threads;
        memory.retry_ns = Nanos(kFirstPatience);
        memory.share = recent.cores;
      }
      decisions.push_back(Change(stage, memory.below_threads,
                                 StrCat("of its threads ", Decimal(stage.busy()), " are busy, ",
                                        Decimal(stage.cpu), " on a core")));
      continue;
    }
    const int64_t base = WindowFor(stage, stage.threads, 0);
    const bool calm = static_cast<double>(memory.calm_ns) > kCalmFor;
    if (calm && memory.wide_window > std::max(base, memory.window_floor)) {
      memory.wide_window = std::max({stage.window / 2, base, memory.window_floor});
      decisions.push_back({stage.id, stage.threads, memory.wide_window,
                           StrCat("the consumer has not waited for long; window ", stage.window,
                                  " -> ", memory.wide_window)});
    }
  }
  if (!over_share) Begin(Trial::Kind::kShrink, recent, decisions);
  return decisions;
}

void RunModel::Begin(Trial::Kind kind, const RunSample& recent,
                     const std::vector<StageDecision>& decisions) {
  if (decisions.empty()) return;
  trial_ = Trial();
  trial_.kind = kind;
  feels_its_way_ = feels_its_way_ || kind == Trial::Kind::kGrow;
  trial_.starved_before = Starved(recent);
  double greatest = 0;
  double slowest = 0;
  for (const StageDecision& decision : decisions) {
    const auto stage = std::find_if(recent.stages.begin(), recent.stages.end(),
                                    [&](const auto& each) { return each.id == decision.id; });
    const double interval = memory_.at(stage->id).recent_ns;
    trial_.far = trial_.far || kFarTooMany * decision.threads < stage->threads;
    trial_.threads_before[stage->id] = stage->threads;
    trial_.windows_before[stage->id] = stage->window;
    slowest = std::max(slowest, Cost(*stage, interval));
    const double ratio = std::abs(std::log(static_cast<double>(decision.threads * decision.window) /
                                           static_cast<double>(stage->threads * stage->window)));
    if (ratio < greatest) continue;
    greatest = ratio;
    trial_.stage = stage->id;
    trial_.rate_before = Rate(*stage, interval);
    trial_.busy_before = stage->busy() - stage->core_wait;
  }
  trial_.settle_ns = Nanos(std::clamp(2 * slowest, 10 * kMillisecond, 2 * kSecond));
}

std::vector<StageDecision> RunModel::Judge(const RunSample& sample) {
  const auto stage = std::find_if(sample.stages.begin(), sample.stages.end(),
                                  [&](const auto& each) { return each.id == trial_.stage; });
  if (stage == sample.stages.end()) {
    trial_.kind = Trial::Kind::kNone;
    return {};
  }
  if (trial_.settle_ns > 0) {
    trial_.settle_ns -= sample.interval_ns;
    return {};
  }
  trial_.measured_ns += sample.interval_ns;
  trial_.measured += stage->delivered;
  trial_.starved_ns += Starved(sample) * static_cast<double>(sample.interval_ns);
  const double measured_ns = static_cast<double>(trial_.measured_ns);
  // Whether less does as well shows only when the next burst comes; that it does not, at once.
  const bool shrunk = trial_.kind == Trial::Kind::kShrink;
  const bool too_few = trial_.starved_ns > (trial_.starved_before + 0.2) * measured_ns;
  const double least = (shrunk && !too_few ? 2 : 0.15) * kSecond;
  const bool enough = (measured_ns > least && trial_.measured >= 32) ||
                      (measured_ns > 2 * kSecond && trial_.measured >= 4) ||
                      measured_ns > 10 * kSecond;
  if (!enough) return {};
  return Conclude(sample, *stage, static_cast<double>(trial_.measured) * kSecond / measured_ns,
                  trial_.starved_ns / measured_ns);
}

std::vector<StageDecision> RunModel::Conclude(const RunSample& sample, const StageSample& stage,
                                              double rate, double starved) {
  const Trial trial = std::move(trial_);
  trial_ = Trial();
  const double gain = rate / std::max(trial.rate_before, 1e-9);
  const bool held = gain > 1 / kGain;
  bool paid = false;
  switch (trial.kind) {
    case Trial::Kind::kGrow:
      paid = gain > kGain || starved < 0.5 * trial.starved_before;
      break;
    case Trial::Kind::kWiden:
      paid = gain > 1.02 || (held && starved < 0.7 * trial.starved_before);
      break;
    default:  // fewer threads or less room must do as well
      // Without many threads in its way the consumer may take more, and then waits more. What it
      // waits for is computed next.
      paid = gain > kGain || (trial.starved_before < 0.01 && !trial.far ? starved < 0.02 : held);
  }
  // What was learnt before holds again when the step is taken back.
  if (!paid) return TakeBack(trial, sample, rate);
  for (const auto& [id, threads] : trial.threads_before) {
    if (memory_.contains(id)) memory_.at(id).learnt_cost = memory_.at(id).learnt_rate = 0;
  }
  if (trial.kind == Trial::Kind::kGrow) return Trim(trial, stage, gain);
  return {};
}

// The step paid, but by less than it cost: the limit lies in between, and can be computed.
std::vector<StageDecision> RunModel::Trim(const Trial& trial, const StageSample& stage,
                                          double gain) {
  const double needed = kBlockedMargin * trial.busy_before * gain;
  const int64_t threads = static_cast<int64_t>(std::ceil(needed));
  if (threads < trial.threads_before.at(stage.id) || threads + 1 >= stage.threads) return {};
  return {Change(stage, threads,
                 StrCat("so many serve ", Decimal(gain), " times the rate of ",
                        trial.threads_before.at(stage.id)))};
}

std::vector<StageDecision> RunModel::TakeBack(const Trial& trial, const RunSample& sample,
                                              double rate) {
  std::vector<StageDecision> decisions;
  for (const StageSample& stage : sample.stages) {
    if (!trial.threads_before.contains(stage.id)) continue;
    const int64_t threads = trial.threads_before.at(stage.id);
    const int64_t window = trial.windows_before.at(stage.id);
    Memory& memory = memory_.at(stage.id);
    memory.wide_window = window > WindowFor(stage, threads, 0) ? window : 0;
    if (trial.kind == Trial::Kind::kShrink) {
      memory.floor = std::max(memory.floor, threads);
      memory.window_floor = std::max(memory.window_floor, window);
    } else {
      if (trial.kind == Trial::Kind::kGrow) {
        memory.cap = threads;
        memory.share = 0;
      }
      memory.patience_ns = Nanos(
          std::clamp(2 * static_cast<double>(memory.patience_ns), kFirstPatience, kMaxPatience));
      memory.retry_ns = memory.patience_ns;
    }
    decisions.push_back({stage.id, threads, window,
                         StrCat(trial.kind == Trial::Kind::kShrink ? "too few" : "no gain", ": ",
                                std::llround(trial.rate_before), " -> ", std::llround(rate),
                                " elements/s; threads ", stage.threads, " -> ", threads,
                                ", window ", stage.window, " -> ", window)});
  }
  return decisions;
}

}  // namespace fastpipe
