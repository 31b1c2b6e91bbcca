#include "codec/resample_rows.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

#include "codec/resample_pairs.h"

#define FASTPIPE_SIMD __attribute__((target("avx2")))

namespace fastpipe {
namespace {

using Floats = __m256;
using Ints = __m256i;

FASTPIPE_SIMD inline Floats Broadcast(float value) { return _mm256_set1_ps(value); }
FASTPIPE_SIMD inline Floats Add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
FASTPIPE_SIMD inline Floats Subtract(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
FASTPIPE_SIMD inline Floats Multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
FASTPIPE_SIMD inline Floats Load(const float* from) { return _mm256_loadu_ps(from); }
FASTPIPE_SIMD inline void Store(float* to, Floats values) { _mm256_storeu_ps(to, values); }
FASTPIPE_SIMD inline __m128 LowHalf(Floats values) { return _mm256_castps256_ps128(values); }
FASTPIPE_SIMD inline __m128 HighHalf(Floats values) { return _mm256_extractf128_ps(values, 1); }
FASTPIPE_SIMD inline Floats LoadHalves(const float* low, const float* high) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

FASTPIPE_SIMD inline Ints LoadInts(const uint8_t* from) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
}
FASTPIPE_SIMD inline Floats Load(const uint8_t* from) { return _mm256_cvtepi32_ps(LoadInts(from)); }

FASTPIPE_SIMD inline Ints Broadcast(int32_t value) { return _mm256_set1_epi32(value); }
FASTPIPE_SIMD inline Ints Both(__m128i half) { return _mm256_broadcastsi128_si256(half); }
FASTPIPE_SIMD inline Ints Add(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
FASTPIPE_SIMD inline Ints Multiply(Ints a, Ints b) { return _mm256_mullo_epi32(a, b); }
FASTPIPE_SIMD inline Ints MultiplyPairs(Ints a, Ints b) { return _mm256_madd_epi16(a, b); }
FASTPIPE_SIMD inline Ints Shuffle(Ints bytes, Ints order) {
  return _mm256_shuffle_epi8(bytes, order);
}
template <int kBits>
FASTPIPE_SIMD inline Ints ShiftLeft(Ints values) {
  return _mm256_slli_epi32(values, kBits);
}
template <int kBits>
FASTPIPE_SIMD inline Ints ShiftRight(Ints values) {
  return _mm256_srai_epi32(values, kBits);
}
FASTPIPE_SIMD inline Ints LoadHalves(const uint8_t* low, const uint8_t* high) {
  return _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}
// Clamped to bytes, the first in the lowest.
FASTPIPE_SIMD inline uint64_t ToBytes(Ints values) {
  const __m128i words =
      _mm_packs_epi32(_mm256_castsi256_si128(values), _mm256_extracti128_si256(values, 1));
  return static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(words, words)));
}

#include "codec/resample_rows_simd.h"

}  // namespace

const RowLoops* Avx2RowLoops() {
  static const bool supported = __builtin_cpu_supports("avx2") != 0;
  return supported ? &kSimdRowLoops : nullptr;
}

}  // namespace fastpipe

#else

namespace fastpipe {
const RowLoops* Avx2RowLoops() { return nullptr; }
}  // namespace fastpipe

#endif
