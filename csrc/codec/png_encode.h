// PNG encoding by libpng.
//
// Contract: what libpng refuses is InvalidArgument; memory that runs out is ResourceExhausted.
// Thread rule: free functions without state.
#pragma once

#include <cstdint>
#include <string>

#include "core/status.h"

namespace fastpipe {

struct PngEncoding {
  int channels = 3;      // 1 grey, 2 grey + alpha, 3 RGB, 4 RGB + alpha
  int bits = 8;          // 8, or 16 in the machine's byte order
  int compression = -1;  // 0 none to 9 best; -1: zlib's default
};

// Encodes height * width * channels values, rows without gaps.
Result<std::string> EncodePng(const uint8_t* pixels, int64_t height, int64_t width,
                              const PngEncoding& encoding);

}  // namespace fastpipe
