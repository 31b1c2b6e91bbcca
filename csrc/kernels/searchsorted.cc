// searchsorted(sorted, values): where each value would go among the rows of `sorted`, the last
// axes, so that they stay in order: before equal ones, or behind them if `right`. Both have one
// dtype and equal sizes but for the last. Positions have dtype `out_type`, int32 or int64.

#include <algorithm>

#include "core/registry.h"
#include "kernels/dispatch.h"

namespace fastpipe {
namespace {

template <typename T>
int64_t Place(const T* row, int64_t size, T value, bool right) {
  const auto less = [](const T& a, const T& b) { return ToWide(a) < ToWide(b); };
  const T* at = right ? std::upper_bound(row, row + size, value, less)
                      : std::lower_bound(row, row + size, value, less);
  return at - row;
}

template <typename T>
void RunSearch(const Tensor& sorted, const Tensor& values, bool right, std::vector<int64_t>* out) {
  const int64_t size = sorted.dims().back();
  const int64_t per_row = values.dims().back();
  const int64_t count = values.num_elements();
  out->reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const T* row = sorted.data<T>() + i / per_row * size;
    out->push_back(Place(row, size, values.data<T>()[i], right));
  }
}

using Run = void (*)(const Tensor& sorted, const Tensor& values, bool right,
                     std::vector<int64_t>* out);
constexpr auto kRuns = TableOf<NumberTypes>([]<typename T>() -> Run { return RunSearch<T>; });

Status ExpectRows(const Args& attrs, Dims sorted, Dims values) {
  bool good = !sorted.empty() && sorted.size() == values.size();
  for (size_t i = 0; good && i + 1 < sorted.size(); ++i) {
    good = sorted[i] < 0 || values[i] < 0 || sorted[i] == values[i];
  }
  if (good) return Status::Ok();
  return attrs.Error(StrCat("both need one axis or more and equal sizes but for the last, got ",
                            ShapeString(sorted), " and ", ShapeString(values)));
}

Result<KernelPlan> PlanSearch(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  FASTPIPE_ASSIGN(const Run run, FindOrError(kRuns, attrs, inputs, 0));
  FASTPIPE_ASSIGN(const bool right, attrs.BoolOr("right", false));
  FASTPIPE_ASSIGN(const DType dtype, attrs.DtypeOr("out_type", DType::kInt32));
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    return attrs.Error(StrCat("out_type must be int32 or int64, got ", DTypeName(dtype)));
  }
  if (inputs[0].known_rank && inputs[1].known_rank) {
    FASTPIPE_RETURN_IF_ERROR(ExpectRows(attrs, inputs[0].dims, inputs[1].dims));
  }
  TensorSpec spec = inputs[1];
  spec.dtype = dtype;
  return KernelPlan{
      {std::move(spec)},
      KernelFrom([attrs, run, right, dtype](KernelContext*, Inputs in, Outputs out) {
        FASTPIPE_RETURN_IF_ERROR(ExpectRows(attrs, in[0]->dims(), in[1]->dims()));
        std::vector<int64_t> places;
        run(*in[0], *in[1], right, &places);
        if (dtype == DType::kInt32) {
          std::copy(places.begin(), places.end(), out[0].Allocate<int32_t>(in[1]->dims()));
        } else {
          std::copy(places.begin(), places.end(), out[0].Allocate<int64_t>(in[1]->dims()));
        }
        return Status::Ok();
      })};
}

FASTPIPE_KERNEL("searchsorted", PlanSearch);

}  // namespace
}  // namespace fastpipe
