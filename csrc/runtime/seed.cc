#include "runtime/seed.h"

#include <sys/random.h>

#include <algorithm>

namespace fastpipe {
namespace {

// Whether passes over the two count passes over the same op.
bool CountTogether(const Dataset& a, const Dataset& b) {
  const std::vector<const Dataset*> first = a.DrawingOps();
  const std::vector<const Dataset*> second = b.DrawingOps();
  return std::any_of(first.begin(), first.end(), [&](const Dataset* op) {
    return op->seed()->anew && std::find(second.begin(), second.end(), op) != second.end();
  });
}

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

Result<Seed> SeedArgument(const Args& args, bool anew) {
  if (!args.Has("seed")) {
    FASTPIPE_ASSIGN(const uint64_t drawn, DrawSeed());
    return Seed{drawn, /*drawn=*/true, anew};
  }
  FASTPIPE_ASSIGN(const int64_t seed, args.Int("seed"));
  const int64_t rest = seed % kOpSeeds;
  return Seed{static_cast<uint64_t>(rest < 0 ? rest + kOpSeeds : rest), /*drawn=*/false, anew};
}

IteratorContext ForInput(const IteratorContext& context, const std::vector<DatasetRef>& inputs,
                         size_t index, int64_t number) {
  IteratorContext made = context.Within(RandomKey::Part::kInput, number);
  const bool shares =
      std::any_of(inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(index),
                  [&](const DatasetRef& before) { return CountTogether(*before, *inputs[index]); });
  if (!shares) return made;
  const RandomKey own = context.random.Within(RandomKey::Part::kInput, static_cast<int64_t>(index));
  made.epochs = std::make_shared<Epochs>(own.pass, /*of_input=*/true);
  return made;
}

Philox StreamOf(uint64_t seed, bool anew, uint64_t run_index, int64_t epoch, uint64_t scope) {
  const Philox fixed(kGraphSeed, seed);
  if (!anew) return fixed;
  uint64_t pass = epoch == 0 ? run_index : (run_index << 32) + static_cast<uint64_t>(epoch);
  if (scope != 0) pass = MixBits(pass ^ scope);
  return Philox(fixed.At(2 * pass), fixed.At(2 * pass + 1));
}

}  // namespace fastpipe
