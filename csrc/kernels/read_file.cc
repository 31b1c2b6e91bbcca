// read_file(path): the content of a file, as one string.

#include "core/registry.h"
#include "io/file_system.h"

namespace fastpipe {
namespace {

Status RunReadFile(KernelContext* context, Inputs inputs, Outputs outputs) {
  const Tensor& path = *inputs[0];
  if (path.rank() != 0) {
    return InvalidArgument(
        StrCat("read_file: the path must be a scalar, got shape ", ShapeString(path.dims())));
  }
  size_t size = 0;
  FASTPIPE_ASSIGN(BufferRef content, ReadWholeFile(context->file_system, std::string(path.str()),
                                                   context->cancel, &size));
  content->set_origin({.path = std::make_shared<const std::string>(path.str())});
  const char* bytes = reinterpret_cast<const char*>(content->data());
  outputs[0].Set(Tensor::StringView(std::move(content), {bytes, size}));
  return Status::Ok();
}

Result<KernelPlan> PlanReadFile(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  if (inputs[0].known_rank && inputs[0].rank() != 0) {
    return attrs.Error(StrCat("the path must be a scalar, got ", inputs[0].ToString()));
  }
  return KernelPlan{{TensorSpec::Scalar(DType::kString)}, KernelFrom(RunReadFile)};
}

FASTPIPE_KERNEL("read_file", PlanReadFile);

}  // namespace
}  // namespace fastpipe
