#include "codec/resample.h"

#include <memory>
#include <vector>

#include "codec/resample_stream.h"
#include "codec/resample_weights.h"

namespace fastpipe {

namespace {

// All rows of an image in memory.
template <typename Value>
void ResizeRows(const Value* input, ImageShape in, RowResizer<Value>* resizer) {
  const int64_t row_size = in.width * in.channels;
  resizer->Advance({input, row_size, in.height, input + in.height * row_size}, in.height);
}

template <typename Value>
void ResizeNearestToFloat(const Value* input, ImageShape in, int64_t out_height, int64_t out_width,
                          float* output) {
  const std::vector<int32_t> ys = NearestPositions(in.height, out_height);
  const std::vector<int32_t> xs = NearestPositions(in.width, out_width);
  for (int32_t y : ys) {
    const Value* row = input + y * in.width * in.channels;
    for (int32_t x : xs) {
      const Value* pixel = row + x * in.channels;
      for (int64_t c = 0; c < in.channels; ++c) *output++ = static_cast<float>(pixel[c]);
    }
  }
}

template <typename Value>
Status Resize(const Value* input, ImageShape in, int64_t out_height, int64_t out_width,
              ResizeMethod method, bool antialias, float* output, ResizeCode code) {
  FASTPIPE_RETURN_IF_ERROR(CheckResizeSizes(in, out_height, out_width));
  if (method == ResizeMethod::kNearest) {
    ResizeNearestToFloat(input, in, out_height, out_width, output);
  } else {
    ResizeRows(input, in,
               NewFloatResizer<Value>(in, ImageArea::Whole(in), out_height, out_width, method,
                                      antialias, code, output)
                   .get());
  }
  return Status::Ok();
}

}  // namespace

Status ResizeToFloat(const uint8_t* input, ImageShape in, int64_t out_height, int64_t out_width,
                     ResizeMethod method, bool antialias, float* output, ResizeCode code) {
  return Resize(input, in, out_height, out_width, method, antialias, output, code);
}

Status ResizeToFloat(const float* input, ImageShape in, int64_t out_height, int64_t out_width,
                     ResizeMethod method, bool antialias, float* output, ResizeCode code) {
  return Resize(input, in, out_height, out_width, method, antialias, output, code);
}

Status ResizeNearest(const void* input, int64_t height, int64_t width, int64_t out_height,
                     int64_t out_width, int64_t pixel_bytes, void* output) {
  const ImageShape in = {height, width, pixel_bytes};
  FASTPIPE_RETURN_IF_ERROR(CheckResizeSizes(in, out_height, out_width));
  ResizeRows(static_cast<const uint8_t*>(input), in,
             NewNearestResizer(in, out_height, out_width, static_cast<uint8_t*>(output)).get());
  return Status::Ok();
}

Status ResizeLikePillow(const uint8_t* input, ImageShape in, int64_t out_height, int64_t out_width,
                        PillowFilter filter, uint8_t* output, PillowPasses passes,
                        ResizeCode code) {
  FASTPIPE_RETURN_IF_ERROR(CheckResizeSizes(in, out_height, out_width));
  ResizeRows(input, in,
             NewPillowResizer(in, ImageArea::Whole(in), out_height, out_width, filter, passes, code,
                              output)
                 .get());
  return Status::Ok();
}

}  // namespace fastpipe
