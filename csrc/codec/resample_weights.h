// Weight tables of codec/resample: for each output position of one axis, which input positions
// contribute and how much. Private to csrc/codec.
//
// Contract: tables are immutable once built and shared by pointer; a table stays alive as long as
// its pointer. Equal keys give equal tables.
// Threads: safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "codec/resample.h"

namespace fastpipe {

// Output i is the sum over t < taps of weights[i * taps + t] * input[starts[i] + t]. Positions that
// need fewer taps have zero weights; starts never decrease, and starts[i] + taps never passes the
// end of the input.
template <typename Weight>
struct WeightTable {
  int taps = 0;
  std::vector<int32_t> starts;
  std::vector<Weight> weights;
};

// Output i is a + (b - a) * fractions[i], a = input[lower[i]], b = input[upper[i]]. Unlike a sum of
// two products this is exact where a == b, and it is what TensorFlow computes.
struct BlendTable {
  std::vector<int32_t> lower;
  std::vector<int32_t> upper;
  std::vector<float> fractions;
};

using FloatTable = WeightTable<float>;
// Weights are in units of 2^-kPillowBits; `pairs` as in PillowAxis (resample_rows.h).
struct PillowTable : WeightTable<int32_t> {
  std::vector<int32_t> pairs;
};

// The part of an axis that is resized; it may begin and end within a position. A size alone is the
// whole axis.
struct AxisSpan {
  AxisSpan(int64_t whole) : size(whole), end(static_cast<double>(whole)) {}  // NOLINT: implicit
  AxisSpan(int64_t whole, double first, double last) : size(whole), begin(first), end(last) {}

  bool is_whole() const { return begin == 0 && end == static_cast<double>(size); }

  int64_t size;
  double begin = 0;
  double end;
};

// REQUIRES: sizes in [1, 2^31); 0 <= begin < end <= size. `input` is whole for kArea and where
// there is no antialias. `method` is not kNearest, nor kBilinear without antialias. The weights of
// kArea sum to input_size / output_size, all others to 1.
std::shared_ptr<const FloatTable> FloatWeights(AxisSpan input, int64_t output_size,
                                               ResizeMethod method, bool antialias);
std::shared_ptr<const BlendTable> BlendWeights(int64_t input_size, int64_t output_size);
std::shared_ptr<const PillowTable> PillowWeights(AxisSpan input, int64_t output_size,
                                                 PillowFilter filter);
// The input position of each output position.
std::vector<int32_t> NearestPositions(int64_t input_size, int64_t output_size);

}  // namespace fastpipe
