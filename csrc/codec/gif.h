// GIF decoding by giflib, as TensorFlow composes the frames.
//
// Contract: two phases, as in codec/jpeg.h. The canvas is as wide and as high as the widest and the
// highest frame. A frame is drawn over the one before, or over black, but for its transparent
// pixels; what lies outside the canvas is cut off, and disposal methods have no effect. Frames,
// sizes and data are checked before anything of the image's size is allocated. Bytes that cannot be
// decoded, and those that end before the trailer, are InvalidArgument; hostile bytes never crash.
// giflib returns its errors, it does not jump.
// Thread rule: a decoder is used by one thread at a time.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/limits.h"
#include "core/status.h"

namespace fastpipe {

struct GifInfo {
  int64_t frames = 0;  // that ReadInto will write
  int64_t height = 0;
  int64_t width = 0;
};

struct GifOptions {
  bool first_frame_only = false;
  // Files of more pixels, over all frames wanted, are refused. Files that are long themselves may
  // have more: a thousand times their bytes.
  int64_t max_pixels = Limits{}.image_pixels;
};

class GifDecoder {
 public:
  // `bytes` must stay alive until ReadInto returns.
  Status Start(std::string_view bytes, const GifOptions& options, GifInfo* info);

  // Writes frames * height * width * 3 bytes. On error they are undefined.
  // REQUIRES: the last call was a successful Start.
  Status ReadInto(uint8_t* pixels);

 private:
  Status Failure(std::string_view what) const;

  std::string_view bytes_;
  GifInfo info_;
};

}  // namespace fastpipe
