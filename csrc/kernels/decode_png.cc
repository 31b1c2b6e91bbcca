// decode_png(contents): the pixels of a PNG as [height, width, channels] of `dtype`, uint8 or
// uint16. JPEGs and GIFs of one frame are decoded too, as in TensorFlow, and WebPs in uint8.
//
// Attributes: channels, dtype.

#include "core/registry.h"
#include "kernels/encoded_image.h"

namespace fastpipe {
namespace {

Status RunDecodePng(const Args& attrs, const PngOptions& options, const Limits& limits,
                    const Tensor& contents, Output* output) {
  FASTPIPE_ASSIGN(const std::string_view bytes, EncodedBytes(attrs, contents));
  const ImageFormat format = ImageFormatOf(bytes);
  if (format == ImageFormat::kPng) return DecodePng(bytes, options, limits, output);
  const DType dtype = options.bits == 8 ? DType::kUint8 : DType::kUint16;
  if (format == ImageFormat::kJpeg) {
    return DecodeBytesAs(dtype, output, [&](Output* out) {
      return DecodeJpeg(bytes, AnyJpeg(options.channels), limits, out);
    });
  }
  if (format == ImageFormat::kGif) {
    return DecodeBytesAs(dtype, output, [&](Output* out) {
      return DecodeGif(bytes, options.channels, Frames::kOnly, limits, out);
    });
  }
  if (format == ImageFormat::kWebp && dtype == DType::kUint8) {
    return DecodeWebp(bytes, options.channels, Frames::kOnly, limits, output);
  }
  return NotDecodable(attrs, bytes, "a PNG");
}

Result<KernelPlan> PlanDecodePng(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectEncoded(attrs, inputs));
  FASTPIPE_ASSIGN(const DType dtype, attrs.DtypeOr("dtype", DType::kUint8));
  if (dtype != DType::kUint8 && dtype != DType::kUint16) {
    return attrs.Error(StrCat("dtype must be uint8 or uint16, got ", DTypeName(dtype)));
  }
  PngOptions options;
  FASTPIPE_ASSIGN(options.channels, ReadChannels(attrs));
  options.bits = dtype == DType::kUint8 ? 8 : 16;
  return KernelPlan{{DecodedSpec(dtype, options.channels)},
                    KernelFrom([attrs, options](KernelContext* context, Inputs in, Outputs out) {
                      return RunDecodePng(attrs, options, context->limits, *in[0], &out[0]);
                    })};
}

FASTPIPE_KERNEL("decode_png", PlanDecodePng);

}  // namespace
}  // namespace fastpipe
