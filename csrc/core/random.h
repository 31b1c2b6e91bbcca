// CounterRandom and RandomKey: random numbers that are a function of what they belong to.
//
// Contract: the same key and counter give the same number on every machine and for every thread
// count, so a pass can be resumed from its counter alone.
// Thread rule: plain values.
#pragma once

#include <cstdint>

namespace fastpipe {

class DrawnSeeds;  // core/drawn_seeds.h

// A well-mixed function of one 64-bit value (the finaliser of SplitMix64).
constexpr uint64_t MixBits(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class CounterRandom {
 public:
  CounterRandom(uint64_t key, uint64_t stream) : key_(MixBits(MixBits(key) ^ stream)) {}
  // Number `counter` of the stream.
  uint64_t At(uint64_t counter) const { return MixBits(key_ ^ MixBits(counter)); }

 private:
  uint64_t key_;
};

// What the random numbers of a traced function are a function of, besides their own seed and the
// number of the element: where in a run a pass is. It follows from the pipeline alone, never from
// the order in which threads come by, and so from a position too.
struct RandomKey {
  uint64_t run = 0;   // drawn for each run: of numbers that have no seed
  uint64_t pass = 0;  // 0 for the first pass over the inputs of the run
  // Of ops without a seed, if not those of the run: they belong to the iterator that made the pass.
  const DrawnSeeds* seeds = nullptr;

  // Where a pass can be within another one.
  enum class Part : uint64_t { kEpoch = 1, kInput, kElement };
  // The key of epoch, input or inner dataset `number` within this pass.
  RandomKey Within(Part part, int64_t number) const {
    // The first epoch and the first input stand for the whole: repeating a dataset, or appending to
    // it, leaves its numbers as they were.
    if (part != Part::kElement && number == 0) return *this;
    const CounterRandom passes(pass, static_cast<uint64_t>(part));
    return {run, passes.At(static_cast<uint64_t>(number)), seeds};
  }
};

}  // namespace fastpipe
