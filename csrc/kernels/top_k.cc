// top_k(x, k): the `k` greatest values of each row, the last axis, from the greatest down, and
// their int32 positions. Of equal values the first come first. k is an IntegersArgument of one
// integer.

#include <algorithm>
#include <numeric>

#include "core/registry.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

template <typename T>
void RunTopK(const Tensor& x, int64_t k, Outputs out) {
  const int64_t size = x.dims().back();
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims.back() = k;
  T* values = out[0].Allocate<T>(dims);
  int32_t* positions = out[1].Allocate<int32_t>(dims);
  const int64_t rows = NumElements(x.dims().first(x.dims().size() - 1));
  std::vector<int32_t> order(static_cast<size_t>(size));
  for (int64_t row = 0; row < rows; ++row) {
    const T* from = x.data<T>() + row * size;
    std::iota(order.begin(), order.end(), 0);
    const auto before = [from](int32_t a, int32_t b) {
      const auto left = ToWide(from[a]);
      const auto right = ToWide(from[b]);
      // NaN counts as the least, so that the order is one.
      if (left != left || right != right) return left == left || (right != right && a < b);
      return left != right ? left > right : a < b;
    };
    std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
    for (int64_t i = 0; i < k; ++i) {
      *positions++ = order[static_cast<size_t>(i)];
      *values++ = from[order[static_cast<size_t>(i)]];
    }
  }
}

using Run = void (*)(const Tensor& x, int64_t k, Outputs out);
constexpr auto kRuns = TableOf<NumberTypes>([]<typename T>() -> Run { return RunTopK<T>; });

Status ExpectEnough(const Args& attrs, int64_t size, int64_t k) {
  if (size >= 0 && k > size) {
    return attrs.Error(
        StrCat("rows must have at least k values, got k ", k, " and rows of ", size));
  }
  if (size > INT32_MAX) {
    return attrs.Error(StrCat("a row may hold ", INT32_MAX, " values, got ", size));
  }
  return Status::Ok();
}

Result<KernelPlan> PlanTopK(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error("takes a tensor, got none");
  size_t next = 1;
  FASTPIPE_ASSIGN(const IntegersArgument argument,
                  IntegersArgument::Read(attrs, "k", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  FASTPIPE_ASSIGN(const Run run, FindOrError(kRuns, attrs, inputs, 0));
  if (argument.size().value_or(1) != 1) return attrs.Error("k must be one integer");
  const int64_t known = argument.size() ? argument.Known()[0] : -1;
  if (argument.IsStatic() && known < 0) return attrs.Error(StrCat("k must be >= 0, got ", known));
  TensorSpec values = inputs[0];
  if (values.known_rank) {
    if (values.dims.empty()) return attrs.Error("takes a tensor of one axis or more, got a scalar");
    FASTPIPE_RETURN_IF_ERROR(ExpectEnough(attrs, values.dims.back(), known));
    values.dims.back() = known;
  }
  TensorSpec positions = values;
  positions.dtype = DType::kInt32;
  return KernelPlan{{std::move(values), std::move(positions)},
                    KernelFrom([attrs, argument, run](KernelContext*, Inputs in, Outputs out) {
                      const std::vector<int64_t> k = argument.Get(in);
                      if (k.size() != 1 || k[0] < 0)
                        return attrs.Error("k must be one integer >= 0");
                      if (in[0]->rank() == 0) {
                        return attrs.Error("takes a tensor of one axis or more, got a scalar");
                      }
                      FASTPIPE_RETURN_IF_ERROR(ExpectEnough(attrs, in[0]->dims().back(), k[0]));
                      run(*in[0], k[0], out);
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("top_k", PlanTopK);

}  // namespace
}  // namespace fastpipe
