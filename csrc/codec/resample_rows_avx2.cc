// Only functions marked FASTPIPE_AVX2 may use AVX2: a whole file compiled for it would leak such
// code into inline functions that the linker shares with the rest of the program.
#include "codec/resample_rows.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

#define FASTPIPE_AVX2 __attribute__((target("avx2")))

namespace fastpipe {

namespace {

constexpr int kLanes = 8;

FASTPIPE_AVX2 inline __m256 Load(const float* from) { return _mm256_loadu_ps(from); }

FASTPIPE_AVX2 inline __m256i LoadBytes(const uint8_t* from) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
}

FASTPIPE_AVX2 inline __m256 Load(const uint8_t* from) {
  return _mm256_cvtepi32_ps(LoadBytes(from));
}

// A multiplication and an addition, each rounded, as in the scalar loop.
FASTPIPE_AVX2 inline __m256 AddProduct(__m256 sum, __m256 a, __m256 b) {
  return _mm256_add_ps(sum, _mm256_mul_ps(a, b));
}

template <typename Value>
FASTPIPE_AVX2 void Combine(const Value* const* rows, const float* weights, int taps, int64_t count,
                           float* output) {
  int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    __m256 sum[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(),
                     _mm256_setzero_ps()};
    for (int t = 0; t < taps; ++t) {
      const __m256 weight = _mm256_broadcast_ss(weights + t);
      const Value* row = rows[t] + i;
      sum[0] = AddProduct(sum[0], weight, Load(row));
      sum[1] = AddProduct(sum[1], weight, Load(row + kLanes));
      sum[2] = AddProduct(sum[2], weight, Load(row + 2 * kLanes));
      sum[3] = AddProduct(sum[3], weight, Load(row + 3 * kLanes));
    }
    for (int k = 0; k < 4; ++k) _mm256_storeu_ps(output + i + k * kLanes, sum[k]);
  }
  for (; i + kLanes <= count; i += kLanes) {
    __m256 sum = _mm256_setzero_ps();
    for (int t = 0; t < taps; ++t) {
      sum = AddProduct(sum, _mm256_broadcast_ss(weights + t), Load(rows[t] + i));
    }
    _mm256_storeu_ps(output + i, sum);
  }
  for (; i < count; ++i) {
    float sum = 0.0f;
    for (int t = 0; t < taps; ++t) sum += weights[t] * static_cast<float>(rows[t][i]);
    output[i] = sum;
  }
}

// Two pixels, one in each half.
FASTPIPE_AVX2 inline __m256 Pair(__m128 first, __m128 second) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(first), second, 1);
}

// Writes exactly kChannels values.
template <int kChannels>
FASTPIPE_AVX2 inline void StorePixel(__m128 pixel, float* output) {
  if constexpr (kChannels == 4) {
    _mm_storeu_ps(output, pixel);
  } else {
    _mm_storel_pi(reinterpret_cast<__m64*>(output), pixel);
    output[2] = _mm_cvtss_f32(_mm_movehl_ps(pixel, pixel));
  }
}

template <int kChannels>
FASTPIPE_AVX2 void ResizeRowOf(const float* row, const AxisWeights<float>& axis, float* output) {
  const int taps = axis.taps;
  const float* weights = axis.weights;
  int64_t x = 0;
  for (; x + 2 <= axis.size; x += 2, weights += 2 * taps) {
    const float* first = row + int64_t{axis.starts[x]} * kChannels;
    const float* second = row + int64_t{axis.starts[x + 1]} * kChannels;
    __m256 sum = _mm256_setzero_ps();
    for (int t = 0; t < taps; ++t, first += kChannels, second += kChannels) {
      const __m256 weight =
          Pair(_mm_broadcast_ss(weights + t), _mm_broadcast_ss(weights + taps + t));
      sum = AddProduct(sum, weight, Pair(_mm_loadu_ps(first), _mm_loadu_ps(second)));
    }
    // The first pixel's fourth value lands where the second pixel goes next.
    _mm_storeu_ps(output + x * kChannels, _mm256_castps256_ps128(sum));
    StorePixel<kChannels>(_mm256_extractf128_ps(sum, 1), output + (x + 1) * kChannels);
  }
  if (x < axis.size) {
    const float* pixel = row + int64_t{axis.starts[x]} * kChannels;
    __m128 sum = _mm_setzero_ps();
    for (int t = 0; t < taps; ++t, pixel += kChannels) {
      sum = _mm_add_ps(sum, _mm_mul_ps(_mm_broadcast_ss(weights + t), _mm_loadu_ps(pixel)));
    }
    StorePixel<kChannels>(sum, output + x * kChannels);
  }
}

