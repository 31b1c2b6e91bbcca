// Tuner: watches the stages of a run and moves their AUTOTUNE knobs.
//
// Contract: starts with the first stage that has a tunable knob, looks after a millisecond at first
// and every 100 ms later, never stops adapting, and writes one line into the log for each decision.
// One thread of the process, which lives as long as there are runs to watch, serves them all, so
// that what they use together stays within the cores.
// Thread rule: any thread; destroyed by one, after which no knob of the run moves.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autotune/model.h"

namespace fastpipe {

class RunContext;

class Tuner {
 public:
  // `run` must outlive it.
  static std::unique_ptr<Tuner> Start(RunContext* run);
  virtual ~Tuner() = default;
  // "0.120 s map (train.py:12): ...; threads 2 -> 4", oldest first, the latest few hundred.
  virtual std::vector<std::string> Log() const = 0;
  // What limits the run, as of the recent past.
  virtual Verdict Latest() const = 0;
};

// What limited `run` between two moments in WallNanos: its first Next and its end, or now. For runs
// without a tuner.
Verdict DiagnoseWhole(RunContext* run, int64_t began_ns, int64_t ended_ns);

// Around a fork. The child has no tuner thread.
void LockTunersForFork();
void UnlockTunersAfterFork(bool in_child);

}  // namespace fastpipe
