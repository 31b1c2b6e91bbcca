// Seed and DrawnSeeds: the seeds that a run has for the ops that were given none.
//
// Contract: an op without a seed draws one when it is made, so all runs of one dataset share it,
// and a dataset that another process makes of the same description has another. A position brings
// along those that its run had. Ops are told apart by their order in Dataset::drawing_below().
// Thread rule: immutable once restored.
#pragma once

#include <cstdint>
#include <map>

#include "core/dataset.h"
#include "core/position.h"

namespace fastpipe {

struct Seed {
  uint64_t value = 0;
  bool drawn = false;  // when the op was made: it was given none
  bool anew = false;   // the passes of a run differ from each other
};

class DrawnSeeds {
 public:
  // The seed of `op`, which was made with `seed`.
  uint64_t Of(const Dataset& op, const Seed& seed) const;

  // Writes those of `dataset` and of all below it.
  void Save(const Dataset& dataset, PositionWriter* writer) const;
  // Puts those in the place of what was there. FailedPrecondition: they are of another dataset.
  Status Restore(const Dataset& dataset, std::string_view saved);

 private:
  std::map<const Dataset*, uint64_t> seeds_;
};

}  // namespace fastpipe
