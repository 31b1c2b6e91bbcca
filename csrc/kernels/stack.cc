// stack(x...): tensors of one shape side by side on a new axis `axis`.
// unstack(x): the `num` slices of x along `axis`, as `num` results.

#include <algorithm>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

Status ShapesDiffer(const Args& attrs, const std::string& first, const std::string& other) {
  return attrs.Error(StrCat("tensors must have one shape, got ", first, " and ", other));
}

// What is known of the shape that all inputs share.
Result<TensorSpec> SharedSpec(const Args& attrs, Specs inputs) {
  TensorSpec shared = inputs[0];
  for (const TensorSpec& input : inputs) {
    if (!input.known_rank) continue;
    if (!shared.known_rank) shared = input;
    bool same = shared.dims.size() == input.dims.size();
    for (size_t i = 0; same && i < input.dims.size(); ++i) {
      int64_t& dim = shared.dims[i];
      same = dim < 0 || input.dims[i] < 0 || dim == input.dims[i];
      dim = std::max(dim, input.dims[i]);
    }
    if (!same) return ShapesDiffer(attrs, inputs[0].ToString(), input.ToString());
  }
  return shared;
}

Status Stack(const Args& attrs, Inputs in, int64_t axis, Output* out) {
  const Dims first = in[0]->dims();
  for (const Tensor* x : in) {
    if (!std::equal(first.begin(), first.end(), x->dims().begin(), x->dims().end())) {
      return ShapesDiffer(attrs, ShapeString(first), ShapeString(x->dims()));
    }
  }
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, in[0]->rank() + 1));
  std::vector<int64_t> dims(first.begin(), first.end());
  dims.insert(dims.begin() + at, static_cast<int64_t>(in.size()));
  const int64_t outer = NumElements(first.first(static_cast<size_t>(at)));
  const int64_t inner = NumElements(first.subspan(static_cast<size_t>(at)));
  Assembler result(in[0]->dtype(), dims, out);
  for (int64_t i = 0; i < outer; ++i) {
    for (const Tensor* x : in) result.Append(*x, i * inner, inner);
  }
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanStack(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error("takes one tensor or more, got none");
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  FASTPIPE_ASSIGN(const int64_t axis, attrs.IntOr("axis", 0));
  FASTPIPE_ASSIGN(TensorSpec spec, SharedSpec(attrs, inputs));
  if (spec.known_rank) {
    FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, spec.rank() + 1));
    spec.dims.insert(spec.dims.begin() + at, static_cast<int64_t>(inputs.size()));
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, axis](KernelContext*, Inputs in, Outputs out) {
                      return Stack(attrs, in, axis, &out[0]);
                    })};
}

Status Unstack(const Args& attrs, const Tensor& x, int64_t axis, Outputs out) {
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, x.rank()));
  const int64_t num = static_cast<int64_t>(out.size());
  if (x.dim(at) != num) {
    return attrs.Error(StrCat("expected ", num, " slices along axis ", axis, ", got shape ",
                              ShapeString(x.dims())));
  }
  if (at == 0) {
    for (int64_t i = 0; i < num; ++i) out[static_cast<size_t>(i)].Set(x.Row(i));
    return Status::Ok();
  }
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims.erase(dims.begin() + at);
  const int64_t outer = NumElements(x.dims().first(static_cast<size_t>(at)));
  const int64_t inner = NumElements(x.dims().subspan(static_cast<size_t>(at) + 1));
  for (int64_t slice = 0; slice < num; ++slice) {
    Assembler result(x.dtype(), dims, &out[static_cast<size_t>(slice)]);
    for (int64_t i = 0; i < outer; ++i) result.Append(x, (i * num + slice) * inner, inner);
    result.Finish();
  }
  return Status::Ok();
}

Result<KernelPlan> PlanUnstack(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const int64_t axis, attrs.IntOr("axis", 0));
  FASTPIPE_ASSIGN(int64_t num, attrs.IntOr("num", -1));
  TensorSpec spec = inputs[0];
  if (spec.known_rank) {
    FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, spec.rank()));
    const int64_t size = spec.dims[static_cast<size_t>(at)];
    if (num >= 0 && size >= 0 && num != size) {
      return attrs.Error(
          StrCat("expected ", num, " slices along axis ", axis, ", got ", inputs[0].ToString()));
    }
    num = std::max(num, size);
    spec.dims.erase(spec.dims.begin() + at);
  }
  if (num < 0) {
    return attrs.Error(StrCat("num is required for a tensor whose size along axis ", axis,
                              " is unknown, got ", inputs[0].ToString()));
  }
  return KernelPlan{std::vector<TensorSpec>(static_cast<size_t>(num), spec),
                    KernelFrom([attrs, axis](KernelContext*, Inputs in, Outputs out) {
                      return Unstack(attrs, *in[0], axis, out);
                    })};
}

FASTPIPE_KERNEL("stack", PlanStack);
FASTPIPE_KERNEL("unstack", PlanUnstack);

}  // namespace
}  // namespace fastpipe
