// Pillow's horizontal pass, four rows at a time on 512-bit registers. VNNI multiplies and adds in
// one instruction, with the weight straight from memory.
#include "codec/resample_rows.h"

#if defined(__x86_64__) && defined(__GNUC__)

// gcc 12 is wrong about the vectors of its own header that need no value.
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include "codec/resample_pairs.h"

#define FASTPIPE_SIMD __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

namespace fastpipe {
namespace {

FASTPIPE_SIMD inline __m512i LoadFour(const uint8_t* const rows[kPillowRows], int64_t at) {
  const auto load = [at](const uint8_t* row) FASTPIPE_SIMD {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + at));
  };
  __m512i bytes = _mm512_castsi128_si512(load(rows[0]));
  bytes = _mm512_inserti32x4(bytes, load(rows[1]), 1);
  bytes = _mm512_inserti32x4(bytes, load(rows[2]), 2);
  return _mm512_inserti32x4(bytes, load(rows[3]), 3);
}

// As in resample_rows_simd.h: two taps at once, the low and the high halves of their weights apart.
template <int kChannels, int kPairs>
FASTPIPE_SIMD void PillowRowsOf(const uint8_t* const rows[kPillowRows], PillowAxis axis,
                                uint8_t* const outputs[kPillowRows]) {
  const __m512i shuffle[2] = {
      _mm512_broadcast_i32x4(PillowTapPairs<kChannels>(0)),
      _mm512_broadcast_i32x4(PillowTapPairs<kChannels>(2)),
  };
  const int pairs = kPairs != 0 ? kPairs : (axis.taps + 1) / 2;
  const int32_t* weights = axis.pairs;
  const uint8_t* const row[kPillowRows] = {rows[0], rows[1], rows[2], rows[3]};
  uint8_t* const output[kPillowRows] = {outputs[0], outputs[1], outputs[2], outputs[3]};
  for (int64_t x = 0; x < axis.size; ++x, weights += 2 * pairs) {
    const int64_t start = int64_t{axis.starts[x]} * kChannels;
    __m512i low = _mm512_set1_epi32(kPillowHalf), high = _mm512_setzero_si512();
    __m512i bytes = high;
#pragma GCC unroll 3
    for (int pair = 0; pair < pairs; ++pair) {
      if (pair % 2 == 0) bytes = LoadFour(row, start + 2 * pair * kChannels);
      const __m512i values = _mm512_shuffle_epi8(bytes, shuffle[pair % 2]);
      low = _mm512_dpwssd_epi32(low, values, _mm512_set1_epi32(weights[2 * pair]));
      high = _mm512_dpwssd_epi32(high, values, _mm512_set1_epi32(weights[2 * pair + 1]));
    }
    const __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(high, kPillowLowBits), low);
    const __m512i values = _mm512_srai_epi32(sum, kPillowBits);
    // Four pixels of four bytes; what is below zero would be large without a sign.
    const __m128i pixels = _mm512_cvtusepi32_epi8(_mm512_max_epi32(values, _mm512_setzero_si512()));
    const bool last = x + 1 == axis.size;
    const int64_t at = x * kChannels;
    const auto store = [last](int pixel, uint8_t* to) {
      StorePillowPixel<kChannels>(static_cast<uint32_t>(pixel), last, to);
    };
    store(_mm_cvtsi128_si32(pixels), output[0] + at);
    store(_mm_extract_epi32(pixels, 1), output[1] + at);
    store(_mm_extract_epi32(pixels, 2), output[2] + at);
    store(_mm_extract_epi32(pixels, 3), output[3] + at);
  }
}

template <int kChannels>
void PillowRowsOf(const uint8_t* const rows[kPillowRows], const PillowAxis& axis,
                  uint8_t* const outputs[kPillowRows]) {
  WithPillowPairs(axis.taps, [&](auto pairs) {
    PillowRowsOf<kChannels, decltype(pairs)::value>(rows, axis, outputs);
  });
}

void PillowRows(const uint8_t* const rows[kPillowRows], const PillowAxis& axis, int channels,
                uint8_t* const outputs[kPillowRows]) {
  const bool few = outputs[2] == outputs[1];
  if (channels == 3 && !few) return PillowRowsOf<3>(rows, axis, outputs);
  if (channels == 4 && !few) return PillowRowsOf<4>(rows, axis, outputs);
  Avx2RowLoops()->pillow_rows(rows, axis, channels, outputs);
}

}  // namespace

// All but this loop is that of AVX2.
const RowLoops* VnniRowLoops() {
  static const bool supported = Avx2RowLoops() != nullptr && __builtin_cpu_supports("avx512bw") &&
                                __builtin_cpu_supports("avx512vl") &&
                                __builtin_cpu_supports("avx512vnni");
  if (!supported) return nullptr;
  static const RowLoops kLoops = [] {
    RowLoops loops = *Avx2RowLoops();
    loops.pillow_rows = PillowRows;
    return loops;
  }();
  return &kLoops;
}

}  // namespace fastpipe

#else

namespace fastpipe {
const RowLoops* VnniRowLoops() { return nullptr; }
}  // namespace fastpipe

#endif
