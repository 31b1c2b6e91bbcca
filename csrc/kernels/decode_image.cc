// decode_image(contents): the pixels of an image in any format that is known, of `dtype` uint8,
// uint16 or float32: [height, width, channels], or [frames, height, width, channels] for GIFs and
// WebPs if `expand_animations` is true.
// decode_gif(contents): [frames, height, width, 3]; decode_webp(contents): [frames, height, width,
// 3 or 4]; decode_bmp(contents): [height, width, channels]; all uint8.
//
// Attributes: channels (not of decode_gif); dtype and expand_animations (of decode_image).

#include "core/registry.h"
#include "kernels/encoded_image.h"

namespace fastpipe {
namespace {

struct ImageRequest {
  int channels = 0;
  DType dtype = DType::kUint8;
  bool expand_animations = true;
};

// 16 bits as they are, or spanning 0 to 1 in float32.
Status DecodeWidePng(std::string_view bytes, const ImageRequest& request, const Limits& limits,
                     Output* output) {
  const PngOptions options = {.channels = request.channels, .bits = 16};
  if (request.dtype == DType::kUint16) return DecodePng(bytes, options, limits, output);
  Tensor pixels;
  Output wide(&pixels);
  FASTPIPE_RETURN_IF_ERROR(DecodePng(bytes, options, limits, &wide));
  constexpr float kScale = 1.0 / 65535;
  const uint16_t* from = pixels.data<uint16_t>();
  float* to = output->Allocate<float>(pixels.dims());
  const int64_t count = pixels.num_elements();
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]) * kScale;
  return Status::Ok();
}

Status RunDecodeImage(const Args& attrs, const ImageRequest& request, const Limits& limits,
                      const Tensor& contents, Output* output) {
  FASTPIPE_ASSIGN(const std::string_view bytes, EncodedBytes(attrs, contents));
  const ImageFormat format = ImageFormatOf(bytes);
  const Frames frames = request.expand_animations ? Frames::kAll : Frames::kFirst;
  const int channels = request.channels;
  const DType dtype = request.dtype;
  switch (format) {
    case ImageFormat::kPng:
      if (dtype != DType::kUint8) return DecodeWidePng(bytes, request, limits, output);
      return DecodePng(bytes, {.channels = channels}, limits, output);
    case ImageFormat::kJpeg:
      return DecodeBytesAs(dtype, output, [&](Output* out) {
        return DecodeJpeg(bytes, AnyJpeg(channels), limits, out);
      });
    case ImageFormat::kGif:
      return DecodeBytesAs(dtype, output, [&](Output* out) {
        return DecodeGif(bytes, channels, frames, limits, out);
      });
    case ImageFormat::kBmp:
      return DecodeBytesAs(dtype, output,
                           [&](Output* out) { return DecodeBmp(bytes, channels, limits, out); });
    case ImageFormat::kWebp:
      if (dtype == DType::kUint8) return DecodeWebp(bytes, channels, frames, limits, output);
      return attrs.Error(StrCat("a WebP can be decoded as uint8 only, not ", DTypeName(dtype),
                                ": convert the result"));
    default:
      return NotDecodable(attrs, bytes, "a JPEG, PNG, GIF, BMP or WebP");
  }
}

Result<KernelPlan> PlanDecodeImage(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectEncoded(attrs, inputs));
  ImageRequest request;
  FASTPIPE_ASSIGN(request.channels, ReadChannels(attrs));
  FASTPIPE_ASSIGN(request.dtype, attrs.DtypeOr("dtype", DType::kUint8));
  FASTPIPE_ASSIGN(request.expand_animations, attrs.BoolOr("expand_animations", true));
  if (request.dtype != DType::kUint8 && request.dtype != DType::kUint16 &&
      request.dtype != DType::kFloat32) {
    return attrs.Error(
        StrCat("dtype must be uint8, uint16 or float32, got ", DTypeName(request.dtype)));
  }
  TensorSpec spec = request.expand_animations ? TensorSpec::UnknownRank(request.dtype)
                                              : DecodedSpec(request.dtype, request.channels);
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, request](KernelContext* context, Inputs in, Outputs out) {
                      return RunDecodeImage(attrs, request, context->limits, *in[0], &out[0]);
                    })};
}

