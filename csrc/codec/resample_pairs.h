// What the vectors of Pillow's horizontal pass share, which takes two taps at once. For x86-64;
// private to csrc/codec.
// Threads: pure functions.
#pragma once

#include <emmintrin.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

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

// Writes a pixel; a fourth byte of three channels lands where the next pixel goes, if there is one.
template <int kChannels>
inline void StorePillowPixel(uint32_t bytes, bool last, uint8_t* output) {
  if (kChannels == 4 || !last) {
    std::memcpy(output, &bytes, 4);
  } else {
    std::memcpy(output, &bytes, kChannels);
  }
}

// Calls `run` with the number of pairs as a constant if it is 1 to 3, which unrolls its loops, or
// else with 0.
template <typename Run>
void WithPillowPairs(int taps, const Run& run) {
  switch ((taps + 1) / 2) {
    case 1:
      return run(std::integral_constant<int, 1>());
    case 2:
      return run(std::integral_constant<int, 2>());
    case 3:
      return run(std::integral_constant<int, 3>());
    default:
      return run(std::integral_constant<int, 0>());
  }
}

}  // namespace fastpipe
