// MixBits: a well-mixed function of one 64-bit value, for checksums.
//
// Contract: the same value gives the same bits on every machine.
// Thread rule: a plain function.
#pragma once

#include <cstdint>

namespace fastpipe {

// The finaliser of SplitMix64.
constexpr uint64_t MixBits(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace fastpipe
