// RunModel: what the knobs of a run's stages should be, given what the stages did. Pure arithmetic:
// no clock, no threads. docs/autotune.md derives it.
//
// A stage keeps B threads busy. If the whole run could go g times as fast, the stage would need
// g * B; g is set by whatever ends first: the consumer's pace, the free cores, sequential ops, or a
// stage that has all the threads it may have. So every stage gets what the limit of the run lets it
// use, and no more. A step that cannot be computed (does the storage serve twice the reads at
// once?) is tried: if the rate did not rise, it is taken back and remembered.
//
// Contract: one RunModel a run, called with consecutive intervals; decisions take effect before the
// next interval begins. Thread rule: one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "autotune/diagnosis.h"

namespace fastpipe {

struct StageDecision {
  int64_t id = 0;
  int64_t threads = 1;
  int64_t window = 1;
  std::string reason;
};

// Between two looks: a pipeline is watched closely at first.
constexpr int64_t kFirstPeriodNanos = 1'000'000;
constexpr int64_t kLastPeriodNanos = 100'000'000;
constexpr int64_t NextPeriod(int64_t period) {
  return period + period / 2 < kLastPeriodNanos ? period + period / 2 : kLastPeriodNanos;
}

class RunModel {
 public:
  // The changes that are due, none for most intervals.
  std::vector<StageDecision> Decide(const RunSample& sample);
  // Of the recent past.
  const Verdict& verdict() const { return verdict_; }

 private:
  // What is known of a stage beyond the last interval.
  struct Memory {
    StageSample recent;  // sums over recent intervals, older ones fade
    double recent_ns = 0;
    int64_t below_ns = 0;       // for so long it needed fewer threads than it has ...
    int64_t below_threads = 0;  // ... at most so many
    int64_t calm_ns = 0;        // for so long its consumer did not wait
    // While what the stage costs and how fast it goes stay as they were when this was learnt:
    double learnt_cost = 0, learnt_rate = 0;
    int64_t odd_looks = 0;  // in a row with another cost
    int64_t cap = 0;        // more threads than this brought nothing; 0: not known
    double share = 0;       // cores when the cap was set because others wanted them; 0: it was not
    int64_t floor = 0;      // fewer than this were too few
    int64_t window_floor = 0;  // the same for the window
    int64_t wide_window = 0;   // what bursts asked for
    int64_t retry_ns = 0;      // until the cap is tried again
    int64_t patience_ns = 0;
  };
  // A change whose effect is awaited.
  struct Trial {
    enum class Kind { kNone, kGrow, kWiden, kShrink } kind = Kind::kNone;
    int64_t stage = 0;  // whose rate tells
    double rate_before = 0, starved_before = 0, busy_before = 0;
    bool far = false;       // a stage lost most of its threads
    int64_t settle_ns = 0;  // to pass before measuring
    int64_t measured_ns = 0, measured = 0;
    double starved_ns = 0;
    std::map<int64_t, int64_t> threads_before, windows_before;
  };

  void Remember(const RunSample& sample);
  RunSample Recent(const RunSample& now) const;
  void NoteRegime(const RunSample& sample);
  void Learn(const RunSample& recent);
  std::vector<StageDecision> Leap(const RunSample& sample, const RunSample& recent);
  std::vector<StageDecision> Grow(const RunSample& recent);
  std::vector<StageDecision> Widen(const RunSample& recent);
  std::vector<StageDecision> Shrink(const RunSample& recent, int64_t interval_ns);
  std::vector<StageDecision> Judge(const RunSample& sample);
  std::vector<StageDecision> Conclude(const RunSample& sample, const StageSample& stage,
                                      double rate, double starved);
  std::vector<StageDecision> Trim(const Trial& trial, const StageSample& stage, double gain);
  std::vector<StageDecision> TakeBack(const Trial& trial, const RunSample& sample, double rate);
  void Begin(Trial::Kind kind, const RunSample& recent,
             const std::vector<StageDecision>& decisions);
  void Forget();
  StageDecision Change(const StageSample& stage, int64_t threads, std::string reason);

  std::map<int64_t, Memory> memory_;  // by id
  Trial trial_;
  Verdict verdict_;
  int64_t regime_ns_ = 0;       // since what the stages cost last changed
  bool feels_its_way_ = false;  // since then a step was tried: the next ones are tried too
  int64_t quiet_ns_ = 0;        // since something was asked for
};

}  // namespace fastpipe
