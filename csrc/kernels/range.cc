// range(start, limit, delta): start, start + delta, ... below limit (above it when delta is
// negative). Three number scalars of one dtype.

#include <cmath>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"

namespace fastpipe {
namespace {

// How many numbers there are. REQUIRES: delta is not zero and leads from start to limit.
template <typename T>
int64_t CountOf(T start, T limit, T delta) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<int64_t>(std::min(std::ceil(std::fabs((limit - start) / delta)), T{1e18}));
  } else {
    // Unsigned, so that neither the distance nor a negated delta can overflow.
    const uint64_t distance = delta > 0
                                  ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                                  : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
    const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta) : -static_cast<uint64_t>(delta);
    const uint64_t count = distance / step + (distance % step != 0);
    return static_cast<int64_t>(std::min(count, static_cast<uint64_t>(INT64_MAX)));
  }
}

template <typename T>
Status RunRange(const Args& attrs, Inputs in, Output* out) {
  using Compute = std::conditional_t<kIsHalf<T>, float, T>;
  const Compute start = ToWide(in[0]->scalar<T>());
  const Compute limit = ToWide(in[1]->scalar<T>());
  const Compute delta = ToWide(in[2]->scalar<T>());
  if (delta == 0 || delta != delta || start != start || limit != limit) {
    return attrs.Error("delta must not be 0, and no argument may be NaN");
  }
  if (delta > 0 ? start > limit : start < limit) {
    return attrs.Error(StrCat("start must be ", delta > 0 ? "<=" : ">=", " limit when delta is ",
                              delta > 0 ? "positive" : "negative", ", got start ", start,
                              ", limit ", limit, " and delta ", delta));
  }
  const int64_t count = CountOf(start, limit, delta);
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), Dims(&count, 1)));
  T* to = out->Allocate<T>(Dims(&count, 1));
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>) {
      // Wraps where start + i * delta would overflow on the way, and is right in the end.
      to[i] = static_cast<T>(static_cast<uint64_t>(start) +
                             static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
    } else {
      to[i] = FromWide<T>(start + static_cast<Compute>(i) * delta);
    }
  }
  return Status::Ok();
}

using Run = Status (*)(const Args& attrs, Inputs in, Output* out);
constexpr auto kRuns = TableOf<NumberTypes>([]<typename T>() -> Run { return RunRange<T>; });

Result<KernelPlan> PlanRange(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 3));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  FASTPIPE_ASSIGN(const Run run, FindOrError(kRuns, attrs, inputs, 0));
  for (const TensorSpec& input : inputs) {
    if (input.rank() > 0) {
      return attrs.Error(StrCat("start, limit and delta must be scalars, got ", input.ToString()));
    }
  }
  return KernelPlan{{TensorSpec::Of(inputs[0].dtype, {-1})},
                    KernelFrom([attrs, run](KernelContext*, Inputs in, Outputs out) {
                      return run(attrs, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("range", PlanRange);

}  // namespace
}  // namespace fastpipe
