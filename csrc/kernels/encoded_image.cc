#include "kernels/encoded_image.h"

namespace fastpipe {
namespace {

struct Signature {
  ImageFormat format;
  size_t offset;
  std::string_view bytes;
};

constexpr Signature kSignatures[] = {
    {ImageFormat::kJpeg, 0, "\xff\xd8\xff"}, {ImageFormat::kPng, 0, "\x89PNG\r\n\x1a\n"},
    {ImageFormat::kGif, 0, "GIF8"},          {ImageFormat::kBmp, 0, "BM"},
    {ImageFormat::kWebp, 8, "WEBP"},
};

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
  constexpr const char* kNames[] = {"an unknown format", "JPEG", "PNG", "GIF", "BMP", "WebP"};
  return kNames[static_cast<size_t>(format)];
}

Result<int> ReadChannels(const Args& attrs) {
  FASTPIPE_ASSIGN(const int64_t channels, attrs.IntOr("channels", 0));
  if (channels == 0 || channels == 1 || channels == 3 || channels == 4) {
    return static_cast<int>(channels);
  }
  return attrs.Error(StrCat("channels must be 0 (as in the image), 1, 3 or 4, got ", channels));
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

Status DecodeJpeg(std::string_view bytes, const JpegOptions& options, Output* output) {
  if (options.channels == 4) {
    return InvalidArgument(
        StrCat("cannot decode JPEG of ", bytes.size(),
               " bytes with channels=4: JPEGs have no alpha, ask for 0, 1 or 3"));
  }
  JpegDecoder& decoder = ThreadJpegDecoder();
  JpegInfo info;
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, options, &info));
  const int64_t dims[] = {info.height, info.width, info.channels};
  return decoder.ReadInto(output->Allocate<uint8_t>(dims), info.width * info.channels);
}

Status DecodePng(std::string_view bytes, const PngOptions& options, Output* output) {
  PngDecoder decoder;
  PngInfo info;
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, options, &info));
  const int64_t dims[] = {info.height, info.width, info.channels};
  uint8_t* pixels =
      output->Allocate(info.bytes_per_value == 2 ? DType::kUint16 : DType::kUint8, dims);
  return decoder.ReadInto(pixels, info.width * info.channels * info.bytes_per_value);
}

}  // namespace fastpipe
