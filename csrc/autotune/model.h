// StageModel: what a stage's knobs should be, given what it counted. Pure arithmetic: no clock, no
// threads.
//
// A stage limits the pipeline if its consumer waits for it while its workers are busy. Busy workers
// that compute get more threads up to the free cores; busy workers that wait (on storage, on the
// GIL) get twice as many. A step must pay: if the rate did not rise, it is taken back and not tried
// again for a while. A stage whose workers mostly wait for room has too many and gives one back.
#pragma once

#include <cstdint>
#include <string>

namespace fastpipe {

// Differences of a stage's counters over one interval, and its knobs.
struct StageSample {
  int64_t interval_ns = 0;
  int64_t delivered = 0;
  int64_t elements = 0;
  int64_t busy_ns = 0;
  int64_t cpu_ns = 0;
  int64_t full_wait_ns = 0;
  int64_t empty_wait_ns = 0;
  int64_t threads = 1;
  int64_t min_threads = 1;
  int64_t max_threads = 1;
  int64_t window = 1;
  int64_t min_window = 1;
  int64_t max_window = 1;
};

struct StageDecision {
  int64_t threads = 1;
  int64_t window = 1;
  std::string reason;  // empty: nothing changes
};

class StageModel {
 public:
  // `spare_cores`: cores of the budget that no stage kept busy during the interval.
  StageDecision Decide(const StageSample& sample, double spare_cores);

 private:
  StageDecision Judge(const StageSample& sample, double rate);
  StageDecision Grow(const StageSample& sample, double spare_cores);

  double rate_before_ = 0;      // results a second before the step on trial
  int64_t threads_before_ = 0;  // 0: no step on trial
  int64_t trial_samples_ = 0;   // left until the step is judged
  int64_t trial_delivered_ = 0;
  int64_t trial_ns_ = 0;
  int64_t patience_ = 0;  // samples to pass before growing again
  int64_t next_patience_ = 0;
  int64_t idle_samples_ = 0;  // in a row, workers mostly waited for room
};

}  // namespace fastpipe
