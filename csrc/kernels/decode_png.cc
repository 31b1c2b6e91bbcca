// decode_png(contents): the pixels of a PNG as [height, width, channels] of `dtype`, uint8 or
// uint16. JPEGs are decoded too, as in TensorFlow.
//
// Attributes: channels, dtype.

#include "core/registry.h"
#include "kernels/encoded_image.h"

namespace fastpipe {
namespace {

// A JPEG's 8 bits as the upper ones of 16: what TensorFlow makes of them.
Status DecodeJpegAsUint16(std::string_view bytes, const JpegOptions& options, Output* output) {
  Tensor pixels;
  Output narrow(&pixels);
  FASTPIPE_RETURN_IF_ERROR(DecodeJpeg(bytes, options, &narrow));
  const uint8_t* from = pixels.data<uint8_t>();
  uint16_t* to = output->Allocate<uint16_t>(pixels.dims());
  const int64_t count = pixels.num_elements();
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<uint16_t>(from[i] << 8);
  return Status::Ok();
}

Status RunDecodePng(const Args& attrs, const PngOptions& options, const Tensor& contents,
                    Output* output) {
  FASTPIPE_ASSIGN(const std::string_view bytes, EncodedBytes(attrs, contents));
  if (ImageFormatOf(bytes) == ImageFormat::kPng) return DecodePng(bytes, options, output);
  if (ImageFormatOf(bytes) == ImageFormat::kJpeg) {
    const JpegOptions jpeg = {.channels = options.channels};
    return options.bits == 8 ? DecodeJpeg(bytes, jpeg, output)
                             : DecodeJpegAsUint16(bytes, jpeg, output);
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
                    KernelFrom([attrs, options](KernelContext*, Inputs in, Outputs out) {
                      return RunDecodePng(attrs, options, *in[0], &out[0]);
                    })};
}

FASTPIPE_KERNEL("decode_png", PlanDecodePng);

}  // namespace
}  // namespace fastpipe
