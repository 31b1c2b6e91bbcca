// tile(x): x repeated `multiples` times along each axis, an IntegersArgument.
// broadcast_to(x): x stretched to the shape `shape`, an IntegersArgument.
// repeat(x, repeats): each slice of x along `axis` as often as `repeats` says: one number for all,
// or
//   one for each slice.

#include <algorithm>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/broadcast.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

// Appends axis `axis` of x, and those inside it, `multiples` times each.
void AppendTiled(const Tensor& x, const std::vector<int64_t>& multiples, size_t axis, int64_t start,
                 Assembler* result) {
  const int64_t inner = NumElements(x.dims().subspan(axis));
  bool plain = true;
  for (size_t i = axis + 1; i < multiples.size(); ++i) plain = plain && multiples[i] == 1;
  if (axis == multiples.size()) return result->Append(x, start, 1);
  const int64_t size = x.dims()[axis];
  for (int64_t copy = 0; copy < multiples[axis]; ++copy) {
    if (plain) {
      result->Append(x, start, inner);
      continue;
    }
    for (int64_t i = 0; i < size; ++i) {
      AppendTiled(x, multiples, axis + 1, start + i * (inner / size), result);
    }
  }
}

Status Tile(const Args& attrs, const std::vector<int64_t>& multiples, const Tensor& x,
            Output* out) {
  if (multiples.size() != x.dims().size()) {
    return attrs.Error(StrCat("multiples must hold one integer for each axis of shape ",
                              ShapeString(x.dims()), ", got ", multiples.size()));
  }
  std::vector<int64_t> dims;
  for (size_t axis = 0; axis < multiples.size(); ++axis) {
    int64_t size = 0;
    if (multiples[axis] < 0 || __builtin_mul_overflow(multiples[axis], x.dims()[axis], &size)) {
      return attrs.Error(StrCat("multiples must be >= 0 and not absurd, got ", multiples[axis]));
    }
    dims.push_back(size);
  }
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
  Assembler result(x.dtype(), dims, out);
  if (NumElements(dims) > 0) AppendTiled(x, multiples, 0, 0, &result);
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanTile(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error("takes a tensor, got none");
  size_t next = 1;
  FASTPIPE_ASSIGN(const IntegersArgument multiples,
                  IntegersArgument::Read(attrs, "multiples", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  TensorSpec spec = inputs[0];
  if (spec.known_rank && multiples.size() && *multiples.size() != spec.dims.size()) {
    return attrs.Error(StrCat("multiples must hold one integer for each axis of ", spec.ToString(),
                              ", got ", *multiples.size()));
  }
  for (size_t axis = 0; axis < spec.dims.size(); ++axis) {
    const int64_t times = multiples.size() ? multiples.Known()[axis] : -1;
    if (times < -1) return attrs.Error(StrCat("multiples must be >= 0, got ", times));
    int64_t& dim = spec.dims[axis];
    if (times == 0 || dim == 0) {
      dim = 0;
    } else if (times < 0 || dim < 0 || __builtin_mul_overflow(times, dim, &dim)) {
      dim = -1;
    }
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, multiples](KernelContext*, Inputs in, Outputs out) {
                      return Tile(attrs, multiples.Get(in), *in[0], &out[0]);
                    })};
}

Status DoesNotStretch(const Args& attrs, Dims x, Dims dims) {
  return attrs.Error(StrCat("shape ", ShapeString(x), " does not stretch to ", ShapeString(dims)));
}

// The shape that `x` stretches to: of -1 in `dims` what x has there. Sizes of x may be unknown, and
// then, or if `open`, those of the result.
Result<std::vector<int64_t>> StretchedDims(const Args& attrs, Dims x, std::vector<int64_t> dims,
                                           bool open) {
  if (x.size() > dims.size()) return DoesNotStretch(attrs, x, dims);
  for (size_t i = 1; i <= x.size(); ++i) {
    const int64_t have = x[x.size() - i];
    int64_t& want = dims[dims.size() - i];
    if (have > 1 && want >= 0 && want != have) return DoesNotStretch(attrs, x, dims);
    if (have == 0 && want > 0) return DoesNotStretch(attrs, x, dims);
    if (want == -1 && !(open && have == 1)) want = have;
  }
  return dims;
}

Status BroadcastTo(const Args& attrs, std::vector<int64_t> dims, const Tensor& x, Output* out) {
  FASTPIPE_ASSIGN(dims, StretchedDims(attrs, x.dims(), std::move(dims), false));
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
  Assembler result(x.dtype(), dims, out);
  result.Append(x, 0, BroadcastLoop(dims, {x.dims()}));
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanBroadcastTo(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error("takes a tensor, got none");
  size_t next = 1;
  FASTPIPE_ASSIGN(const IntegersArgument shape,
                  IntegersArgument::Read(attrs, "shape", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  TensorSpec spec = TensorSpec::UnknownRank(inputs[0].dtype);
  if (shape.size()) spec = TensorSpec::Of(inputs[0].dtype, shape.Known());
  if (shape.size() && inputs[0].known_rank) {
    FASTPIPE_ASSIGN(spec.dims,
                    StretchedDims(attrs, inputs[0].dims, std::move(spec.dims), !shape.IsStatic()));
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, shape](KernelContext*, Inputs in, Outputs out) {
                      return BroadcastTo(attrs, shape.Get(in), *in[0], &out[0]);
                    })};
}

Status Repeat(const Args& attrs, int64_t axis, Inputs in, Output* out) {
  const Tensor& x = *in[0];
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, x.rank()));
  const int64_t size = x.dim(at);
  std::vector<int64_t> repeats = IntegersOf(*in[1]);
  if (repeats.size() == 1) repeats.resize(static_cast<size_t>(size), repeats[0]);
  if (static_cast<int64_t>(repeats.size()) != size) {
    return attrs.Error(StrCat("repeats must be one integer or ", size, ", got ", repeats.size()));
  }
  int64_t total = 0;
  for (int64_t times : repeats) {
    if (times < 0) return attrs.Error(StrCat("repeats must be >= 0, got ", times));
    if (__builtin_add_overflow(total, times, &total)) return attrs.Error("repeats are too large");
  }
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims[static_cast<size_t>(at)] = total;
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
  const int64_t outer = NumElements(x.dims().first(static_cast<size_t>(at)));
  const int64_t inner = NumElements(x.dims().subspan(static_cast<size_t>(at) + 1));
  Assembler result(x.dtype(), dims, out);
  for (int64_t i = 0; i < outer * size; ++i) {
    for (int64_t left = repeats[static_cast<size_t>(i % size)]; left > 0; --left) {
      result.Append(x, i * inner, inner);
    }
  }
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanRepeat(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_ASSIGN(const int64_t axis, attrs.IntOr("axis", 0));
  if (!IsInteger(inputs[1].dtype) || inputs[1].rank() > 1) {
    return attrs.Error(
        StrCat("repeats must be an integer or a list of integers, got ", inputs[1].ToString()));
  }
  TensorSpec spec = inputs[0];
  if (spec.known_rank) {
    FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, spec.rank()));
    spec.dims[static_cast<size_t>(at)] = -1;
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, axis](KernelContext*, Inputs in, Outputs out) {
                      return Repeat(attrs, axis, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("tile", PlanTile);
FASTPIPE_KERNEL("broadcast_to", PlanBroadcastTo);
FASTPIPE_KERNEL("repeat", PlanRepeat);

}  // namespace
}  // namespace fastpipe
