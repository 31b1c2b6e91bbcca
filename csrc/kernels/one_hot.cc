// one_hot(indices, on, off, depth): a new axis of size `depth`, an IntegersArgument of one number,
// at `axis`, which holds `on` where its position is the index and `off` elsewhere. An index outside
// the axis gives `off` everywhere.

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

Status OneHot(const Args& attrs, int64_t depth, int64_t axis, Inputs in, Output* out) {
  if (depth < 0) return attrs.Error(StrCat("depth must be >= 0, got ", depth));
  const Tensor& on = *in[1];
  const Tensor& off = *in[2];
  const Dims given = in[0]->dims();
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, in[0]->rank() + 1));
  std::vector<int64_t> dims(given.begin(), given.end());
  dims.insert(dims.begin() + at, depth);
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
  const int64_t outer = NumElements(given.first(static_cast<size_t>(at)));
  const int64_t inner = NumElements(given.subspan(static_cast<size_t>(at)));
  const std::vector<int64_t> indices = IntegersOf(*in[0]);
  Assembler result(on.dtype(), dims, out);
  for (int64_t i = 0; i < outer; ++i) {
    const int64_t* row = indices.data() + i * inner;
    if (inner == 1) {
      const int64_t hot = *row >= 0 && *row < depth ? *row : depth;
      result.Repeat(off, hot);
      if (hot < depth) result.Repeat(on, 1);
      if (hot < depth) result.Repeat(off, depth - hot - 1);
      continue;
    }
    for (int64_t position = 0; position < depth; ++position) {
      for (int64_t j = 0; j < inner; ++j) result.Repeat(row[j] == position ? on : off, 1);
    }
  }
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanOneHot(const Args& attrs, Specs inputs) {
  if (inputs.size() < 3) return attrs.Error("takes indices, on and off");
  if (!IsInteger(inputs[0].dtype)) {
    return attrs.Error(StrCat("indices must be integers, got ", inputs[0].ToString()));
  }
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs.first(3), 1));
  if (inputs[1].rank() > 0 || inputs[2].rank() > 0) {
    return attrs.Error(StrCat("on and off must be scalars, got ", inputs[1].ToString(), " and ",
                              inputs[2].ToString()));
  }
  FASTPIPE_ASSIGN(const int64_t axis, attrs.IntOr("axis", -1));
  size_t next = 3;
  FASTPIPE_ASSIGN(const IntegersArgument depth,
                  IntegersArgument::Read(attrs, "depth", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  if (depth.size().value_or(1) != 1) return attrs.Error("depth must be one integer");
  TensorSpec spec = inputs[0];
  spec.dtype = inputs[1].dtype;
  if (spec.known_rank) {
    FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, spec.rank() + 1));
    const int64_t known = depth.size() ? depth.Known()[0] : -1;
    if (depth.IsStatic() && known < 0) {
      return attrs.Error(StrCat("depth must be >= 0, got ", known));
    }
    spec.dims.insert(spec.dims.begin() + at, known);
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, depth, axis](KernelContext*, Inputs in, Outputs out) {
                      const std::vector<int64_t> size = depth.Get(in);
                      if (size.size() != 1) return attrs.Error("depth must be one integer");
                      return OneHot(attrs, size[0], axis, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("one_hot", PlanOneHot);

}  // namespace
}  // namespace fastpipe
