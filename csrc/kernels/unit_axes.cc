// expand_dims(x): x with an axis of size 1 inserted at `axis`.
// squeeze(x): x without the axes of size 1 in the list `axis`; without all of them if there is
// none.
//
// Memory is shared with the input.

#include <algorithm>

#include "core/registry.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

Result<std::vector<int64_t>> Expand(const Args& attrs, Dims dims, int64_t axis) {
  FASTPIPE_ASSIGN(const int at,
                  NormalizeAxis(attrs.owner(), axis, static_cast<int>(dims.size()) + 1));
  std::vector<int64_t> expanded(dims.begin(), dims.end());
  expanded.insert(expanded.begin() + at, 1);
  return expanded;
}

// Without `axes`, or without every axis of size 1. Sizes may be unknown (-1) in a spec.
Result<std::vector<int64_t>> Squeeze(const Args& attrs, Dims dims,
                                     const std::vector<int64_t>& axes) {
  std::vector<bool> drop(dims.size(), false);
  for (int64_t axis : axes) {
    FASTPIPE_ASSIGN(const int at,
                    NormalizeAxis(attrs.owner(), axis, static_cast<int>(dims.size())));
    if (dims[at] != 1 && dims[at] >= 0) {
      return attrs.Error(StrCat("axis ", axis, " must have size 1, got shape ", ShapeString(dims)));
    }
    drop[at] = true;
  }
  std::vector<int64_t> squeezed;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!drop[i] && !(axes.empty() && dims[i] == 1)) squeezed.push_back(dims[i]);
  }
  return squeezed;
}

// `change` is a callable Result<std::vector<int64_t>>(Dims).
template <typename F>
Result<KernelPlan> PlanWith(TensorSpec spec, F change) {
  if (spec.known_rank) {
    FASTPIPE_ASSIGN(spec.dims, change(spec.dims));
  }
  return KernelPlan{{std::move(spec)}, KernelFrom([change](KernelContext*, Inputs in, Outputs out) {
                      FASTPIPE_ASSIGN(const std::vector<int64_t> dims, change(in[0]->dims()));
                      out[0].Set(in[0]->Reshaped(dims));
                      return Status::Ok();
                    })};
}

Result<KernelPlan> PlanExpandDims(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const int64_t axis, attrs.Int("axis"));
  return PlanWith(inputs[0], [attrs, axis](Dims dims) { return Expand(attrs, dims, axis); });
}

Result<KernelPlan> PlanSqueeze(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  std::vector<int64_t> axes;
  if (attrs.Has("axis")) {
    FASTPIPE_ASSIGN(axes, attrs.Ints("axis"));
  }
  const auto squeeze = [attrs, axes](Dims dims) { return Squeeze(attrs, dims, axes); };
  TensorSpec spec = inputs[0];
  const bool any_unknown = std::count(spec.dims.begin(), spec.dims.end(), -1) > 0;
  if (axes.empty() && any_unknown) spec = TensorSpec::UnknownRank(spec.dtype);
  return PlanWith(std::move(spec), squeeze);
}

FASTPIPE_KERNEL("expand_dims", PlanExpandDims);
FASTPIPE_KERNEL("squeeze", PlanSqueeze);

}  // namespace
}  // namespace fastpipe
