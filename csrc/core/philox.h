// Philox: TensorFlow's random numbers (Philox 4x32-10) as a function of seeds and a counter.
//
// Contract: number `counter` of the stream of two seeds, the same on every machine; a pass can be
// resumed from its counter alone.
// Thread rule: a plain value.
#pragma once

#include <array>
#include <cstdint>

namespace fastpipe {

class Philox {
 public:
  using Words = std::array<uint32_t, 4>;

  Philox(uint64_t seed, uint64_t seed2) : seed_(seed), seed2_(seed2) {}

  // 32 random bits.
  uint32_t At(uint64_t counter) const {
    const uint64_t block = counter / 4;
    return Mix({Low(block), High(block), Low(seed2_), High(seed2_)}, Low(seed_),
               High(seed_))[counter % 4];
  }

  // The 128 random bits of a counter under a key.
  static Words Mix(Words counter, uint32_t key0, uint32_t key1) {
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * counter[0];
      const uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
      counter = {High(b) ^ counter[1] ^ key0, Low(b), High(a) ^ counter[3] ^ key1, Low(a)};
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    return counter;
  }

 private:
  static constexpr uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
  static constexpr uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

  uint64_t seed_;
  uint64_t seed2_;
};

}  // namespace fastpipe
