// saved_dataset(path): what the manifest of a saved dataset says: the structure of an element as
// Python wrote it, the name of the compression, and the number of elements of each shard.

#include "io/saved_dataset.h"

#include "core/registry.h"

namespace fastpipe {
namespace {

Status RunSavedDataset(KernelContext* context, Inputs inputs, Outputs outputs) {
  FASTPIPE_ASSIGN(
      const SavedDataset saved,
      ReadSavedDataset(context->file_system, std::string(inputs[0]->str()), context->cancel));
  outputs[0].Set(Tensor::String(saved.structure));
  outputs[1].Set(Tensor::String(CompressionName(saved.compression)));
  const auto count = static_cast<int64_t>(saved.shards.size());
  int64_t* elements = outputs[2].Allocate<int64_t>(Dims(&count, 1));
  for (const SavedDataset::Shard& shard : saved.shards) *elements++ = shard.elements;
  return Status::Ok();
}

Result<KernelPlan> PlanSavedDataset(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  if (inputs[0].rank() != 0) {
    return attrs.Error(StrCat("the path must be a scalar, got ", inputs[0].ToString()));
  }
  return KernelPlan{{TensorSpec::Scalar(DType::kString), TensorSpec::Scalar(DType::kString),
                     TensorSpec::Of(DType::kInt64, {-1})},
                    KernelFrom(RunSavedDataset)};
}

FASTPIPE_KERNEL("saved_dataset", PlanSavedDataset);

}  // namespace
}  // namespace fastpipe
