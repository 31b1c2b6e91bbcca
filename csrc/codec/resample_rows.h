// The inner loops of codec/resample, once for any processor and once for AVX2. Private to
// csrc/codec.
//
// Contract: both sets compute the same bits: floats are multiplied and added in the same order and
// never fused. "Padded" rows have kRowPadding readable (or writable) elements after their end, of
// any finite value.
// Threads: pure functions.
#pragma once

#include <cstdint>

namespace fastpipe {

constexpr int kRowPadding = 16;

// Pillow keeps 8 bits for the result and 2 for overflow.
constexpr int kPillowBits = 32 - 8 - 2;

// One axis of a WeightTable.
template <typename Weight>
struct AxisWeights {
  const int32_t* starts;
  const Weight* weights;
  int taps;
  int64_t size;  // outputs
};

struct AxisBlend {
  const int32_t* lower;
  const int32_t* upper;
  const float* fractions;
  int64_t size;
};

struct RowLoops {
  // output[i] = sum over t of weights[t] * rows[t][i], for i < count.
  void (*combine_bytes)(const uint8_t* const* rows, const float* weights, int taps, int64_t count,
                        float* output);
  void (*combine_floats)(const float* const* rows, const float* weights, int taps, int64_t count,
                         float* output);
  // Weights the pixels of a padded row.
  void (*resize_row)(const float* row, const AxisWeights<float>& axis, int channels, float* output);
  void (*widen)(const uint8_t* row, int64_t count, float* output);
  // Blends the pixels of a padded row.
  void (*blend_row)(const float* row, const AxisBlend& axis, int channels, float* output);
  // output = above + (below - above) * fraction.
  void (*blend)(const float* above, const float* below, float fraction, int64_t count,
                float* output);
  // As resize_row and combine in Pillow's fixed point. Both rows of pillow_row are padded.
  void (*pillow_row)(const uint8_t* row, const AxisWeights<int32_t>& axis, int channels,
                     uint8_t* output);
  void (*pillow_combine)(const uint8_t* const* rows, const int32_t* weights, int taps,
                         int64_t count, uint8_t* output);
};

const RowLoops& ScalarRowLoops();
// Null if this processor has no AVX2.
const RowLoops* Avx2RowLoops();

}  // namespace fastpipe
