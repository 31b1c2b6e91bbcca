// Images as float32, block by block: how kernels that compute colours take any number dtype.
//
// Contract: values are scaled as convert_image_dtype scales them: integers span 0 to their maximum,
// floats 0 to 1 and stay as they are. A block fits the first-level cache, holds whole pixels, and
// starts with the first channel. Thread rule: free functions without state.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/dispatch.h"

namespace fastpipe {

using LoadFloats = void (*)(const void* from, float* to, int64_t count);
using StoreFloats = void (*)(const float* from, void* to, int64_t count);

struct FloatCodec {
  LoadFloats load = nullptr;
  StoreFloats store = nullptr;
  // What does not fit the dtype becomes the nearest that does.
  StoreFloats store_saturated = nullptr;
  size_t bytes = 0;  // of one value
  bool operator==(const FloatCodec&) const = default;
};

// For every number dtype.
const DTypeTable<FloatCodec>& FloatCodecs();

// How many values of a block, for pixels of `channels` values.
inline int64_t FloatBlock(int64_t channels) {
  constexpr int64_t kValues = 2048;
  return std::max<int64_t>(1, kValues / channels) * channels;
}

// Calls read(const float* values, int64_t count) on `count` values in blocks.
template <typename Read>
void ReadFloats(const FloatCodec& codec, const uint8_t* from, int64_t count, int64_t channels,
                Read read) {
  std::vector<float> block(static_cast<size_t>(std::min(count, FloatBlock(channels))));
  const auto step = static_cast<int64_t>(block.size());
  for (int64_t done = 0; done < count; done += step) {
    const int64_t some = std::min(step, count - done);
    codec.load(from + done * static_cast<int64_t>(codec.bytes), block.data(), some);
    read(block.data(), some);
  }
}

// Calls change(float* values, int64_t count) on `count` values in blocks, and stores what it makes
// of them with `store` of `codec`.
template <typename Change>
void ChangeFloats(const FloatCodec& codec, StoreFloats store, const uint8_t* from, int64_t count,
                  int64_t channels, uint8_t* to, Change change) {
  std::vector<float> block(static_cast<size_t>(std::min(count, FloatBlock(channels))));
  const auto step = static_cast<int64_t>(block.size());
  const auto bytes = static_cast<int64_t>(codec.bytes);
  for (int64_t done = 0; done < count; done += step) {
    const int64_t some = std::min(step, count - done);
    codec.load(from + done * bytes, block.data(), some);
    change(block.data(), some);
    store(block.data(), to + done * bytes, some);
  }
}

// Pixels [..., channels] of at least `least_rank` axes, with `channels` channels unless that is 0.
// InvalidArgument if what is known of `spec` contradicts.
Status ExpectPixels(const Args& attrs, const TensorSpec& spec, int least_rank, int64_t channels);
Status ExpectPixels(const Args& attrs, const Tensor& images, int least_rank, int64_t channels);

// InvalidArgument unless input `index` is, as far as known, a float32 scalar: a strength.
Status ExpectFactor(const Args& attrs, Specs inputs, size_t index, const char* name);
// The value of a scalar float32 tensor, or InvalidArgument for another shape.
Result<float> FactorOf(const Args& attrs, const Tensor& factor, const char* name);

}  // namespace fastpipe
