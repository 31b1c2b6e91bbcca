// Philox: TensorFlow's random numbers (Philox-4x32 with ten rounds: Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3").
//
// Contract: a stream is a function of its key and a counter, the same on every machine, and can be
// entered anywhere: a pass can be resumed from its counter alone.
// Thread rule: plain values, one thread at a time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace fastpipe {

class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  Philox() = default;
  // The stream of two seeds as they are; it begins at block `low`.
  Philox(uint64_t key, uint64_t high, uint64_t low = 0) : key_(key), low_(low), high_(high) {}
  // The stream of a seed. Its two halves are scrambled, so that neither needs to be a good one.
  static Philox OfSeed(uint64_t first, uint64_t second) {
    const Block mixed = Philox(0x02461e293ec8f720, second, first).Next();
    return Philox(Join(mixed[0], mixed[1]), Join(mixed[2], mixed[3]));
  }

  Block Next() {
    Block block = {Low(low_), High(low_), Low(high_), High(high_)};
    uint32_t a = Low(key_);
    uint32_t b = High(key_);
    for (int round = 0; round < 10; ++round) {
      const uint64_t x = uint64_t{0xd2511f53} * block[0];
      const uint64_t y = uint64_t{0xcd9e8d57} * block[2];
      block = {High(y) ^ block[1] ^ a, Low(y), High(x) ^ block[3] ^ b, Low(x)};
      a += 0x9e3779b9;
      b += 0xbb67ae85;
    }
    Skip(1);
    return block;
  }
  // Number `place` from here on.
  uint32_t At(uint64_t place) const {
    Philox from = *this;
    from.Skip(place / 4);
    return from.Next()[place % 4];
  }
  void Skip(uint64_t blocks) {
    low_ += blocks;
    if (low_ < blocks) ++high_;
  }

  static uint64_t Join(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

 private:
  static uint32_t Low(uint64_t value) { return static_cast<uint32_t>(value); }
  static uint32_t High(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

  uint64_t key_ = 0;
  // The counter.
  uint64_t low_ = 0;
  uint64_t high_ = 0;
};

// One number of a stream after the other.
class PhiloxNumbers {
 public:
  explicit PhiloxNumbers(Philox blocks) : blocks_(blocks) {}
  uint32_t Next() {
    if (used_ == block_.size()) {
      block_ = blocks_.Next();
      used_ = 0;
    }
    return block_[used_++];
  }
  // Uniform in [0, limit), without bias. REQUIRES: limit > 0.
  uint32_t Below(uint32_t limit) {
    if ((limit & (limit - 1)) == 0) return Next() & (limit - 1);
    const uint32_t skewed = UINT32_MAX % limit + 1;
    uint32_t number = Next();
    while (number < skewed) number = Next();
    return number % limit;
  }
  float NextFloat();
  double NextDouble();

 private:
  Philox blocks_;
  Philox::Block block_{};
  size_t used_ = 4;
};

// Uniform in [0, 1): the bits are those of the fraction of a number in [1, 2).
inline float UnitFloat(uint32_t bits) {
  return std::bit_cast<float>(uint32_t{127} << 23 | (bits & 0x7fffff)) - 1.0f;
}
inline double UnitDouble(uint32_t high, uint32_t low) {
  return std::bit_cast<double>(uint64_t{1023} << 52 | Philox::Join(low, high & 0xfffff)) - 1.0;
}

inline float PhiloxNumbers::NextFloat() { return UnitFloat(Next()); }
inline double PhiloxNumbers::NextDouble() {
  const uint32_t high = Next();
  return UnitDouble(high, Next());
}

}  // namespace fastpipe
