#include "codec/jpeg_resize.h"

#include <algorithm>
#include <memory>

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

std::unique_ptr<RowResizer<uint8_t>> NewResizer(ImageShape in, const JpegResize& resize,
                                                void* output) {
  if (resize.gives_floats()) {
    return NewFloatResizer<uint8_t>(in, resize.height, resize.width, resize.method,
                                    resize.antialias, ResizeCode::kFastest,
                                    static_cast<float*>(output));
  }
  auto* bytes = static_cast<uint8_t*>(output);
  if (resize.arithmetic == JpegResize::Arithmetic::kPillow) {
    return NewPillowResizer(in, resize.height, resize.width, resize.filter, resize.passes,
                            ResizeCode::kFastest, bytes);
  }
  return NewNearestResizer(in, resize.height, resize.width, bytes);
}

}  // namespace

Status ResizedJpegDecoder::Start(std::string_view bytes, const JpegOptions& options,
                                 const JpegResize& resize, JpegInfo* output_info) {
  JpegDecoder& decoder = ThreadJpegDecoder();
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, options, &decoded_));
  const ImageShape in = {decoded_.height, decoded_.width, decoded_.channels};
  Status status = CheckResizeSizes(in, resize.height, resize.width);
  if (!status.ok()) {
    decoder.Reset();
    return status;
  }
  resize_ = resize;
  *output_info = {resize.width, resize.height, decoded_.channels};
  return Status::Ok();
}

Status ResizedJpegDecoder::ReadInto(void* output) {
  JpegDecoder& decoder = ThreadJpegDecoder();
  const int64_t height = decoded_.height;
  const ImageShape in = {height, decoded_.width, decoded_.channels};
  const std::unique_ptr<RowResizer<uint8_t>> resizer = NewResizer(in, resize_, output);
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
