// argmax(x), argmin(x): where along `axis` the greatest or least value stands first, in dtype
// `output_type`, int16, uint16, int32 or int64. NaN is passed over; if there is nothing else the
// answer is 0.

#include <cmath>

#include "core/registry.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

// Position of the best of `size` values that are `step` apart.
using Pick = int64_t (*)(const Tensor& x, int64_t start, int64_t size, int64_t step);

template <typename T, bool kGreatest>
int64_t PickBest(const Tensor& x, int64_t start, int64_t size, int64_t step) {
  const T* values = x.data<T>() + start;
  int64_t best = 0;
  auto champion = ToWide(values[0]);
  for (int64_t i = 1; i < size; ++i) {
    const auto value = ToWide(values[i * step]);
    // A comparison with NaN is false: a NaN never wins, and as champion gives way to any number.
    const bool better = kGreatest ? value > champion : value < champion;
    if (better || (champion != champion && value == value)) {
      best = i;
      champion = value;
    }
  }
  return best;
}

template <bool kGreatest>
constexpr auto kPicks =
    TableOf<FixedSizeTypes>([]<typename T>() -> Pick { return PickBest<T, kGreatest>; });

// The shape without `axis`; sizes may be unknown.
Result<std::vector<int64_t>> WithoutAxis(const Args& attrs, Dims dims, int64_t axis) {
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, static_cast<int>(dims.size())));
  if (dims[static_cast<size_t>(at)] == 0) {
    return attrs.Error(StrCat("axis ", axis, " must hold a value, got shape ", ShapeString(dims)));
  }
  std::vector<int64_t> rest(dims.begin(), dims.end());
  rest.erase(rest.begin() + at);
  return rest;
}

template <typename To>
Status PickAll(const Args& attrs, Pick pick, int64_t axis, const Tensor& x, Output* out) {
  FASTPIPE_ASSIGN(const std::vector<int64_t> dims, WithoutAxis(attrs, x.dims(), axis));
  FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs.owner(), axis, x.rank()));
  const int64_t inner = NumElements(x.dims().subspan(static_cast<size_t>(at) + 1));
  const int64_t size = x.dim(at);
  To* to = out->Allocate<To>(dims);
  const int64_t results = NumElements(dims);
  for (int64_t i = 0; i < results; ++i) {
    to[i] = static_cast<To>(pick(x, i / inner * size * inner + i % inner, size, inner));
  }
  return Status::Ok();
}

using PickRun = Status (*)(const Args& attrs, Pick pick, int64_t axis, const Tensor& x,
                           Output* out);

template <bool kGreatest>
Result<KernelPlan> PlanPick(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const Pick pick, FindOrError(kPicks<kGreatest>, attrs, inputs, 0));
  FASTPIPE_ASSIGN(const int64_t axis, attrs.IntOr("axis", 0));
  FASTPIPE_ASSIGN(const DType dtype, attrs.DtypeOr("output_type", DType::kInt64));
  static constexpr auto kRuns = TableOf<Types<int16_t, uint16_t, int32_t, int64_t>>(
      []<typename To>() -> PickRun { return PickAll<To>; });
  const PickRun run = Find(kRuns, dtype);
  if (run == nullptr) {
    return attrs.Error(
        StrCat("output_type must be int16, uint16, int32 or int64, got ", DTypeName(dtype)));
  }
  TensorSpec spec = TensorSpec::UnknownRank(dtype);
  if (inputs[0].known_rank) {
    spec.known_rank = true;
    FASTPIPE_ASSIGN(spec.dims, WithoutAxis(attrs, inputs[0].dims, axis));
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, run, pick, axis](KernelContext*, Inputs in, Outputs out) {
                      return run(attrs, pick, axis, *in[0], &out[0]);
                    })};
}

FASTPIPE_KERNEL("argmax", PlanPick<true>);
FASTPIPE_KERNEL("argmin", PlanPick<false>);

}  // namespace
}  // namespace fastpipe
