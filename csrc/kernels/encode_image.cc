// encode_png(images): each image [..., height, width, 1 to 4 channels], uint8 or uint16, as a PNG.
// Attribute: compression, -1 to 9.
// encode_jpeg(image): an image, uint8 [height, width, 1 or 3], as a JPEG. Attributes: format,
// quality, progressive, optimize_size, chroma_downsampling, density_unit, x_density, y_density,
// xmp_metadata.
// encode_jpeg_variable_quality(image, quality): the same with a quality, a scalar integer, that may
// differ from element to element.

#include "codec/jpeg_encode.h"
#include "codec/png_encode.h"
#include "core/registry.h"

namespace fastpipe {
namespace {

Status ExpectPngChannels(const Args& attrs, int64_t channels) {
  if (channels >= 1 && channels <= 4) return Status::Ok();
  return attrs.Error(StrCat("images must have 1, 2, 3 or 4 channels, got ", channels));
}

Status RunEncodePng(const Args& attrs, int compression, const Tensor& images, Output* output) {
  const int rank = images.rank();
  if (rank < 3) {
    return attrs.Error(StrCat("images must be [..., height, width, channels], got shape ",
                              ShapeString(images.dims())));
  }
  const Dims batch = images.dims().first(static_cast<size_t>(rank - 3));
  const int64_t height = images.dim(rank - 3), width = images.dim(rank - 2);
  FASTPIPE_RETURN_IF_ERROR(ExpectPngChannels(attrs, images.dim(rank - 1)));
  const auto value_bytes = static_cast<int>(DTypeSize(images.dtype()));
  const PngEncoding encoding = {static_cast<int>(images.dim(rank - 1)), 8 * value_bytes,
                                compression};
  const int64_t count = NumElements(batch);
  const int64_t image_bytes = height * width * encoding.channels * value_bytes;
  StringArrayBuilder encoded(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    FASTPIPE_ASSIGN(const std::string png,
                    EncodePng(images.raw() + i * image_bytes, height, width, encoding));
    encoded.Append(png);
  }
  output->Set(encoded.Build(batch));
  return Status::Ok();
}

Result<KernelPlan> PlanEncodePng(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  const TensorSpec& images = inputs[0];
  if (images.dtype != DType::kUint8 && images.dtype != DType::kUint16) {
    return attrs.Error(StrCat("images must be uint8 or uint16, got ", images.ToString()));
  }
  FASTPIPE_ASSIGN(const int64_t compression, attrs.IntOr("compression", -1, {-1, 9}));
  TensorSpec spec = TensorSpec::UnknownRank(DType::kString);
  if (images.known_rank) {
    if (images.rank() < 3) {
      return attrs.Error(
          StrCat("images must be [..., height, width, channels], got ", images.ToString()));
    }
    if (images.dims.back() >= 0) {
      FASTPIPE_RETURN_IF_ERROR(ExpectPngChannels(attrs, images.dims.back()));
    }
    spec = TensorSpec::Of(DType::kString, {images.dims.begin(), images.dims.end() - 3});
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, level = static_cast<int>(compression)](
                                   KernelContext*, Inputs in, Outputs out) {
                      return RunEncodePng(attrs, level, *in[0], &out[0]);
                    })};
}

// How many channels `format` stands for; 0: any that a JPEG can have.
Result<int> ReadFormat(const Args& attrs) {
  FASTPIPE_ASSIGN(const std::string format, attrs.StringOr("format", ""));
  if (format.empty()) return 0;
  if (format == "grayscale") return 1;
  if (format == "rgb") return 3;
  return attrs.Error(StrCat("format must be '', 'grayscale' or 'rgb', got '", format, "'"));
}