void ResizeRow(const float* row, const AxisWeights<float>& axis, int channels, float* output) {
  if (channels == 3) return ResizeRowOf<3>(row, axis, output);
  if (channels == 4) return ResizeRowOf<4>(row, axis, output);
  ScalarRowLoops().resize_row(row, axis, channels, output);
}

FASTPIPE_AVX2 void Widen(const uint8_t* row, int64_t count, float* output) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) _mm256_storeu_ps(output + i, Load(row + i));
  for (; i < count; ++i) output[i] = row[i];
}

template <int kChannels>
FASTPIPE_AVX2 void BlendRowOf(const float* row, const AxisBlend& axis, float* output) {
  for (int64_t x = 0; x < axis.size; ++x) {
    const __m128 lower = _mm_loadu_ps(row + int64_t{axis.lower[x]} * kChannels);
    const __m128 upper = _mm_loadu_ps(row + int64_t{axis.upper[x]} * kChannels);
    const __m128 fraction = _mm_broadcast_ss(axis.fractions + x);
    const __m128 pixel = _mm_add_ps(lower, _mm_mul_ps(_mm_sub_ps(upper, lower), fraction));
    StorePixel<kChannels>(pixel, output + x * kChannels);
  }
}

void BlendRow(const float* row, const AxisBlend& axis, int channels, float* output) {
  if (channels == 3) return BlendRowOf<3>(row, axis, output);
  if (channels == 4) return BlendRowOf<4>(row, axis, output);
  ScalarRowLoops().blend_row(row, axis, channels, output);
}

FASTPIPE_AVX2 void Blend(const float* above, const float* below, float fraction, int64_t count,
                         float* output) {
  const __m256 factor = _mm256_set1_ps(fraction);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256 a = Load(above + i);
    _mm256_storeu_ps(output + i, AddProduct(a, _mm256_sub_ps(Load(below + i), a), factor));
  }
  for (; i < count; ++i) output[i] = above[i] + (below[i] - above[i]) * fraction;
}

constexpr int32_t kPillowHalf = 1 << (kPillowBits - 1);

FASTPIPE_AVX2 inline __m128i LoadPixel(const uint8_t* from) {
  int32_t bytes;
  memcpy(&bytes, from, sizeof bytes);
  return _mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes));
}

// Writes four bytes.
FASTPIPE_AVX2 inline void StorePillowPixel(__m128i sum, uint8_t* output) {
  __m128i pixel = _mm_srai_epi32(sum, kPillowBits);
  pixel = _mm_packs_epi32(pixel, pixel);
  pixel = _mm_packus_epi16(pixel, pixel);
  const int32_t bytes = _mm_cvtsi128_si32(pixel);
  memcpy(output, &bytes, sizeof bytes);
}

