// extract_jpeg_shape(contents): height, width and channels of a JPEG, from its header alone, in
// dtype `output_type`, int32 or int64.
// is_jpeg(contents): whether each string starts like a JPEG.

#include "core/registry.h"
#include "kernels/encoded_image.h"
#include "kernels/string_map.h"

namespace fastpipe {
namespace {

template <typename T>
void SetSizes(const JpegInfo& info, Output* output) {
  const int64_t count = 3;
  T* sizes = output->Allocate<T>(Dims(&count, 1));
  sizes[0] = static_cast<T>(info.height);
  sizes[1] = static_cast<T>(info.width);
  sizes[2] = static_cast<T>(info.channels);
}

Result<KernelPlan> PlanExtractJpegShape(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectEncoded(attrs, inputs));
  FASTPIPE_ASSIGN(const DType dtype, attrs.DtypeOr("output_type", DType::kInt32));
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    return attrs.Error(StrCat("output_type must be int32 or int64, got ", DTypeName(dtype)));
  }
  const auto set = dtype == DType::kInt32 ? SetSizes<int32_t> : SetSizes<int64_t>;
  return KernelPlan{{TensorSpec::Of(dtype, {3})},
                    KernelFrom([attrs, set](KernelContext*, Inputs in, Outputs out) -> Status {
                      FASTPIPE_ASSIGN(const std::string_view bytes, EncodedBytes(attrs, *in[0]));
                      if (ImageFormatOf(bytes) != ImageFormat::kJpeg) {
                        return NotDecodable(attrs, bytes, "a JPEG");
                      }
                      FASTPIPE_ASSIGN(const JpegInfo info, ReadJpegInfo(bytes));
                      set(info, &out[0]);
                      return Status::Ok();
                    })};
}

Status RunIsJpeg(const Tensor& contents, Output* output) {
  bool* answers = output->Allocate<bool>(contents.dims());
  const int64_t count = contents.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    answers[i] = ImageFormatOf(contents.str(i)) == ImageFormat::kJpeg;
  }
  return Status::Ok();
}

Result<KernelPlan> PlanIsJpeg(const Args& attrs, Specs inputs) {
  return PlanStringMap(attrs, inputs, DType::kBool, RunIsJpeg);
}

FASTPIPE_KERNEL("extract_jpeg_shape", PlanExtractJpegShape);
FASTPIPE_KERNEL("is_jpeg", PlanIsJpeg);

}  // namespace
}  // namespace fastpipe
