// What api.cc and api_closing.cc share: turns, and the pipelines whose threads did not come back.
// Thread rule: a Turn lives on the stack of one thread; all else may be called by any thread.
#pragma once

#include <chrono>

#include "api.h"

namespace fastpipe::api {

// Forks between the first process and this one.
int64_t ForkGeneration();

// Joins the threads of abandoned pipelines that have come back. Does not wait.
void CollectAbandoned();
void LockAbandonedForFork();
void UnlockAbandonedAfterFork();

// A thread's turn to use the iterator of a Pipeline, to which the caller holds a reference. At its
// end a Pipeline that was closed meanwhile is stopped.
class Pipeline::Turn {
 public:
  explicit Turn(Pipeline* pipeline) : pipeline_(pipeline) {}
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Waits for the turn; an error if it will never come.
  Status Take();
  // Waits for the turn of a Pipeline that is being closed. False if it must not wait, or if another
  // thread has it until `deadline`: whoever has it stops the Pipeline at the end of its turn.
  bool TakeToClose(std::chrono::steady_clock::time_point deadline);

 private:
  // False if the Pipeline must be stopped first.
  bool End(bool even_if_closing);

  Pipeline* const pipeline_;
  bool mine_ = false;
};

}  // namespace fastpipe::api