template <int kChannels>
FASTPIPE_AVX2 void PillowRowOf(const uint8_t* row, const AxisWeights<int32_t>& axis,
                               uint8_t* output) {
  const int taps = axis.taps;
  const int32_t* weights = axis.weights;
  int64_t x = 0;
  for (; x + 2 <= axis.size; x += 2, weights += 2 * taps) {
    const uint8_t* first = row + int64_t{axis.starts[x]} * kChannels;
    const uint8_t* second = row + int64_t{axis.starts[x + 1]} * kChannels;
    __m256i sum = _mm256_set1_epi32(kPillowHalf);
    for (int t = 0; t < taps; ++t, first += kChannels, second += kChannels) {
      const __m256i pixels =
          _mm256_inserti128_si256(_mm256_castsi128_si256(LoadPixel(first)), LoadPixel(second), 1);
      const __m256i weight = _mm256_inserti128_si256(_mm256_set1_epi32(weights[t]),
                                                     _mm_set1_epi32(weights[taps + t]), 1);
      sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(weight, pixels));
    }
    StorePillowPixel(_mm256_castsi256_si128(sum), output + x * kChannels);
    StorePillowPixel(_mm256_extracti128_si256(sum, 1), output + (x + 1) * kChannels);
  }
  if (x < axis.size) {
    const uint8_t* pixel = row + int64_t{axis.starts[x]} * kChannels;
    __m128i sum = _mm_set1_epi32(kPillowHalf);
    for (int t = 0; t < taps; ++t, pixel += kChannels) {
      sum = _mm_add_epi32(sum, _mm_mullo_epi32(_mm_set1_epi32(weights[t]), LoadPixel(pixel)));
    }
    StorePillowPixel(sum, output + x * kChannels);
  }
}

void PillowRow(const uint8_t* row, const AxisWeights<int32_t>& axis, int channels,
               uint8_t* output) {
  if (channels == 3) return PillowRowOf<3>(row, axis, output);
  if (channels == 4) return PillowRowOf<4>(row, axis, output);
  ScalarRowLoops().pillow_row(row, axis, channels, output);
}

FASTPIPE_AVX2 inline void StorePillowBytes(__m256i sum, uint8_t* output) {
  const __m256i values = _mm256_srai_epi32(sum, kPillowBits);
  const __m128i words =
      _mm_packs_epi32(_mm256_castsi256_si128(values), _mm256_extracti128_si256(values, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(output), _mm_packus_epi16(words, words));
}

FASTPIPE_AVX2 void PillowCombine(const uint8_t* const* rows, const int32_t* weights, int taps,
                                 int64_t count, uint8_t* output) {
  const __m256i half = _mm256_set1_epi32(kPillowHalf);
  int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    __m256i sum[4] = {half, half, half, half};
    for (int t = 0; t < taps; ++t) {
      const __m256i weight = _mm256_set1_epi32(weights[t]);
      for (int k = 0; k < 4; ++k) {
        const __m256i values = LoadBytes(rows[t] + i + k * kLanes);
        sum[k] = _mm256_add_epi32(sum[k], _mm256_mullo_epi32(weight, values));
      }
    }
    for (int k = 0; k < 4; ++k) StorePillowBytes(sum[k], output + i + k * kLanes);
  }
  for (; i + kLanes <= count; i += kLanes) {
    __m256i sum = half;
    for (int t = 0; t < taps; ++t) {
      sum = _mm256_add_epi32(
          sum, _mm256_mullo_epi32(_mm256_set1_epi32(weights[t]), LoadBytes(rows[t] + i)));
    }
    StorePillowBytes(sum, output + i);
  }
  for (; i < count; ++i) {
    int32_t sum = kPillowHalf;
    for (int t = 0; t < taps; ++t) sum += weights[t] * rows[t][i];
    sum >>= kPillowBits;
    output[i] = static_cast<uint8_t>(sum < 0 ? 0 : sum > 255 ? 255 : sum);
  }
}

}  // namespace

const RowLoops* Avx2RowLoops() {
  static constexpr RowLoops kLoops = {Combine<uint8_t>, Combine<float>, ResizeRow, Widen,
                                      BlendRow,         Blend,          PillowRow, PillowCombine};
  static const bool supported = __builtin_cpu_supports("avx2") != 0;
  return supported ? &kLoops : nullptr;
}

}  // namespace fastpipe

#else

namespace fastpipe {
const RowLoops* Avx2RowLoops() { return nullptr; }
}  // namespace fastpipe

#endif
