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
  Philox(uint64_t seed, uint64_t seed2) : seed_(seed), seed2_(seed2) {}

  // 32 random bits.
  uint32_t At(uint64_t counter) const { return Block(counter / 4)[counter % 4]; }

 private:
  using Words = std::array<uint32_t, 4>;
  static constexpr uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
  static constexpr uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

  Words Block(uint64_t number) const {
    Words words = {Low(number), High(number), Low(seed2_), High(seed2_)};
    uint32_t key[2] = {Low(seed_), High(seed_)};
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * words[0];
      const uint64_t b = uint64_t{0xCD9E8D57} * words[2];
      words = {High(b) ^ words[1] ^ key[0], Low(b), High(a) ^ words[3] ^ key[1], Low(a)};
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    return words;
  }

  uint64_t seed_;
  uint64_t seed2_;
};

}  // namespace fastpipe
