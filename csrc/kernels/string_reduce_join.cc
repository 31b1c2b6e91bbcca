// string_reduce_join(text): the strings along `axis` joined by `separator`.
//
// Attributes: axis (None: all, in row-major order; a list joins along its first axis first),
// keepdims, separator.

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "core/registry.h"

namespace fastpipe {
namespace {

using Axes = std::vector<int64_t>;

// The axes as non-negative numbers, the fastest varying first.
Result<Axes> Normalize(const Args& attrs, const std::optional<Axes>& given, int64_t rank) {
  if (!given) {
    Axes all(static_cast<size_t>(rank));
    std::iota(all.rbegin(), all.rend(), 0);
    return all;
  }
  Axes axes;
  for (int64_t axis : *given) {
    if (axis < -rank || axis >= rank) {
      return attrs.Error(StrCat("axis must be between ", -rank, " and ", rank - 1,
                                " for a tensor of rank ", rank, ", got ", axis));
    }
    axes.push_back(axis < 0 ? axis + rank : axis);
    if (std::count(axes.begin(), axes.end(), axes.back()) > 1) {
      return attrs.Error(StrCat("axis must name each axis once, got ", axis, " again"));
    }
  }
  return axes;
}

bool Contains(const Axes& axes, size_t axis) {
  return std::find(axes.begin(), axes.end(), static_cast<int64_t>(axis)) != axes.end();
}

std::vector<int64_t> ReducedDims(Dims dims, const Axes& axes, bool keepdims) {
  std::vector<int64_t> reduced;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (!Contains(axes, axis)) {
      reduced.push_back(dims[axis]);
    } else if (keepdims) {
      reduced.push_back(1);
    }
  }
  return reduced;
}

// The row-major offsets of all combinations of `axes`, the last of which varies slowest.
std::vector<int64_t> Offsets(Dims dims, const Axes& axes) {
  std::vector<int64_t> offsets{0};
  for (int64_t axis : axes) {
    const int64_t stride = NumElements(dims.subspan(static_cast<size_t>(axis) + 1));
    std::vector<int64_t> wider;
    for (int64_t i = 0; i < dims[static_cast<size_t>(axis)]; ++i) {
      for (int64_t offset : offsets) wider.push_back(offset + i * stride);
    }
    offsets = std::move(wider);
  }
  return offsets;
}

Status ReduceJoin(const Tensor& input, const Axes& axes, bool keepdims,
                  const std::string& separator, Output* output) {
  const Dims dims = input.dims();
  Axes kept;
  for (size_t axis = dims.size(); axis-- > 0;) {
    if (!Contains(axes, axis)) kept.push_back(static_cast<int64_t>(axis));
  }
  const std::vector<int64_t> starts = Offsets(dims, kept);
  const std::vector<int64_t> steps = Offsets(dims, axes);
  StringArrayBuilder builder(starts.size());
  std::string joined;
  for (int64_t start : starts) {
    joined.clear();
    for (size_t i = 0; i < steps.size(); ++i) {
      if (i > 0) joined += separator;
      joined += input.str(start + steps[i]);
    }
    builder.Append(joined);
  }
  output->Set(builder.Build(ReducedDims(dims, axes, keepdims)));
  return Status::Ok();
}

Result<KernelPlan> PlanReduceJoin(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  FASTPIPE_ASSIGN(const std::string separator, attrs.StringOr("separator", ""));
  FASTPIPE_ASSIGN(const bool keepdims, attrs.BoolOr("keepdims", false));
  std::optional<Axes> given;
  if (attrs.Has("axis")) {
    FASTPIPE_ASSIGN(given, attrs.Ints("axis"));
  }
  TensorSpec spec = TensorSpec::UnknownRank(DType::kString);
  if (inputs[0].known_rank) {
    FASTPIPE_ASSIGN(const Axes axes, Normalize(attrs, given, inputs[0].rank()));
    spec = TensorSpec::Of(DType::kString, ReducedDims(inputs[0].dims, axes, keepdims));
  } else if (!given && !keepdims) {
    spec = TensorSpec::Scalar(DType::kString);
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([=](KernelContext*, Inputs in, Outputs out) -> Status {
                      FASTPIPE_ASSIGN(const Axes axes, Normalize(attrs, given, in[0]->rank()));
                      return ReduceJoin(*in[0], axes, keepdims, separator, &out[0]);
                    })};
}

FASTPIPE_KERNEL("string_reduce_join", PlanReduceJoin);

}  // namespace
}  // namespace fastpipe
