// reshape(x): the values of x in another shape. `shape` is an IntegersArgument; one size may be -1.
// identity(x): x itself.
// ensure_shape(x): x itself, or InvalidArgument unless it has the shape `shape` (-1 or None: any).
//
// Memory is shared with the input.

#include <algorithm>

#include "core/registry.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

// Replaces the -1 in `dims`, if there is one, so that they hold `count` values.
Status Complete(const Args& attrs, int64_t count, std::vector<int64_t>* dims) {
  const std::vector<int64_t> asked = *dims;
  int64_t known = 1;
  int64_t* open = nullptr;
  for (int64_t& dim : *dims) {
    if (dim == -1 && open != nullptr) {
      return attrs.Error(StrCat("only one size of shape may be -1, got ", ShapeString(asked)));
    }
    if (dim < -1) return attrs.Error(StrCat("sizes of shape must be >= -1, got ", dim));
    if (dim == -1) {
      open = &dim;
    } else if (__builtin_mul_overflow(known, dim, &known)) {
      known = INT64_MAX;  // more than any tensor has
    }
  }
  if (open != nullptr) *open = known == 0 ? 0 : count / known;
  if (known * (open ? *open : 1) == count) return Status::Ok();
  return attrs.Error(StrCat("cannot give ", count, " values the shape ", ShapeString(asked)));
}

// The spec of the result. -1 in `dims` also stands for sizes that only inputs tell.
TensorSpec ReshapedSpec(const TensorSpec& input, const IntegersArgument& shape) {
  if (!shape.size()) return TensorSpec::UnknownRank(input.dtype);
  std::vector<int64_t> dims = shape.Known();
  if (input.fully_known() && std::count(dims.begin(), dims.end(), -1) == 1) {
    // A single open size follows from the others, whether it was -1 or comes as an input.
    int64_t known = 1;
    for (int64_t dim : dims) known *= dim == -1 ? 1 : dim;
    const int64_t count = NumElements(input.dims);
    int64_t& open = *std::find(dims.begin(), dims.end(), -1);
    if (known > 0 && count % known == 0) open = count / known;
  }
  return TensorSpec::Of(input.dtype, std::move(dims));
}

Result<KernelPlan> PlanReshape(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error("takes a tensor, got none");
  size_t next = 1;
  FASTPIPE_ASSIGN(const IntegersArgument shape,
                  IntegersArgument::Read(attrs, "shape", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  if (shape.IsStatic() && inputs[0].fully_known()) {
    std::vector<int64_t> dims = shape.Known();
    FASTPIPE_RETURN_IF_ERROR(Complete(attrs, NumElements(inputs[0].dims), &dims));
    return KernelPlan{{TensorSpec::Of(inputs[0].dtype, dims)},
                      KernelFrom([dims](KernelContext*, Inputs in, Outputs out) {
                        out[0].Set(in[0]->Reshaped(dims));
                        return Status::Ok();
                      })};
  }
  return KernelPlan{{ReshapedSpec(inputs[0], shape)},
                    KernelFrom([attrs, shape](KernelContext*, Inputs in, Outputs out) {
                      std::vector<int64_t> dims = shape.Get(in);
                      FASTPIPE_RETURN_IF_ERROR(Complete(attrs, in[0]->num_elements(), &dims));
                      out[0].Set(in[0]->Reshaped(dims));
                      return Status::Ok();
                    })};
}

Result<KernelPlan> PlanIdentity(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  return KernelPlan{{inputs[0]}, KernelFrom([](KernelContext*, Inputs in, Outputs out) {
                      out[0].Set(*in[0]);
                      return Status::Ok();
                    })};
}

// The spec of what has both specs; false if nothing can.
bool Intersect(const TensorSpec& stated, TensorSpec* spec) {
  if (!spec->known_rank) {
    *spec = stated;
    return true;
  }
  if (spec->dims.size() != stated.dims.size()) return false;
  for (size_t i = 0; i < stated.dims.size(); ++i) {
    int64_t& dim = spec->dims[i];
    if (dim >= 0 && stated.dims[i] >= 0 && dim != stated.dims[i]) return false;
    dim = std::max(dim, stated.dims[i]);
  }
  return true;
}

Result<KernelPlan> PlanEnsureShape(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  if (!attrs.Has("shape")) return PlanIdentity(attrs, inputs);
  FASTPIPE_ASSIGN(std::vector<int64_t> dims, attrs.Ints("shape"));
  for (int64_t& dim : dims) dim = std::max<int64_t>(dim, -1);
  const TensorSpec stated = TensorSpec::Of(inputs[0].dtype, std::move(dims));
  TensorSpec spec = inputs[0];
  if (!Intersect(stated, &spec)) {
    return attrs.Error(StrCat("expected ", stated.ToString(), ", got ", inputs[0].ToString()));
  }
  return KernelPlan{
      {std::move(spec)}, KernelFrom([attrs, stated](KernelContext*, Inputs in, Outputs out) {
        if (!stated.Accepts(*in[0])) {
          return attrs.Error(
              StrCat("expected ", stated.ToString(), ", got ", TensorSpec::Of(*in[0]).ToString()));
        }
        out[0].Set(*in[0]);
        return Status::Ok();
      })};
}

FASTPIPE_KERNEL("reshape", PlanReshape);
FASTPIPE_KERNEL("identity", PlanIdentity);
FASTPIPE_KERNEL("ensure_shape", PlanEnsureShape);

}  // namespace
}  // namespace fastpipe
