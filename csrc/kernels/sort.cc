// sort(x): x with its values in order along `axis`; from the greatest down if `descending`.
// argsort(x): the int32 positions along `axis` at which these values stand. Equal values keep their
//   order. NaN comes last.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/registry.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

template <typename T>
bool Before(Wide<T> a, Wide<T> b, bool descending) {
  if constexpr (std::is_floating_point_v<Wide<T>>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
  }
  return descending ? a > b : a < b;
}

// The lines of a tensor along one axis: `size` values, `inner` apart.
struct Lines {
  Lines(Dims dims, int axis)
      : size(dims[static_cast<size_t>(axis)]),
        inner(NumElements(dims.subspan(static_cast<size_t>(axis) + 1))),
        count(NumElements(dims.first(static_cast<size_t>(axis))) * inner) {}
  int64_t start(int64_t line) const { return line / inner * size * inner + line % inner; }

  int64_t size;
  int64_t inner;
  int64_t count;
};

// Calls place(index of a result, position along its line) for every value, in order.
template <typename T, typename F>
void Arrange(const Tensor& x, int axis, bool descending, F place) {
  const Lines lines(x.dims(), axis);
  std::vector<int32_t> order(static_cast<size_t>(lines.size));
  for (int64_t line = 0; line < lines.count; ++line) {
    const T* values = x.data<T>() + lines.start(line);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return Before<T>(ToWide(values[a * lines.inner]), ToWide(values[b * lines.inner]),
                       descending);
    });
    for (int64_t i = 0; i < lines.size; ++i) {
      place(lines.start(line) + i * lines.inner, order[static_cast<size_t>(i)], values,
            lines.inner);
    }
  }
}

template <typename T>
void RunSort(const Tensor& x, int axis, bool descending, Output* out) {
  T* to = out->Allocate<T>(x.dims());
  Arrange<T>(x, axis, descending,
             [to](int64_t index, int32_t position, const T* values, int64_t step) {
               to[index] = values[position * step];
             });
}

template <typename T>
void RunArgsort(const Tensor& x, int axis, bool descending, Output* out) {
  int32_t* to = out->Allocate<int32_t>(x.dims());
  Arrange<T>(x, axis, descending,
             [to](int64_t index, int32_t position, const T*, int64_t) { to[index] = position; });
}

using Run = void (*)(const Tensor& x, int axis, bool descending, Output* out);
constexpr auto kSorts = TableOf<NumberTypes>([]<typename T>() -> Run { return RunSort<T>; });
constexpr auto kArgsorts = TableOf<NumberTypes>([]<typename T>() -> Run { return RunArgsort<T>; });

Status RunAlong(const Args& attrs, Run run, int64_t axis, bool descending, const Tensor& x,
                Output* out) {
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, x.rank()));
  if (x.dim(at) > INT32_MAX) {
    return attrs.Error(StrCat("an axis may hold ", INT32_MAX, " values, got ", x.dim(at)));
  }
  run(x, at, descending, out);
  return Status::Ok();
}

Result<KernelPlan> PlanWith(const Args& attrs, Specs inputs, const DTypeTable<Run>& runs,
                            bool positions) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const Run run, FindOrError(runs, attrs, inputs, 0));
  FASTPIPE_ASSIGN(const int64_t axis, attrs.IntOr("axis", -1));
  FASTPIPE_ASSIGN(const bool descending, attrs.BoolOr("descending", false));
  TensorSpec spec = inputs[0];
  if (positions) spec.dtype = DType::kInt32;
  if (spec.known_rank) {
    FASTPIPE_RETURN_IF_ERROR(NormalizeAxis(attrs.owner(), axis, spec.rank()).status());
  }
  return KernelPlan{
      {std::move(spec)},
      KernelFrom([attrs, run, axis, descending](KernelContext*, Inputs in, Outputs out) {
        return RunAlong(attrs, run, axis, descending, *in[0], &out[0]);
      })};
}

Result<KernelPlan> PlanSort(const Args& attrs, Specs inputs) {
  return PlanWith(attrs, inputs, kSorts, false);
}

Result<KernelPlan> PlanArgsort(const Args& attrs, Specs inputs) {
  return PlanWith(attrs, inputs, kArgsorts, true);
}

FASTPIPE_KERNEL("sort", PlanSort);
FASTPIPE_KERNEL("argsort", PlanArgsort);

}  // namespace
}  // namespace fastpipe
