// Diagnosis: what keeps a run from going faster, given what its stages did.
//
// Contract: pure arithmetic, no clock, no threads. docs/autotune.md explains the reasoning. Thread
// rule: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fastpipe {

// What a stage did in an interval, and its knobs. "Threads" are means: time summed over the
// workers, divided by the interval.
struct StageSample {
  int64_t id = 0;
  std::string label;
  double compute = 0;       // threads in the stage's own function
  double pull = 0;          // threads in the sequential ops below it: at most one
  double room = 0;          // threads that wait for the consumer to take something
  double cpu = 0;           // cores that its threads used
  double core_wait = 0;     // threads ready to run that had no core
  double runnable = 0;      // threads that ran or were ready to at its end; 0: not known
  double starved = 0;       // share of the interval in which its consumer waited for it
  bool last = true;         // its consumer is the user's program, not a stage
  bool bytes_full = false;  // what it holds is at its share of the memory budget
  int64_t elements = 0;     // computed
  int64_t delivered = 0;    // taken by the consumer
  int64_t threads = 1, min_threads = 1, max_threads = 1;
  int64_t window = 1, min_window = 1, max_window = 1;  // chunks
  int64_t cap = 0;  // more threads than this are known to bring nothing; 0: not known

  double busy() const { return compute + pull; }
  // Threads that neither computed nor queued for a core: they waited for storage or the GIL.
  double blocked() const;
};

struct RunSample {
  int64_t interval_ns = 0;
  double share = 0;  // threads that may be ready to run, if others want cores too; 0: any number
  double free = 0;   // cores of the budget that nobody uses
  double cores = 1;  // that this run may keep busy: what it uses plus its share of what is free
  std::vector<StageSample> stages;
};

enum class Limit { kIdle, kConsumer, kCores, kSequential, kThreads, kMemory };

// What keeps a run from going faster.
struct Verdict {
  Limit limit = Limit::kIdle;
  bool over_share = false;  // others have a right to cores that it uses or queues for
  double speedup = 1;       // until something else limits
  size_t stage = 0;         // index into the sample
  std::string sentence;     // for the user
};

// `sample` may span any interval, also a whole run.
Verdict Diagnose(const RunSample& sample);

// How decisions and diagnoses write shares and numbers: 7, "1.9".
int Percent(double share);
std::string Decimal(double value);
// Share of the time in which the user's program waited, from 0 to 1.
double Starved(const RunSample& sample);

}  // namespace fastpipe
