// BMP decoding: uncompressed bitmaps of 8, 24 or 32 bits a pixel.
//
// Contract: two phases, as in codec/jpeg.h: ReadBmpLayout reads the header and says what ReadBmp
// will write, the caller allocates it. As in TensorFlow, the 8 bits of a pixel are its grey level
// whatever palette the file has, and the file ends with its pixels. Bytes that cannot be decoded
// are InvalidArgument; hostile bytes never crash.
// Thread rule: free functions without state.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/limits.h"
#include "core/status.h"

namespace fastpipe {

struct BmpLayout {
  int64_t width = 0;
  int64_t height = 0;
  int channels = 0;         // of the output: 1, 3 or 4
  int stored_channels = 0;  // 1, 3 or 4
  int64_t first_row = 0;    // where the pixels start in the file
  int64_t row_bytes = 0;    // of a stored row, with its padding
  bool top_down = false;    // else the file starts with the lowest row
};

// `channels`: 3 or 4; 0 as stored. Images of more than `max_pixels` are refused.
Result<BmpLayout> ReadBmpLayout(std::string_view bytes, int channels,
                                int64_t max_pixels = Limits{}.image_pixels);

// Writes height * width * channels bytes. REQUIRES: `layout` is that of `bytes`.
void ReadBmp(std::string_view bytes, const BmpLayout& layout, uint8_t* pixels);

}  // namespace fastpipe
