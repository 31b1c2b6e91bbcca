#include "codec/resample_rows.h"

#include <algorithm>

namespace fastpipe {

namespace {

template <typename Value>
void Combine(const Value* const* rows, const float* weights, int taps, int64_t count,
             float* output) {
  for (int64_t i = 0; i < count; ++i) {
    float sum = 0.0f;
    for (int t = 0; t < taps; ++t) sum += weights[t] * static_cast<float>(rows[t][i]);
    output[i] = sum;
  }
}

void ResizeRow(const float* row, const AxisWeights<float>& axis, int channels, float* output) {
  for (int64_t x = 0; x < axis.size; ++x) {
    const float* pixels = row + int64_t{axis.starts[x]} * channels;
    const float* weights = axis.weights + x * axis.taps;
    for (int c = 0; c < channels; ++c) {
      float sum = 0.0f;
      for (int t = 0; t < axis.taps; ++t) sum += weights[t] * pixels[int64_t{t} * channels + c];
      *output++ = sum;
    }
  }
}

void ResizeRows(const float* const rows[2], const AxisWeights<float>& axis, int channels,
                float* const outputs[2]) {
  ResizeRow(rows[0], axis, channels, outputs[0]);
  if (outputs[1] != outputs[0]) ResizeRow(rows[1], axis, channels, outputs[1]);
}

void Widen(const uint8_t* row, int64_t count, float* output) {
  for (int64_t i = 0; i < count; ++i) output[i] = row[i];
}

void BlendRow(const float* row, const AxisBlend& axis, int channels, float* output) {
  for (int64_t x = 0; x < axis.size; ++x) {
    const float* lower = row + int64_t{axis.lower[x]} * channels;
    const float* upper = row + int64_t{axis.upper[x]} * channels;
    for (int c = 0; c < channels; ++c) {
      *output++ = lower[c] + (upper[c] - lower[c]) * axis.fractions[x];
    }
  }
}

void Blend(const float* above, const float* below, float fraction, int64_t count, float* output) {
  for (int64_t i = 0; i < count; ++i) output[i] = above[i] + (below[i] - above[i]) * fraction;
}

uint8_t FromFixedPoint(int32_t sum) {
  return static_cast<uint8_t>(std::clamp(sum >> kPillowBits, 0, 255));
}

void PillowRow(const uint8_t* row, const PillowAxis& axis, int channels, uint8_t* output) {
  for (int64_t x = 0; x < axis.size; ++x) {
    const uint8_t* pixels = row + int64_t{axis.starts[x]} * channels;
    const int32_t* weights = axis.weights + x * axis.taps;
    for (int c = 0; c < channels; ++c) {
      int32_t sum = kPillowHalf;
      for (int t = 0; t < axis.taps; ++t) sum += weights[t] * pixels[int64_t{t} * channels + c];
      *output++ = FromFixedPoint(sum);
    }
  }
}

void PillowRows(const uint8_t* const rows[kPillowRows], const PillowAxis& axis, int channels,
                uint8_t* const outputs[kPillowRows]) {
  for (int i = 0; i < kPillowRows; ++i) {
    if (i == 0 || outputs[i] != outputs[i - 1]) PillowRow(rows[i], axis, channels, outputs[i]);
  }
}

void PillowCombine(const uint8_t* const* rows, const int32_t* weights, int taps, int64_t count,
                   uint8_t* output) {
  for (int64_t i = 0; i < count; ++i) {
    int32_t sum = kPillowHalf;
    for (int t = 0; t < taps; ++t) sum += weights[t] * rows[t][i];
    output[i] = FromFixedPoint(sum);
  }
}

}  // namespace

const RowLoops& ScalarRowLoops() {
  static constexpr RowLoops kLoops = {Combine<uint8_t>, Combine<float>, ResizeRows, Widen,
                                      BlendRow,         Blend,          PillowRows, PillowCombine};
  return kLoops;
}

const RowLoops& RowLoopsOf(ResizeCode code) {
  if (code == ResizeCode::kFastest) {
    if (const RowLoops* loops = VnniRowLoops()) return *loops;
  }
  if (code == ResizeCode::kFastest || code == ResizeCode::kAvx2) {
    if (const RowLoops* loops = Avx2RowLoops()) return *loops;
  }
  if (code != ResizeCode::kScalar) {
    if (const RowLoops* loops = Sse41RowLoops()) return *loops;
  }
  return ScalarRowLoops();
}

}  // namespace fastpipe
