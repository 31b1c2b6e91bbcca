#include "kernels/encoded_image.h"

#include <algorithm>
#include <vector>

#include "codec/bmp.h"
#include "codec/gif.h"
#include "codec/webp.h"

namespace fastpipe {
namespace {

struct Signature {
  ImageFormat format;
  size_t offset;
  std::string_view bytes;
};

constexpr Signature kSignatures[] = {
    {ImageFormat::kJpeg, 0, "\xff\xd8\xff"},
    {ImageFormat::kPng, 0, "\x89PNG\r\n\x1a\n"},
    {ImageFormat::kGif, 0, "GIF8"},
    {ImageFormat::kBmp, 0, "BM"},
    {ImageFormat::kWebp, 8, "WEBP"},
    {ImageFormat::kJpegXl, 0, "\xff\x0a"},
    {ImageFormat::kJpegXl, 4, "JXL \r\n\x87\n"},
};

// Pixels that an image of any few bytes may have. Beyond that each takes its share of a byte, as
// with whatever else is compressed: blank images do, unless they are attacks.
constexpr int64_t kFreePixels = int64_t{16} << 20;

int64_t MostPixels(std::string_view bytes, const Limits& limits) {
  const int64_t believable = limits.MostFrom(static_cast<int64_t>(bytes.size()));
  return std::min(limits.image_pixels, std::max(believable, kFreePixels));
}

// The shape of `count` images of `image` dimensions.
std::vector<int64_t> WithFrames(Frames frames, int64_t count, std::vector<int64_t> image) {
  if (frames == Frames::kAll) image.insert(image.begin(), count);
  return image;
}

Status ExpectOneFrame(Frames frames, int64_t count, const char* format) {
  if (frames != Frames::kOnly || count == 1) return Status::Ok();
  return InvalidArgument(StrCat("cannot decode ", format, " of ", count,
                                " frames as one image: use decode_",
                                format[0] == 'G' ? "gif" : "webp", " or decode_image"));
}

Result<JpegDctMethod> ReadDctMethod(const Args& attrs) {
  FASTPIPE_ASSIGN(const std::string name, attrs.StringOr("dct_method", ""));
  // The default is ours to choose: the bytes that Pillow gives.
  if (name.empty() || name == "INTEGER_ACCURATE") return JpegDctMethod::kAccurate;
  if (name == "INTEGER_FAST") return JpegDctMethod::kFast;
  return attrs.Error(
      StrCat("dct_method must be '', 'INTEGER_FAST' or 'INTEGER_ACCURATE', got '", name, "'"));
}

}  // namespace

ImageFormat ImageFormatOf(std::string_view bytes) {
  for (const Signature& signature : kSignatures) {
    if (bytes.size() >= signature.offset &&
        bytes.substr(signature.offset, signature.bytes.size()) == signature.bytes) {
      return signature.format;
    }
  }
  return ImageFormat::kUnknown;
}

const char* ImageFormatName(ImageFormat format) {
  constexpr const char* kNames[] = {
      "an unknown format", "JPEG", "PNG", "GIF", "BMP", "WebP", "JPEG XL"};
  return kNames[static_cast<size_t>(format)];
}

Result<int> ReadChannels(const Args& attrs) {
  FASTPIPE_ASSIGN(const int64_t channels, attrs.IntOr("channels", 0));
  if (channels == 0 || channels == 1 || channels == 3 || channels == 4) {
    return static_cast<int>(channels);
  }
  return attrs.Error(StrCat("channels must be 0 (as in the image), 1, 3 or 4, got ", channels));
}

Result<JpegOptions> ReadJpegOptions(const Args& attrs) {
  JpegOptions options;
  FASTPIPE_ASSIGN(options.channels, ReadChannels(attrs));
  FASTPIPE_ASSIGN(const int64_t ratio, attrs.IntOr("ratio", 1));
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
    return attrs.Error(StrCat("ratio must be 1, 2, 4 or 8, got ", ratio));
  }
  options.ratio = static_cast<int>(ratio);
  FASTPIPE_ASSIGN(options.fancy_upscaling, attrs.BoolOr("fancy_upscaling", true));
  FASTPIPE_ASSIGN(options.try_recover_truncated, attrs.BoolOr("try_recover_truncated", false));
  FASTPIPE_ASSIGN(const double fraction, attrs.DoubleOr("acceptable_fraction", 1.0));
  options.acceptable_fraction = static_cast<float>(fraction);
  FASTPIPE_ASSIGN(options.dct_method, ReadDctMethod(attrs));
  return options;
}

TensorSpec DecodedSpec(DType dtype, int channels) {
  return TensorSpec::Of(dtype, {-1, -1, channels == 0 ? -1 : channels});
}

