// tensor_scatter_{update, add, sub, min, max}(x, indices, updates): x, in which the slices that
// `indices` name are replaced by, or joined with, those of `updates`, one after the other.
// scatter_nd(indices, updates, shape): the sum of updates over zeros; shape is an IntegersArgument.

#include <algorithm>
#include <cstring>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/nd_indices.h"

namespace fastpipe {
namespace {

struct Replace {
  template <typename T>
  static T Apply(T, T b) {
    return b;
  }
};
struct Add {
  template <typename T>
  static T Apply(T a, T b) {
    return Wrapped(a, b, [](auto x, auto y) { return x + y; });
  }
};
struct Subtract {
  template <typename T>
  static T Apply(T a, T b) {
    return Wrapped(a, b, [](auto x, auto y) { return x - y; });
  }
};
struct Least {
  template <typename T>
  static T Apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Greatest {
  template <typename T>
  static T Apply(T a, T b) {
    return b > a ? b : a;
  }
};

template <typename Op, typename T>
void Scatter(const std::vector<int64_t>& slices, int64_t inner, const void* updates, void* out) {
  const T* from = static_cast<const T*>(updates);
  for (int64_t slice : slices) {
    T* to = static_cast<T*>(out) + slice * inner;
    for (int64_t i = 0; i < inner; ++i, ++from) {
      to[i] = FromWide<T>(Op::Apply(ToWide(to[i]), ToWide(*from)));
    }
  }
}

using Run = void (*)(const std::vector<int64_t>& slices, int64_t inner, const void* updates,
                     void* out);

// `updates` must have the shape indices[:-1] + dims[depth:].
Status ExpectUpdates(const Args& attrs, Dims dims, Dims indices, Dims updates) {
  const size_t depth = static_cast<size_t>(indices.back());
  std::vector<int64_t> expected(indices.begin(), indices.end() - 1);
  if (depth <= dims.size()) {
    expected.insert(expected.end(), dims.begin() + static_cast<int64_t>(depth), dims.end());
  }
  bool good = depth <= dims.size() && updates.size() == expected.size();
  for (size_t i = 0; good && i < expected.size(); ++i) {
    good = expected[i] < 0 || updates[i] < 0 || expected[i] == updates[i];
  }
  if (good) return Status::Ok();
  return attrs.Error(StrCat("updates must have shape ", ShapeString(expected),
                            " for indices of shape ", ShapeString(indices), " into ",
                            ShapeString(dims), ", got ", ShapeString(updates)));
}

Status ExpectUpdates(const Args& attrs, const TensorSpec& x, const TensorSpec& indices,
                     const TensorSpec& updates) {
  FASTPIPE_RETURN_IF_ERROR(ExpectNdIndices(attrs, indices));
  if (x.dtype != updates.dtype) {
    return attrs.Error(StrCat("updates must have the dtype of the tensor, got ", updates.ToString(),
                              " for ", x.ToString()));
  }
  const bool known = x.known_rank && indices.known_rank && updates.known_rank;
  if (!known || indices.dims.back() < 0) return Status::Ok();
  return ExpectUpdates(attrs, x.dims, indices.dims, updates.dims);
}

// Scatters into `to`, a tensor of shape `dims` that is filled already.
Status ScatterInto(const Args& attrs, Run run, Dims dims, const Tensor& indices,
                   const Tensor& updates, uint8_t* to) {
  FASTPIPE_ASSIGN(const std::vector<int64_t> slices, SlicesAt(attrs, indices, dims));
  FASTPIPE_RETURN_IF_ERROR(ExpectUpdates(attrs, dims, indices.dims(), updates.dims()));
  const int64_t inner = NumElements(dims.subspan(static_cast<size_t>(indices.dims().back())));
  run(slices, inner, updates.raw(), to);
  return Status::Ok();
}

// Strings have no place of their own to be replaced in.
Status UpdateStrings(const Args& attrs, Inputs in, Output* out) {
  const Tensor& x = *in[0];
  FASTPIPE_ASSIGN(const std::vector<int64_t> slices, SlicesAt(attrs, *in[1], x.dims()));
  FASTPIPE_RETURN_IF_ERROR(ExpectUpdates(attrs, x.dims(), in[1]->dims(), in[2]->dims()));
  const int64_t inner = NumElements(x.dims().subspan(static_cast<size_t>(in[1]->dims().back())));
  std::vector<int64_t> from(static_cast<size_t>(inner > 0 ? x.num_elements() / inner : 0), -1);
  for (size_t i = 0; i < slices.size(); ++i) {
    from[static_cast<size_t>(slices[i])] = static_cast<int64_t>(i);
  }
  Assembler result(x.dtype(), x.dims(), out);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] < 0) {
      result.Append(x, static_cast<int64_t>(i) * inner, inner);
    } else {
      result.Append(*in[2], from[i] * inner, inner);
    }
  }
  result.Finish();
  return Status::Ok();
}

