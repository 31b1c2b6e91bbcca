// Decoding a JPEG and resizing it, a few rows at a time: the image never exists as a whole, and its
// pixels are still in the cache when they are resized.
//
// Contract: the bits are those of JpegDecoder followed by a function of codec/resample.h, unless
// fast_decode allows others. Two phases, as in codec/jpeg.h, whose decoder of the thread does the
// work:
//
//   ResizedJpegDecoder decoder;
//   JpegInfo info;
//   FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, options, resize, &info));
//   ... allocate info.height * info.width * info.channels floats, or bytes ...
//   FASTPIPE_RETURN_IF_ERROR(decoder.ReadInto(output));
//
// Threads: one thread from Start to ReadInto.
#pragma once

#include <cstdint>
#include <string_view>

#include "codec/jpeg.h"
#include "codec/resample.h"
#include "codec/resample_stream.h"
#include "core/status.h"

namespace fastpipe {

struct JpegResize {
  enum class Arithmetic {
    kFloat,   // ResizeToFloat, or ResizeNearest if `method` is kNearest, which gives bytes
    kPillow,  // ResizeLikePillow, which gives bytes
  };
  int64_t height = 0;
  int64_t width = 0;
  Arithmetic arithmetic = Arithmetic::kFloat;
  ResizeMethod method = ResizeMethod::kBilinear;
  bool antialias = false;
  PillowFilter filter = PillowFilter::kBilinear;
  PillowPasses passes = PillowPasses::kPillow13;
  // The image may be decoded at a half, a quarter or an eighth of its size, if that is still enough
  // for the output: see FastRatio. Not exact, and without effect unless the method averages all
  // pixels (with antialias, or Pillow's).
  bool fast_decode = false;

  bool gives_floats() const {
    return arithmetic == Arithmetic::kFloat && method != ResizeMethod::kNearest;
  }
};

// The largest of 1, 2, 4 and 8 by which `in` may be divided in each direction before it is resized
// to `out`: at least one and a half times the size of the output remains.
int FastRatio(int64_t in_height, int64_t in_width, int64_t out_height, int64_t out_width);

class ResizedJpegDecoder {
 public:
  // `*output_info` is the shape that ReadInto will write. Errors are those of JpegDecoder::Start,
  // and of the resizing functions for sizes. `bytes` must stay alive until ReadInto returns.
  // REQUIRES: no try_recover_truncated, which needs the whole image.
  Status Start(std::string_view bytes, const JpegOptions& options, const JpegResize& resize,
               JpegInfo* output_info);
  // Writes the image: floats if resize.gives_floats(), or bytes.
  // REQUIRES: Start has succeeded, and the thread's decoder was not used since.
  Status ReadInto(void* output);

 private:
  JpegInfo decoded_;
  ImageArea area_;  // of what is decoded
  JpegResize resize_;
};

}  // namespace fastpipe