Result<JpegEncoding> ReadEncoding(const Args& attrs) {
  JpegEncoding encoding;
  FASTPIPE_ASSIGN(const int64_t quality, attrs.IntOr("quality", 95, {0, 100}));
  encoding.quality = static_cast<int>(quality);
  FASTPIPE_ASSIGN(encoding.progressive, attrs.BoolOr("progressive", false));
  FASTPIPE_ASSIGN(encoding.optimize_size, attrs.BoolOr("optimize_size", false));
  FASTPIPE_ASSIGN(encoding.chroma_downsampling, attrs.BoolOr("chroma_downsampling", true));
  FASTPIPE_ASSIGN(const std::string unit, attrs.StringOr("density_unit", "in"));
  if (unit != "in" && unit != "cm") {
    return attrs.Error(StrCat("density_unit must be 'in' or 'cm', got '", unit, "'"));
  }
  encoding.density_in_centimetres = unit == "cm";
  FASTPIPE_ASSIGN(const int64_t x_density, attrs.IntOr("x_density", 300, {0, UINT16_MAX}));
  FASTPIPE_ASSIGN(const int64_t y_density, attrs.IntOr("y_density", 300, {0, UINT16_MAX}));
  encoding.x_density = static_cast<uint16_t>(x_density);
  encoding.y_density = static_cast<uint16_t>(y_density);
  FASTPIPE_ASSIGN(encoding.xmp_metadata, attrs.StringOr("xmp_metadata", ""));
  if (encoding.xmp_metadata.size() > kMaxXmpBytes) {
    return attrs.Error(StrCat("xmp_metadata must have at most ", kMaxXmpBytes, " bytes, got ",
                              encoding.xmp_metadata.size()));
  }
  return encoding;
}

Status ExpectJpegImage(const Args& attrs, Dims dims, int channels) {
  if (dims.size() != 3) {
    return attrs.Error(
        StrCat("image must be [height, width, channels], got shape ", ShapeString(dims)));
  }
  const bool fits = dims[2] == 1 || dims[2] == 3;
  if (dims[2] < 0 || (channels == 0 ? fits : dims[2] == channels)) return Status::Ok();
  const std::string wanted = channels == 0 ? "1 or 3" : std::to_string(channels);
  return attrs.Error(
      StrCat("image must have ", wanted, " channels, got shape ", ShapeString(dims)));
}

Status RunEncodeJpeg(const Args& attrs, int channels, const JpegEncoding& encoding,
                     const Tensor& image, Output* output) {
  FASTPIPE_RETURN_IF_ERROR(ExpectJpegImage(attrs, image.dims(), channels));
  FASTPIPE_ASSIGN(const std::string jpeg, EncodeJpeg(image.raw(), image.dim(0), image.dim(1),
                                                     static_cast<int>(image.dim(2)), encoding));
  output->Set(Tensor::String(jpeg));
  return Status::Ok();
}

Result<KernelPlan> PlanEncodeJpeg(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kUint8));
  FASTPIPE_ASSIGN(const int channels, ReadFormat(attrs));
  FASTPIPE_ASSIGN(const JpegEncoding encoding, ReadEncoding(attrs));
  if (inputs[0].known_rank) {
    FASTPIPE_RETURN_IF_ERROR(ExpectJpegImage(attrs, inputs[0].dims, channels));
  }
  return KernelPlan{{TensorSpec::Scalar(DType::kString)},
                    KernelFrom([attrs, channels, encoding](KernelContext*, Inputs in, Outputs out) {
                      return RunEncodeJpeg(attrs, channels, encoding, *in[0], &out[0]);
                    })};
}

Status RunVariableQuality(const Args& attrs, Inputs in, Output* output) {
  if (in[1]->rank() != 0) {
    return attrs.Error(StrCat("quality must be a scalar, got shape ", ShapeString(in[1]->dims())));
  }
  const int64_t quality = in[1]->AsInt64();
  if (quality < 0 || quality > 100) {
    return attrs.Error(StrCat("quality must be from 0 to 100, got ", quality));
  }
  JpegEncoding encoding;
  encoding.quality = static_cast<int>(quality);
  return RunEncodeJpeg(attrs, 0, encoding, *in[0], output);
}

Result<KernelPlan> PlanVariableQuality(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kUint8));
  if (!IsInteger(inputs[1].dtype) || inputs[1].rank() > 0) {
    return attrs.Error(StrCat("quality must be a scalar integer, got ", inputs[1].ToString()));
  }
  if (inputs[0].known_rank) {
    FASTPIPE_RETURN_IF_ERROR(ExpectJpegImage(attrs, inputs[0].dims, 0));
  }
  return KernelPlan{{TensorSpec::Scalar(DType::kString)},
                    KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      return RunVariableQuality(attrs, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("encode_png", PlanEncodePng);
FASTPIPE_KERNEL("encode_jpeg", PlanEncodeJpeg);
FASTPIPE_KERNEL("encode_jpeg_variable_quality", PlanVariableQuality);

}  // namespace
}  // namespace fastpipe
