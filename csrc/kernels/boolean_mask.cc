// boolean_mask(x, mask): the slices of x for which the bool tensor `mask` is true. The mask's axes
// stand for those of x from `axis` on.

#include <algorithm>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

// The shape of the result, with `count` true values in the mask; -1 in a size is unknown.
Result<std::vector<int64_t>> MaskedDims(const Args& attrs, Dims x, Dims mask, int64_t axis,
                                        int64_t count) {
  if (mask.empty()) return attrs.Error("mask must have an axis, got a scalar");
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, static_cast<int>(x.size())));
  bool fits = static_cast<size_t>(at) + mask.size() <= x.size();
  for (size_t i = 0; fits && i < mask.size(); ++i) {
    const int64_t dim = x[static_cast<size_t>(at) + i];
    fits = dim < 0 || mask[i] < 0 || dim == mask[i];
  }
  if (!fits) {
    return attrs.Error(StrCat("mask must have the sizes of the tensor from axis ", at,
                              " on, got shape ", ShapeString(mask), " for ", ShapeString(x)));
  }
  std::vector<int64_t> dims(x.begin(), x.begin() + at);
  dims.push_back(count);
  dims.insert(dims.end(), x.begin() + at + static_cast<int64_t>(mask.size()), x.end());
  return dims;
}

Status Mask(const Args& attrs, int64_t axis, Inputs in, Output* out) {
  const Tensor& x = *in[0];
  const bool* mask = in[1]->data<bool>();
  const int64_t positions = in[1]->num_elements();
  FASTPIPE_ASSIGN(
      const std::vector<int64_t> dims,
      MaskedDims(attrs, x.dims(), in[1]->dims(), axis, std::count(mask, mask + positions, true)));
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, x.rank()));
  const size_t after = static_cast<size_t>(at) + in[1]->dims().size();
  const int64_t outer = NumElements(x.dims().first(static_cast<size_t>(at)));
  const int64_t inner = NumElements(x.dims().subspan(after));
  Assembler result(x.dtype(), dims, out);
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t position = 0; position < positions; ++position) {
      if (mask[position]) result.Append(x, (i * positions + position) * inner, inner);
    }
  }
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanBooleanMask(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 1, DType::kBool));
  FASTPIPE_ASSIGN(const int64_t axis, attrs.IntOr("axis", 0));
  TensorSpec spec = TensorSpec::UnknownRank(inputs[0].dtype);
  if (inputs[0].known_rank && inputs[1].known_rank) {
    spec.known_rank = true;
    FASTPIPE_ASSIGN(spec.dims, MaskedDims(attrs, inputs[0].dims, inputs[1].dims, axis, -1));
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, axis](KernelContext*, Inputs in, Outputs out) {
                      return Mask(attrs, axis, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("boolean_mask", PlanBooleanMask);

}  // namespace
}  // namespace fastpipe
