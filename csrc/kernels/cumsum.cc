// cumsum(x): running sums along `axis`. `exclusive` leaves out the value itself; `reverse` sums
// from the end.

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
Wide<T> Sum(Wide<T> a, Wide<T> b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  } else {
    return a + b;
  }
}

template <typename T>
void RunCumsum(const Tensor& x, int axis, Direction direction, Output* out) {
  const size_t at = static_cast<size_t>(axis);
  const int64_t size = x.dims()[at];
  const int64_t outer = NumElements(x.dims().first(at));
  const int64_t inner = NumElements(x.dims().subspan(at + 1));
  const T* from = x.data<T>();
  T* to = out->Allocate<T>(x.dims());
  for (int64_t row = 0; row < outer * inner; ++row) {
    const int64_t start = row / inner * size * inner + row % inner;
    Wide<T> sum{};
    for (int64_t i = 0; i < size; ++i) {
      const int64_t index = start + (direction.reverse ? size - 1 - i : i) * inner;
      const Wide<T> before = sum;
      sum = Sum<T>(sum, ToWide(from[index]));
      to[index] = FromWide<T>(direction.exclusive ? before : sum);
    }
  }
}

using Run = void (*)(const Tensor& x, int axis, Direction direction, Output* out);
constexpr auto kRuns = TableOf<NumberTypes>([]<typename T>() -> Run { return RunCumsum<T>; });

Result<KernelPlan> PlanCumsum(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const Run run, FindOrError(kRuns, attrs, inputs, 0));
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

FASTPIPE_KERNEL("cumsum", PlanCumsum);

}  // namespace
}  // namespace fastpipe