Status ExpectEncoded(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error("takes the bytes of an image, got nothing");
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  if (inputs[0].rank() <= 0) return Status::Ok();
  return attrs.Error(
      StrCat("the bytes of an image must be a scalar string, got ", inputs[0].ToString()));
}

Result<std::string_view> EncodedBytes(const Args& attrs, const Tensor& input) {
  if (input.rank() == 0) return input.str();
  return attrs.Error(StrCat("the bytes of an image must be a scalar string, got shape ",
                            ShapeString(input.dims())));
}

Status NotDecodable(const Args& attrs, std::string_view bytes, const char* expected) {
  if (bytes.empty()) return attrs.Error(StrCat("expected ", expected, ", got no bytes at all"));
  return attrs.Error(StrCat("expected ", expected, ", got ", bytes.size(), " bytes of ",
                            ImageFormatName(ImageFormatOf(bytes))));
}

JpegOptions Limited(JpegOptions options, std::string_view bytes, const Limits& limits) {
  options.max_pixels = MostPixels(bytes, limits);
  options.max_scans = limits.image_scans;
  return options;
}

Status DecodeJpeg(std::string_view bytes, const JpegOptions& options, const Limits& limits,
                  Output* output) {
  if (options.channels == 4) {
    return InvalidArgument(
        StrCat("cannot decode JPEG of ", bytes.size(),
               " bytes with channels=4: JPEGs have no alpha, ask for 0, 1 or 3"));
  }
  JpegDecoder& decoder = ThreadJpegDecoder();
  JpegInfo info;
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, Limited(options, bytes, limits), &info));
  const int64_t dims[] = {info.height, info.width, info.channels};
  return decoder.ReadInto(output->Allocate<uint8_t>(dims), info.width * info.channels);
}

JpegOptions AnyJpeg(int channels) {
  return {.channels = channels, .dct_method = JpegDctMethod::kFast};
}

Status DecodePng(std::string_view bytes, const PngOptions& options, const Limits& limits,
                 Output* output) {
  PngOptions limited = options;
  limited.max_pixels = MostPixels(bytes, limits);
  PngDecoder decoder;
  PngInfo info;
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, limited, &info));
  const int64_t dims[] = {info.height, info.width, info.channels};
  uint8_t* pixels =
      output->Allocate(info.bytes_per_value == 2 ? DType::kUint16 : DType::kUint8, dims);
  return decoder.ReadInto(pixels, info.width * info.channels * info.bytes_per_value);
}

Status DecodeBmp(std::string_view bytes, int channels, const Limits& limits, Output* output) {
  FASTPIPE_ASSIGN(const BmpLayout layout,
                  ReadBmpLayout(bytes, channels, MostPixels(bytes, limits)));
  const int64_t dims[] = {layout.height, layout.width, layout.channels};
  ReadBmp(bytes, layout, output->Allocate<uint8_t>(dims));
  return Status::Ok();
}

Status DecodeGif(std::string_view bytes, int channels, Frames frames, const Limits& limits,
                 Output* output) {
  if (channels != 0 && channels != 3) {
    return InvalidArgument(StrCat("cannot decode GIF of ", bytes.size(),
                                  " bytes: channels must be 0 or 3 for a GIF, got ", channels));
  }
  GifDecoder decoder;
  GifInfo info;
  const GifOptions options = {.first_frame_only = frames == Frames::kFirst,
                              .max_pixels = MostPixels(bytes, limits)};
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, options, &info));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneFrame(frames, info.frames, "GIF"));
  return decoder.ReadInto(
      output->Allocate<uint8_t>(WithFrames(frames, info.frames, {info.height, info.width, 3})));
}

Status DecodeWebp(std::string_view bytes, int channels, Frames frames, const Limits& limits,
                  Output* output) {
  WebpDecoder decoder;
  WebpInfo info;
  const WebpOptions options = {.channels = channels,
                               .first_frame_only = frames == Frames::kFirst,
                               .max_pixels = MostPixels(bytes, limits)};
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, options, &info));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneFrame(frames, info.frames, "WebP"));
  return decoder.ReadInto(output->Allocate<uint8_t>(
      WithFrames(frames, info.frames, {info.height, info.width, info.channels})));
}

void ConvertBytes(const Tensor& pixels, DType dtype, Output* output) {
  const uint8_t* from = pixels.data<uint8_t>();
  const int64_t count = pixels.num_elements();
  if (dtype == DType::kUint16) {
    uint16_t* to = output->Allocate<uint16_t>(pixels.dims());
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<uint16_t>(from[i] << 8);
  } else {
    constexpr float kScale = 1.0 / 255;
    float* to = output->Allocate<float>(pixels.dims());
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]) * kScale;
  }
}

}  // namespace fastpipe
