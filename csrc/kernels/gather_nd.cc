// gather_nd(x, indices): the slices x[i0, ..., ik] that the last axis of `indices` names. The first
// `batch_dims` axes of both are walked together.

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/nd_indices.h"

namespace fastpipe {
namespace {

// The shape of the result; sizes may be unknown. REQUIRES: the last size of `indices` is known.
Result<std::vector<int64_t>> DimsOf(const Args& attrs, Dims x, Dims indices, size_t batch_dims) {
  const size_t named = batch_dims + static_cast<size_t>(indices.back());
  if (named > x.size() || batch_dims >= indices.size()) {
    return attrs.Error(StrCat("indices must name at most ", x.size(), " axes, got shape ",
                              ShapeString(indices), " with batch_dims ", batch_dims));
  }
  for (size_t i = 0; i < batch_dims; ++i) {
    if (x[i] >= 0 && indices[i] >= 0 && x[i] != indices[i]) {
      return attrs.Error(StrCat("the first ", batch_dims, " sizes must be equal, got ",
                                ShapeString(x), " and ", ShapeString(indices)));
    }
  }
  std::vector<int64_t> dims(indices.begin(), indices.end() - 1);
  dims.insert(dims.end(), x.begin() + static_cast<int64_t>(named), x.end());
  return dims;
}

Status GatherNd(const Args& attrs, size_t batch_dims, Inputs in, Output* out) {
  const Tensor& x = *in[0];
  FASTPIPE_ASSIGN(const std::vector<int64_t> slices, SlicesAt(attrs, *in[1], x.dims(), batch_dims));
  FASTPIPE_ASSIGN(const std::vector<int64_t> dims,
                  DimsOf(attrs, x.dims(), in[1]->dims(), batch_dims));
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
  const int64_t inner =
      NumElements(x.dims().subspan(batch_dims + static_cast<size_t>(in[1]->dims().back())));
  Assembler result(x.dtype(), dims, out);
  for (int64_t slice : slices) result.Append(x, slice * inner, inner);
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanGatherNd(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectNdIndices(attrs, inputs[1]));
  FASTPIPE_ASSIGN(const int64_t batch_dims, attrs.IntOr("batch_dims", 0, {.min = 0}));
  const size_t batch = static_cast<size_t>(batch_dims);
  TensorSpec spec = TensorSpec::UnknownRank(inputs[0].dtype);
  if (inputs[0].known_rank && inputs[1].known_rank && inputs[1].dims.back() >= 0) {
    spec.known_rank = true;
    FASTPIPE_ASSIGN(spec.dims, DimsOf(attrs, inputs[0].dims, inputs[1].dims, batch));
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, batch](KernelContext*, Inputs in, Outputs out) {
                      return GatherNd(attrs, batch, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("gather_nd", PlanGatherNd);

}  // namespace
}  // namespace fastpipe
