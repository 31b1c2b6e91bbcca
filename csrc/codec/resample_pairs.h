// How two taps of Pillow's pass come to lie beside each other. For x86-64; private to csrc/codec.
// Threads: pure functions.
#pragma once

#include <emmintrin.h>

namespace fastpipe {

// The order that makes of pixels which follow each other, in bytes, the values of taps `tap` and
// `tap` + 1 as pairs of 16-bit numbers, one pair for each channel; -1 makes a zero.
template <int kChannels>
inline __m128i PillowTapPairs(int tap) {
  const auto a = static_cast<char>(tap * kChannels), b = static_cast<char>(a + kChannels);
  const auto value = [](char first, int channel) { return static_cast<char>(first + channel); };
  const char third = kChannels == 4 ? value(a, 3) : char{-1};
  const char fourth = kChannels == 4 ? value(b, 3) : char{-1};
  return _mm_setr_epi8(a, -1, b, -1, value(a, 1), -1, value(b, 1), -1, value(a, 2), -1, value(b, 2),
                       -1, third, -1, fourth, -1);
}

}  // namespace fastpipe
