// WebP decoding by libwebp: still images and animations.
//
// Contract: two phases, as in codec/jpeg.h. A still image gives one frame of RGB, or RGB + alpha if
// it has alpha; an animation gives whole frames of RGB + alpha. Sizes are checked from the header
// before anything of the image's size is allocated. Bytes that cannot be decoded are
// InvalidArgument; memory that runs out is ResourceExhausted; hostile bytes never crash.
// Thread rule: a decoder is used by one thread at a time.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/limits.h"
#include "core/status.h"

namespace fastpipe {

struct WebpInfo {
  int64_t frames = 0;  // that ReadInto will write
  int64_t height = 0;
  int64_t width = 0;
  int channels = 0;  // 3 or 4
  bool animated = false;
};

struct WebpOptions {
  // 0: as in the file. 3 and 4 must be what the file has, as in TensorFlow.
  int channels = 0;
  bool first_frame_only = false;
  // Files of more pixels, over all frames wanted, are refused. Files that are long themselves may
  // have more: a thousand times their bytes.
  int64_t max_pixels = Limits{}.image_pixels;
};

class WebpDecoder {
 public:
  // `bytes` must stay alive until ReadInto returns.
  Status Start(std::string_view bytes, const WebpOptions& options, WebpInfo* info);

  // Writes frames * height * width * channels bytes. On error they are undefined.
  // REQUIRES: the last call was a successful Start.
  Status ReadInto(uint8_t* pixels);

 private:
  Status ReadImage(uint8_t* pixels);
  Status ReadAnimation(uint8_t* pixels);
  // InvalidArgument, or ResourceExhausted if `code`, a VP8StatusCode, says so.
  Status Failure(std::string_view what) const;
  Status Failure(int code) const;

  std::string_view bytes_;
  WebpInfo info_;
};

}  // namespace fastpipe
