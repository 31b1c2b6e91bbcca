// gather(x, indices): the slices of x along `axis` that `indices` name. The first `batch_dims` axes
// of both are walked together.

#include <algorithm>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

struct GatherPlan {
  Args attrs;
  int64_t axis = 0;
  int64_t batch_dims = 0;

  // The shape of the result: x's with `axis` replaced by the axes of indices that are not shared.
  Result<std::vector<int64_t>> DimsOf(Dims x, Dims indices) const {
    FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, static_cast<int>(x.size())));
    const size_t batch = static_cast<size_t>(batch_dims);
    if (batch > static_cast<size_t>(at) || batch > indices.size()) {
      return attrs.Error(StrCat("batch_dims must be at most axis and the rank of indices, got ",
                                batch_dims, " with axis ", at, " and indices ",
                                ShapeString(indices)));
    }
    for (size_t i = 0; i < batch; ++i) {
      if (x[i] >= 0 && indices[i] >= 0 && x[i] != indices[i]) {
        return attrs.Error(StrCat("the first ", batch_dims, " sizes must be equal, got ",
                                  ShapeString(x), " and ", ShapeString(indices)));
      }
    }
    std::vector<int64_t> dims(x.begin(), x.begin() + at);
    dims.insert(dims.end(), indices.begin() + batch_dims, indices.end());
    dims.insert(dims.end(), x.begin() + at + 1, x.end());
    return dims;
  }
};

Status Gather(const GatherPlan& plan, Inputs in, Output* out) {
  const Tensor& x = *in[0];
  FASTPIPE_ASSIGN(const std::vector<int64_t> dims, plan.DimsOf(x.dims(), in[1]->dims()));
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(plan.attrs.owner(), dims));
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(plan.attrs.owner(), plan.axis, x.rank()));
  const int64_t size = x.dim(at);
  const std::vector<int64_t> indices = IntegersOf(*in[1]);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= 0 && indices[i] < size) continue;
    return plan.attrs.Error(
        StrCat("indices must be between 0 and ", size - 1, ", got ", indices[i], " at index ", i));
  }
  const size_t batch_dims = static_cast<size_t>(plan.batch_dims);
  const int64_t batches = NumElements(x.dims().first(batch_dims));
  const int64_t outer =
      NumElements(x.dims().subspan(batch_dims, static_cast<size_t>(at) - batch_dims));
  const int64_t inner = NumElements(x.dims().subspan(static_cast<size_t>(at) + 1));
  const int64_t per_batch = NumElements(in[1]->dims().subspan(batch_dims));
  Assembler result(x.dtype(), dims, out);
  for (int64_t block = 0; block < batches * outer; ++block) {
    const int64_t* picked = indices.data() + block / outer * per_batch;
    for (int64_t i = 0; i < per_batch; ++i) {
      result.Append(x, (block * size + picked[i]) * inner, inner);
    }
  }
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanGather(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  if (!IsInteger(inputs[1].dtype)) {
    return attrs.Error(StrCat("indices must be integers, got ", inputs[1].ToString()));
  }
  GatherPlan plan{attrs, 0, 0};
  FASTPIPE_ASSIGN(plan.axis, attrs.IntOr("axis", 0));
  FASTPIPE_ASSIGN(plan.batch_dims, attrs.IntOr("batch_dims", 0, {.min = 0}));
  TensorSpec spec = TensorSpec::UnknownRank(inputs[0].dtype);
  if (inputs[0].known_rank && inputs[1].known_rank) {
    spec.known_rank = true;
    FASTPIPE_ASSIGN(spec.dims, plan.DimsOf(inputs[0].dims, inputs[1].dims));
  }
  return KernelPlan{{std::move(spec)}, KernelFrom([plan](KernelContext*, Inputs in, Outputs out) {
                      return Gather(plan, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("gather", PlanGather);

}  // namespace
}  // namespace fastpipe
