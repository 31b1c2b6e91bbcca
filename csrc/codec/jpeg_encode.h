// JPEG encoding by libjpeg-turbo.
//
// Contract: what libjpeg refuses is InvalidArgument; memory that runs out is ResourceExhausted.
// Thread rule: free functions without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/status.h"

namespace fastpipe {

struct JpegEncoding {
  int quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  bool density_in_centimetres = false;  // else in inches
  uint16_t x_density = 300;
  uint16_t y_density = 300;
  std::string xmp_metadata = {};  // at most kMaxXmpBytes
};

inline constexpr size_t kMaxXmpBytes = 65504;  // what an APP1 segment holds besides its name

// Encodes height * width * channels values, rows without gaps, 1 or 3 channels.
Result<std::string> EncodeJpeg(const uint8_t* pixels, int64_t height, int64_t width, int channels,
                               const JpegEncoding& encoding);

}  // namespace fastpipe
