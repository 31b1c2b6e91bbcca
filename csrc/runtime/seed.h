// Seed: where the random numbers of an op come from.
//
// Contract: numbers are a function of the seed, and for an op that draws anew for each pass also of
// the run and of the epoch in it, so that a pass can be repeated and resumed. They are those that
// TensorFlow draws for the seed.
// Thread rule: plain values.
#pragma once

#include "core/args.h"
#include "core/philox.h"
#include "runtime/context.h"

namespace fastpipe {

// A random seed from the system.
Result<uint64_t> DrawSeed();

// The argument `seed`, or a random one if it is absent. `anew` as in Seed.
Result<Seed> SeedArgument(const Args& args, bool anew);

// The stream of a pass: that of all passes, or with `anew` one of its own. TensorFlow counts the
// passes of a dataset. Here the first pass of every run, and all of the first run, have its
// numbers; what it draws later depends on what was iterated before. `scope` is that of Epochs.
Philox StreamOf(uint64_t seed, bool anew, uint64_t run_index, int64_t epoch, uint64_t scope);

// The random stream of one pass.
class PassSeed {
 public:
  // REQUIRES: op.seed() is not null.
  PassSeed(const Dataset& op, const IteratorContext& context)
      : op_(op),
        run_index_(context.run->run_index()),
        epochs_(context.epochs),
        anew_(op.seed()->anew),
        seed_(SeedsOf(context).Of(op, *op.seed())),
        epoch_(anew_ ? epochs_->Next(&op) : 0) {}

  Philox Random() const {
    return StreamOf(seed_, anew_, run_index_, epoch_, epochs_->ScopeOf(op_));
  }
  void Save(PositionWriter* writer) const { writer->PutInt(epoch_); }
  // The scope goes on with the epoch after this one.
  void Restore(PositionReader* reader) {
    epoch_ = reader->GetCount();
    if (anew_) epochs_->SetNext(&op_, epoch_ + 1);
  }

 private:
  const Dataset& op_;
  const uint64_t run_index_;
  const std::shared_ptr<Epochs> epochs_;
  const bool anew_;
  const uint64_t seed_;
  int64_t epoch_;
};

// For input `index` of an op that pulls from several side by side, as `number` of them. Which of
// two begins its next pass first depends on who is asked, so an input counts its passes for itself
// where it draws anew from an op that an input before it draws from too.
IteratorContext ForInput(const IteratorContext& context, const std::vector<DatasetRef>& inputs,
                         size_t index, int64_t number);

}  // namespace fastpipe
