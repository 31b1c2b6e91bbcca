// Seed: where the random numbers of an op come from.
//
// Contract: numbers are a function of the seed, and for an op that draws anew for each pass also of
// the run and of the epoch in it, so that a pass can be repeated and resumed.
// Thread rule: plain values.
#pragma once

#include "core/args.h"
#include "core/philox.h"
#include "core/random.h"
#include "runtime/context.h"

namespace fastpipe {

// The argument `seed`, or a random one if it is absent.
Result<uint64_t> SeedArgument(const Args& args);

// The random stream of one pass.
class PassSeed {
 public:
  // `anew`: passes differ from each other.
  PassSeed(const Dataset& op, uint64_t seed, bool anew, RunContext* run)
      : op_(op), run_(run), anew_(anew), seed_(seed), epoch_(anew ? run->NextEpoch(&op) : 0) {}

  CounterRandom Random() const {
    const uint64_t run_key = anew_ ? MixBits(run_->run_index()) : 0;
    return CounterRandom(seed_ ^ run_key, static_cast<uint64_t>(epoch_));
  }
  // The numbers that TensorFlow draws in this pass, as far as its runs can be told apart: with
  // `anew`, those of the epochs of the first run.
  Philox TensorFlowRandom() const {
    const int64_t cut = static_cast<int64_t>(seed_) % kTensorFlowSeeds;
    const Philox given(kTensorFlowGraphSeed,
                       static_cast<uint64_t>(cut < 0 ? cut + kTensorFlowSeeds : cut));
    if (!anew_) return given;
    const uint64_t pass = (run_->run_index() << 32) + static_cast<uint64_t>(epoch_);
    return Philox(given.At(2 * pass), given.At(2 * pass + 1));
  }
  void Save(PositionWriter* writer) const {
    writer->PutInt(static_cast<int64_t>(seed_));
    writer->PutInt(epoch_);
  }
  // The run goes on with the epoch after this one.
  void Restore(PositionReader* reader) {
    seed_ = static_cast<uint64_t>(reader->GetInt());
    epoch_ = reader->GetCount();
    if (anew_) run_->SetNextEpoch(&op_, epoch_ + 1);
  }

 private:
  static constexpr uint64_t kTensorFlowGraphSeed = 87654321;
  static constexpr int64_t kTensorFlowSeeds = INT32_MAX;  // it takes seeds modulo this

  const Dataset& op_;
  RunContext* const run_;
  const bool anew_;
  uint64_t seed_;
  int64_t epoch_;
};

}  // namespace fastpipe
