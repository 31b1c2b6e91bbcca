// Epochs: how many passes over each dataset have begun.
//
// Contract: counts belong to a scope, which is the run as a whole, one element whose function made
// the passes, or one of several inputs that draw from the same op. So what a pass over a captured
// dataset draws depends on the element it is made for, and not on the order in which threads come
// to their elements. Thread rule: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/mutex.h"
#include "core/position.h"

namespace fastpipe {

class Dataset;

class Epochs {
 public:
  // `scope` tells the scopes of a run apart; 0 is the run as a whole.
  explicit Epochs(uint64_t scope, bool of_input = false) : scope_(scope), of_input_(of_input) {}
  // What tells the passes over `dataset` apart from those of other scopes. A dataset that was made
  // for one element begins anew, as in TensorFlow.
  uint64_t ScopeOf(const Dataset& dataset) const;
  // How many iterators of `dataset` were made before, counting this one from now on.
  int64_t Next(const Dataset* dataset);
  // What Next would return, without counting.
  int64_t Upcoming(const Dataset* dataset);
  // The next epoch of `dataset` will be `epoch`.
  void SetNext(const Dataset* dataset, int64_t epoch);

 private:
  int64_t& Count(const Dataset* dataset) REQUIRES(mutex_);

  const uint64_t scope_;
  const bool of_input_;
  Mutex mutex_;
  // By owner, not by address: a dataset made inside a function may take the place of a dead one.
  std::map<std::weak_ptr<const Dataset>, int64_t, std::owner_less<>> counts_ GUARDED_BY(mutex_);
  size_t prune_at_ GUARDED_BY(mutex_) = 64;
};

// How many passes over an op and over what is below it had begun. It is part of the position where
// iterators are made as a pass goes on, or dropped, because those that are made after restoring
// have to be the same passes. Thread rule: one thread at a time.
class EpochCounts {
 public:
  EpochCounts(const Dataset& op, std::shared_ptr<Epochs> epochs)
      : op_(op), epochs_(std::move(epochs)) {}
  // To be called when an iterator was made, or has ended.
  void Note();
  void Save(PositionWriter* writer) const;
  // Before what is below restores its own.
  void Restore(PositionReader* reader);

 private:
  std::vector<const Dataset*> Counted() const;

  const Dataset& op_;
  const std::shared_ptr<Epochs> epochs_;
  std::vector<int64_t> upcoming_;  // of Counted()
};

}  // namespace fastpipe
