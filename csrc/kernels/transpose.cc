// transpose(x): x with its axes in the order `perm`; reversed if there is none.
// reverse(x): x backwards along every axis in the list `axis`.

#include <algorithm>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

// `perm` as axes of a tensor of rank `rank`.
Result<std::vector<size_t>> AxesOf(const Args& attrs, const std::vector<int64_t>& perm, int rank) {
  std::vector<size_t> axes;
  if (!attrs.Has("perm")) {
    for (int axis = rank; axis-- > 0;) axes.push_back(static_cast<size_t>(axis));
    return axes;
  }
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (int64_t axis : perm) {
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank || seen[static_cast<size_t>(at)]) break;
    seen[static_cast<size_t>(at)] = true;
    axes.push_back(static_cast<size_t>(at));
  }
  if (axes.size() == seen.size() && perm.size() == seen.size()) return axes;
  return attrs.Error(StrCat("perm must hold each axis of a tensor of rank ", rank, " once, got ",
                            ShapeString(perm)));
}

std::vector<int64_t> Permuted(Dims dims, const std::vector<size_t>& axes) {
  std::vector<int64_t> permuted;
  for (size_t axis : axes) permuted.push_back(dims[axis]);
  return permuted;
}

Status Transpose(const Args& attrs, const std::vector<int64_t>& perm, const Tensor& x,
                 Output* out) {
  FASTPIPE_ASSIGN(const std::vector<size_t> axes, AxesOf(attrs, perm, x.rank()));
  const std::vector<int64_t> dims = Permuted(x.dims(), axes);
  if (std::is_sorted(axes.begin(), axes.end())) {
    out->Set(x);
    return Status::Ok();
  }
  const std::vector<int64_t> strides = RowMajorStrides(x.dims());
  StridedLoop loop(axes.size());
  for (size_t axis : axes) loop.AddAxis({x.dims()[axis], {strides[axis]}});
  Assembler result(x.dtype(), dims, out);
  result.Append(x, 0, loop);
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanTranspose(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  std::vector<int64_t> perm;
  if (attrs.Has("perm")) {
    FASTPIPE_ASSIGN(perm, attrs.Ints("perm"));
  }
  TensorSpec spec = inputs[0];
  if (spec.known_rank) {
    FASTPIPE_ASSIGN(const std::vector<size_t> axes, AxesOf(attrs, perm, spec.rank()));
    spec.dims = Permuted(inputs[0].dims, axes);
  } else if (attrs.Has("perm")) {
    spec = TensorSpec::Of(spec.dtype, std::vector<int64_t>(perm.size(), -1));
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, perm](KernelContext*, Inputs in, Outputs out) {
                      return Transpose(attrs, perm, *in[0], &out[0]);
                    })};
}

Result<std::vector<bool>> Backwards(const Args& attrs, const std::vector<int64_t>& axes, int rank) {
  std::vector<bool> backwards(static_cast<size_t>(rank), false);
  for (int64_t axis : axes) {
    FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, rank));
    if (backwards[static_cast<size_t>(at)]) {
      return attrs.Error(StrCat("axis must hold each axis once, got ", at, " twice"));
    }
    backwards[static_cast<size_t>(at)] = true;
  }
  return backwards;
}

Status Reverse(const Args& attrs, const std::vector<int64_t>& axes, const Tensor& x, Output* out) {
  FASTPIPE_ASSIGN(const std::vector<bool> backwards, Backwards(attrs, axes, x.rank()));
  const std::vector<int64_t> strides = RowMajorStrides(x.dims());
  StridedLoop loop(strides.size());
  int64_t start = 0;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    const int64_t size = x.dims()[axis];
    if (backwards[axis]) start += (size - 1) * strides[axis];
    loop.AddAxis({size, {backwards[axis] ? -strides[axis] : strides[axis]}});
  }
  Assembler result(x.dtype(), x.dims(), out);
  result.Append(x, start, loop);
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanReverse(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const std::vector<int64_t> axes, attrs.Ints("axis"));
  if (inputs[0].known_rank) {
    FASTPIPE_RETURN_IF_ERROR(Backwards(attrs, axes, inputs[0].rank()).status());
  }
  return KernelPlan{{inputs[0]}, KernelFrom([attrs, axes](KernelContext*, Inputs in, Outputs out) {
                      return Reverse(attrs, axes, *in[0], &out[0]);
                    })};
}

FASTPIPE_KERNEL("transpose", PlanTranspose);
FASTPIPE_KERNEL("reverse", PlanReverse);

}  // namespace
}  // namespace fastpipe
