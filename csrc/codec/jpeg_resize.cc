#include "codec/jpeg_resize.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "codec/resample_rows.h"
#include "codec/resample_stream.h"
#include "core/buffer.h"

namespace fastpipe {
namespace {

// Decoded at a time, beyond those that the resizer still needs: as many as libjpeg makes of one row
// of its largest units.
constexpr int64_t kBandRows = 16;

// libjpeg-turbo writes rows that are aligned to vectors past the cache, for they are not read soon
// as a rule. These are: they start beside the alignment.
constexpr int64_t kAlignment = 64;
constexpr int64_t kMisalignment = 8;

// How much larger than the output an image is at least when fast_decode has shrunk it. At 1 the
// error is about three times as large, at 2 half as large.
constexpr double kFastScale = 1.5;

std::unique_ptr<RowResizer<uint8_t>> NewResizer(ImageShape in, ImageArea area,
                                                const JpegResize& resize, void* output) {
  if (resize.gives_floats()) {
    return NewFloatResizer<uint8_t>(in, area, resize.height, resize.width, resize.method,
                                    resize.antialias, ResizeCode::kFastest,
                                    static_cast<float*>(output));
  }
  auto* bytes = static_cast<uint8_t*>(output);
  if (resize.arithmetic == JpegResize::Arithmetic::kPillow) {
    return NewPillowResizer(in, area, resize.height, resize.width, resize.filter, resize.passes,
                            ResizeCode::kFastest, bytes);
  }
  return NewNearestResizer(in, resize.height, resize.width, bytes);
}

bool AveragesAllPixels(const JpegResize& resize) {
  if (resize.arithmetic == JpegResize::Arithmetic::kPillow) return true;
  return resize.antialias && resize.method != ResizeMethod::kNearest &&
         resize.method != ResizeMethod::kArea;
}

bool IsWithin(const JpegCrop& window, const JpegInfo& image) {
  return window.y >= 0 && window.x >= 0 && window.height > 0 && window.width > 0 &&
         window.y <= image.height && window.x <= image.width &&
         window.height <= image.height - window.y && window.width <= image.width - window.x;
}

// Pixel i of an image of 1/ratio of the size is made of the pixels from i * ratio on: all that
// contain a part of the window, and where in them it lies.
JpegCrop Shrunk(const JpegCrop& window, int ratio, ImageArea* area) {
  const auto first = [ratio](int64_t at) { return at / ratio; };
  const auto last = [ratio](int64_t at) { return (at + ratio - 1) / ratio; };
  const int64_t y = first(window.y), x = first(window.x);
  const auto within = [ratio](int64_t at, int64_t origin) {
    return static_cast<double>(at) / ratio - static_cast<double>(origin);
  };
  *area = {within(window.y, y), within(window.x, x), within(window.y + window.height, y),
           within(window.x + window.width, x)};
  return {y, x, last(window.y + window.height) - y, last(window.x + window.width) - x};
}

}  // namespace

int FastRatio(int64_t in_height, int64_t in_width, int64_t out_height, int64_t out_width) {
  int ratio = 8;
  while (ratio > 1 && (in_height < kFastScale * ratio * static_cast<double>(out_height) ||
                       in_width < kFastScale * ratio * static_cast<double>(out_width))) {
    ratio /= 2;
  }
  return ratio;
}

Status ResizedJpegDecoder::Start(std::string_view bytes, const JpegOptions& options,
                                 const JpegResize& resize, JpegInfo* output_info) {
  JpegDecoder& decoder = ThreadJpegDecoder();
  JpegOptions scaled = options;
  std::optional<ImageArea> area;
  if (resize.fast_decode && options.ratio == 1 && AveragesAllPixels(resize)) {
    FASTPIPE_ASSIGN(const JpegInfo image, decoder.ReadInfo(bytes));
    const JpegCrop window = options.crop.value_or(JpegCrop{0, 0, image.height, image.width});
    const int ratio = FastRatio(window.height, window.width, resize.height, resize.width);
    if (ratio > 1 && IsWithin(window, image)) {
      scaled.ratio = ratio;
      scaled.crop = Shrunk(window, ratio, &area.emplace());
    }
  }
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, scaled, &decoded_));
  const ImageShape in = {decoded_.height, decoded_.width, decoded_.channels};
  Status status = CheckResizeSizes(in, resize.height, resize.width);
  if (!status.ok()) {
    decoder.Reset();
    return status;
  }
  area_ = area.value_or(ImageArea::Whole(in));
  resize_ = resize;
  *output_info = {resize.width, resize.height, decoded_.channels};
  return Status::Ok();
}

Status ResizedJpegDecoder::ReadInto(void* output) {
  JpegDecoder& decoder = ThreadJpegDecoder();
  const int64_t height = decoded_.height;
  const ImageShape in = {height, decoded_.width, decoded_.channels};
  const std::unique_ptr<RowResizer<uint8_t>> resizer = NewResizer(in, area_, resize_, output);
  const int64_t row_size = in.width * in.channels;
  const int64_t padded_size = kMisalignment + row_size + kRowPadding;
  const int64_t stride = (padded_size + kAlignment - 1) / kAlignment * kAlignment;
  const int64_t rows = std::min(height, resizer->window() + kBandRows);
  const BufferRef memory = BufferPool::Get().Allocate(static_cast<size_t>(rows * stride));
  uint8_t* const first_row = memory->data() + kMisalignment;
  const RowRing<uint8_t> ring = {first_row, stride, rows, memory->data() + rows * stride};
  for (int64_t ready = 0; ready < height;) {
    const int64_t place = ready % rows;
    const int64_t free = std::min(resizer->first_needed(), ready) + rows - ready;
    const int64_t count = std::min({kBandRows, height - ready, rows - place, free});
    FASTPIPE_RETURN_IF_ERROR(decoder.ReadRows(first_row + place * stride, stride, count));
    ready += count;
    resizer->Advance(ring, ready);
  }
  return Status::Ok();
}

}  // namespace fastpipe
