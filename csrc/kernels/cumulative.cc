// cumsum(x), cumprod(x), cumulative_logsumexp(x): running sums, products and logarithms of sums of
// exponentials along `axis`. `exclusive` leaves out the value itself; `reverse` runs from the end.

#include <cmath>
#include <functional>
#include <limits>

#include "core/registry.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

struct Direction {
  bool exclusive = false;
  bool reverse = false;
};

template <typename T>
struct RunningSum {
  static constexpr Wide<T> kStart = 0;
  static Wide<T> Fold(Wide<T> a, Wide<T> b) { return Wrapped(a, b, std::plus<>()); }
};

template <typename T>
struct RunningProduct {
  static constexpr Wide<T> kStart = 1;
  static Wide<T> Fold(Wide<T> a, Wide<T> b) { return Wrapped(a, b, std::multiplies<>()); }
};

template <typename T>
struct RunningLogSumExp {
  static constexpr Wide<T> kStart = -std::numeric_limits<Wide<T>>::infinity();
  static Wide<T> Fold(Wide<T> a, Wide<T> b) {
    const Wide<T> greater = a < b ? b : a;
    // Equal infinities have no difference.
    return a == b ? a + std::log(Wide<T>{2}) : greater + std::log1p(std::exp(-std::fabs(a - b)));
  }
};

template <typename F, typename T>
void RunCumulative(const Tensor& x, int axis, Direction direction, Output* out) {
  const size_t at = static_cast<size_t>(axis);
  const int64_t size = x.dims()[at];
  const int64_t outer = NumElements(x.dims().first(at));
  const int64_t inner = NumElements(x.dims().subspan(at + 1));
  const T* from = x.data<T>();
  T* to = out->Allocate<T>(x.dims());
  for (int64_t row = 0; row < outer * inner; ++row) {
    const int64_t start = row / inner * size * inner + row % inner;
    Wide<T> total = F::kStart;
    for (int64_t i = 0; i < size; ++i) {
      const int64_t index = start + (direction.reverse ? size - 1 - i : i) * inner;
      const Wide<T> before = total;
      total = F::Fold(total, ToWide(from[index]));
      to[index] = FromWide<T>(direction.exclusive ? before : total);
    }
  }
}

using Run = void (*)(const Tensor& x, int axis, Direction direction, Output* out);

Result<KernelPlan> PlanWith(const Args& attrs, Specs inputs, const DTypeTable<Run>& runs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const Run run, FindOrError(runs, attrs, inputs, 0));
  FASTPIPE_ASSIGN(const int64_t axis, attrs.IntOr("axis", 0));
  Direction direction;
  FASTPIPE_ASSIGN(direction.exclusive, attrs.BoolOr("exclusive", false));
  FASTPIPE_ASSIGN(direction.reverse, attrs.BoolOr("reverse", false));
  if (inputs[0].known_rank) {
    FASTPIPE_RETURN_IF_ERROR(NormalizeAxis(attrs.owner(), axis, inputs[0].rank()).status());
  }
  return KernelPlan{
      {inputs[0]},
      KernelFrom([attrs, run, axis, direction](KernelContext*, Inputs in, Outputs out) {
        FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, in[0]->rank()));
        run(*in[0], at, direction, &out[0]);
        return Status::Ok();
      })};
}

template <template <typename> typename Fold, typename List>
Result<KernelPlan> PlanCumulative(const Args& attrs, Specs inputs) {
  static constexpr auto kRuns =
      TableOf<List>([]<typename T>() -> Run { return RunCumulative<Fold<T>, T>; });
  return PlanWith(attrs, inputs, kRuns);
}

FASTPIPE_KERNEL("cumsum", (PlanCumulative<RunningSum, NumberTypes>));
FASTPIPE_KERNEL("cumprod", (PlanCumulative<RunningProduct, NumberTypes>));
FASTPIPE_KERNEL("cumulative_logsumexp", (PlanCumulative<RunningLogSumExp, FloatTypes>));

}  // namespace
}  // namespace fastpipe
