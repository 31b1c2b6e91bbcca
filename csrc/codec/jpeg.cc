#include "codec/jpeg.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>
#include <utility>

#include "codec/jpeg_shim.h"
#include "core/fault_points.h"

namespace fastpipe {

void JpegDecoder::Free::operator()(fastpipe_jpeg* jpeg) const { fastpipe_jpeg_free(jpeg); }

JpegDecoder::JpegDecoder() = default;
JpegDecoder::~JpegDecoder() = default;

Status JpegDecoder::Failure(std::string_view what) const {
  std::string message = StrCat("cannot decode JPEG of ", bytes_.size(), " bytes: ", what);
  if (fastpipe_jpeg_out_of_memory(jpeg_.get())) {
    return ResourceExhausted(std::move(message));
  }
  return InvalidArgument(std::move(message));
}

Status JpegDecoder::ReadHeader(std::string_view bytes, fastpipe_jpeg_header* header) {
  Reset();
  if (jpeg_ == nullptr) jpeg_.reset(fastpipe_jpeg_new());
  if (jpeg_ == nullptr) return ResourceExhausted("no memory for a JPEG decoder");
  bytes_ = bytes;
  if (!fastpipe_jpeg_read_header(jpeg_.get(), reinterpret_cast<const uint8_t*>(bytes.data()),
                                 bytes.size(), header)) {
    return Failure(fastpipe_jpeg_message(jpeg_.get()));
  }
  return Status::Ok();
}

Status JpegDecoder::CheckLimits(const fastpipe_jpeg_header& header) const {
  const std::string size = StrCat(header.width, " x ", header.height, " pixels");
  if (int64_t{header.width} * header.height > options_.max_pixels) {
    return Failure(StrCat(size, " are more than the limit of ", options_.max_pixels));
  }
  // A few bytes can announce a huge image. Since each unit takes a bit at least, the length of the
  // data shows whether they can keep the promise.
  if (header.huffman && !options_.try_recover_truncated && header.units / 8 > bytes_.size()) {
    return Failure(StrCat("the data end too early for ", size));
  }
  return Status::Ok();
}

Status JpegDecoder::Configure(const fastpipe_jpeg_header& header, JpegCrop* window) {
  fastpipe_jpeg_setup setup = {};
  setup.channels =
      options_.channels != 0 ? options_.channels : (header.channels < 3 ? header.channels : 3);
  if (setup.channels == 2) return Failure("images of two components are not supported");
  setup.ratio = options_.ratio;
  setup.fancy_upscaling = options_.fancy_upscaling;
  setup.fast_dct = options_.dct_method == JpegDctMethod::kFast;
  setup.recover = options_.try_recover_truncated;
  setup.max_scans = static_cast<int>(std::min<int64_t>(options_.max_scans, INT_MAX));
  setup.libjpeg_only = options_.libjpeg_only;
  setup.libjpeg_edges = options_.crop_edges == JpegCropEdges::kAsTensorFlow;
  uint32_t width = 0, height = 0;
  if (!fastpipe_jpeg_configure(jpeg_.get(), &setup, &width, &height)) {
    return Failure(fastpipe_jpeg_message(jpeg_.get()));
  }
  *window = options_.crop.value_or(JpegCrop{0, 0, height, width});
  // Written so that no sum can overflow.
  if (window->y < 0 || window->x < 0 || window->height <= 0 || window->width <= 0 ||
      window->y > height || window->x > width || window->height > height - window->y ||
      window->width > width - window->x) {
    return InvalidArgument(StrCat("crop window [y=", window->y, ", x=", window->x,
                                  ", height=", window->height, ", width=", window->width,
                                  "] is not within the image of ", height, " rows and ", width,
                                  " columns"));
  }
  output_ = JpegInfo{window->width, window->height, setup.channels};
  return Status::Ok();
}

Status JpegDecoder::Start(std::string_view bytes, const JpegOptions& options,
                          JpegInfo* output_info) {
  if (options.channels != 0 && options.channels != 1 && options.channels != 3) {
    return InvalidArgument(StrCat("channels must be 0, 1 or 3, not ", options.channels));
  }
  if (options.ratio != 1 && options.ratio != 2 && options.ratio != 4 && options.ratio != 8) {
    return InvalidArgument(StrCat("ratio must be 1, 2, 4 or 8, not ", options.ratio));
  }
  fastpipe_jpeg_header header = {};
  FASTPIPE_RETURN_IF_ERROR(ReadHeader(bytes, &header));
  if (FASTPIPE_FAULT(kDecode)) return Failure("a test asked for it");
  options_ = options;
  FASTPIPE_RETURN_IF_ERROR(CheckLimits(header));
  JpegCrop crop;
  FASTPIPE_RETURN_IF_ERROR(Configure(header, &crop));
  const fastpipe_jpeg_window window = {static_cast<uint32_t>(crop.x), static_cast<uint32_t>(crop.y),
                                       static_cast<uint32_t>(crop.width),
                                       static_cast<uint32_t>(crop.height)};
  if (!fastpipe_jpeg_start(jpeg_.get(), &window)) {
    Status status = Failure(fastpipe_jpeg_message(jpeg_.get()));
    Reset();
    return status;
  }
  *output_info = output_;
  return Status::Ok();
}

Status JpegDecoder::ReadInto(uint8_t* pixels, int64_t row_stride) {
  Status status;
  if (!fastpipe_jpeg_read(jpeg_.get(), pixels, row_stride, static_cast<uint32_t>(output_.height))) {
    const int64_t rows = fastpipe_jpeg_rows(jpeg_.get());
    const bool acceptable = options_.try_recover_truncated && rows > 0 &&
                            static_cast<float>(rows) >=
                                options_.acceptable_fraction * static_cast<float>(output_.height);
    if (acceptable) {
      const size_t row_bytes = static_cast<size_t>(output_.width) * output_.channels;
      for (int64_t y = rows; y < output_.height; ++y) {
        std::memcpy(pixels + y * row_stride, pixels + (rows - 1) * row_stride, row_bytes);
      }
    } else {
      status = FailureOfRows();
    }
  }
  Reset();
  return status;
}

Status JpegDecoder::ReadRows(uint8_t* pixels, int64_t row_stride, int64_t count) {
  Status status;
  if (!fastpipe_jpeg_read(jpeg_.get(), pixels, row_stride, static_cast<uint32_t>(count))) {
    status = FailureOfRows();
  } else if (fastpipe_jpeg_rows(jpeg_.get()) < output_.height) {
    return status;
  }
  Reset();
  return status;
}

Status JpegDecoder::FailureOfRows() const {
  return Failure(StrCat(fastpipe_jpeg_message(jpeg_.get()), ", after row ",
                        fastpipe_jpeg_rows(jpeg_.get()), " of ", output_.height));
}

void JpegDecoder::Reset() {
  if (jpeg_ != nullptr) fastpipe_jpeg_reset(jpeg_.get());
}

int64_t JpegDecoder::warnings() const {
  return jpeg_ == nullptr ? 0 : fastpipe_jpeg_warnings(jpeg_.get());
}

Result<JpegInfo> JpegDecoder::ReadInfo(std::string_view bytes) {
  fastpipe_jpeg_header header = {};
  FASTPIPE_RETURN_IF_ERROR(ReadHeader(bytes, &header));
  return JpegInfo{header.width, header.height, header.channels};
}

Result<JpegInfo> ReadJpegInfo(std::string_view bytes) {
  // Not the thread's decoder, which may be between Start and ReadInto.
  JpegDecoder decoder;
  return decoder.ReadInfo(bytes);
}

JpegDecoder& ThreadJpegDecoder() {
  thread_local JpegDecoder decoder;
  return decoder;
}

}  // namespace fastpipe
