// concat(x...): tensors one after the other along `axis`; their other sizes are equal.
// split(x): x cut along `axis` into parts of the sizes `sizes`, as many results. One size may be
// -1.
//   Instead of sizes, `num` asks for that many equal parts.

#include <algorithm>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

// Adds `dims` to `joined` along `axis`; false if the other sizes differ. -1 is unknown.
bool Extend(Dims dims, size_t axis, std::vector<int64_t>* joined) {
  if (dims.size() != joined->size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t& dim = (*joined)[i];
    if (i == axis) {
      dim = dim < 0 || dims[i] < 0 ? -1 : dim + dims[i];
    } else if (dim >= 0 && dims[i] >= 0 && dim != dims[i]) {
      return false;
    } else {
      dim = std::max(dim, dims[i]);
    }
  }
  return true;
}

Status CannotJoin(const Args& attrs, int64_t axis, Dims first, Dims other) {
  return attrs.Error(StrCat("shapes must be equal but for axis ", axis, ", got ",
                            ShapeString(first), " and ", ShapeString(other)));
}

Result<TensorSpec> JoinedSpec(const Args& attrs, Specs inputs, int64_t axis) {
  for (const TensorSpec& input : inputs) {
    if (input.known_rank && input.dims.empty()) {
      return attrs.Error("tensors must have an axis to join along, got a scalar: use stack");
    }
  }
  for (const TensorSpec& input : inputs) {
    if (!input.known_rank) return TensorSpec::UnknownRank(input.dtype);
  }
  TensorSpec joined = inputs[0];
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, joined.rank()));
  for (const TensorSpec& input : inputs.subspan(1)) {
    if (!Extend(input.dims, static_cast<size_t>(at), &joined.dims)) {
      return CannotJoin(attrs, axis, inputs[0].dims, input.dims);
    }
  }
  return joined;
}

Status Concat(const Args& attrs, Inputs in, int64_t axis, Output* out) {
  std::vector<int64_t> dims(in[0]->dims().begin(), in[0]->dims().end());
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, in[0]->rank()));
  for (const Tensor* x : in.subspan(1)) {
    if (!Extend(x->dims(), static_cast<size_t>(at), &dims)) {
      return CannotJoin(attrs, axis, in[0]->dims(), x->dims());
    }
  }
  const int64_t outer = NumElements(Dims(dims).first(static_cast<size_t>(at)));
  Assembler result(in[0]->dtype(), dims, out);
  for (int64_t i = 0; i < outer; ++i) {
    for (const Tensor* x : in) {
      const int64_t run = NumElements(x->dims().subspan(static_cast<size_t>(at)));
      result.Append(*x, i * run, run);
    }
  }
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanConcat(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error("takes one tensor or more, got none");
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  FASTPIPE_ASSIGN(const int64_t axis, attrs.IntOr("axis", 0));
  FASTPIPE_ASSIGN(TensorSpec spec, JoinedSpec(attrs, inputs, axis));
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, axis](KernelContext*, Inputs in, Outputs out) {
                      return Concat(attrs, in, axis, &out[0]);
                    })};
}

// The sizes of the parts of an axis of size `size`; -1 stands for what the others leave.
Result<std::vector<int64_t>> PartSizes(const Args& attrs, std::vector<int64_t> sizes,
                                       int64_t size) {
  int64_t total = 0;
  int64_t* open = nullptr;
  for (int64_t& part : sizes) {
    if (part < -1) return attrs.Error(StrCat("sizes must be >= -1, got ", part));
    if (part == -1 && open != nullptr) return attrs.Error("only one of sizes may be -1, got two");
    if (part == -1) {
      open = &part;
    } else {
      total += part;
    }
  }
  if (open != nullptr && total <= size) *open = size - total;
  if (open != nullptr ? total <= size : total == size) return sizes;
  return attrs.Error(StrCat("sizes must add up to ", size, ", got ", total));
}

Result<std::vector<int64_t>> EqualSizes(const Args& attrs, int64_t num, int64_t size) {
  if (size % num == 0) return std::vector<int64_t>(static_cast<size_t>(num), size / num);
  return attrs.Error(StrCat("an axis of size ", size, " cannot be cut into ", num, " equal parts"));
}

struct SplitPlan {
  Args attrs;
  int64_t axis = 0;
  int64_t num = 0;             // of equal parts, or
  std::vector<int64_t> sizes;  // one each

  Result<std::vector<int64_t>> SizesFor(int64_t size) const {
    return sizes.empty() ? EqualSizes(attrs, num, size) : PartSizes(attrs, sizes, size);
  }
};

Status Split(const SplitPlan& plan, const Tensor& x, Outputs out) {
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(plan.attrs.owner(), plan.axis, x.rank()));
  FASTPIPE_ASSIGN(const std::vector<int64_t> sizes, plan.SizesFor(x.dim(at)));
  const int64_t outer = NumElements(x.dims().first(static_cast<size_t>(at)));
  const int64_t inner = NumElements(x.dims().subspan(static_cast<size_t>(at) + 1));
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  int64_t start = 0;
  for (size_t part = 0; part < sizes.size(); ++part) {
    dims[static_cast<size_t>(at)] = sizes[part];
    Assembler result(x.dtype(), dims, &out[part]);
    for (int64_t i = 0; i < outer; ++i) {
      result.Append(x, (i * x.dim(at) + start) * inner, sizes[part] * inner);
    }
    result.Finish();
    start += sizes[part];
  }
  return Status::Ok();
}

Result<KernelPlan> PlanSplit(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  SplitPlan plan{attrs, 0, 0, {}};
  FASTPIPE_ASSIGN(plan.axis, attrs.IntOr("axis", 0));
  if (attrs.Has("sizes")) {
    FASTPIPE_ASSIGN(plan.sizes, attrs.Ints("sizes"));
    if (plan.sizes.empty()) return attrs.Error("sizes must hold one size or more, got none");
    plan.num = static_cast<int64_t>(plan.sizes.size());
  } else {
    FASTPIPE_ASSIGN(plan.num, attrs.Int("num", {.min = 1}));
  }
  std::vector<TensorSpec> outputs(static_cast<size_t>(plan.num), inputs[0]);
  if (inputs[0].known_rank) {
    FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), plan.axis, inputs[0].rank()));
    const int64_t size = inputs[0].dims[static_cast<size_t>(at)];
    std::vector<int64_t> sizes = plan.sizes;
    sizes.resize(static_cast<size_t>(plan.num), -1);
    if (size >= 0) {
      FASTPIPE_ASSIGN(sizes, plan.SizesFor(size));
    }
    for (size_t i = 0; i < sizes.size(); ++i) outputs[i].dims[static_cast<size_t>(at)] = sizes[i];
  }
  return KernelPlan{std::move(outputs), KernelFrom([plan](KernelContext*, Inputs in, Outputs out) {
                      return Split(plan, *in[0], out);
                    })};
}

FASTPIPE_KERNEL("concat", PlanConcat);
FASTPIPE_KERNEL("split", PlanSplit);

}  // namespace
}  // namespace fastpipe