template <typename Op, typename List>
Result<KernelPlan> PlanTensorScatter(const Args& attrs, Specs inputs) {
  static constexpr auto kRuns = TableOf<List>([]<typename T>() -> Run { return Scatter<Op, T>; });
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 3));
  FASTPIPE_RETURN_IF_ERROR(ExpectUpdates(attrs, inputs[0], inputs[1], inputs[2]));
  if (std::is_same_v<Op, Replace> && inputs[0].dtype == DType::kString) {
    return KernelPlan{{inputs[0]}, KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                        return UpdateStrings(attrs, in, &out[0]);
                      })};
  }
  FASTPIPE_ASSIGN(const Run run, FindOrError(kRuns, attrs, inputs, 0));
  return KernelPlan{{inputs[0]}, KernelFrom([attrs, run](KernelContext*, Inputs in, Outputs out) {
                      const Tensor& x = *in[0];
                      uint8_t* to = out[0].Allocate(x.dtype(), x.dims());
                      if (x.num_bytes() > 0) std::memcpy(to, x.raw(), x.num_bytes());
                      return ScatterInto(attrs, run, x.dims(), *in[1], *in[2], to);
                    })};
}

Result<KernelPlan> PlanScatterNd(const Args& attrs, Specs inputs) {
  static constexpr auto kRuns = TableOf<FixedSizeTypes>([]<typename T>() -> Run {
    if constexpr (std::is_same_v<T, bool>) return Scatter<Greatest, T>;
    return Scatter<Add, T>;
  });
  if (inputs.size() < 2) return attrs.Error("takes indices and updates");
  size_t next = 2;
  FASTPIPE_ASSIGN(const IntegersArgument shape,
                  IntegersArgument::Read(attrs, "shape", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  FASTPIPE_ASSIGN(const Run run, FindOrError(kRuns, attrs, inputs, 1));
  const DType dtype = inputs[1].dtype;
  TensorSpec spec = TensorSpec::UnknownRank(dtype);
  if (shape.size()) spec = TensorSpec::Of(dtype, shape.Known());
  FASTPIPE_RETURN_IF_ERROR(ExpectUpdates(attrs, spec, inputs[0], inputs[1]));
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, run, shape, dtype](KernelContext*, Inputs in, Outputs out) {
                      const std::vector<int64_t> dims = shape.Get(in);
                      FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
                      uint8_t* to = out[0].Allocate(dtype, dims);
                      std::memset(to, 0, static_cast<size_t>(NumElements(dims)) * DTypeSize(dtype));
                      return ScatterInto(attrs, run, dims, *in[0], *in[1], to);
                    })};
}

FASTPIPE_KERNEL("tensor_scatter_update", (PlanTensorScatter<Replace, FixedSizeTypes>));
FASTPIPE_KERNEL("tensor_scatter_add", (PlanTensorScatter<Add, NumberTypes>));
FASTPIPE_KERNEL("tensor_scatter_sub", (PlanTensorScatter<Subtract, NumberTypes>));
FASTPIPE_KERNEL("tensor_scatter_min", (PlanTensorScatter<Least, NumberTypes>));
FASTPIPE_KERNEL("tensor_scatter_max", (PlanTensorScatter<Greatest, NumberTypes>));
FASTPIPE_KERNEL("scatter_nd", PlanScatterNd);

}  // namespace
}  // namespace fastpipe
