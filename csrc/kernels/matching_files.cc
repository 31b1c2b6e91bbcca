// matching_files(pattern): the files that match a glob pattern, or one of several, sorted.

#include <algorithm>
#include <iterator>

#include "core/registry.h"
#include "io/file_system.h"

namespace fastpipe {
namespace {

Status RunMatchingFiles(KernelContext* context, Inputs inputs, Outputs outputs) {
  const Tensor& patterns = *inputs[0];
  if (patterns.rank() > 1) {
    return InvalidArgument(
        StrCat("matching_files: patterns must be a scalar or a vector, got shape ",
               ShapeString(patterns.dims())));
  }
  std::vector<std::string> names;
  for (int64_t i = 0; i < patterns.num_elements(); ++i) {
    FASTPIPE_ASSIGN(std::vector<std::string> found,
                    context->file_system->Glob(std::string(patterns.str(i))));
    std::move(found.begin(), found.end(), std::back_inserter(names));
  }
  std::sort(names.begin(), names.end());
  StringArrayBuilder builder(names.size());
  for (const std::string& name : names) builder.Append(name);
  outputs[0].Set(builder.Build());
  return Status::Ok();
}

Result<KernelPlan> PlanMatchingFiles(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  if (inputs[0].rank() > 1) {
    return attrs.Error(StrCat("patterns must be a scalar or a vector, got ", inputs[0].ToString()));
  }
  return KernelPlan{{TensorSpec::Of(DType::kString, {-1})}, KernelFrom(RunMatchingFiles)};
}

FASTPIPE_KERNEL("matching_files", PlanMatchingFiles);

}  // namespace
}  // namespace fastpipe