// A kernel of one format: what it says of its result, and how it decodes.
using Decode = Status (*)(const Args& attrs, int channels, const Limits& limits,
                          std::string_view bytes, Output* output);

// JPEGs and PNGs are decoded as one frame, as in TensorFlow.
Status RunDecodeGif(const Args& attrs, int channels, const Limits& limits, std::string_view bytes,
                    Output* output) {
  const ImageFormat format = ImageFormatOf(bytes);
  if (format == ImageFormat::kGif) return DecodeGif(bytes, channels, Frames::kAll, limits, output);
  if (format == ImageFormat::kWebp)
    return DecodeWebp(bytes, channels, Frames::kAll, limits, output);
  if (format != ImageFormat::kJpeg && format != ImageFormat::kPng) {
    return NotDecodable(attrs, bytes, "a GIF");
  }
  Tensor pixels;
  Output image(&pixels);
  FASTPIPE_RETURN_IF_ERROR(format == ImageFormat::kPng
                               ? DecodePng(bytes, {.channels = channels}, limits, &image)
                               : DecodeJpeg(bytes, AnyJpeg(channels), limits, &image));
  const int64_t dims[] = {1, pixels.dim(0), pixels.dim(1), pixels.dim(2)};
  output->Set(pixels.Reshaped(dims));
  return Status::Ok();
}

Status RunDecodeWebp(const Args& attrs, int channels, const Limits& limits, std::string_view bytes,
                     Output* output) {
  if (ImageFormatOf(bytes) != ImageFormat::kWebp) return NotDecodable(attrs, bytes, "a WebP");
  return DecodeWebp(bytes, channels, Frames::kAll, limits, output);
}

Status RunDecodeBmp(const Args& attrs, int channels, const Limits& limits, std::string_view bytes,
                    Output* output) {
  if (ImageFormatOf(bytes) != ImageFormat::kBmp) return NotDecodable(attrs, bytes, "a BMP");
  return DecodeBmp(bytes, channels, limits, output);
}

Result<KernelPlan> PlanFormat(const Args& attrs, Specs inputs, int channels, bool has_frames,
                              Decode decode) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectEncoded(attrs, inputs));
  TensorSpec spec = DecodedSpec(DType::kUint8, channels);
  if (has_frames) spec.dims.insert(spec.dims.begin(), -1);
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, channels, decode](KernelContext* context, Inputs in,
                                                         Outputs out) -> Status {
                      FASTPIPE_ASSIGN(const std::string_view bytes, EncodedBytes(attrs, *in[0]));
                      return decode(attrs, channels, context->limits, bytes, &out[0]);
                    })};
}

Result<KernelPlan> PlanDecodeGif(const Args& attrs, Specs inputs) {
  return PlanFormat(attrs, inputs, 3, true, RunDecodeGif);
}

Result<KernelPlan> PlanDecodeWebp(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const int channels, ReadChannels(attrs));
  if (channels == 1) return attrs.Error("channels must be 0, 3 or 4 for a WebP, got 1");
  return PlanFormat(attrs, inputs, channels, true, RunDecodeWebp);
}

Result<KernelPlan> PlanDecodeBmp(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const int channels, ReadChannels(attrs));
  if (channels == 1) return attrs.Error("channels must be 0, 3 or 4 for a BMP, got 1");
  return PlanFormat(attrs, inputs, channels, false, RunDecodeBmp);
}

FASTPIPE_KERNEL("decode_image", PlanDecodeImage);
FASTPIPE_KERNEL("decode_gif", PlanDecodeGif);
FASTPIPE_KERNEL("decode_webp", PlanDecodeWebp);
FASTPIPE_KERNEL("decode_bmp", PlanDecodeBmp);

}  // namespace
}  // namespace fastpipe
