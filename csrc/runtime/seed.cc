#include "runtime/seed.h"

#include <sys/random.h>

namespace fastpipe {
namespace {

// TensorFlow's seed of a graph without one, and the number of seeds of an op.
constexpr uint64_t kGraphSeed = 87654321;
constexpr int64_t kOpSeeds = INT32_MAX;

}  // namespace

Result<uint64_t> DrawSeed() {
  uint64_t drawn = 0;
  if (getrandom(&drawn, sizeof(drawn), 0) != sizeof(drawn)) {
    return Internal("the system gave no random seed");
  }
  return drawn;
}

Result<Seed> SeedArgument(const Args& args) {
  if (!args.Has("seed")) {
    FASTPIPE_ASSIGN(const uint64_t drawn, DrawSeed());
    return Seed{drawn, true};
  }
  FASTPIPE_ASSIGN(const int64_t seed, args.Int("seed"));
  const int64_t rest = seed % kOpSeeds;
  return Seed{static_cast<uint64_t>(rest < 0 ? rest + kOpSeeds : rest)};
}

void EpochsBelow::Note() {
  upcoming_.clear();
  for (const DatasetRef& op : op_.drawing_below()) upcoming_.push_back(epochs_->Upcoming(op.get()));
}

void EpochsBelow::Save(PositionWriter* writer) const {
  for (int64_t upcoming : upcoming_) writer->PutInt(upcoming);
}

void EpochsBelow::Restore(PositionReader* reader) {
  upcoming_.clear();
  for (const DatasetRef& op : op_.drawing_below()) {
    upcoming_.push_back(reader->GetCount());
    epochs_->SetNext(op.get(), upcoming_.back());
  }
}

Philox StreamOf(uint64_t seed, bool anew, uint64_t run_index, int64_t epoch, uint64_t scope) {
  const Philox fixed(kGraphSeed, seed);
  if (!anew) return fixed;
  uint64_t pass = epoch == 0 ? run_index : (run_index << 32) + static_cast<uint64_t>(epoch);
  if (scope != 0) pass = MixBits(pass ^ scope);
  return Philox(fixed.At(2 * pass), fixed.At(2 * pass + 1));
}

}  // namespace fastpipe
