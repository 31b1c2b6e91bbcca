// ragged_to_dense(values, row_splits, [default]): rows of different lengths as one tensor [rows,
// longest, ...], filled up with the scalar `default`: without it, with 0, false or "". Row i is
// values[row_splits[i] : row_splits[i + 1]].

#include <algorithm>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

Status ExpectSplits(const Args& attrs, const std::vector<int64_t>& splits, int64_t count) {
  if (splits.empty()) return attrs.Error("row_splits must hold one integer or more, got none");
  if (splits.front() != 0 || splits.back() != count) {
    return attrs.Error(StrCat("row_splits must go from 0 to ", count, ", got ", splits.front(),
                              " to ", splits.back()));
  }
  if (!std::is_sorted(splits.begin(), splits.end())) {
    return attrs.Error("row_splits must not decrease");
  }
  return Status::Ok();
}

Status Fill(const Args& attrs, Inputs in, Output* out) {
  const Tensor& values = *in[0];
  if (values.rank() == 0) return attrs.Error("values must have an axis, got a scalar");
  const std::vector<int64_t> splits = IntegersOf(*in[1]);
  FASTPIPE_RETURN_IF_ERROR(ExpectSplits(attrs, splits, values.dim(0)));
  int64_t longest = 0;
  for (size_t i = 1; i < splits.size(); ++i) longest = std::max(longest, splits[i] - splits[i - 1]);
  std::vector<int64_t> dims = {static_cast<int64_t>(splits.size()) - 1, longest};
  dims.insert(dims.end(), values.dims().begin() + 1, values.dims().end());
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
  const int64_t inner = NumElements(values.dims().subspan(1));
  const Tensor filler = in.size() == 3 ? *in[2] : ZeroOf(values.dtype());
  Assembler result(values.dtype(), dims, out);
  for (size_t i = 1; i < splits.size(); ++i) {
    const int64_t length = splits[i] - splits[i - 1];
    result.Append(values, splits[i - 1] * inner, length * inner);
    result.Repeat(filler, (longest - length) * inner);
  }
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanRaggedToDense(const Args& attrs, Specs inputs) {
  if (inputs.size() != 3) FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  if (!IsInteger(inputs[1].dtype) || (inputs[1].known_rank && inputs[1].rank() != 1)) {
    return attrs.Error(StrCat("row_splits must be a list of integers, got ", inputs[1].ToString()));
  }
  if (inputs.size() == 3) {
    FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 2, inputs[0].dtype));
    if (inputs[2].rank() > 0) {
      return attrs.Error(StrCat("the default must be a scalar, got ", inputs[2].ToString()));
    }
  }
  if (inputs[0].rank() == 0) return attrs.Error("values must have an axis, got a scalar");
  TensorSpec spec = inputs[0];
  if (spec.known_rank) {
    const int64_t splits = inputs[1].known_rank ? inputs[1].dims[0] : -1;
    spec.dims[0] = -1;
    spec.dims.insert(spec.dims.begin(), splits > 0 ? splits - 1 : -1);
  }
  return KernelPlan{{std::move(spec)}, KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      return Fill(attrs, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("ragged_to_dense", PlanRaggedToDense);

}  // namespace
}  // namespace fastpipe
