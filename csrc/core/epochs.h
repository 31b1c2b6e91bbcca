// Epochs: how many passes over each dataset have begun.
//
// Contract: counts belong to a scope, which is the run as a whole or one element whose function
// made the passes. So what a pass over a captured dataset draws depends on the element it is made
// for, and not on the order in which threads come to their elements. Thread rule: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "core/mutex.h"

namespace fastpipe {

class Dataset;

class Epochs {
 public:
  // `scope` tells the scopes of a run apart; 0 is the run as a whole.
  explicit Epochs(uint64_t scope) : scope_(scope) {}
  uint64_t scope() const { return scope_; }
  // How many iterators of `dataset` were made before, counting this one from now on.
  int64_t Next(const Dataset* dataset);
  // What Next would return, without counting.
  int64_t Upcoming(const Dataset* dataset);
  // The next epoch of `dataset` will be `epoch`.
  void SetNext(const Dataset* dataset, int64_t epoch);

 private:
  int64_t& Count(const Dataset* dataset) REQUIRES(mutex_);

  const uint64_t scope_;
  Mutex mutex_;
  // By owner, not by address: a dataset made inside a function may take the place of a dead one.
  std::map<std::weak_ptr<const Dataset>, int64_t, std::owner_less<>> counts_ GUARDED_BY(mutex_);
  size_t prune_at_ GUARDED_BY(mutex_) = 64;
};

}  // namespace fastpipe
