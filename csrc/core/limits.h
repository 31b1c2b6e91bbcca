// Limits: how much one image, record or compressed stream may ask for.
//
// Contract: whoever reads untrusted bytes checks a limit before it allocates what they announce; a
// value beyond it costs itself, with an error that names the limit. Fixed for a run.
// Thread rule: plain values.
#pragma once

#include <cstdint>

namespace fastpipe {

struct Limits {
  // Of one image, or of all frames of an animation unless it has many bytes. Pillow's, beyond which
  // it takes an image for an attack.
  int64_t image_pixels = 178956970;
  // Of a progressive JPEG: each costs a full pass over the image, and encoders make about ten.
  int64_t image_scans = 100;
  // Of one TFRecord, line or CSV record.
  int64_t record_bytes = int64_t{1} << 30;
  // Bytes that may come out for each compressed byte, once kFreeBytes have come out. Deflate
  // reaches 1,032 on nothing but zeros, Zstandard many times that.
  int64_t decompression_ratio = 1000;

  static constexpr int64_t kFreeBytes = int64_t{16} << 20;
  // The most that may come out of `packed` compressed bytes.
  int64_t MostFrom(int64_t packed) const {
    const int64_t most =
        packed > INT64_MAX / decompression_ratio ? INT64_MAX : packed * decompression_ratio;
    return most > kFreeBytes ? most : kFreeBytes;
  }
};

}  // namespace fastpipe
