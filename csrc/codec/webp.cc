#include "codec/webp.h"

#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace fastpipe {
namespace {

// Of all frames, at which no long animation is suspicious.
constexpr int64_t kUsualPixelsPerByte = 1000;
// libwebp looks for each frame from the first one on: ten times as many would take a minute.
constexpr int64_t kMaxFrames = 16384;

struct FreeDemuxer {
  void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};
struct FreeAnimation {
  void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
};

const uint8_t* Data(std::string_view bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

// The number of frames, or 0 if the file is not whole.
int64_t CountFrames(std::string_view bytes) {
  const WebPData data = {Data(bytes), bytes.size()};
  const std::unique_ptr<WebPDemuxer, FreeDemuxer> demuxer(WebPDemux(&data));
  return demuxer == nullptr ? 0 : WebPDemuxGetI(demuxer.get(), WEBP_FF_FRAME_COUNT);
}

const char* ErrorText(int code) {
  switch (code) {
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return "the data end too early";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "it uses a feature that libwebp does not know";
    default:
      return "the data are damaged";
  }
}

}  // namespace

Status WebpDecoder::Failure(std::string_view what) const {
  return InvalidArgument(StrCat("cannot decode WebP of ", bytes_.size(), " bytes: ", what));
}

Status WebpDecoder::Failure(int code) const {
  if (code == VP8_STATUS_OUT_OF_MEMORY) {
    return Status(Code::kResourceExhausted, "no memory for a WebP decoder");
  }
  return Failure(ErrorText(code));
}

Status WebpDecoder::Start(std::string_view bytes, const WebpOptions& options, WebpInfo* info) {
  bytes_ = bytes;
  if (options.channels != 0 && options.channels != 3 && options.channels != 4) {
    return Failure(StrCat("channels must be 0, 3 or 4 for a WebP, got ", options.channels));
  }
  WebPBitstreamFeatures features;
  const VP8StatusCode code = WebPGetFeatures(Data(bytes), bytes.size(), &features);
  if (code != VP8_STATUS_OK) return Failure(code);
  info_ = {1, features.height, features.width, features.has_alpha != 0 ? 4 : 3,
           features.has_animation != 0};
  if (info_.animated) info_.channels = 4;  // what lies behind a frame may show through
  if (options.channels != 0 && options.channels != info_.channels) {
    return Failure(StrCat("it has ", info_.channels, " channels, not ", options.channels));
  }
  const std::string size = StrCat(info_.width, " x ", info_.height, " pixels");
  if (info_.height > options.max_pixels / info_.width) {
    return Failure(StrCat(size, " are more than the limit of ", options.max_pixels));
  }
  if (info_.animated) {
    const int64_t frames = CountFrames(bytes);
    if (frames <= 0) return Failure("the data are damaged or end too early");
    info_.frames = options.first_frame_only ? 1 : frames;
    if (info_.frames > kMaxFrames) {
      return Failure(StrCat(info_.frames, " frames are more than the limit of ", kMaxFrames));
    }
    const int64_t most =
        std::max(options.max_pixels, kUsualPixelsPerByte * static_cast<int64_t>(bytes.size()));
    if (info_.frames > most / (info_.width * info_.height)) {
      return Failure(
          StrCat(info_.frames, " frames of ", size, " are more than the limit of ", most));
    }
  }
  *info = info_;
  return Status::Ok();
}

Status WebpDecoder::ReadInto(uint8_t* pixels) {
  return info_.animated ? ReadAnimation(pixels) : ReadImage(pixels);
}

Status WebpDecoder::ReadImage(uint8_t* pixels) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) return Internal("another version of libwebp");
  const int64_t row_bytes = info_.width * info_.channels;
  config.output.colorspace = info_.channels == 4 ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = pixels;
  config.output.u.RGBA.stride = static_cast<int>(row_bytes);
  config.output.u.RGBA.size = static_cast<size_t>(row_bytes * info_.height);
  const VP8StatusCode code = WebPDecode(Data(bytes_), bytes_.size(), &config);
  return code == VP8_STATUS_OK ? Status::Ok() : Failure(code);
}

Status WebpDecoder::ReadAnimation(uint8_t* pixels) {
  const WebPData data = {Data(bytes_), bytes_.size()};
  const std::unique_ptr<WebPAnimDecoder, FreeAnimation> decoder(WebPAnimDecoderNew(&data, nullptr));
  if (decoder == nullptr) return Failure("the animation is damaged");
  const auto frame_bytes = static_cast<size_t>(info_.height * info_.width * info_.channels);
  for (int64_t k = 0; k < info_.frames; ++k, pixels += frame_bytes) {
    uint8_t* canvas = nullptr;
    int end = 0;
    if (WebPAnimDecoderGetNext(decoder.get(), &canvas, &end) == 0) {
      return Failure(StrCat("the data are damaged, in frame ", k));
    }
    std::memcpy(pixels, canvas, frame_bytes);
  }
  return Status::Ok();
}

}  // namespace fastpipe
