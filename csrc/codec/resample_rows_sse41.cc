#include "codec/resample_rows.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

#include "codec/resample_pairs.h"

#define FASTPIPE_SIMD __attribute__((target("sse4.1")))

namespace fastpipe {
namespace {

struct Floats {
  __m128 low, high;
};
struct Ints {
  __m128i low, high;
};

FASTPIPE_SIMD inline Floats Broadcast(float value) {
  return {_mm_set1_ps(value), _mm_set1_ps(value)};
}
FASTPIPE_SIMD inline Floats Add(Floats a, Floats b) {
  return {_mm_add_ps(a.low, b.low), _mm_add_ps(a.high, b.high)};
}
FASTPIPE_SIMD inline Floats Subtract(Floats a, Floats b) {
  return {_mm_sub_ps(a.low, b.low), _mm_sub_ps(a.high, b.high)};
}
FASTPIPE_SIMD inline Floats Multiply(Floats a, Floats b) {
  return {_mm_mul_ps(a.low, b.low), _mm_mul_ps(a.high, b.high)};
}
FASTPIPE_SIMD inline Floats LoadHalves(const float* low, const float* high) {
  return {_mm_loadu_ps(low), _mm_loadu_ps(high)};
}
FASTPIPE_SIMD inline Floats Load(const float* from) { return LoadHalves(from, from + 4); }
FASTPIPE_SIMD inline void Store(float* to, Floats values) {
  _mm_storeu_ps(to, values.low);
  _mm_storeu_ps(to + 4, values.high);
}
FASTPIPE_SIMD inline __m128 LowHalf(Floats values) { return values.low; }
FASTPIPE_SIMD inline __m128 HighHalf(Floats values) { return values.high; }

FASTPIPE_SIMD inline Ints LoadInts(const uint8_t* from) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  return {_mm_cvtepu8_epi32(bytes), _mm_cvtepu8_epi32(_mm_srli_si128(bytes, 4))};
}
FASTPIPE_SIMD inline Floats Load(const uint8_t* from) {
  const Ints values = LoadInts(from);
  return {_mm_cvtepi32_ps(values.low), _mm_cvtepi32_ps(values.high)};
}

FASTPIPE_SIMD inline Ints Both(__m128i half) { return {half, half}; }
FASTPIPE_SIMD inline Ints Broadcast(int32_t value) { return Both(_mm_set1_epi32(value)); }
FASTPIPE_SIMD inline Ints Add(Ints a, Ints b) {
  return {_mm_add_epi32(a.low, b.low), _mm_add_epi32(a.high, b.high)};
}
FASTPIPE_SIMD inline Ints Multiply(Ints a, Ints b) {
  return {_mm_mullo_epi32(a.low, b.low), _mm_mullo_epi32(a.high, b.high)};
}
FASTPIPE_SIMD inline Ints MultiplyPairs(Ints a, Ints b) {
  return {_mm_madd_epi16(a.low, b.low), _mm_madd_epi16(a.high, b.high)};
}
FASTPIPE_SIMD inline Ints Shuffle(Ints bytes, Ints order) {
  return {_mm_shuffle_epi8(bytes.low, order.low), _mm_shuffle_epi8(bytes.high, order.high)};
}
template <int kBits>
FASTPIPE_SIMD inline Ints ShiftLeft(Ints values) {
  return {_mm_slli_epi32(values.low, kBits), _mm_slli_epi32(values.high, kBits)};
}
template <int kBits>
FASTPIPE_SIMD inline Ints ShiftRight(Ints values) {
  return {_mm_srai_epi32(values.low, kBits), _mm_srai_epi32(values.high, kBits)};
}
FASTPIPE_SIMD inline Ints LoadHalves(const uint8_t* low, const uint8_t* high) {
  return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(low)),
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(high))};
}
// Clamped to bytes, the first in the lowest.
FASTPIPE_SIMD inline uint64_t ToBytes(Ints values) {
  const __m128i words = _mm_packs_epi32(values.low, values.high);
  return static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(words, words)));
}

#include "codec/resample_rows_simd.h"

}  // namespace

const RowLoops* Sse41RowLoops() {
  static const bool supported = __builtin_cpu_supports("sse4.1") != 0;
  return supported ? &kSimdRowLoops : nullptr;
}

}  // namespace fastpipe

#else

namespace fastpipe {
const RowLoops* Sse41RowLoops() { return nullptr; }
}  // namespace fastpipe

#endif
