// The inner loops of codec/resample, once for any processor, once for SSE4.1 and once for AVX2;
// and what gains by AVX-512 with VNNI.
// Private to csrc/codec.
//
// Contract: all sets compute the same bits: floats are multiplied and added in the same order and
// never fused. "Padded" rows have kRowPadding readable elements after their end, of any value.
// Loops over several rows, which share the loads of weights, may be given the last of them more
// than once, with one output. Threads: pure functions.
#pragma once

#include <cstdint>

#include "codec/resample.h"

namespace fastpipe {

constexpr int kRowPadding = 16;

// Pillow keeps 8 bits for the result and 2 for overflow.
constexpr int kPillowBits = 32 - 8 - 2;
constexpr int32_t kPillowHalf = 1 << (kPillowBits - 1);

// One axis of a WeightTable.
template <typename Weight>
struct AxisWeights {
  const int32_t* starts;
  const Weight* weights;
  int taps;
  int64_t size;  // outputs
};

// Each weight is 2^kPillowLowBits * high + low, with low >= 0: both fit the 16 bits that processors
// multiply pairwise. `pairs` holds, for the taps 2k and 2k + 1 of each output, their lows and their
// highs, the first tap in the lower half of the int.
struct PillowAxis : AxisWeights<int32_t> {
  const int32_t* pairs;
};
constexpr int kPillowLowBits = 15;
constexpr int kPillowRows = 4;  // at a time

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
  // Weights the pixels of two padded rows.
  void (*resize_rows)(const float* const rows[2], const AxisWeights<float>& axis, int channels,
                      float* const outputs[2]);
  void (*widen)(const uint8_t* row, int64_t count, float* output);
  // Blends the pixels of a padded row.
  void (*blend_row)(const float* row, const AxisBlend& axis, int channels, float* output);
  // output = above + (below - above) * fraction.
  void (*blend)(const float* above, const float* below, float fraction, int64_t count,
                float* output);
  // As resize_rows and combine in Pillow's fixed point.
  void (*pillow_rows)(const uint8_t* const rows[kPillowRows], const PillowAxis& axis, int channels,
                      uint8_t* const outputs[kPillowRows]);
  void (*pillow_combine)(const uint8_t* const* rows, const int32_t* weights, int taps,
                         int64_t count, uint8_t* output);
};

const RowLoops& ScalarRowLoops();
// Null if this processor cannot run them.
const RowLoops* Sse41RowLoops();
const RowLoops* Avx2RowLoops();
const RowLoops* VnniRowLoops();
// Those of `code`; for what this processor cannot run, the next slower.
const RowLoops& RowLoopsOf(ResizeCode code);

}  // namespace fastpipe
