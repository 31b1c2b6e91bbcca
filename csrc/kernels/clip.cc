// clip(x, low, high): x with values below `low` raised to it and those above `high` lowered to it.
// Three number tensors of one dtype; the bounds broadcast to x.

#include "core/registry.h"
#include "kernels/broadcast.h"
#include "kernels/dispatch.h"

namespace fastpipe {
namespace {

using Run = void (*)(const StridedLoop& loop, Inputs in, void* out);

template <typename T>
T Clip(T value, Wide<T> low, Wide<T> high) {
  Wide<T> clipped = ToWide(value);
  clipped = clipped > high ? high : clipped;  // NaN stays
  clipped = clipped < low ? low : clipped;
  return FromWide<T>(clipped);
}

template <typename T>
void RunClip(const StridedLoop& loop, Inputs in, void* out) {
  T* to = static_cast<T*>(out);
  loop.Run({}, [&](const auto& offsets, const auto& steps, int64_t count) {
    const T* values = in[0]->data<T>() + offsets[0];
    const T* low = in[1]->data<T>() + offsets[1];
    const T* high = in[2]->data<T>() + offsets[2];
    if (steps[0] == 1 && steps[1] == 0 && steps[2] == 0) {
      const Wide<T> least = ToWide(*low);
      const Wide<T> most = ToWide(*high);
      for (int64_t i = 0; i < count; ++i) to[i] = Clip<T>(values[i], least, most);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        to[i] =
            Clip<T>(values[i * steps[0]], ToWide(low[i * steps[1]]), ToWide(high[i * steps[2]]));
      }
    }
    to += count;
  });
}

constexpr auto kRuns = TableOf<NumberTypes>([]<typename T>() -> Run { return RunClip<T>; });

Status BoundsTooLarge(const Args& attrs, const std::string& x, const std::string& result) {
  return attrs.Error(StrCat("the bounds must broadcast to the shape ", x,
                            " of the values, but stretch it to ", result));
}

Status ClipAll(const Args& attrs, Run run, Inputs in, Output* out) {
  if (in[0]->rank() == 0 && in[1]->rank() == 0 && in[2]->rank() == 0) {
    run(StridedLoop(0), in, out->Allocate(in[0]->dtype(), {}));
    return Status::Ok();
  }
  FASTPIPE_ASSIGN(const std::vector<int64_t> dims, BroadcastDims(attrs.owner(), in));
  const Dims x = in[0]->dims();
  if (!std::equal(x.begin(), x.end(), dims.begin(), dims.end())) {
    return BoundsTooLarge(attrs, ShapeString(x), ShapeString(dims));
  }
  run(BroadcastLoop(x, {x, in[1]->dims(), in[2]->dims()}), in, out->Allocate(in[0]->dtype(), x));
  return Status::Ok();
}

Result<KernelPlan> PlanClip(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 3));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  FASTPIPE_ASSIGN(const Run run, FindOrError(kRuns, attrs, inputs, 0));
  FASTPIPE_ASSIGN(const TensorSpec whole, BroadcastSpecs(attrs, inputs, inputs[0].dtype));
  if (inputs[0].fully_known() && whole.known_rank && !(whole == inputs[0])) {
    return BoundsTooLarge(attrs, ShapeString(inputs[0].dims), ShapeString(whole.dims));
  }
  // The bounds may know sizes that x does not.
  const bool more = inputs[0].known_rank && whole.rank() == inputs[0].rank();
  return KernelPlan{.outputs = {more ? whole : inputs[0]},
                    .kernel = KernelFrom([attrs, run](KernelContext*, Inputs in, Outputs out) {
                      return ClipAll(attrs, run, in, &out[0]);
                    }),
                    .elementwise = true};
}

FASTPIPE_KERNEL("clip", PlanClip);

}  // namespace
}  // namespace fastpipe
