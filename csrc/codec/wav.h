// WAV files of 16-bit PCM: reading and writing.
//
// Contract: what TensorFlow reads: a "fmt " chunk of 16 or 18 bytes before one "data" chunk; known
// chunks may come before, any after. Bytes that cannot be read are InvalidArgument. Samples are
// interleaved frames of `channels` values.
// Thread rule: free functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/status.h"

namespace fastpipe {

struct WavInfo {
  int64_t frames = 0;
  int64_t channels = 0;
  uint32_t sample_rate = 0;
  std::string_view samples;  // part of the bytes: frames * channels values of 16 bits
};

Result<WavInfo> ReadWav(std::string_view bytes);

// Sample `index` of `samples`, from -1 to below 1.
float WavSample(std::string_view samples, int64_t index);

// `values` of `frames` * `channels` samples are clipped to -1 and 1.
Result<std::string> WriteWav(const float* values, int64_t frames, int64_t channels,
                             int64_t sample_rate);

}  // namespace fastpipe
