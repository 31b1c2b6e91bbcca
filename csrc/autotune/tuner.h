// Tuner: one thread that watches the stages of a run and moves their AUTOTUNE knobs.
//
// Contract: starts with the first stage that has a tunable knob, looks every 10 ms at first and
// every 100 ms later, never stops adapting, and writes one line into the log for each decision.
// Thread rule: Watch and log from any thread; destroyed by one, after which no knob moves.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace fastpipe {

class RunContext;

class Tuner {
 public:
  // `run` must outlive it.
  static std::unique_ptr<Tuner> Start(RunContext* run);
  virtual ~Tuner() = default;
  // "0.120 s map (train.py:12): ...; threads 2 -> 4", oldest first, the latest few hundred.
  virtual std::vector<std::string> Log() const = 0;
};

}  // namespace fastpipe
